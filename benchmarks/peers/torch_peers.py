#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyTorch's times for the benchmark's workloads: eager, and torch.compile in the better of the given modes.

Prints or appends one JSON line per row, in the form of the programs of kernels/; a header line with versions and the
copy rate of this process comes first. A row that fails or takes too long is reported on stderr and left out.
"""
import argparse
import gc
import json
import logging
import os
import signal
import sys
import time
import warnings

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import torch
import torch._inductor.config

import torch_timing as timing
from torch_workloads import GROUPS, LATENCY_ROWS, SINGLE, WORKLOADS

DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16}
SEED = 20240229


class TimeLimit(Exception):
    pass


class limit:
    """Raises TimeLimit in the block after `seconds`."""

    def __init__(self, seconds):
        self.seconds = seconds

    def __enter__(self):
        def stop(_signal, _frame):
            raise TimeLimit(f"time limit of {self.seconds} s")
        self.previous = signal.signal(signal.SIGALRM, stop)
        signal.alarm(self.seconds)

    def __exit__(self, *_):
        signal.alarm(0)
        signal.signal(signal.SIGALRM, self.previous)


def as_tuple(result):
    return result if isinstance(result, tuple) else (result,)


def make_sets(workload, shape, dtype):
    generator = torch.Generator(device="cuda").manual_seed(SEED)

    def make(*extents):
        return torch.randn(*extents, device="cuda", generator=generator).to(DTYPES[dtype])
    first = workload.inputs(shape, make)
    outputs = as_tuple(workload.function(*first))
    bytes_of_set = sum(t.numel() * t.element_size() for t in (*first, *outputs))
    return [first] + [workload.inputs(shape, make) for _ in range(timing.set_count(bytes_of_set) - 1)]


def reference(workload, inputs):
    return as_tuple(workload.function(*(t.double() for t in inputs)))


def max_relative_error(results, expected):
    """The largest ||out - reference|| / ||reference|| of the outputs; None when one holds a NaN."""
    worst = 0.0
    for out, ref in zip(results, expected, strict=True):
        error = ((out.double() - ref).norm() / ref.norm()).item()
        if error != error:
            return None
        worst = max(worst, error)
    return worst


def measured(function, sets, how, effort, expected):
    """-> the members of a row that depend on the provider."""
    def call(k):
        return function(*sets[k % len(sets)])
    error = max_relative_error(as_tuple(call(0)), expected)
    row = timing.single(call, effort) if how == SINGLE else timing.steady(call, len(sets), effort)
    return row | {"launches": timing.launches(call), "max_rel_err": error}


def compiled(function, mode):
    torch._dynamo.reset()
    return torch.compile(function, mode=None if mode == "default" else mode, dynamic=False)


def provider_rows(workload, sets, how, effort, modes, expected):
    """Yields (provider, members) of eager and of the best mode of torch.compile."""
    yield "torch_eager", measured(workload.function, sets, how, effort, expected)
    best = None
    for mode in modes:
        try:
            row = measured(compiled(workload.function, mode), sets, how, effort, expected) | {"mode": mode}
        except TimeLimit:
            raise
        except Exception as fault:
            print(f"torch_compile, mode {mode}: {fault}", file=sys.stderr, flush=True)
            continue
        best = row if best is None or row["us"] < best["us"] else best
    if best:
        yield "torch_compile", best


def clear():
    gc.collect()
    torch.cuda.empty_cache()


def rows_of(entry, effort, modes, copy_gbs):
    name, shape, dtype, how = entry
    workload = WORKLOADS[name]
    with torch.no_grad():
        sets = make_sets(workload, shape, dtype)
        expected = reference(workload, sets[0])
        bytes_moved = workload.arrays_moved(*sets[0])
        for provider, members in provider_rows(workload, sets, how, effort, modes, expected):
            gbs = bytes_moved / members["us"] * 1e-3
            yield {"workload": name, "shape": list(shape), "dtype": dtype, "provider": provider, **members, "gbs": gbs,
                   "of_copy": gbs / copy_gbs, "timing": how}


def latency_rows(entry, effort, modes):
    """One small call as its caller sees it, launched by the host and as a graph."""
    name, shape, dtype = entry
    function = WORKLOADS[name].function
    with torch.no_grad():
        inputs = make_sets(WORKLOADS[name], shape, dtype)[0]
        providers = [("torch_eager", function)] + [("torch_compile", compiled(function, mode)) for mode in modes[:1]]
        for provider, run in providers:
            def call(_):
                return run(*inputs)
            call(0)
            graph = timing.capture(lambda: call(0))
            for how, launch in (("host call to finished kernel", call), ("graph replay to finished kernel", lambda _: graph.replay())):
                yield {"workload": name, "shape": list(shape), "dtype": dtype, "provider": provider,
                       **timing.host_latency(launch, effort), "timing": how}


def compile_only(entries, modes, limit_s):
    """Fills the compilation caches; runs beside other processes, so nothing is timed."""
    for entry in entries:
        name, shape, dtype = entry[:3]
        for mode in modes:
            try:
                with limit(limit_s), torch.no_grad():
                    generator = torch.Generator(device="cuda").manual_seed(SEED)
                    inputs = WORKLOADS[name].inputs(
                        shape, lambda *extents: torch.randn(*extents, device="cuda", generator=generator).to(DTYPES[dtype]))
                    compiled(WORKLOADS[name].function, mode)(*inputs)
            except Exception as fault:
                print(f"{name} {shape} {dtype} {mode}: {fault}", file=sys.stderr, flush=True)
            clear()


def copy_rate(effort):
    sets = [(torch.randn(1 << 28, device="cuda"), torch.empty(1 << 28, device="cuda")) for _ in range(2)]
    us = timing.steady(lambda k: sets[k % 2][1].copy_(sets[k % 2][0]), 2, effort)["us"]
    return 2 * (4 << 28) / us * 1e-3


def header(copy_gbs, modes):
    try:
        import triton
        triton_version = triton.__version__
    except ImportError:
        triton_version = None
    return {"header": {"torch": {"torch": torch.__version__, "triton": triton_version, "cuda": torch.version.cuda,
                                 "device": torch.cuda.get_device_name(), "modes": modes,
                                 "ceilings": {"copy_gbs": copy_gbs}}}}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--groups", default=",".join([*GROUPS, "call_overhead"]), help="comma-separated: %(default)s")
    parser.add_argument("--only", default="", help='rows whose "workload shape dtype" contains this')
    parser.add_argument("--modes", default="default,max-autotune-no-cudagraphs", help="of torch.compile (%(default)s)")
    parser.add_argument("--out", help="append there instead of printing")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, mode default only")
    parser.add_argument("--compile-only", action="store_true", help="fill the compilation caches and exit")
    parser.add_argument("--limit-s", type=int, default=60, help="of one row (%(default)s)")
    return parser.parse_args()


def main():
    options = arguments()
    warnings.filterwarnings("ignore")
    logging.getLogger("torch").setLevel(logging.ERROR)
    # A choice that another process made beside others, on a busy device, is not taken over.
    torch._inductor.config.autotune_local_cache = False
    if not torch.cuda.is_available():
        sys.exit("torch_peers.py: no CUDA device")
    effort = timing.QUICK if options.quick else timing.Effort()
    modes = ["default"] if options.quick else options.modes.split(",")
    groups = options.groups.split(",")

    def wanted(entry):
        return options.only in f"{entry[0]} {'x'.join(map(str, entry[1]))} {entry[2]}"
    entries = [entry for group in groups for entry in GROUPS.get(group, []) if wanted(entry)]
    latencies = [entry for entry in LATENCY_ROWS if "call_overhead" in groups and wanted(entry)]
    if options.compile_only:
        return compile_only(entries + latencies, modes, options.limit_s)

    copy_gbs = copy_rate(effort)
    clear()
    out = open(options.out, "a", encoding="utf-8") if options.out else sys.stdout

    def write(row):
        print(json.dumps(row), file=out, flush=True)
    write(header(copy_gbs, modes))
    makers = [(e, lambda e=e: rows_of(e, effort, modes, copy_gbs)) for e in entries]
    makers += [(e, lambda e=e: latency_rows(e, effort, modes)) for e in latencies]
    for entry, make in makers:
        begin = time.monotonic()
        try:
            with limit(options.limit_s):
                for row in make():
                    write(row)
        except Exception as fault:  # the other rows are still wanted
            print(f"{entry}: {type(fault).__name__}: {fault}", file=sys.stderr, flush=True)
        clear()
        if time.monotonic() - begin > options.limit_s / 2:
            print(f"{entry}: {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
