# SPDX-License-Identifier: Apache-2.0
"""Reads PTX: which kernels test a number that was clamped to 0 and n for equality with n.

Of `max(min(left, n), 0) == n` ptxas 13.0 for sm_90 makes one VIMNMX.RELU, whose predicate it takes for the comparison and which
was seen to hold for left < 0 (include/tenon/backend/cuda/parts/vector_part.cuh).
"""
import re

LEAST = re.compile(r"^\s*min\.s32\s+(%r\d+), %r\d+, (\d+);", re.MULTILINE)
CLAMP = re.compile(r"^\s*max\.s32\s+(%r\d+), (%r\d+), 0;", re.MULTILINE)
EQUALITY = re.compile(r"^\s*setp\.(?:eq|ne)\.s32\s+%p\d+, (%r\d+), (\d+);", re.MULTILINE)


def compared_clamps(entry):
    """-> the registers of a kernel's PTX that are so compared."""
    least = dict(LEAST.findall(entry))
    bounds = {clamped: least[of] for clamped, of in CLAMP.findall(entry) if of in least}
    return sorted({register for register, number in EQUALITY.findall(entry) if bounds.get(register) == number})


def check(ptx, names):
    """-> faults of all kernels of a text of PTX. names: mangled -> readable."""
    faults = []
    for entry in re.split(r"\.entry ", ptx)[1:]:
        mangled = re.match(r"[\w$]+", entry)[0]
        if found := compared_clamps(entry):
            faults.append(f"{names.get(mangled, mangled)}: {', '.join(found)} of its PTX: a clamp tested for equality with its bound; "
                          "ask whether it is at least the bound")
    return faults


# That it sees what it looks for, and nothing else.
assert compared_clamps("min.s32 %r2, %r1, 4;\nmax.s32 %r3, %r2, 0;\nsetp.eq.s32 %p1, %r3, 4;\n") == ["%r3"]
assert not compared_clamps("min.s32 %r2, %r1, 4;\nmax.s32 %r3, %r2, 0;\nsetp.gt.s32 %p1, %r3, 3;\n")
assert not compared_clamps("max.s32 %r2, %r1, 0;\nmin.s32 %r3, %r2, 4;\nsetp.eq.s32 %p1, %r3, 4;\n")
