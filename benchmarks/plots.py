#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A result file of run.sh -> bars per workload against the copy rate, as SVG (needs matplotlib).

Usage: plots.py RESULT.json [--out docs/images]
Writes bandwidth.svg (rows timed in a steady state) and small_calls.svg (single calls, in microseconds).
"""
import argparse
import json
import os

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

PROVIDERS = {"tenon": ("Tenon", "#1b6ca8"), "torch_compile": ("torch.compile", "#e08e45"), "torch_eager": ("PyTorch eager", "#b9bec4")}
BAR_HEIGHT = 0.27


def load(path):
    with open(path, encoding="utf-8") as source:
        return json.load(source)


def grouped(rows, is_wanted):
    """-> {label: {provider: row}} in the order of the file."""
    groups = {}
    for row in filter(is_wanted, rows):
        if row["provider"] in PROVIDERS:
            label = f"{row['workload']}  {'×'.join(map(str, row['shape']))}  {row['dtype']}"
            groups.setdefault(label, {})[row["provider"]] = row
    return {label: group for label, group in groups.items() if "tenon" in group}


def draw(groups, member, axis_label, title, path, ceiling=None):
    if not groups:
        return
    figure, axes = plt.subplots(figsize=(9, 0.42 * len(groups) + 1.4), layout="constrained")
    for k, (provider, (name, colour)) in enumerate(PROVIDERS.items()):
        present = [(y, group[provider]) for y, group in enumerate(groups.values()) if provider in group]
        axes.barh([y + (k - 1) * BAR_HEIGHT for y, _ in present], [row[member] for _, row in present],
                  height=BAR_HEIGHT, color=colour, label=name)
        for y, row in present:
            if row.get("launches") not in (None, 1):
                axes.annotate(f" {row['launches']} launches", (row[member], y + (k - 1) * BAR_HEIGHT), va="center", fontsize=6)
    if ceiling is not None:
        axes.axvline(ceiling, color="black", linewidth=0.8, linestyle="--")
    axes.set_yticks(range(len(groups)), groups, fontsize=7)
    axes.invert_yaxis()
    axes.set_xlabel(axis_label)
    axes.set_title(title, fontsize=10)
    axes.legend(fontsize=8, loc="lower right", frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("result")
    parser.add_argument("--out", default="docs/images")
    options = parser.parse_args()
    result = load(options.result)
    os.makedirs(options.out, exist_ok=True)
    plt.rcParams["svg.hashsalt"] = "tenon"  # the same file for the same numbers
    device = result["header"].get("tenon", {}).get("device", "")
    steady = grouped(result["rows"], lambda row: row["timing"].startswith("steady"))
    single = grouped(result["rows"], lambda row: row["timing"].startswith("one call"))
    draw(steady, "of_copy", "bytes per second, as a fraction of a plain copy", f"{device}: large tensors",
         os.path.join(options.out, "bandwidth.svg"), ceiling=1.0)
    draw(single, "us", "microseconds, one call with a cold L2 cache", f"{device}: small tensors",
         os.path.join(options.out, "small_calls.svg"))


if __name__ == "__main__":
    main()
