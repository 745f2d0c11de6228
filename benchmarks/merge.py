#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""JSON lines of measure.py and the programs -> one result file, and a table.

Usage: merge.py LINES... --out FILE [--bars FILE]
"""
import argparse
import json
import sys


def read(paths):
    """-> (header, rows). Later facts and rows replace earlier ones; ceilings are kept from every measurement."""
    header, ceilings, rows = {}, [], {}
    for path in paths:
        with open(path, encoding="utf-8") as lines:
            for record in map(json.loads, filter(str.strip, lines)):
                if "header" in record:
                    header |= record["header"]
                elif "ceilings" in record:
                    ceilings.append(record["ceilings"])
                else:
                    rows[key(record) + (record["provider"], record["timing"])] = record
    header["ceilings"] = best_of(ceilings)
    header["ceilings"]["copy_gbs_of_each_measurement"] = [rounded(c["copy_gbs"]) for c in ceilings if "copy_gbs" in c]
    copy = header["ceilings"].get("copy_gbs")
    return header, [with_fraction(row, copy) for row in rows.values()]


def rounded(value):
    return float(f"{value:.6g}") if isinstance(value, float) else value


def best_of(measurements):
    """The highest rates and the shortest times of the run."""
    best = {}
    for name in dict.fromkeys(name for measurement in measurements for name in measurement):
        values = [m[name] for m in measurements if name in m]
        if isinstance(values[0], dict):
            best[name] = best_of(values)
        else:
            best[name] = rounded(min(values) if name.endswith("_us") else max(values))
    return best


def with_fraction(row, copy_gbs):
    """of_copy after gbs: every contender is measured against the same ceiling."""
    members = {}
    for name, value in row.items():
        members[name] = rounded(value)
        if name == "gbs" and copy_gbs:
            members["of_copy"] = round(value / copy_gbs, 4)
    return members


def key(row):
    return row["workload"], tuple(row["shape"]), row["dtype"]


def number(value, digits):
    return "-" if value is None else f"{value:.{digits}f}"


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
    groups = {}
    for row in rows:
        groups.setdefault((*key(row), row["timing"]), {})[row["provider"]] = row
    yield (f"{'workload':<24} {'shape':>14} {'type':>4} {'tenon us':>9} {'of copy':>7} {'launches':>8} {'error':>8} "
           f"{'next':>13} {'us':>9} {'of copy':>7} {'launches':>8} {'ratio':>6}  {'bar' if bars else ''}").rstrip()
    for (name, shape, dtype, how), providers in groups.items():
        ours = providers.get("tenon", {})
        others = [row for provider, row in providers.items() if provider not in ("tenon", "bare_kernel")]
        theirs = min(others, key=lambda row: row["us"], default={})
        ratio = theirs["us"] / ours["us"] if ours and theirs else None
        error = ours.get("max_rel_err")
        note = bar_text(ours, bars.get((name, shape, dtype))) if ours and "of_copy" in ours else how
        yield (f"{name:<24} {'x'.join(map(str, shape)):>14} {dtype:>4} {number(ours.get('us'), 1):>9} "
               f"{number(ours.get('of_copy'), 3):>7} {number(ours.get('launches'), 0):>8} "
               f"{'-' if error is None else f'{error:.0e}':>8} {theirs.get('provider', '-'):>13} {number(theirs.get('us'), 1):>9} "
               f"{number(theirs.get('of_copy'), 3):>7} {number(theirs.get('launches'), 0):>8} {number(ratio, 2):>6}  {note}").rstrip()


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
