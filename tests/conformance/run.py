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
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import cases as case_set
import programs

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
LAMBDAS_PER_FILE = 12
MOST_ATTEMPTS = 6


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", default="")
    parser.add_argument("--build", required=True)
    parser.add_argument("--kind", choices=["gcc", "nvcc"], default="gcc")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", help="a regular expression that the names of the cases match")
    parser.add_argument("compiler", nargs="+")
    return parser.parse_args()


def has_device():
    """Asked before minutes are spent on compiling."""
    listed = shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], stdout=subprocess.PIPE, check=False).stdout
    return bool(listed) and listed.startswith(b"GPU")


class Compiler:
    def __init__(self, command, kind, folder, is_cached=True):
        ccache = shutil.which("ccache") if is_cached else None
        self.command = ([ccache] if ccache else []) + command + [f"-I{HERE}"]
        self.kind, self.folder = kind, folder

    def run(self, arguments):
        """-> (exit status, what it said, seconds of processor time)."""
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(self.command + arguments, stdout=output, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            output.seek(0)
            return process.returncode, output.read(), usage.ru_utime + usage.ru_stime

    def compile(self, name, text):
        source = os.path.join(self.folder, name + (".cu" if self.kind == "nvcc" else ".cpp"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        return self.run(["-c", source, "-o", os.path.join(self.folder, name + ".o")])

    def link(self, names, program):
        objects = [os.path.join(self.folder, name + ".o") for name in names]
        return self.run(objects + ["-o", program])


def faults_in(output, kind, first_lines):
    """Attributes the compiler's errors to lambdas by the lines of the generated file that they name.

    g++ says where an error comes from before the error, nvcc after it.
    """
    faults, place, message = {}, None, None
    for line in output.splitlines():
        named = re.search(r"group_\d+\.(?:cpp|cu)[:(](\d+)", line) or re.search(r"at line (\d+) of .*group_\d+\.cu", line)
        if named:
            place = max((k for k, first in first_lines.items() if first <= int(named[1])), default=None)
        if "error" in line and ("error:" in line or "error :" in line):
            text = re.search(r"tenon: [^\"]*", line)
            message = text[0].strip() if text else line.split("error", 1)[1].strip(": ")[:160]
            if kind == "gcc" and place is not None:
                faults.setdefault(place, message)
        elif kind == "nvcc" and named and message and place is not None:
            faults.setdefault(place, message)
    return faults


def compile_group(compiler, name, lambdas):
    """Compiles the lambdas of one file; one that is refused becomes a call per output, then is given up."""
    seconds, alive = 0.0, [l for l in lambdas if not l.fault]
    for _ in range(MOST_ATTEMPTS):
        text, first_lines = '#include "harness.hpp"\n#include "standard/standard.hpp"\nnamespace tn = tenon;\n\n', {}
        for k, each in enumerate(alive):
            first_lines[k] = text.count("\n") + 1
            text += each.text()
        status, output, used = compiler.compile(name, text)
        seconds += used
        if status == 0:
            return seconds
        faults = faults_in(output, compiler.kind, first_lines)
        if not faults:
            break
        for k, message in faults.items():
            if len(alive[k].case["outputs"]) > 1 and not alive[k].is_split:
                alive[k].is_split = True
            else:
                alive[k].fault = message
        alive = [l for l in alive if not l.fault]
    for each in alive:
        each.fault = "the compiler refuses it: " + output[:2000]
    compiler.compile(name, "")
    return seconds


def build(compiler, lambdas, jobs):
    """-> (path of the program, seconds of processor time)."""
    # Lambdas of one operator go to different files, so that no file is the slowest by far.
    count = max(1, -(-len(lambdas) // LAMBDAS_PER_FILE))
    groups = {f"group_{k}": lambdas[k::count] for k in range(count)}
    program = os.path.join(compiler.folder, "runner")
    with open(os.path.join(HERE, "runner.cpp"), encoding="utf-8") as file:
        runner_text = file.read()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runner = pool.submit(compiler.compile, "runner_main", runner_text)
        seconds = sum(pool.map(lambda item: compile_group(compiler, *item), groups.items()))
        status, output, used = runner.result()
    if status == 0:
        status, output, _ = compiler.link(["runner_main", *groups], program)
    if status != 0:
        sys.exit(f"the runner does not build:\n{output}")
    return program, seconds + used


def write_plan(path, runs, offsets):
    def tensor(t, offset):
        return f"{offset} {t['bytes']} {len(t['shape'])} " + " ".join(map(str, t["shape"]))

    with open(path, "w", encoding="utf-8") as file:
        for each, case in runs:
            inputs = " ".join(tensor(t, t["offset"]) for t in case["inputs"])
            outputs = " ".join(tensor(t, offset) for t, offset in zip(case["outputs"], offsets[case["name"]]))
            file.write(f"{each.number} {len(case['inputs'])} {inputs} {len(case['outputs'])} {outputs}\n")


def execute(program, folder, data_path, runs):
    """-> {name: why the case did not finish}, the results, and where each output lies in them."""
    offsets, total = {}, 0
    for _, case in runs:
        offsets[case["name"]] = []
        for tensor in case["outputs"]:
            offsets[case["name"]].append(total)
            total += tensor["bytes"]
    plan, results_path = os.path.join(folder, "plan.txt"), os.path.join(folder, "results.bin")
    write_plan(plan, runs, offsets)
    with open(results_path, "wb") as file:
        file.write(b"\xcd" * total)
    failures, done = {}, 0
    while done < len(runs):
        process = subprocess.run([program, plan, data_path, results_path, str(done)], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        lines = process.stdout.splitlines()
        for (_, case), line in zip(runs[done:], lines):
            if line != "ok":
                failures[case["name"]] = line
        done += len(lines)
        if done < len(runs):  # the next case ended the program
            failures[runs[done][1]["name"]] = f"the program ended with status {process.returncode}"
            done += 1
    with open(results_path, "rb") as file:
        return failures, file.read(), offsets


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

    lambdas, inexpressible = programs.lambdas_of(cases)
    program, seconds = build(compiler, lambdas, arguments.jobs)
    runs = [(each, case) for each in lambdas if not each.fault for case in each.cases]
    inexpressible |= {case["name"]: each.fault for each in lambdas if each.fault for case in each.cases}
    split = sum(len(each.cases) for each in lambdas if each.is_split and not each.fault)
    failures, results, offsets = execute(program, arguments.build, os.path.join(folder, "data.bin"), runs)
    failures = judge(runs, failures, data, results, offsets)

    uncached = Compiler(arguments.compiler, arguments.kind, arguments.build, is_cached=False)
    expressible = report(cases, lambdas, inexpressible, failures, split)
    print(f"compiling: {seconds:.1f} s of processor time; one lambda of eight nodes on top of its translation unit: "
          f"{seconds_of_one_lambda(uncached):.2f} s")
    with open(os.path.join(HERE, "expressible.json"), encoding="utf-8") as file:
        recorded = json.load(file).get(digest, {}).get("expressible", 0)
    if expressible < recorded and not arguments.only:
        print(f"failed: {recorded} cases of this set were expressible before")
        return 1
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
