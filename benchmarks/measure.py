#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every workload by every contender, on the same tensors, in turns, beside the ceilings of the run -> JSON lines.

A contender that fails, gives wrong values or takes too long to get ready is reported on stderr and left out; of wrong
values the exit status is 1.
"""
import argparse
import json
import logging
import sys
import time
import warnings

sys.dont_write_bytecode = True

import torch

from harness import libraries, timing
from harness.contenders import Data, clear, max_relative_error, normal_inputs, of_function, of_library
from harness.results import GRAPH_CALL, HOST_CALL, SINGLE
from harness.time_limit import limit
from peers import package_peers, torch_peers, triton_peers
from rows import GROUPS, LATENCY_ELEMENTS, LATENCY_WORKLOAD, ROWS, Row
from workloads import WORKLOADS

CEILING_ELEMENTS = 1 << 28  # floats of one array


class Bench:
    def __init__(self, options):
        self.options = options
        self.effort = timing.QUICK if options.quick else timing.Effort()
        self.modes = ["default"] if options.quick else options.modes.split(",")
        self.libraries, self.library_versions, faults = libraries.load(options.libraries)
        self.packages, self.package_versions = package_peers.find()
        for fault in faults:
            report(fault)
        self.flush = None
        self.has_wrong_values = False
        self.begin = time.monotonic()

    def is_wanted(self, provider):
        return not self.options.providers or provider.split()[0] in self.options.providers.split(",")

    def has_time(self):
        return time.monotonic() - self.begin < self.options.autotune_until_s

    def makers(self, row, data):
        """{contender: function that gets it ready}, Tenon first."""
        found = {}
        for function in self.libraries.get((row.workload, row.dtype, len(row.shape)), []):
            found[function.provider] = lambda function=function: of_library(function, data)
        modes = [m for m in self.modes if m == "default" or (self.has_time() and row.is_autotuned)]
        functions = torch_peers.contenders(data.workload, modes) | triton_peers.contenders(row.workload)
        functions |= {name: lambda f=f: f for name, f in self.packages.get(row.workload, {}).items()}
        found |= {name: lambda make=make: of_function(make, data) for name, make in functions.items()}
        return {name: make for name, make in found.items() if self.is_wanted(name)}

    def is_right(self, row, name, error, data):
        if error is not None and error <= data.tolerance:
            return True
        report(f"{row.title}: {name}: the relative error is {error}")
        self.has_wrong_values = True
        return False

    def ready(self, row, data):
        """-> {name: Contender} of those that gave the right result."""
        contenders = {}
        for name, make in self.makers(row, data).items():
            try:
                with limit(self.options.limit_s):
                    contender = make()
                    data.poison()
                    error = max_relative_error(contender.call(0), data.expected[0])
                    count = timing.kernel_count if contender.is_capturable else timing.profiled_kernel_count
                    contender.members = {"launches": count(lambda: contender.call(0)), "max_rel_err": error}
                if self.is_right(row, name, error, data):
                    contenders[name] = contender
            except Exception as fault:
                report(f"{row.title}: {name}: {type(fault).__name__}: {str(fault)[:500]}")
        return contenders

    def timed(self, row, data):
        """Yields (provider, members) of each contender; of torch.compile's modes the faster one."""
        contenders = self.ready(row, data)
        sets = len(data.inputs)
        timers = {}
        for name, contender in contenders.items():
            if row.timing == SINGLE:
                self.flush = timing.flush_buffer() if self.flush is None else self.flush
                timers[name] = timing.Single(contender.call, sets, self.effort, self.flush)
            else:
                timers[name] = timing.Steady(contender.call, sets, self.effort, contender.is_capturable)
        times = timing.in_turns(timers, self.effort)
        found = {}
        for name, contender in contenders.items():
            provider, _, mode = name.partition(" ")
            # After all that was timed, and by the graph where there is one.
            data.poison()
            late_error = max_relative_error(timers[name].output(1), data.expected[1])
            if not self.is_right(row, name, late_error, data):
                continue
            contender.members["max_rel_err"] = max(late_error, contender.members["max_rel_err"])
            members = times[name] | contender.members | ({"mode": mode} if mode else {})
            if not contender.is_capturable:
                members["is_graph"] = False
            if provider not in found or members["us"] < found[provider]["us"]:
                found[provider] = members
        yield from found.items()

    def rows_of(self, row):
        data = Data(row)
        for provider, members in self.timed(row, data):
            yield {"workload": row.workload, "shape": list(row.shape), "dtype": row.dtype, "provider": provider, **members,
                   "gbs": data.bytes_moved / members["us"] * 1e-3, "timing": row.timing} | ({"is_curve": True} if row.is_curve else {})

    def ceilings(self):
        """Each simple kernel's rate: {name: number}."""
        n, bytes_of_array = CEILING_ELEMENTS, 4 * CEILING_ELEMENTS
        make = normal_inputs("f32")
        arrays = [[make(n) for _ in range(3)] for _ in range(2)]
        stream = torch.cuda.current_stream().cuda_stream
        makers = {}
        for (name, _, _), functions in self.libraries.items():
            for function in functions:
                if function.provider == "ceiling":
                    makers[name] = [function.bind(tensors, stream) for tensors in arrays]
        timers = {}
        for name, calls in makers.items():
            def call(k, calls=calls):
                calls[k % 2]()
            timers[name] = timing.Steady(call, 2, self.effort)
        us = {name: t["us"] for name, t in timing.in_turns(timers, self.effort).items()} if timers else {}
        found = {}
        for kind, moved in (("copy", 2), ("add", 3), ("read", 1)):
            times = [t for name, t in us.items() if name.split("_")[0] == kind]
            if times:
                found[f"{kind}_gbs"] = moved * bytes_of_array / min(times) * 1e-3
        if "empty" in makers:
            found["empty_steady_us"] = us["empty"]
            single = timing.Single(lambda k: makers["empty"][0](), 1, self.effort, timing.flush_buffer())
            found["empty_single_us"] = timing.in_turns({"empty": single}, self.effort)["empty"]["us"]
        found["copies"] = {name: 2 * bytes_of_array / t * 1e-3 for name, t in us.items() if name.startswith("copy_")}
        return found

    def latency_rows(self, elements):
        """One small call as its caller sees it, launched by the host and as a graph; Tenon's are in small_calls.cu."""
        name = LATENCY_WORKLOAD
        row = Row("small_calls", name, (elements,), "f32", SINGLE)
        data = Data(row, sets=1)
        for provider, make in torch_peers.contenders(data.workload, ["default"]).items():
            provider = provider.split()[0]
            if not self.is_wanted(provider):
                continue
            function = make()

            def call():
                return function(*data.inputs[0])
            call()
            graph = timing.capture(call)
            for how, launch in ((HOST_CALL, call), (GRAPH_CALL, graph.replay)):
                yield {"workload": name, "shape": [elements], "dtype": "f32", "provider": provider,
                       **timing.host_latency(launch, self.effort.rounds * 80), "timing": how}

    def header(self):
        properties = torch.cuda.get_device_properties()
        return {"device": properties.name, "compute_capability": properties.major * 10 + properties.minor,
                "multiprocessors": properties.multi_processor_count, "l2_bytes": properties.L2_cache_size,
                "memory_bytes": properties.total_memory, "python": sys.version.split()[0], "torch_compile_modes": self.modes,
                **torch_peers.versions(), **self.library_versions, **self.package_versions}

    def compile_only(self, rows):
        """Fills the compilation caches; runs beside other processes, so nothing is timed."""
        for row in rows:
            workload = WORKLOADS[row.workload]
            modes = self.modes if row.is_autotuned else self.modes[:1]
            functions = {mode: lambda mode=mode: torch_peers.compiled(workload.function, mode) for mode in modes}
            functions |= {name: lambda f=f: f for name, f in self.packages.get(row.workload, {}).items()}
            for name, make in functions.items():
                try:
                    with limit(self.options.limit_s):
                        make()(*workload.inputs(row.shape, normal_inputs(row.dtype)))
                except Exception as fault:
                    report(f"{row.title} {name}: {type(fault).__name__}: {str(fault)[:500]}")
                clear()


