#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs published operator cases: one lambda per distinct case is generated, compiled, run and judged.

  run.py --cases DIR --build DIR [--kind gcc|nvcc] [--jobs N] [--only REGEX] -- COMPILER FLAGS...

An empty DIR is that of the environment, TENON_CONFORMANCE_DIR.
Two figures are reported: how many cases Tenon can express, and how many of these are right. A case that is wrong, or fewer
expressible cases than expressible.json records for the set, make it fail. A lambda that the compiler refuses is left out and
reported with the compiler's reason. Exit status: 0, 1, or 77 when there are no cases.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "programs"))

import cases as case_set  # noqa: E402
import lambdas as lambda_text  # noqa: E402
import own_cases  # noqa: E402
from build import Compiler, Tensor, build, execute, has_device  # noqa: E402

SKIPPED = 77
INCLUDES = ["harness.hpp", "conformance/standard/standard.hpp"]


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="")
    parser.add_argument("--build", required=True)
    parser.add_argument("--kind", choices=["gcc", "nvcc"], default="gcc")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--own", action="store_true", help="the cases of own_cases.py instead of a directory")
    parser.add_argument("--only", help="a regular expression that the names of the cases match")
    parser.add_argument("compiler", nargs="+")
    return parser.parse_args()


def run_cases(program, folder, data_path, pairs):
    """Pairs of (lambda, case) -> failures, the results, and {name: offsets of its outputs in them}."""
    runs, offsets, total = [], {}, 0
    for each, case in pairs:
        offsets[case["name"]], outputs = [], []
        for tensor in case["outputs"]:
            offsets[case["name"]].append(total)
            outputs.append(Tensor(total, tensor["bytes"], tensor["shape"]))
            total += tensor["bytes"]
        inputs = [Tensor(tensor["offset"], tensor["bytes"], tensor["shape"]) for tensor in case["inputs"]]
        runs.append((case["name"], each, inputs, outputs))
    return *execute(program, folder, data_path, runs), offsets


def judge(runs, failures, data, results, offsets):
    """Adds the cases whose values are wrong to the failures."""
    for _, case in runs:
        for tensor, offset in zip(case["outputs"], offsets[case["name"]]):
            if case["name"] not in failures:
                fault = case_set.find_fault(tensor, data, results, offset)
                if fault:
                    failures[case["name"]] = fault
    return failures


def seconds_of_one_lambda(compiler):
    """Processor seconds that a lambda of eight nodes costs on top of a translation unit with another such lambda."""
    def text(constants):
        functions = "".join(
            f"void f{c}(tn::view<float, tn::dyn, tn::dyn> z, tn::view<float, tn::dyn, tn::dyn> x) {{\n"
            f"  tn::compile([](auto v) {{ return tn::tanh(v * {c}.5f) + tn::exp(-tn::abs(v)) * tn::sqrt(v * v + 1.0f); }})"
            f".into(z)(x);\n}}\n" for c in constants)
        return '#include "tenon/tenon.hpp"\nnamespace tn = tenon;\n' + functions

    def best(constants):
        return min(compiler.compile("one_lambda", text(constants))[2] for _ in range(2))

    return best([1, 2]) - best([1])


def report(cases, lambdas, inexpressible, failures, split):
    expressible = len(cases) - len(inexpressible)
    for reason in sorted(set(inexpressible.values())):
        names = sorted(name for name, why in inexpressible.items() if why == reason)
        print(f"inexpressible, {reason}: {len(names)}: {', '.join(names)}")
    for name in sorted(failures):
        print(f"wrong: {name}: {failures[name]}")
    print(f"cases expressible: {expressible} of {len(cases)} ({len(lambdas)} lambdas; {split} cases as a call per output)")
    print(f"right among these: {expressible - len(failures)} of {expressible}")
    return expressible


def main():
    arguments = parse_arguments()
    folder = arguments.cases or os.environ.get("TENON_CONFORMANCE_DIR", "")
    if arguments.own:
        folder = os.path.join(arguments.build, "own")
        own_cases.write(folder)
    if not os.path.isfile(os.path.join(folder, "cases.jsonl")):
        print("skipped: no published cases; give their directory as TENON_CONFORMANCE_DIR")
        return SKIPPED
    if arguments.kind == "nvcc" and not has_device():
        print("skipped: no CUDA device")
        return SKIPPED
    cases, data, digest = case_set.read(folder)
    if arguments.only:
        cases = [case for case in cases if re.search(arguments.only, case["name"])]
    os.makedirs(arguments.build, exist_ok=True)
    compiler = Compiler(arguments.compiler, arguments.kind, arguments.build)

    lambdas, inexpressible = lambda_text.lambdas_of(cases)
    program, seconds = build(compiler, lambdas, arguments.jobs, INCLUDES)
    runs = [(each, case) for each in lambdas if not each.fault for case in each.cases]
    inexpressible |= {case["name"]: each.fault for each in lambdas if each.fault for case in each.cases}
    split = sum(len(each.cases) for each in lambdas if each.is_split and not each.fault)
    failures, results, offsets = run_cases(program, arguments.build, os.path.join(folder, "data.bin"), runs)
    failures = judge(runs, failures, data, results, offsets)

    expressible = report(cases, lambdas, inexpressible, failures, split)
    print(f"compiling: {seconds:.1f} s of processor time")
    if not arguments.own:
        uncached = Compiler(arguments.compiler, arguments.kind, arguments.build, is_cached=False)
        print(f"one lambda of eight nodes on top of its translation unit: {seconds_of_one_lambda(uncached):.2f} s")
    with open(os.path.join(HERE, "expressible.json"), encoding="utf-8") as file:
        recorded = json.load(file).get(digest, {}).get("expressible", 0)
    if expressible < recorded and not arguments.only:
        print(f"failed: {recorded} cases of this set were expressible before")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
