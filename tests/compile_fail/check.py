#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles one case of one file; passes when the compiler refuses it in the way the file says.

In the file, as whole-line comments:
  // expected-error: "text"   must be in the first line of the output that holds "error"; several may be given
  // max-lines: 20            length of the whole output at most (20 is the default)
  // compilers: gcc nvcc      which compilers to ask (both is the default)
  // flags: --option          given to the compiler too
  // names-no-line            the error comes after the language's front end, which alone knows lines
  // case: NAME               begins a case: compiled with -DTENON_CASE_NAME; the comments above the first
                              case hold for all cases, those below a case for that case
and at the end of a line of code:
  // error here               the output must name exactly this line; without it, any line of the file
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

COMPILE_LIMIT_S = 120


def read_case(path, wanted_case):
    """File + case name -> (expected texts, max lines, flags, line numbers marked `error here` or None)."""
    expected, max_lines, flags, marked, case = [], 20, [], [], None
    with open(path, encoding="utf-8") as source:
        for number, line in enumerate(source, start=1):
            if found := re.match(r"// case: (\w+)$", line):
                case = found[1]
            if case not in (None, wanted_case):
                continue
            if found := re.match(r'\s*// expected-error: "(.*)"\s*$', line):
                expected.append(found[1])
            elif found := re.match(r"\s*// max-lines: (\d+)", line):
                max_lines = int(found[1])
            elif found := re.match(r"\s*// flags: (.*)", line):
                flags += found[1].split()
            elif re.match(r"\s*// names-no-line$", line):
                marked = None
            elif line.rstrip().endswith("// error here"):
                marked.append(number)
    return expected, max_lines, flags, marked


def compile_source(command, kind, path, case, flags):
    """-> (exit status, output lines), run in the file's folder so that it is named as a user would see it."""
    flags = flags + ([f"-DTENON_CASE_{case}"] if case else [])
    if kind == "nvcc":
        flags += ["-x", "cu", "-arch=sm_90"]
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run(
            command + flags + ["-c", os.path.basename(path), "-o", os.path.join(folder, "out.o")],
            cwd=os.path.dirname(path) or ".", env={**os.environ, "LC_ALL": "C"}, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=COMPILE_LIMIT_S, check=False)
    return result.returncode, result.stdout.splitlines()


def lines_named(output, name):
    """-> line numbers of the file `name` in the output: file:12 (g++), file(12) and `at line 12 of file` (nvcc)."""
    escaped = re.escape(name)
    numbers = re.findall(rf"\b{escaped}[:(](\d+)", "\n".join(output))
    numbers += re.findall(rf"at line (\d+) of \"?(?:\S*/)?{escaped}\b", "\n".join(output))
    in_name = False  # nvcc leaves out the file when it is the one of the error itself
    for line in output:
        if found := re.match(r"(\S+)\(\d+\): ", line):
            in_name = os.path.basename(found[1]) == name
        elif in_name and (found := re.search(r"at line (\d+)$", line)):
            numbers.append(found[1])
    return {int(number) for number in numbers}


def faults_of(status, output, path, expected, max_lines, marked):
    """-> what is wrong with the compiler's answer, one sentence each; empty when the case passes."""
    if not expected:
        return ['the case has no `// expected-error: "text"` line']
    if status == 0:
        return ["compiled, but must be refused"]
    faults = []
    first_error = next((line for line in output if "error" in line), "")
    for text in expected:
        if text not in first_error:
            faults.append(f'the first error line lacks "{text}"')
    if len(output) > max_lines:
        faults.append(f"{len(output)} lines of output, at most {max_lines} wanted")
    if marked is None:
        return faults
    named = lines_named(output, os.path.basename(path))
    if not named:
        faults.append("no line of the user's own file is named")
    for number in marked:
        if number not in named:
            faults.append(f"line {number} (`error here`) is not named; named: {sorted(named)}")
    return faults


def main():
    split = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    parser = argparse.ArgumentParser(usage="check.py FILE [--case NAME] --kind gcc|nvcc -- COMPILER FLAGS...")
    parser.add_argument("file")
    parser.add_argument("--case")
    parser.add_argument("--kind", choices=["gcc", "nvcc"], required=True)
    options = parser.parse_args(sys.argv[1:split])

    expected, max_lines, flags, marked = read_case(options.file, options.case)
    status, output = compile_source(sys.argv[split + 1:], options.kind, options.file, options.case, flags)
    faults = faults_of(status, output, options.file, expected, max_lines, marked)
    for fault in faults:
        print(f"{os.path.basename(options.file)} {options.case or ''}: {fault}")
    print(f"--- {options.kind}, {len(output)} lines:")
    print("\n".join(output[:60]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
