# SPDX-License-Identifier: Apache-2.0
"""Lambdas written as text -> a program -> what each gave: compiled in groups, and run with tensors from a file.

A lambda is an object with `number`, `text()`, `is_split`, `fault` and `outputs`, how many results it has.
"""
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LAMBDAS_PER_FILE = 12
MOST_ATTEMPTS = 16


def has_device():
    """Asked before minutes are spent on compiling."""
    listed = shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], stdout=subprocess.PIPE, check=False).stdout
    return bool(listed) and listed.startswith(b"GPU")


class Compiler:
    def __init__(self, command, kind, folder, is_cached=True):
        ccache = shutil.which("ccache") if is_cached else None
        self.command = ([ccache] if ccache else []) + command + [f"-I{HERE}", f"-I{os.path.dirname(HERE)}"]
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


def source_of(lambdas, includes):
    """-> (a translation unit, the first line of each lambda in it)."""
    text = "".join(f'#include "{header}"\n' for header in includes) + "namespace tn = tenon;\n\n"
    first_lines = {}
    for k, each in enumerate(lambdas):
        first_lines[k] = text.count("\n") + 1
        text += each.text()
    return text, first_lines


def faults_of_each(compiler, name, lambdas, includes):
    """Where an error names no line of the file (nvcc shortens its lists): each lambda is compiled alone."""
    faults = {}
    for k, each in enumerate(lambdas):
        status, output, _ = compiler.compile(name, source_of([each], includes)[0])
        if status != 0:
            error = re.search(r"(?:tenon: [^\"]*|error: .*)", output)
            faults[k] = error[0].strip() if error else output[:400]
    return faults


def compile_group(compiler, name, lambdas, includes):
    """Compiles the lambdas of one file; one that is refused becomes a call per output, then is given up."""
    seconds, alive = 0.0, [l for l in lambdas if not l.fault]
    for _ in range(MOST_ATTEMPTS):
        text, first_lines = source_of(alive, includes)
        status, output, used = compiler.compile(name, text)
        seconds += used
        if status == 0:
            return seconds
        faults = faults_in(output, compiler.kind, first_lines) or faults_of_each(compiler, name, alive, includes)
        for k, message in faults.items():
            if alive[k].outputs > 1 and not alive[k].is_split:
                alive[k].is_split = True
            else:
                alive[k].fault = message
        alive = [l for l in alive if not l.fault]
    for each in alive:
        each.fault = "the compiler refuses it: " + output[:400]
    compiler.compile(name, "")
    return seconds


def build(compiler, lambdas, jobs, includes):
    """-> (path of the program, seconds of processor time). @post a lambda without `fault` is in the program"""
    # Lambdas of one operator go to different files, so that no file is the slowest by far.
    count = max(1, -(-len(lambdas) // LAMBDAS_PER_FILE))
    groups = {f"group_{k}": lambdas[k::count] for k in range(count)}
    program = os.path.join(compiler.folder, "runner")
    with open(os.path.join(HERE, "runner.cpp"), encoding="utf-8") as file:
        runner_text = file.read()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runner = pool.submit(compiler.compile, "runner_main", runner_text)
        seconds = sum(pool.map(lambda item: compile_group(compiler, *item, includes), groups.items()))
        status, output, used = runner.result()
    if status == 0:
        status, output, _ = compiler.link(["runner_main", *groups], program)
    if status != 0:
        sys.exit(f"the runner does not build:\n{output}")
    return program, seconds + used


class Tensor:
    """Where a tensor lies: bytes of memory, and element 0, extents and strides in elements in it."""

    def __init__(self, offset, count_of_bytes, extents, start=0, strides=None):
        self.offset, self.bytes, self.extents, self.start = offset, count_of_bytes, extents, start
        self.strides = row_major(extents) if strides is None else strides

    def text(self):
        numbers = [self.offset, self.bytes, self.start, len(self.extents), *self.extents, *self.strides]
        return " ".join(map(str, numbers))


def row_major(extents):
    strides, step = [], 1
    for extent in reversed(extents):
        strides.insert(0, step)
        step *= max(extent, 1)
    return strides


def execute(program, folder, data_path, runs):
    """Runs of (name, lambda, inputs, outputs) -> ({name: why it did not finish}, the bytes of the outputs).

    The outputs' offsets are those in the result.
    """
    plan, results_path = os.path.join(folder, "plan.txt"), os.path.join(folder, "results.bin")
    with open(plan, "w", encoding="utf-8") as file:
        for _, each, inputs, outputs in runs:
            tensors = [f"{len(side)} " + " ".join(tensor.text() for tensor in side) for side in (inputs, outputs)]
            file.write(f"{each.number} {tensors[0]} {tensors[1]}\n")
    total = max([tensor.offset + tensor.bytes for *_, outputs in runs for tensor in outputs], default=0)
    with open(results_path, "wb") as file:
        file.write(b"\xcd" * total)
    failures, done = {}, 0
    while done < len(runs):
        process = subprocess.run([program, plan, data_path, results_path, str(done)], text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        lines = process.stdout.splitlines()
        for (name, *_), line in zip(runs[done:], lines):
            if line != "ok":
                failures[name] = line
        done += len(lines)
        if done < len(runs):  # the next one ended the program
            failures[runs[done][0]] = f"the program ended with status {process.returncode}"
            done += 1
    with open(results_path, "rb") as file:
        return failures, file.read()
