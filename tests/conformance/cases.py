# SPDX-License-Identifier: Apache-2.0
"""A directory of published cases: reading it, and judging results. The format is described in docs/conformance.md."""
import hashlib
import json
import math
import os
import struct

FORMATS = {"bool": "B", "f16": "e", "bf16": "H", "f32": "f", "f64": "d",
           "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
MANTISSA_BITS = {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}
SMALLEST_EXPONENT = {"f16": -14, "bf16": -126, "f32": -126, "f64": -1022}


def read(folder):
    """-> (the cases, the bytes of their tensors, a digest that identifies the set)."""
    with open(os.path.join(folder, "cases.jsonl"), "rb") as file:
        text = file.read()
    with open(os.path.join(folder, "data.bin"), "rb") as file:
        data = file.read()
    return [json.loads(line) for line in text.splitlines() if line.strip()], data, hashlib.sha256(text).hexdigest()[:16]


def count_of(tensor):
    return math.prod(tensor["shape"])


def decode(dtype, raw, offset, count):
    """-> count numbers."""
    values = struct.unpack_from(f"<{count}{FORMATS[dtype]}", raw, offset)
    if dtype == "bf16":
        return struct.unpack(f"<{count}f", struct.pack(f"<{count}I", *(v << 16 for v in values)))
    return values


def unit_in_last_place(dtype, value):
    exponent = SMALLEST_EXPONENT[dtype]
    if value and math.isfinite(value):
        exponent = max(exponent, math.frexp(value)[1] - 1)
    return 2.0 ** (exponent - MANTISSA_BITS[dtype])


def is_close(tensor, value, expected):
    """Within the tolerance of the tensor: relative and absolute, or in units in the last place where it gives them."""
    if math.isnan(value) or math.isnan(expected):
        return math.isnan(value) and math.isnan(expected)
    if value == expected:
        return True
    if math.isinf(value) or math.isinf(expected):
        return False
    distance = abs(value - expected)
    if distance <= tensor["atol"] + tensor["rtol"] * abs(expected):
        return True
    return "max_ulp" in tensor and distance <= tensor["max_ulp"] * unit_in_last_place(tensor["dtype"], expected)


def find_fault(tensor, data, results, offset):
    """None when the result is right, else a sentence with the first element that is wrong."""
    dtype, count = tensor["dtype"], count_of(tensor)
    values, stored = decode(dtype, results, offset, count), decode(dtype, data, tensor["offset"], count)
    references = [stored]
    if "exact" in tensor and dtype in MANTISSA_BITS:
        references.append(struct.unpack_from(f"<{count}d", data, tensor["exact"]))
    wrong = 0
    for k, value in enumerate(values):
        if dtype in MANTISSA_BITS:
            right = any(is_close(tensor, value, reference[k]) for reference in references)
        else:
            right = value == stored[k]
        if not right:
            first = k if wrong == 0 else first
            wrong += 1
    if wrong == 0:
        return None
    return (f"{wrong} of {count} elements of {tensor['name']} are wrong, the first is element {first}: "
            f"{values[first]} where {references[-1][first]} is expected")
