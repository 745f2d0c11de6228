#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""benchmarks/results/accuracy*.json -> docs/accuracy.md: `document.py` prints it, `document.py FILE` compares."""
import json
import os
import sys

RESULTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "results")
FILES = ["accuracy.json", "accuracy_cpu.json"]
DTYPES = ["f32", "f16", "bf16"]

HEAD = """# Accuracy

This page is made by `benchmarks/accuracy/document.py` from the results of `tenon_accuracy_cuda` and `tenon_accuracy_cpu`; a
test compares the two.

Errors are in units in the last place, from the exact value; half a unit is a correctly rounded result. The exact value is
double's own function, or a formula without cancellation where there is none. Every function is called through a compiled
expression. f32 functions are held to 4 units and to the bound that CUDA documents (counted from the correctly rounded
result), composed activations to 5 over the whole range; half types to 1, and 2 for activations. A NaN where a number is exact,
or the reverse, is a fault whatever the bound. The cheaper bf16 forms of some functions flush intermediates: below 2^-118 an error
in bf16 counts in units of that.

Sums of f32 are held to 2 ceil(log2 n) 2^-24 sum|x|, whatever the elements are; those of f64 to the same with 2^-53. The parts of a
cumulative sum are not, nor is a sum that comes with the mean of another operand (decision 23).
"""


def load():
    results = []
    for name in FILES:
        path = os.path.join(RESULTS, name)
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                results.append(json.load(file))
    return results


def cell(row):
    mark = "" if row["within"] else " **beyond**"
    return f"{row['max_ulp']:.2f}{mark}"


def section(result):
    header = result["header"]
    extent = "every value of f32" if header["step"] == 1 else f"every {header['step']}th value of f32"
    yield f"\n## {header['device']}\n\nAt {extent}, and at every value of f16 and bf16.\n"
    yield "| function | f32 | at | not nearest | CUDA's bound | from nearest | f16 | bf16 |"
    yield "|---|---|---|---|---|---|---|---|"
    rows = {(row["function"], row["dtype"]): row for row in result["rows"]}
    for name in sorted({row["function"] for row in result["rows"]}):
        f32 = rows[name, "f32"]
        cuda = f"{f32['cuda_ulp']:g}" if f32["cuda_ulp"] else ""
        yield (f"| `{name}` | {cell(f32)} | {f32['worst_input']} | {100 * f32['not_nearest']:.2f} % | {cuda} | "
               f"{f32['from_nearest_ulp']:g} | " + " | ".join(cell(rows[name, d]) for d in DTYPES[1:]) + " |")
    worst = max(result["sums"], key=lambda row: row["error_of_bound"])
    yield (f"\nSums of up to {max(row['count'] for row in result['sums'])} numbers: at most {worst['error_of_bound']:.3f} of the "
           f"bound, at {worst['count']} of {worst['values']}.")


def main():
    text = HEAD + "\n".join(line for result in load() for line in section(result)) + "\n"
    if len(sys.argv) < 2:
        sys.stdout.write(text)
        return 0
    with open(sys.argv[1], encoding="utf-8") as file:
        if file.read() == text:
            return 0
    print(f"{sys.argv[1]} is not what the results give; make it again: {sys.argv[0]} > {sys.argv[1]}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
