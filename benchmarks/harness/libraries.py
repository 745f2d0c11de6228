# SPDX-License-Identifier: Apache-2.0
"""Shared libraries of workloads (harness/library.hpp) -> functions that take PyTorch's tensors."""
import ctypes
import glob
import os

import torch

MOST_AXES = 4


class _Array(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("extents", ctypes.c_longlong * MOST_AXES)]


_Function = ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Array), ctypes.c_void_p)


class _Entry(ctypes.Structure):
    _fields_ = [("workload", ctypes.c_char_p), ("dtype", ctypes.c_char_p), ("rank", ctypes.c_int), ("run", _Function),
                ("is_capturable", ctypes.c_bool)]


class _Table(ctypes.Structure):
    _fields_ = [("provider", ctypes.c_char_p), ("version", ctypes.c_char_p), ("entries", ctypes.POINTER(_Entry)), ("count", ctypes.c_int)]


class LibraryFunction:
    """One workload of one provider; `bind` gives a call on fixed tensors."""

    def __init__(self, provider, entry):
        self.provider = provider
        self.is_capturable = entry.is_capturable
        self._run = entry.run

    def bind(self, tensors, stream):
        """-> a callable that launches on `stream`, an address. @pre every tensor is contiguous and outlives it"""
        arrays = (_Array * len(tensors))()
        for array, tensor in zip(arrays, tensors):
            array.data = tensor.data_ptr()
            array.extents[:tensor.dim()] = tensor.shape
        address = ctypes.c_void_p(stream)
        run = self._run

        def call():
            fault = run(arrays, address)
            if fault:
                raise RuntimeError(fault.decode())
        return call


def load(folder):
    """All bench_*.so in `folder` -> ({(workload, dtype, rank of the first input): [LibraryFunction of each provider]},
    {provider: version}, [what went wrong]). A library that does not load does not keep the others from being used."""
    found, versions, faults = {}, {}, []
    for path in sorted(glob.glob(os.path.join(folder, "bench_*.so"))):
        try:
            library = ctypes.CDLL(path)
        except OSError as fault:
            faults.append(f"{path}: {fault}")
            continue
        library.bench_entries.restype = _Table
        table = library.bench_entries()
        if table.version:
            versions[table.provider.decode()] = table.version.decode()
        for entry in table.entries[:table.count]:
            key = entry.workload.decode(), entry.dtype.decode(), entry.rank
            found.setdefault(key, []).append(LibraryFunction(table.provider.decode(), entry))
    return found, versions, faults


DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
