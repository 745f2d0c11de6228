#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules over the text of the repository: include direction, shape of a file, launches checked, words.

Usage: check.py [root]; prints `path:line: fault` and exits with 1 when there is one.
"""
import os
import re
import sys

# A header includes its own layer and the layers before it. Names without a suffix are folders of include/tenon;
# `*.hpp` stands for the opt-in headers beside tenon.hpp.
LAYERS = ["core", "tensor", "ops", "ir", "capture", "nn", "passes", "schedule", "program", "backend", "runtime",
          "report", "compile.hpp", "interop", "*.hpp", "tenon.hpp"]
LAST_LAYER_WITHOUT_CUDA = "program"
CUDA_HEADER = re.compile(r"(cuda(_\w+)?|cooperative_groups|device_\w+|driver_\w+|vector_\w+)\.h$"
                         r"|(cuda|cub|thrust|cooperative_groups|crt|nvtx3)/")
# Arithmetic types that g++ compiles too, allowed above `program` inside `#ifdef __CUDACC__`.
ELEMENT_TYPE_HEADERS = {"cuda_fp16.h", "cuda_bf16.h", "cuda_fp8.h"}

MAX_LINES = 300
CODE = (".hpp", ".cuh", ".cpp", ".cu")
OTHER_CODE = (".py", ".sh", ".cmake")
TEXT = CODE + OTHER_CODE + (".md", ".txt", ".in", ".json", ".yaml")
SKIPPED_FOLDERS = {".git", "build", ".deps", "__pycache__"}

UNFINISHED = re.compile(r"\b(TODO|FIXME|XXX)\b")
# The project speaks of itself: not of the machine it was written on, nor of who wrote it.
FOREIGN = re.compile(r"(?<![\w.$}/-])/(work|home|root)/|\bsub-?agents?\b", re.IGNORECASE)
LAUNCH = re.compile(r"<<<|\bcuda(LaunchKernel|LaunchKernelExC?|LaunchCooperativeKernel)\s*\(")
LAUNCH_CHECK = re.compile(r"cudaGetLastError|cudaPeekAtLastError|cudaSuccess|\bcheck\w*\s*\(|\bthrow_\w+\s*\(|\breturn\b"
                          r"|cudaError_t|status")
LAUNCH_WINDOW = 6  # the check is on the launch's own line or on one of the next few


def layer_of(path):
    """Path below include/tenon -> index into LAYERS, or None when it is in no layer."""
    head = path.split("/")[0]
    if head in LAYERS:
        return LAYERS.index(head)
    return LAYERS.index("*.hpp") if "/" not in path and path.endswith((".hpp", ".cuh")) else None


def without_comments_and_strings(text):
    """Same lines, with comments and string literals blanked."""
    def blank(found):
        return re.sub(r"[^\n]", " ", found[0])
    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', blank, text, flags=re.DOTALL)


def guarded_by_nvcc(lines):
    """-> set of line numbers inside `#ifdef __CUDACC__` or an `#if` that names it."""
    inside, stack = set(), []
    for number, line in enumerate(lines, start=1):
        directive = re.match(r"\s*#\s*(if\w*|else|elif|endif)\b(.*)", line)
        if directive and directive[1].startswith("if"):
            stack.append("__CUDACC__" in directive[2] and directive[1] != "ifndef")
        elif directive and directive[1] == "endif" and stack:
            stack.pop()
        if any(stack):
            inside.add(number)
    return inside


def include_faults(root, path, lines):
    """Include direction of one header; `path` is relative to include/tenon."""
    layer = layer_of(path)
    if layer is None:
        yield 1, f"in no layer; the layers are {', '.join(LAYERS)}"
        return
    folder = os.path.join(root, "include", "tenon")
    guarded = guarded_by_nvcc(lines)
    for number, line in enumerate(lines, start=1):
        found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not found:
            continue
        quote, name = found[1], found[2]
        if not name.startswith("tenon/") and quote == '"':
            relative = os.path.relpath(os.path.join(folder, os.path.dirname(path), name), folder)
            name = "tenon/" + relative.replace(os.sep, "/")
        if name.startswith("tenon/"):
            target = name.removeprefix("tenon/")
            target_layer = layer_of(target)
            if not os.path.exists(os.path.join(folder, target)):
                yield number, f"includes {name}, which does not exist"
            elif target_layer is not None and target_layer > layer:
                yield number, f"{LAYERS[layer]} includes {LAYERS[target_layer]}, which is below it"
        elif CUDA_HEADER.match(name) and layer <= LAYERS.index(LAST_LAYER_WITHOUT_CUDA):
            if not (name in ELEMENT_TYPE_HEADERS and number in guarded):
                yield number, f"{LAYERS[layer]} includes the CUDA header {name}; it must compile with plain g++"
        elif name == "boost/hana.hpp":
            yield number, "includes all of Boost.Hana; include boost/hana/<part>.hpp"
        elif name in ("iostream", "functional"):
            yield number, f"includes <{name}>, which costs every user compile time"


def header_faults(lines):
    """Guard, then one sentence that says what the file does."""
    head = [line for line in lines[:8] if line.strip()]
    if "#pragma once" not in head[:2]:
        yield 1, "`#pragma once` is not one of the first two lines"
    if len(head) < 3 or not head[2].startswith("//"):
        yield 3, "the first line after the guard is not a comment that says what the file does"


def text_faults(path, lines):
    """Rules for every text file."""
    if path.endswith(CODE + OTHER_CODE) and len(lines) > MAX_LINES:
        yield MAX_LINES, f"{len(lines)} lines, at most {MAX_LINES}"
    if path.endswith(CODE + OTHER_CODE) and not any("SPDX-License-Identifier" in line for line in lines[:3]):
        yield 1, "no SPDX line"
    for number, line in enumerate(lines, start=1):
        if path.endswith(CODE + OTHER_CODE) and (found := UNFINISHED.search(line)):
            yield number, f"{found[0]}: finish it, or open an issue"
        if found := FOREIGN.search(line):
            yield number, f"`{found[0]}` speaks of a machine or an author, not of the project"


def launch_faults(text):
    """Every kernel launch is followed by a check of its status."""
    lines = without_comments_and_strings(text).splitlines()
    for number, line in enumerate(lines, start=1):
        if LAUNCH.search(line) and not re.match(r"\s*#", line):
            window = [lines[max(0, number - 2)]] + lines[number - 1:number - 1 + LAUNCH_WINDOW]
            if not any(LAUNCH_CHECK.search(near) for near in window):
                yield number, "a launch whose status is not checked"


def faults_of(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as source:
        text = source.read()
    lines = text.splitlines()
    if path != "tests/layering/check.py":  # it holds the words that it looks for
        yield from text_faults(path, lines)
    if path.endswith(CODE):
        yield from launch_faults(text)
    if path.startswith("include/tenon/") and path.endswith((".hpp", ".cuh")):
        yield from header_faults(lines)
        yield from include_faults(root, path.removeprefix("include/tenon/"), lines)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    root = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.join(here, "..", ".."))
    checked = fault_count = 0
    for folder, subfolders, files in os.walk(root):
        subfolders[:] = sorted(name for name in subfolders if name not in SKIPPED_FOLDERS)
        for name in sorted(files):
            path = os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")
            if not path.endswith(TEXT):
                continue
            checked += 1
            for line, fault in faults_of(root, path):
                fault_count += 1
                print(f"{path}:{line}: {fault}")
    print(f"{checked} files checked, {fault_count} faults")
    return 1 if fault_count else 0


if __name__ == "__main__":
    sys.exit(main())