def report(text):
    print(text, file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", default="build/gpu/benchmarks", help="folder with bench_*.so (%(default)s)")
    parser.add_argument("--groups", default=",".join([*GROUPS, "small_calls"]), help="comma-separated: %(default)s")
    parser.add_argument("--only", default="", help='comma-separated; rows whose "workload shape dtype" contains one')
    parser.add_argument("--providers", default="", help="comma-separated: tenon,torch_eager,torch_compile,triton,cub,... (all)")
    parser.add_argument("--modes", default=",".join(torch_peers.MODES), help="of torch.compile (%(default)s)")
    parser.add_argument("--autotune-until-s", type=int, default=420, help="rows begun later are not autotuned (%(default)s)")
    parser.add_argument("--out", help="append there instead of printing")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, mode default only")
    parser.add_argument("--compile-only", metavar="K/N", help="fill the compilers' caches for part K of N and exit")
    parser.add_argument("--limit-s", type=int, default=40, help="of getting one contender ready (%(default)s)")
    return parser.parse_args()


def main():
    options = arguments()
    warnings.filterwarnings("ignore")
    logging.getLogger("torch").setLevel(logging.ERROR)
    torch_peers.configure()
    if not torch.cuda.is_available():
        sys.exit("measure.py: no CUDA device")
    bench = Bench(options)
    groups = options.groups.split(",")

    def is_wanted(row):
        return row.group in groups and any(text in row.title for text in options.only.split(","))
    rows = [row for row in ROWS if is_wanted(row)]
    with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
        if options.compile_only:
            part, parts = map(int, options.compile_only.split("/"))
            bench.compile_only(rows[part::parts])
            return 0
        out = open(options.out, "a", encoding="utf-8") if options.out else sys.stdout

        def write(record):
            print(json.dumps(record), file=out, flush=True)
        write({"header": bench.header()})
        write({"ceilings": bench.ceilings()})
        clear()
        for row in rows:
            begin = time.monotonic()
            try:
                for record in bench.rows_of(row):
                    write(record)
            except Exception as fault:  # the other rows are still wanted
                report(f"{row.title}: {type(fault).__name__}: {str(fault)[:500]}")
            clear()
            report(f"{row.title}: {time.monotonic() - begin:.1f} s")
        if "small_calls" in groups:
            for elements in LATENCY_ELEMENTS:
                for record in bench.latency_rows(elements):
                    write(record)
        write({"ceilings": bench.ceilings()})
    return int(bench.has_wrong_values)


if __name__ == "__main__":
    sys.exit(main())
