#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What Nsight Compute reads of the kernel of every row: what memory and issue slots do, traffic, why warps wait -> JSON.

Each row is called twice, and the second call is profiled with flushed caches and free clocks. Its time is that of a profiled
kernel: it says what bounds the kernel, not how long a call takes.
"""
import argparse
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

WAITS = ("long_scoreboard", "short_scoreboard", "barrier", "membar", "math_pipe_throttle", "mio_throttle", "lg_throttle", "wait",
         "not_selected", "sleeping", "drain", "no_instruction", "branch_resolve", "dispatch_stall")
WAIT = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
METRICS = {"us": ("gpu__time_duration.sum", 1e-3), "dram_percent": ("dram__throughput.avg.pct_of_peak_sustained_elapsed", 1),
           "read_mb": ("dram__bytes_read.sum", 1e-6), "written_mb": ("dram__bytes_write.sum", 1e-6),
           "issue_percent": ("smsp__issue_active.avg.pct_of_peak_sustained_active", 1),
           "warps_percent": ("sm__warps_active.avg.pct_of_peak_sustained_active", 1),
           "registers": ("launch__registers_per_thread", 1)}
MOST_WAITS = 2


def call_rows(options):
    """Under Nsight Compute: profiles one call of each row, and writes down which rows these were."""
    import torch
    from harness import libraries
    from harness.contenders import as_tuple, clear, normal_inputs
    from rows import ROWS
    from workloads import WORKLOADS
    found, _, _ = libraries.load(options.libraries)
    stream = torch.cuda.current_stream().cuda_stream
    with torch.no_grad(), open(options.called, "w", encoding="utf-8") as called:
        for row in ROWS:
            functions = [f for f in found.get((row.workload, row.dtype, len(row.shape)), []) if f.provider == "tenon"]
            if row.is_curve or not functions or not any(text in row.title for text in options.only.split(",")):
                continue
            workload = WORKLOADS[row.workload]
            inputs = workload.inputs(row.shape, normal_inputs(row.dtype))
            outputs = [torch.empty_like(t) for t in as_tuple(workload.function(*inputs))]
            call = functions[0].bind((*inputs, *outputs), stream)
            call()
            torch.cuda.synchronize()
            torch.cuda.profiler.start()
            call()
            torch.cuda.synchronize()
            torch.cuda.profiler.stop()
            print(json.dumps({"workload": row.workload, "shape": row.shape, "dtype": row.dtype,
                              "least_mb": workload.bytes_moved(*inputs) * 1e-6}), file=called, flush=True)
            del inputs, outputs, call
            clear()


def kernels(text):
    """The profiler's table -> [{metric: number}], a kernel each."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    _, *rest = csv.DictReader(io.StringIO("\n".join(lines)))  # without the row of units
    wanted = [name for name, _ in METRICS.values()] + [WAIT.format(name) for name in WAITS]
    return [{name: float(line[name].replace(",", "")) for name in wanted if line.get(name)} for line in rest]


def members(kernel):
    found = {member: round(kernel[name] * factor, 1) for member, (name, factor) in METRICS.items() if name in kernel}
    waits = sorted(((kernel.get(WAIT.format(name), 0.0), name) for name in WAITS), reverse=True)
    return found | {"waits": {name: round(value, 2) for value, name in waits[:MOST_WAITS]}}


def profile(options):
    with tempfile.TemporaryDirectory() as folder:
        called = os.path.join(folder, "called")
        command = ["ncu", "--csv", "--page", "raw", "--print-units", "base", "--profile-from-start", "off", "--clock-control", "none",
                   "--metrics", ",".join([name for name, _ in METRICS.values()] + [WAIT.format(name) for name in WAITS]),
                   sys.executable, os.path.abspath(__file__), "--libraries", options.libraries, "--only", options.only, "--called", called]
        run = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        with open(called, encoding="utf-8") as source:
            rows = [json.loads(line) for line in source]
    found = kernels(run.stdout)
    if run.returncode or len(found) != len(rows):
        print(run.stdout[-2000:], file=sys.stderr)
        sys.exit(f"bottlenecks.py: ncu ended with {run.returncode}; {len(found)} kernels of {len(rows)} calls")
    version = re.search(r"Version (\S+)", subprocess.run(["ncu", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout)[1]
    content = {"header": {"profiler": version, "commit": options.commit}, "rows": [row | members(kernel) for row, kernel in zip(rows, found)]}
    with open(options.out, "w", encoding="utf-8") as out:
        rows_text = ",\n".join(json.dumps(row) for row in content["rows"])
        out.write(f'{{"header": {json.dumps(content["header"])},\n"rows": [\n{rows_text}\n]}}\n')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--libraries", default="build/gpu/benchmarks", help="folder with bench_*.so (%(default)s)")
    parser.add_argument("--only", default="", help='comma-separated; rows whose "workload shape dtype" contains one')
    parser.add_argument("--out", default="bottlenecks.json", help="(%(default)s)")
    parser.add_argument("--commit", default="unknown", help="written down")
    parser.add_argument("--called", help=argparse.SUPPRESS)
    options = parser.parse_args()
    call_rows(options) if options.called else profile(options)


if __name__ == "__main__":
    main()
