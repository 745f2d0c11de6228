#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Result files of run.sh -> figures of docs/performance.md, as SVG (needs matplotlib).

Usage: plots.py [--results benchmarks/results] [--out docs/images]
"""
import argparse
import os

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt
from matplotlib.colors import TwoSlopeNorm

from harness import results
from harness.results import HOST_CALL, GRAPH_CALL, SINGLE, STEADY

COLOURS = {"tenon": "#1b6ca8", "torch_compile": "#e08e45", "triton": "#7a5195", "cub": "#4a9c6d", "thrust": "#a3cfa0",
           "quack": "#c44e52", "liger": "#da8bc3", "matx": "#937860", "torch_eager": "#b9bec4", "bare_kernel": "#333333"}
BAR_HEIGHT = 0.8


def styled(axes):
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=7)


def save(figure, folder, name):
    figure.savefig(os.path.join(folder, name), metadata={"Date": None})
    plt.close(figure)


def bars(groups, member, axis_label, title, folder, name, decorate):
    """One group of bars per workload, one bar per provider."""
    providers = [p for p in COLOURS if any(p in group for group in groups.values())]
    height = BAR_HEIGHT / max(1, len(providers))
    figure, axes = plt.subplots(figsize=(9, (0.1 * len(providers) + 0.12) * len(groups) + 1.4), layout="constrained")
    for k, provider in enumerate(providers):
        shift = (k - (len(providers) - 1) / 2) * height
        present = [(y, group[provider]) for y, group in enumerate(groups.values()) if provider in group]
        axes.barh([y + shift for y, _ in present], [row[member] for _, row in present], height=height, color=COLOURS[provider],
                  label=results.NAMES[provider])
        for y, row in present:
            if row.get("launches") not in (None, 1):
                axes.annotate(f" {row['launches']} launches", (row[member], y + shift), va="center", fontsize=4)
    decorate(axes)
    axes.set_yticks(range(len(groups)), [results.title(*key) for key in groups])
    axes.set_ylim(len(groups) - 0.5, -0.5)
    axes.set_xlabel(axis_label, fontsize=8)
    axes.set_title(title, fontsize=9)
    figure.legend(fontsize=7, loc="outside lower center", ncols=5, frameon=False)
    styled(axes)
    save(figure, folder, name)


def steady_bars(result, folder):
    groups = result.groups(STEADY)
    if groups:
        bars(groups, "of_copy", "bytes that must move per second, as a fraction of a copy in the same run",
             f"{result.device}: steady state, rotating buffers", folder, "workloads.svg",
             lambda axes: axes.axvline(1, color="black", linewidth=0.8, linestyle="--"))


def single_bars(result, folder):
    groups = result.groups(SINGLE)

    def floors(axes):
        for y, group in enumerate(groups.values()):
            floor_us = result.floor_us(next(iter(group.values())))
            axes.plot([floor_us, floor_us], [y - 0.45, y + 0.45], color="black", linewidth=1,
                      label="empty kernel + bytes at the rate of a copy" if y == 0 else None)
        axes.set_xscale("log")
    if groups:
        bars(groups, "us", "microseconds, one call after the L2 cache was flushed", f"{result.device}: single calls", folder,
             "single_calls.svg", floors)


def curve(result, workload, position, axis_label, title, folder, name):
    """Bandwidth over one extent of a workload, a line per provider."""
    groups = result.curve(workload)
    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    for provider, colour in COLOURS.items():
        points = sorted((group[provider]["shape"][position], group[provider]["gbs"]) for group in groups.values() if provider in group)
        if points:
            axes.plot(*zip(*points), marker="o", markersize=3, color=colour, label=results.NAMES[provider])
    axes.axhline(result.header["ceilings"]["copy_gbs"], color="black", linewidth=0.8, linestyle="--", label="copy")
    axes.set_xscale("log", base=2)
    axes.set_ylim(bottom=0)
    axes.set_xlabel(axis_label, fontsize=8)
    axes.set_ylabel("GB/s", fontsize=8)
    axes.set_title(title, fontsize=9)
    axes.legend(fontsize=7, frameon=False)
    styled(axes)
    save(figure, folder, name)


def small_calls(result, folder):
    figure, both = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained", sharey=True)
    for axes, how, title in zip(both, (HOST_CALL, GRAPH_CALL), ("launched by the host", "replayed as a graph")):
        groups = result.groups(how)
        for provider, colour in COLOURS.items():
            points = sorted((group[provider]["shape"][0] * 4 / 1024, group[provider]["us"]) for group in groups.values()
                            if provider in group)
            if points:
                axes.plot(*zip(*points), marker="o", markersize=3, color=colour, label=results.NAMES[provider])
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_title(title, fontsize=9)
        axes.set_xlabel("KB of each array", fontsize=8)
        styled(axes)
    both[0].set_ylabel("microseconds until the kernel is done", fontsize=8)
    both[1].legend(fontsize=7, frameon=False)
    save(figure, folder, "small_calls.svg")


def heat_map(sweep, copy_gbs, folder):
    """Every point of the sweep: bandwidth as a fraction of a copy."""
    operations = list(dict.fromkeys(p["operation"] for p in sweep["points"]))
    planes = [("f32", 0), ("f32", 1), ("bf16", 0), ("bf16", 1)]
    rows, lengths = ([*sorted({p[member] for p in sweep["points"]})] for member in ("rows", "length"))
    figure, grid = plt.subplots(len(operations), len(planes), figsize=(13, 3.4 * len(operations)), layout="constrained",
                                sharex=True, sharey=True, squeeze=False)
    image = None
    for line, operation in zip(grid, operations):
        for axes, (dtype, offset) in zip(line, planes):
            cells = [[float("nan")] * len(rows) for _ in lengths]
            for p in sweep["points"]:
                if (p["operation"], p["dtype"], p["offset"]) == (operation, dtype, offset) and p["gbs"] is not None:
                    cells[lengths.index(p["length"])][rows.index(p["rows"])] = p["gbs"] / copy_gbs
            image = axes.imshow(cells, aspect="auto", cmap="RdYlGn", norm=TwoSlopeNorm(vcenter=0.6, vmin=0, vmax=1.1), origin="lower")
            axes.set_title(f"{operation}, {dtype}, {'offset by one element' if offset else 'aligned'}", fontsize=8)
            axes.set_xticks(range(len(rows)), rows, rotation=90)
            axes.set_yticks(range(len(lengths)), lengths)
            axes.tick_params(labelsize=5)
    figure.supxlabel("number of rows", fontsize=8)
    figure.supylabel("length of a row", fontsize=8)
    figure.colorbar(image, ax=grid, shrink=0.4, label="of a copy")
    save(figure, folder, "sweep.svg")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", default="benchmarks/results")
    parser.add_argument("--out", default="docs/images")
    options = parser.parse_args()
    os.makedirs(options.out, exist_ok=True)
    plt.rcParams["svg.hashsalt"] = "tenon"  # the same file for the same numbers
    result = results.load(os.path.join(options.results, "h200.json"))
    steady_bars(result, options.out)
    single_bars(result, options.out)
    curve(result, "softmax", 1, "length of a row, f32, 64 M elements in all", f"{result.device}: softmax of rows", options.out,
          "row_length.svg")
    curve(result, "relu_add_mul", 0, "elements of each array, f32", f"{result.device}: relu((x + y) * 2)", options.out, "size.svg")
    small_calls(result, options.out)
    sweep = results.load_sweep(os.path.join(options.results, "sweep.json"))
    if sweep:
        heat_map(sweep, result.header["ceilings"]["copy_gbs"], options.out)


if __name__ == "__main__":
    main()
