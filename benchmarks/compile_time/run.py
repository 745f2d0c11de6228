#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Seconds and memory of compiling the library with g++ and nvcc, beside an empty translation unit of the same run.

Prints a table and, with --out, writes JSON. --check exits with 1 when an increment of limits.json is exceeded by more
than its headroom; compare such figures on a quiet machine only.
"""
import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
from generate import CASES


def compilers(wanted, includes):
    """-> {name: command without the source}"""
    flags = ["-std=c++20", f"-I{ROOT}/include", *[f"-I{folder}" for folder in includes], "-c", "-o", os.devnull]
    nvcc = shutil.which("nvcc") or next(filter(os.path.exists, ["/usr/local/cuda/bin/nvcc"]), None)
    known = {"g++": ["g++", "-O3", "-fopenmp", *flags]}
    if nvcc:
        # The object cannot go to /dev/null: nvcc looks at its name.
        known["nvcc"] = [nvcc, "-O3", "-arch=sm_90", "-Xcompiler=-fopenmp", *flags[:-1], "{object}"]
    return {name: command for name, command in known.items() if name in wanted}


def compile_once(command, source, folder):
    """-> (wall seconds, seconds of all processors, peak MB of the largest process)"""
    command = [word.format(object=os.path.join(folder, "object.o")) for word in command]
    begin = time.monotonic()
    with open(os.path.join(folder, "log"), "w+", encoding="utf-8") as log:
        process = subprocess.Popen([*command, source], stdout=log, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            log.seek(0)
            raise RuntimeError(log.read()[:2000])
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(command, extension, names, repetitions):
    """-> {case: figures}; the cases take turns, so that a busy moment does not hit one of them alone."""
    samples = {name: [] for name in names}
    failed = {}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(repetitions):
            for name in names:
                if name in failed:
                    continue
                source = os.path.join(folder, name + extension)
                with open(source, "w", encoding="utf-8") as out:
                    out.write(CASES[name]())
                try:
                    samples[name].append(compile_once(command, source, folder))
                except RuntimeError as fault:
                    failed[name] = str(fault)
                    print(f"{name}{extension}: {fault}", file=sys.stderr)
    figures = {}
    for name in names:
        if name in failed:
            continue
        wall, processor, memory = (statistics.median(column) for column in zip(*samples[name]))
        figures[name] = {"wall_s": round(wall, 3), "processor_s": round(processor, 3), "peak_mb": round(memory, 1)}
    return figures


def increments(compiler, figures, limits):
    """-> {name: {"seconds", "limit_s"}} of those whose cases were measured; processor time, which other work on the
    machine changes least."""
    result = {}
    for name, rule in limits["increments"].items():
        if rule["of"] not in figures or (rule["over"] and rule["over"] not in figures):
            continue
        base = figures[rule["over"]]["processor_s"] if rule["over"] else 0.0
        seconds = (figures[rule["of"]]["processor_s"] - base) / rule["divided_by"]
        limit = rule["limit_s"]
        result[name] = {"seconds": round(seconds, 3), "limit_s": limit[compiler] if isinstance(limit, dict) else limit}
    return result


def version_of(command):
    lines = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()
    return next((line for line in lines if "release" in line), lines[0])


def machine():
    model = platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    except OSError:
        pass
    return {"processor": model, "cores": os.cpu_count(), "system": platform.system()}


def print_table(name, figures, derived):
    base = figures.get("empty", {}).get("processor_s", 0.0)
    print(f"\n{name:<22} {'wall s':>8} {'processor s':>11} {'over empty':>10} {'peak MB':>8}")
    for case, row in figures.items():
        print(f"{case:<22} {row['wall_s']:>8.2f} {row['processor_s']:>11.2f} {row['processor_s'] - base:>10.2f} {row['peak_mb']:>8.0f}")
    print(f"{'increment':<22} {'seconds':>8} {'budget':>10}")
    for case, row in derived.items():
        print(f"{case:<22} {row['seconds']:>8.2f} {row['limit_s']:>10.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compilers", default="g++,nvcc", help="comma-separated (%(default)s)")
    parser.add_argument("--only", default=",".join(CASES), help="comma-separated cases (all)")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--include", action="append", default=[], help="further include folder, for Boost.Hana")
    parser.add_argument("--out", help="JSON file")
    parser.add_argument("--check", action="store_true", help="fail far above the budgets")
    options = parser.parse_args()
    with open(os.path.join(HERE, "limits.json"), encoding="utf-8") as source:
        limits = json.load(source)
    names = [name for name in CASES if name in options.only.split(",")]
    result = {"machine": machine(), "repetitions": options.repetitions, "compilers": {}}
    failures = 0
    for name, command in compilers(options.compilers.split(","), options.include).items():
        figures = measure(command, ".cu" if name == "nvcc" else ".cpp", names, options.repetitions)
        derived = increments(name, figures, limits)
        failures += len(names) - len(figures)
        result["compilers"][name] = {"version": version_of(command[0]), "cases": figures, "increments": derived}
        print_table(name, figures, derived)
        for case, row in derived.items():
            if options.check and row["seconds"] > row["limit_s"] * limits["check_headroom"]:
                print(f"{name}: {case}: {row['seconds']:.2f} s, more than {limits['check_headroom']} times the budget of {row['limit_s']} s")
                failures += 1
    if options.out:
        with open(options.out, "w", encoding="utf-8") as out:
            json.dump(result, out, indent=1)
            out.write("\n")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
