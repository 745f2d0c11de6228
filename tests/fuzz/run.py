#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs against plain arithmetic in double.

  run.py --build DIR [--first SEED] [--count N] [--kind gcc|nvcc] [--jobs N] -- COMPILER FLAGS...

A program is reproduced by its seed: --first SEED --count 1. A program that cannot be one kernel is refused by the library with
a documented reason; such programs are counted and left out. Exit status: 0, 1, or 77 when there is no device for nvcc.
"""
import argparse
import math
import os
import random
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "programs"))

from build import Compiler, Tensor, build, execute, has_device  # noqa: E402
from dtypes import decode, is_float, rounded  # noqa: E402
from generate import Program, tolerances  # noqa: E402
from gradients import Differentiated  # noqa: E402

SKIPPED = 77
REFUSALS = re.compile(r"tenon: (compile|reshape|scan|scatter|searchsorted): ")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--gradients", action="store_true", help="differentiate the programs")
    parser.add_argument("--kind", choices=["gcc", "nvcc"], default="gcc")
    parser.add_argument("--emulated", action="store_true", help="the program finds the emulator in LD_LIBRARY_PATH: no device is asked for")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--batch", type=int, default=240, help="programs compiled and run together")
    parser.add_argument("--elements", type=int, default=Program.most_elements, help="the most that a tensor of a program has")
    parser.add_argument("compiler", nargs="+")
    return parser.parse_args()


def write_inputs(programs, path):
    """-> {seed: the inputs' places in the file}."""
    places, offset = {}, 0
    with open(path, "wb") as file:
        for program in programs:
            places[program.seed] = []
            for each in program.inputs:
                layout = each.layout
                places[program.seed].append(Tensor(offset, layout.bytes, layout.shape, layout.start, layout.strides))
                file.write(layout.image(each.data))
                offset += layout.bytes
    return places


def place_outputs(programs):
    places, offset = {}, 0
    for program in programs:
        places[program.seed] = []
        for layout in program.layouts:
            places[program.seed].append(Tensor(offset, layout.bytes, layout.shape, layout.start, layout.strides))
            offset += layout.bytes
    return places


def is_right(dtype, value, exact, tolerance):
    if tolerance is None:
        return True
    if not is_float(dtype):
        return value == exact
    if exact != exact or value != value:
        return exact != exact and value != value
    if abs(value) == math.inf:  # beyond the dtype
        return value in (rounded(dtype, exact - tolerance), rounded(dtype, exact), rounded(dtype, exact + tolerance))
    return value in (exact, rounded(dtype, exact)) or abs(value - exact) <= tolerance


def find_fault(program, raws):
    """raws: the bytes of each result -> what is wrong, or None."""
    if isinstance(program, Differentiated):
        return program.find_fault_in(raws)
    return next((fault for k, raw in enumerate(raws) if (fault := find_fault_of(program, k, raw))), None)


def find_fault_of(program, k, raw):
    value, layout = program.results[k], program.layouts[k]
    elements, is_clean = layout.split(raw)
    if not is_clean:
        return f"result {k} is written beside its elements"
    values, exact = decode(value.dtype, elements), value.arrays[0].data
    wrong = [i for i, t in enumerate(tolerances(value)) if not is_right(value.dtype, values[i], exact[i], t)]
    if wrong:
        return (f"result {k}: {len(wrong)} of {len(exact)} elements of {value.dtype} {list(value.shape)} are wrong, the first is "
                f"element {wrong[0]}: {values[wrong[0]]!r} where {exact[wrong[0]]!r} is expected")
    return None


def run_batch(programs, compiler, jobs):
    """-> ({seed: what is wrong}, {reason: number of programs refused})."""
    program, _ = build(compiler, programs, jobs, ["harness.hpp", "tenon/grad.hpp", "tenon/sort.hpp"])
    failures, refused = {}, {}
    for each in programs:
        if each.fault and REFUSALS.match(each.fault):
            refused[each.fault] = refused.get(each.fault, 0) + 1
        elif each.fault:
            failures[each.seed] = each.fault
    alive = [each for each in programs if not each.fault]
    data = os.path.join(compiler.folder, "inputs.bin")
    inputs, outputs = write_inputs(alive, data), place_outputs(alive)
    runs = [(each.seed, each, inputs[each.seed], outputs[each.seed]) for each in alive]
    faults, results = execute(program, compiler.folder, data, runs)
    failures |= faults
    for each in alive:
        raws = [results[place.offset:place.offset + place.bytes] for place in outputs[each.seed]]
        if each.seed not in failures and (fault := find_fault(each, raws)):
            failures[each.seed] = fault
    return failures, refused


def main():
    arguments = parse_arguments()
    if arguments.kind == "nvcc" and not arguments.emulated and not has_device():
        print("skipped: no CUDA device")
        return SKIPPED
    os.makedirs(arguments.build, exist_ok=True)
    compiler = Compiler(arguments.compiler, arguments.kind, arguments.build)
    Program.most_elements = arguments.elements
    kind_of_program = Differentiated if arguments.gradients else Program
    failures, refused = {}, {}
    seeds = range(arguments.first, arguments.first + arguments.count)
    for start in range(0, len(seeds), arguments.batch):
        programs = [kind_of_program(seed) for seed in seeds[start:start + arguments.batch]]
        wrong, reasons = run_batch(programs, compiler, arguments.jobs)
        failures |= wrong
        for reason, count in reasons.items():
            refused[reason] = refused.get(reason, 0) + count
        by_seed = {program.seed: program for program in programs}
        for seed, fault in sorted(wrong.items()):
            print(f"wrong: seed {seed}: {fault}\n{by_seed[seed].text()}", flush=True)
    for reason, count in sorted(refused.items()):
        print(f"refused: {count}: {reason}")
    ran = len(seeds) - sum(refused.values())
    print(f"programs: {len(seeds)} from seed {arguments.first}, {ran} run, {ran - len(failures)} right")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
