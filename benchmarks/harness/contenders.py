# SPDX-License-Identifier: Apache-2.0
"""A row of the benchmark -> its tensors, the expected results, and callables of the contenders on them."""
import gc
import math

import torch

from harness import timing
from harness.libraries import DTYPES
from workloads import WORKLOADS

SEED = 20240229
DEVICE = "cuda"


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def clear():
    gc.collect()
    torch.cuda.empty_cache()


def poison(tensor):
    """Fills with what no result is, so that an element that nobody wrote is found: NaN, or -1 in integers."""
    tensor.view(-1).view(torch.uint8).fill_(0xff)


def max_relative_error(results, expected):
    """The largest ||out - reference|| / ||reference|| of the outputs; None when one holds a NaN."""
    worst = 0.0
    for out, reference in zip(as_tuple(results), expected, strict=True):
        reference = reference.double()
        error = ((out.double().reshape(reference.shape) - reference).norm() / reference.norm()).item()
        if math.isnan(error):
            return None
        worst = max(worst, error)
    return worst


def normal_inputs(dtype):
    """-> make(*extents): normally distributed, the same in every run."""
    generator = torch.Generator(device=DEVICE).manual_seed(SEED)
    return lambda *extents: torch.randn(*extents, device=DEVICE, generator=generator).to(DTYPES[dtype])


class Data:
    """The tensors of one row: as many sets of inputs as rotate, and the expected outputs of the first two."""

    def __init__(self, row, sets=None):
        self.workload = WORKLOADS[row.workload]
        make = normal_inputs(row.dtype)
        first = self.workload.inputs(row.shape, make)
        self.result_types = [(t.shape, t.dtype) for t in as_tuple(self.workload.function(*first))]
        results = sum(math.prod(shape) * dtype.itemsize for shape, dtype in self.result_types)
        count = sets or timing.set_count(sum(t.nbytes for t in first) + results)
        self.inputs = [first] + [self.workload.inputs(row.shape, make) for _ in range(count - 1)]
        self.expected = [self.reference(inputs) for inputs in self.inputs[:2]]
        self.bytes_moved = self.workload.bytes_moved(*first)
        self.tolerance = 1e-4 if row.dtype == "f32" else self.workload.half_tolerance
        # Where a buffer lies decides up to 5 % of a kernel's time (H200, relu((x + y) * 2) of 8192 x 8192 f32: the same
        # kernel 193 us into one buffer, 185 into two others), so the libraries write the same ones, not cut from what
        # the references left.
        clear()
        self.outputs = [tuple(torch.empty(shape, dtype=dtype, device=DEVICE) for shape, dtype in self.result_types)
                        for _ in self.inputs]

    def reference(self, inputs):
        wide = (t.double() if t.is_floating_point() else t for t in inputs)
        return as_tuple(self.workload.function(*wide))

    def poison(self):
        for outputs in self.outputs:
            for output in outputs:
                poison(output)


class Contender:
    """call(k) makes call number k and returns its outputs."""

    def __init__(self, call, is_capturable=True):
        self.call, self.is_capturable = call, is_capturable
        self.members = {}


def of_library(function, data):
    outputs = data.outputs
    stream = torch.cuda.current_stream().cuda_stream
    calls = [function.bind((*inputs, *results), stream) for inputs, results in zip(data.inputs, outputs)]

    def call(k):
        calls[k % len(calls)]()
        return outputs[k % len(calls)]
    return Contender(call, function.is_capturable)


def of_function(make, data):
    function = make()

    def call(k):
        return function(*data.inputs[k % len(data.inputs)])
    return Contender(call)
