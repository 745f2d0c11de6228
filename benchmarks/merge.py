#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON lines of the benchmark programs and the peers -> one result file, and a short table.

Usage: merge.py LINES... --out FILE [--bars FILE]
"""
import argparse
import json
import statistics
import sys


def read(paths):
    """-> (header, rows). A later header of one provider adds its ceilings to the earlier ones; a later row replaces."""
    header, rows, copies = {}, {}, {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for line in filter(str.strip, lines):
                record = json.loads(line)
                for provider, facts in record.get("header", {}).items():
                    if not isinstance(facts, dict):
                        header[provider] = facts
                        continue
                    for name, value in facts.get("ceilings", {}).items():
                        copies.setdefault((provider, name), []).append(value)
                    header[provider] = header.get(provider, {}) | {k: v for k, v in facts.items() if k != "ceilings"}
                if "header" not in record:
                    rows[key(record) + (record["provider"], record["timing"])] = record
    for (provider, name), values in copies.items():
        known = [v for v in values if v is not None]
        if known:
            ceiling = {"median": statistics.median(known), "lowest": min(known), "highest": max(known)}
            header[provider].setdefault("ceilings", {})[name] = ceiling
    ours, before = header.get("tenon", {}), header.get("before", {})
    summary = {"device": ours.get("device"), "driver": before.get("driver"), "ceilings": ours.pop("ceilings", {})}
    return summary | header, list(rows.values())


def key(row):
    return row["workload"], tuple(row["shape"]), row["dtype"]


def number(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


def count(row):
    return "-" if row.get("launches") is None else str(row["launches"])


def bar_text(row, bar):
    """What the bar asks for and whether the row reaches it."""
    if bar is None:
        return ""
    faults = []
    if "max_us" in bar and row["us"] > bar["max_us"]:
        faults.append(f"{bar['max_us']:g} us")
    if "min_of_copy" in bar and row["of_copy"] < bar["min_of_copy"]:
        faults.append(f"{bar['min_of_copy']:.2f} of copy")
    if row.get("launches") != bar.get("launches"):
        faults.append(f"{bar['launches']} launch")
    return "below: " + ", ".join(faults) if faults else "reached"


def table(rows, bars):
    by_provider = {}
    for row in rows:
        by_provider.setdefault((*key(row), row["timing"]), {})[row["provider"]] = row
    yield (f"{'workload':<24} {'shape':>14} {'type':>4} {'tenon us':>9} {'of copy':>7} {'launches':>8} {'error':>8} "
           f"{'compile us':>10} {'launches':>8} {'ratio':>6}  {'bar' if bars else ''}").rstrip()
    for (name, shape, dtype, how), providers in by_provider.items():
        ours, theirs = providers.get("tenon", {}), providers.get("torch_compile", {})
        ratio = theirs["us"] / ours["us"] if ours and theirs else None
        error = ours.get("max_rel_err")
        yield (f"{name:<24} {'x'.join(map(str, shape)):>14} {dtype:>4} {number(ours.get('us'), 1):>9} "
               f"{number(ours.get('of_copy'), 3):>7} {count(ours):>8} "
               f"{'-' if error is None else f'{error:.0e}':>8} {number(theirs.get('us'), 1):>10} "
               f"{count(theirs):>8} {number(ratio, 2):>6}  "
               f"{bar_text(ours, bars.get((name, shape, dtype))) if ours and 'of_copy' in ours else how}").rstrip()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lines", nargs="+")
    parser.add_argument("--out", required=True)
    parser.add_argument("--bars", help="JSON list of rows with min_of_copy or max_us, and launches")
    options = parser.parse_args()
    header, rows = read(options.lines)
    if not rows:
        sys.exit("merge.py: no rows")
    with open(options.out, "w", encoding="utf-8") as out:
        out.write('{"header": ' + json.dumps(header, indent=1) + ',\n"rows": [\n')
        out.write(",\n".join(json.dumps(row) for row in rows) + "\n]}\n")
    bars = {}
    if options.bars:
        with open(options.bars, encoding="utf-8") as source:
            bars = {key(bar): bar for bar in json.load(source)}
    print("\n".join(table(rows, bars)))


if __name__ == "__main__":
    main()
