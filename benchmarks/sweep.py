#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tenon over a grid of row counts and row lengths, aligned and offset by one element -> sweep.json and a list of cliffs.

Every point is checked: values against float64, the same bits on a second run, and the bits of the first row against those
that it has beside other numbers of rows. A sample of the points is timed with torch.compile as well.
"""
import argparse
import json
import logging
import math
import statistics
import sys
import time
import warnings

sys.dont_write_bytecode = True

import torch

from harness import libraries, timing
from harness.contenders import DEVICE, SEED, as_tuple, clear, max_relative_error, poison
from harness.cliffs import CLIFF, bytes_moved, summary
from harness.time_limit import limit
from peers import torch_peers
from workloads import WORKLOADS

ROW_COUNTS = (1, 2, 4, 8, 16, 64, 131, 132, 133, 263, 264, 1000, 4096, 65536, 1 << 20)
LENGTHS = (1, 3, 7, 16, 31, 32, 33, 64, 100, 128, 256, 500, 512, 768, 1000, 1023, 1024, 1025, 2048, 3000, 4096, 4097, 8191, 8192,
           8193, 12288, 16384, 32768, 50257, 65536, 131072, 262144, 1048576)
MOST_ELEMENTS = 1 << 28
OPERATIONS = ("sum_axis1", "softmax", "layer_norm", "sum_axis0")
DTYPES = ("f32", "bf16")
PEER_SHAPES = ((1, 1), (1, 8193), (1, 1048576), (2, 131072), (4, 262144), (16, 100), (16, 65536), (64, 7), (64, 1024), (131, 50257),
               (133, 16384), (264, 3000), (264, 8193), (1000, 33), (1000, 1000), (1000, 12288), (4096, 500), (4096, 4097), (4096, 32768),
               (65536, 3), (65536, 256), (65536, 1023), (65536, 4096), (1 << 20, 7), (1 << 20, 33), (1 << 20, 256))
MEMBERS = ("operation", "dtype", "offset", "rows", "length", "us", "gbs", "max_rel_err", "is_repeatable", "is_row_stable", "torch_compile_us")

REPLAY_US, REPLAYS, MOST_CALLS = 300.0, 3, 48


class Arena:
    """One large input and output per dtype; every point reads and writes another part of them, so that the L2 cache turns over."""

    def __init__(self, dtype):
        generator = torch.Generator(device=DEVICE).manual_seed(SEED)
        room = MOST_ELEMENTS + 64
        self.source = torch.randn(room, device=DEVICE, generator=generator).to(libraries.DTYPES[dtype])
        self.target = torch.empty_like(self.source)
        self.weights = [torch.randn(LENGTHS[-1] + 1, device=DEVICE, generator=generator).to(libraries.DTYPES[dtype]) for _ in range(2)]
        self.vector = torch.empty(2 * ROW_COUNTS[-1] + 64, device=DEVICE, dtype=libraries.DTYPES[dtype])

    def point(self, operation, rows, length, offset, k):
        """-> (inputs, output) of call number k."""
        n = rows * length
        most = max(1, (MOST_ELEMENTS - 64) // (n + 64))
        first = (k % min(most, MOST_CALLS)) * ((n + 63) // 64 * 64 if most > 1 else 0)
        x = self.source[first + offset:first + offset + n].view(rows, length)
        inputs = [x]
        if operation == "layer_norm":
            inputs += [w[offset:offset + length] for w in self.weights]
        if operation.startswith("sum"):
            count = rows if operation == "sum_axis1" else length
            return inputs, self.vector[offset:offset + count]
        return inputs, self.target[first + offset:first + offset + n].view(rows, length)


def call_count(bytes_of_call, first_us):
    floor_us = max(2.0, bytes_of_call / 4e6)
    return max(1, min(MOST_CALLS, int(REPLAY_US / max(floor_us, first_us if first_us > 1000 else 0.0))))


def time_calls(calls):
    """Microseconds of one of `calls`, from a graph of all."""
    def work():
        for call in calls:
            call()
    graph = timing.capture(work)
    graph.replay()
    return statistics.median(timing.elapsed_us(graph.replay) / len(calls) for _ in range(REPLAYS))


class Sweep:
    def __init__(self, options):
        self.options = options
        self.libraries, _, faults = libraries.load(options.libraries)
        for fault in faults:
            print(fault, file=sys.stderr)
        self.first_rows = {}

    def points(self):
        rows, lengths = (ROW_COUNTS[::3], LENGTHS[::4]) if self.options.quick else (ROW_COUNTS, LENGTHS)
        return [(r, n) for n in lengths for r in rows if r * n <= MOST_ELEMENTS]

    @staticmethod
    def error(output, operation, inputs):
        """Relative to the reference; of sums, which may cancel, to the sums of the absolute values."""
        wide = [t.double() for t in inputs]
        expected = as_tuple(WORKLOADS[operation].function(*wide))
        if not operation.startswith("sum"):
            return max_relative_error(output, expected)
        size = WORKLOADS[operation].function(wide[0].abs_())
        error = ((output.double() - expected[0]).norm() / size.norm()).item()
        return None if math.isnan(error) else error

    def measure(self, arena, operation, dtype, rows, length, offset):
        function = next(f for f in self.libraries[operation, dtype, 2] if f.provider == "tenon")
        stream = torch.cuda.current_stream().cuda_stream

        def bind(k):
            inputs, output = arena.point(operation, rows, length, offset, k)
            return function.bind((*inputs, output), stream), inputs, output
        call, inputs, output = bind(0)
        poison(output)
        call()
        error = self.error(output, operation, inputs)
        result = output.clone()
        first_us = timing.elapsed_us(call)
        is_repeatable = torch.equal(result.view(torch.uint8), output.view(torch.uint8))
        moved = bytes_moved(operation, rows, length, dtype)
        us = time_calls([bind(k)[0] for k in range(call_count(moved, first_us))])
        return {"us": round(us, 3), "gbs": round(moved / us * 1e-3, 2), "max_rel_err": error, "is_repeatable": is_repeatable,
                "is_row_stable": operation == "sum_axis0" or self.is_row_stable((operation, dtype, length, offset), result)}

    def is_row_stable(self, key, result):
        first = result[:1].clone()
        return torch.equal(self.first_rows.setdefault(key, first).view(torch.uint8), first.view(torch.uint8))

    def compiled_us(self, arena, operation, dtype, rows, length):
        inputs, _ = arena.point(operation, rows, length, 0, 0)
        function = torch_peers.compiled(WORKLOADS[operation].function, "default")
        function(*inputs)
        kept = []
        count = call_count(bytes_moved(operation, rows, length, dtype), 0.0)
        sets = [arena.point(operation, rows, length, 0, k)[0] for k in range(count)]
        return time_calls([lambda inputs=inputs: kept.append(function(*inputs)) for inputs in sets])

    def run(self):
        for dtype in DTYPES:
            arena = Arena(dtype)
            for operation in OPERATIONS:
                for rows, length in self.points():
                    for offset in (0, 1):
                        point = {"operation": operation, "dtype": dtype, "offset": offset, "rows": rows, "length": length}
                        try:
                            point |= self.measure(arena, operation, dtype, rows, length, offset)
                            if not offset and self.options.has_peers and (rows, length) in PEER_SHAPES:
                                with limit(60):
                                    point["torch_compile_us"] = round(self.compiled_us(arena, operation, dtype, rows, length), 3)
                        except Exception as fault:
                            point["fault"] = f"{type(fault).__name__}: {str(fault)[:300]}"
                        yield point
                clear()
            del arena
            self.first_rows = {}
            clear()

    def compile_only(self, part, parts):
        cases = [(o, d, s) for o in OPERATIONS for d in DTYPES for s in PEER_SHAPES][part::parts]
        for operation, dtype, shape in cases if self.options.has_peers else []:
            inputs = WORKLOADS[operation].inputs(shape, lambda *e: torch.randn(*e, device=DEVICE).to(libraries.DTYPES[dtype]))
            torch_peers.compiled(WORKLOADS[operation].function, "default")(*inputs)
            clear()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", default="build/gpu/benchmarks", help="folder with bench_*.so (%(default)s)")
    parser.add_argument("--out", default="sweep.json")
    parser.add_argument("--quick", action="store_true", help="every third row count and every fourth length, no peers")
    parser.add_argument("--no-peers", action="store_true", help="every point, without torch.compile")
    parser.add_argument("--compile-only", metavar="K/N", help="fill torch.compile's caches for part K of N and exit")
    options = parser.parse_args()
    options.has_peers = not (options.quick or options.no_peers)
    warnings.filterwarnings("ignore")
    logging.getLogger("torch").setLevel(logging.ERROR)
    if not torch.cuda.is_available():
        sys.exit("sweep.py: no CUDA device")
    begin = time.monotonic()
    with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
        sweep = Sweep(options)
        if options.compile_only:
            return sweep.compile_only(*map(int, options.compile_only.split("/")))
        points = list(sweep.run())
    header = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "seconds": round(time.monotonic() - begin),
              "cliff": CLIFF, "summary": list(summary(points))}
    with open(options.out, "w", encoding="utf-8") as out:
        out.write('{"header": ' + json.dumps(header, indent=1) + ',\n"members": ' + json.dumps(MEMBERS) + ',\n"points": [\n')
        out.write(",\n".join(json.dumps([point.get(member) for member in MEMBERS]) for point in points) + "\n]}\n")
    for line in header["summary"]:
        print(f"sweep: {line}")


if __name__ == "__main__":
    main()
