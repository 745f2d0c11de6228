#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads the machine code of the cubins in a folder: no instruction that ptxas is known to get wrong.

ptxas 13.0 turns `clamp(left, 0, n) == n` into the predicate of VIMNMX.RELU, which was seen to hold for left <= 0
(include/tenon/backend/cuda/parts/vector_part.cuh). Exits with 77 where there is no nvdisasm.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

SKIPPED = 77
FAULTY = re.compile(r"VIMNMX\S*\.RELU\S* \w+, (?:PT, )?P\d[^;]*")
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/", re.MULTILINE)


def main():
    disassembler = shutil.which("nvdisasm") or shutil.which("/usr/local/cuda/bin/nvdisasm")
    if not disassembler:
        print("skipped: there is no nvdisasm")
        return SKIPPED
    cubins = sorted(glob.glob(os.path.join(sys.argv[1], "*.cubin")))
    faults, instructions = [], 0
    for cubin in cubins:
        text = subprocess.run([disassembler, cubin], text=True, capture_output=True, check=True).stdout
        instructions += len(INSTRUCTION.findall(text))
        faults += [f"{os.path.basename(cubin)}: {found}" for found in FAULTY.findall(text)]
    print("\n".join(faults + [f"{instructions} instructions of {len(cubins)} cubins"]))
    return 1 if faults or not instructions else 0


if __name__ == "__main__":
    sys.exit(main())
