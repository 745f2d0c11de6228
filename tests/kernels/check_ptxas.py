#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles a .cu file for one architecture and reads ptxas: no spills, no stack frame, registers within budget.

In the file, as whole-line comments:
  // registers: 128          budget of every kernel of the file (required)
  // registers(sm_80): 160   budget on one architecture
  // registers(rows_kernel): 64   budget of kernels of one name
  // ptx: ld.global.nc.v4.u32   some kernel holds this instruction; ptxas splits no vector access
  // ptx-most(fma.rn): 40       no kernel holds this text more often
Prints one row per kernel. From sm_90 on no kernel comes to memory before those in front have ended (early_accesses.py), nor has
what ptxas is known to get wrong (compared_clamps.py).
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

import compared_clamps
import early_accesses

COMPILE_LIMIT_S = 300
ENTRY = re.compile(r"Compiling entry function '(\S+)' for 'sm_\w+'")
FRAME = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
REGISTERS = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


def read_rules(path, arch):
    """-> (register budget or None, {kernel: its own}, texts of `ptx`, {text: most} of `ptx-most`)."""
    with open(path, encoding="utf-8") as source:
        lines = source.read().splitlines()
    rules = {}
    for line in lines:
        if found := re.match(r"// ([\w()-]+|ptx-most\(.+\)): (.+?)\s*$", line):
            rules.setdefault(found[1], []).append(found[2])
    budget = rules.get(f"registers(sm_{arch})") or rules.get("registers")
    own = {found[1]: int(texts[0]) for name, texts in rules.items() if (found := re.fullmatch(r"registers\((\w+_kernel)\)", name))}
    most = {name[len("ptx-most("):-1]: int(texts[0]) for name, texts in rules.items() if name.startswith("ptx-most(")}
    return int(budget[0]) if budget else None, own, rules.get("ptx", []), most


def read_kernels(log):
    """Output of ptxas -v -> {mangled name: {stack, stores, loads, registers, shared}}."""
    kernels, current = {}, None
    for line in log.splitlines():
        if found := ENTRY.search(line):
            current = kernels.setdefault(found[1], {"shared": 0})
        elif "Function properties for" in line:
            # a device function that was not inlined has a frame of its own: it counts as a row
            name = line.split("Function properties for")[1].strip()
            current = kernels.setdefault(name, {"shared": 0, "registers": 0})
        elif current is not None and (found := FRAME.search(line)):
            current.update(stack=int(found[1]), stores=int(found[2]), loads=int(found[3]))
        elif current is not None and (found := REGISTERS.search(line)):
            shared = SHARED.search(line)
            current.update(registers=int(found[1]), shared=int(shared[1]) if shared else 0)
    return kernels


def demangle(names):
    if not shutil.which("c++filt") or not names:
        return {name: name for name in names}
    text = subprocess.run(["c++filt"], input="\n".join(names), text=True, capture_output=True, check=True).stdout
    return dict(zip(names, text.splitlines()))


def read_ptx(folder):
    """-> what nvcc --keep left there as PTX."""
    texts = []
    for name in os.listdir(folder):
        if name.endswith(".ptx"):
            with open(os.path.join(folder, name), encoding="utf-8") as ptx:
                texts.append(ptx.read())
    return "\n".join(texts)


def check(path, arch, command, kept):
    """-> list of faults; the machine code is left at `kept`, if that is given."""
    budget, own, wanted, most = read_rules(path, arch)
    if budget is None:
        return ["the file states no `// registers: N`"]
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "out.cubin")
        result = subprocess.run(
            command + [f"-arch=sm_{arch}", "-O3", "-cubin", "--keep", "--keep-dir", folder, "-Xptxas", "-v", path,
                       "-o", cubin], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=COMPILE_LIMIT_S, check=False)
        if result.returncode != 0:
            return [f"does not compile for sm_{arch}:\n{result.stdout}"]
        ptx = read_ptx(folder)
        if kept:
            os.makedirs(os.path.dirname(kept), exist_ok=True)
            shutil.copyfile(cubin, kept)
    kernels = read_kernels(result.stdout)
    if not kernels:
        return ["ptxas saw no kernel: instantiate one"]

    faults, names = [], demangle(list(kernels))
    print(f"{'registers':>9} {'stack':>6} {'spill st':>8} {'spill ld':>8} {'shared':>7}  kernel (sm_{arch})")
    for name, facts in kernels.items():
        print(f"{facts['registers']:>9} {facts['stack']:>6} {facts['stores']:>8} {facts['loads']:>8} "
              f"{facts['shared']:>7}  {names[name]}")
        allowed = next((most_of_it for kernel, most_of_it in own.items() if f"::{kernel}<" in names[name]), budget)
        if facts["registers"] > allowed:
            faults.append(f"{names[name]}: {facts['registers']} registers, budget {allowed}")
        if facts["stack"] or facts["stores"] or facts["loads"]:
            faults.append(f"{names[name]}: local memory (stack frame or spills)")
    entries = re.split(r"\.entry ", ptx)[1:]
    faults += [f"a kernel holds {text} {entry.count(text)} times, at most {count}"
               for entry in entries for text, count in most.items() if entry.count(text) > count]
    if int(arch) >= 90:
        faults += early_accesses.check(ptx, names) + compared_clamps.check(ptx, names)
    return faults + [f"no kernel holds {text}" for text in wanted if text not in ptx]


def main():
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(usage="check_ptxas.py FILE --arch 90 -- nvcc FLAGS...")
    parser.add_argument("file")
    parser.add_argument("--arch", required=True)
    parser.add_argument("--cubin", help="where to leave the machine code")
    options = parser.parse_args(sys.argv[1:split])
    faults = check(options.file, options.arch, sys.argv[split + 1:], options.cubin)
    for fault in faults:
        print(f"{os.path.basename(options.file)}: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
