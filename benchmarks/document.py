#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Result files -> the figures in docs/performance.md, which stand between <!-- figures: NAME --> and <!-- end -->.

Usage: document.py [--check]      --check: compare instead of writing; fails where a figure is not that of the results
"""
import argparse
import os
import re
import sys

sys.dont_write_bytecode = True

from harness import results
from harness.results import CALL_AFTER_CALL, GRAPH_CALL, HOST_CALL, NAMES, SINGLE, STEADY

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DOCUMENT = os.path.join(ROOT, "docs", "performance.md")
RESULTS = os.path.join(ROOT, "benchmarks", "results")
BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
MOST_LISTED = 10
CLOSE_TO_COPY, CLOSE_TO_FLOOR = 0.95, 1.2  # what needs no explanation where nobody is faster


def table(head, lines):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "|".join("---" if k == 0 else "--:" for k in range(len(head))) + "|"
    for line in lines:
        yield "| " + " | ".join(line) + " |"


def cell(row, member, digits):
    value = row.get(member)
    return "–" if value is None else f"{value:.{digits}f}"


def best_other(group):
    """The fastest contender that computes the same; a bare kernel is a ceiling."""
    return min((row for provider, row in group.items() if provider not in ("tenon", "bare_kernel")), key=lambda row: row["us"], default={})


def compared(result, timing):
    """[(key, Tenon's row, the best other row, how many times as long that takes)] of rows that have both."""
    found = []
    for key, group in result.groups(timing).items():
        other = best_other(group)
        if "tenon" in group and other:
            found.append((key, group["tenon"], other, other["us"] / group["tenon"]["us"]))
    return found


class Figures:
    def __init__(self):
        self.result = results.load(os.path.join(RESULTS, "h200.json"))
        self.sweep_result = results.load_sweep(os.path.join(RESULTS, "sweep.json"))
        self.kernels = results.load(os.path.join(RESULTS, "bottlenecks.json"))
        self.cpu_result = results.load(os.path.join(RESULTS, "cpu.json"))

    def device(self):
        h = self.result.header
        yield (f"{h['device']}, driver {h['driver']}, {h['multiprocessors']} multiprocessors, {h['l2_bytes'] / 2**20:.0f} MiB of L2 cache; "
               f"CUDA {h['cuda_of_torch']}, PyTorch {h['torch']}, Triton {h['triton']}; {h['date']}, commit {h['commit']}.")
        absent = [NAMES[name] for name in ("quack", "liger") if str(h.get(name, "absent")).startswith("absent")]
        if absent:
            yield f"Not importable on that machine, so absent: {', '.join(absent)}."

    def ceilings(self):
        c = self.result.header["ceilings"]
        yield from table(("ceiling of the run", "measured"), (
            ("copy (one read, one write)", f"{c['copy_gbs']:.0f} GB/s"), ("addition (two reads, one write)", f"{c['add_gbs']:.0f} GB/s"),
            ("reading alone", f"{c['read_gbs']:.0f} GB/s"), ("an empty kernel, one call", f"{c['empty_single_us']:.1f} µs"),
            ("an empty kernel, one of many in a graph", f"{c['empty_steady_us']:.1f} µs")))

    def _workloads(self, timing, floor):
        lines = []
        for key, ours, other, ratio in compared(self.result, timing):
            figures = f"{self.result.floor_us(ours):.1f}" if floor else cell(ours, "of_copy", 2)
            lines.append((results.title(*key), cell(ours, "us", 1), figures, cell(ours, "launches", 0),
                          NAMES[other["provider"]], cell(other, "us", 1), cell(other, "launches", 0), f"{ratio:.2f}"))
        yield from table(("workload", "Tenon µs", "floor µs" if floor else "of copy", "launches", "best other", "µs", "launches", "times"), lines)

    def workloads(self):
        return self._workloads(STEADY, False)

    def single_calls(self):
        return self._workloads(SINGLE, True)

    def counts(self):
        rows = compared(self.result, STEADY) + compared(self.result, SINGLE)
        ahead = sum(ratio > 1 for *_, ratio in rows)
        one_launch = sum(ours["launches"] == 1 for _, ours, _, _ in rows)
        yield f"Tenon is ahead of every contender in {ahead} of {len(rows)} rows, and {one_launch} of them are one launch."

    def behind(self):
        rows = sorted((r for r in compared(self.result, STEADY) + compared(self.result, SINGLE) if r[3] <= 1), key=lambda r: r[3])
        for key, ours, other, _ in rows:
            yield f"- {results.title(*key)}: {ours['us']:.1f} µs, {NAMES[other['provider']]} {other['us']:.1f} µs."
        if not rows:
            yield "None."

    def _is_explained(self, timing, ours, ratio):
        is_close = (ours["of_copy"] >= CLOSE_TO_COPY if timing == STEADY else ours["us"] <= CLOSE_TO_FLOOR * self.result.floor_us(ours))
        return not is_close or ratio <= 1

    def bottlenecks(self):
        by_row = {(k["workload"], tuple(k["shape"]), k["dtype"]): k for k in self.kernels.rows}
        lines = []
        for timing in (STEADY, SINGLE):
            for key, ours, _, ratio in compared(self.result, timing):
                kernel = by_row.get(key)
                if not kernel or not self._is_explained(timing, ours, ratio):
                    continue
                traffic = (kernel["read_mb"] + kernel["written_mb"]) / kernel["least_mb"]
                waits = ", ".join(f"{name.replace('_', ' ')} {value:.1f}" for name, value in kernel["waits"].items())
                since = f", commit {kernel['commit']}" if "commit" in kernel else ""
                lines.append((results.title(*key) + since, f"{kernel['dram_percent']:.0f}", f"{kernel['issue_percent']:.0f}",
                              f"{kernel['warps_percent']:.0f}", f"{kernel['registers']:.0f}", f"{traffic:.2f}", waits))
        yield f"Nsight Compute {self.kernels.header['profiler']}, commit {self.kernels.header['commit']}.\n"
        yield from table(("workload", "DRAM %", "issue slots %", "warps %", "registers", "traffic", "cycles that a warp waits per instruction"), lines)

    def others(self):
        rows = []
        for timing in (STEADY, SINGLE):
            for key, group in self.result.groups(timing).items():
                if "tenon" in group and "torch_compile" in group:
                    rows.append((group["torch_compile"]["us"] / group["tenon"]["us"], key, group["tenon"], group["torch_compile"]))
        rows.sort(key=lambda row: -row[0])
        yield from table(("workload", "Tenon µs", "launches", "torch.compile µs", "launches", "times"), (
            (results.title(*key), cell(ours, "us", 1), cell(ours, "launches", 0), cell(theirs, "us", 1), cell(theirs, "launches", 0), f"{ratio:.1f}")
            for ratio, key, ours, theirs in rows[:MOST_LISTED]))

    def small_calls(self):
        host, graph = self.result.groups(HOST_CALL), self.result.groups(GRAPH_CALL)
        providers = [p for p in NAMES if any(p in group for group in host.values())]
        lines = [(f"{key[1][0] * 4 // 1024} KB", how) + tuple(cell(group.get(p, {}), "us", 1) for p in providers)
                 for key in host if key[0] == "relu_add_mul"
                 for how, group in (("host", host[key]), ("graph", graph.get(key, {})))]
        yield from table(("each array", "launched by", *(NAMES[p] for p in providers)), lines)

    def cpu(self):
        h, groups = self.cpu_result.header, self.cpu_result.groups(CALL_AFTER_CALL)
        yield (f"{h['processor']}, {h['threads']} threads, g++ {h['compiler']}, NumPy {h['numpy']}, PyTorch {h['torch']}; "
               f"a copy by all threads {h['ceilings']['copy_gbs']:.0f} GB/s; {h['date']}, commit {h['commit']}.\n")
        providers = [p for p in NAMES if p != "tenon" and any(p in group for group in groups.values())]
        yield from table(("workload", "Tenon ms", "of copy", *(f"{NAMES[p]} ms" for p in providers)), (
            (results.title(*key), *(f"{group[p]['us'] * 1e-3:.1f}" if p != "of_copy" else cell(group["tenon"], p, 2)
                                    for p in ("tenon", "of_copy", *providers)))
            for key, group in groups.items()))

    def sweep(self):
        if not self.sweep_result:
            yield "Not measured yet."
            return
        first, *rest = self.sweep_result["header"]["summary"]
        yield first + "."
        for line in rest:
            yield f"- {line}"


def filled(text, figures):
    def block(match):
        return match[1] + "\n".join(getattr(figures, match[2])()) + "\n" + match[3]
    return BLOCK.sub(block, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with open(DOCUMENT, encoding="utf-8") as source:
        text = source.read()
    wanted = filled(text, Figures())
    if not options.check:
        with open(DOCUMENT, "w", encoding="utf-8") as out:
            out.write(wanted)
    elif text != wanted:
        different = [f"  {ours}" for ours, theirs in zip(text.splitlines(), wanted.splitlines()) if ours != theirs]
        sys.exit("docs/performance.md quotes figures that are not those of benchmarks/results; run benchmarks/plots.sh\n" +
                 "\n".join(different[:MOST_LISTED]))
    missing = [path for path in re.findall(r"\]\((images/[^)]+)\)", text) if not os.path.exists(os.path.join(ROOT, "docs", path))]
    if missing:
        sys.exit(f"docs/performance.md shows figures that do not exist: {', '.join(missing)}; run benchmarks/plots.sh")


if __name__ == "__main__":
    main()
