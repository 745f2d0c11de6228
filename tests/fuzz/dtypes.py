# SPDX-License-Identifier: Apache-2.0
"""dtypes as the evaluator knows them: their numbers, rounding to them, and promotion, written apart from the library."""
import math
import struct

FLOATS = {"f16": 11, "bf16": 8, "f32": 24, "f64": 53}                     # bits of the significand
INTEGERS = {f"{sign}{bits}": (sign, bits) for sign in "iu" for bits in (8, 16, 32, 64)}
SMALLEST = {"f16": -24, "bf16": -133, "f32": -149, "f64": -1074}          # exponent of the smallest number
LARGEST = {"f16": 65504.0, "bf16": 2.0**128 - 2.0**120, "f32": 2.0**128 - 2.0**104, "f64": 1.7976931348623157e308}
FORMATS = {"bool": "?", "f16": "e", "bf16": "H", "f32": "f", "f64": "d", "i8": "b", "i16": "h", "i32": "i", "i64": "q",
           "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}
SIZES = {dtype: struct.calcsize("<" + letter) for dtype, letter in FORMATS.items()}


def is_float(dtype):
    return dtype in FLOATS


def arithmetic(dtype):
    """What it is computed in: half types in float."""
    return "f32" if dtype in ("f16", "bf16") else dtype


def rounded(dtype, x):
    """The nearest number of a floating dtype, ties to even."""
    if dtype == "f64" or x == 0 or not math.isfinite(x):
        return x
    exponent = max(math.frexp(x)[1] - FLOATS[dtype], SMALLEST[dtype])
    result = math.ldexp(float(round(math.ldexp(x, -exponent))), exponent)
    return result if abs(result) <= LARGEST[dtype] else math.copysign(math.inf, x)


def wrapped(dtype, n):
    sign, bits = INTEGERS[dtype]
    n &= (1 << bits) - 1
    return n - (1 << bits) if sign == "i" and n >> (bits - 1) else n


def converted(dtype, x):
    """A number in a dtype: to integers floats truncate and saturate, integers wrap."""
    if dtype == "bool":
        return x != 0
    if is_float(dtype):
        return rounded(dtype, float(x))
    if isinstance(x, float):
        if math.isnan(x):
            return 0
        sign, bits = INTEGERS[dtype]
        low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if sign == "i" else (0, (1 << bits) - 1)
        return high if x >= high else low if x <= low else int(x)
    return wrapped(dtype, int(x))


def promoted(a, b):
    """Of two tensors, as PyTorch has it."""
    if a == b:
        return a
    floats = [d for d in (a, b) if is_float(d)]
    if len(floats) == 1:
        return floats[0]
    if len(floats) == 2:
        if set(floats) == {"f16", "bf16"}:
            return "f32"
        return max(floats, key=lambda d: FLOATS[d])
    if "bool" in (a, b):
        return b if a == "bool" else a
    (sign_a, bits_a), (sign_b, bits_b) = INTEGERS[a], INTEGERS[b]
    if sign_a == sign_b:
        return f"{sign_a}{max(bits_a, bits_b)}"
    unsigned, signed = (bits_a, bits_b) if sign_a == "u" else (bits_b, bits_a)
    return f"i{signed if signed > unsigned else min(64, 2 * unsigned)}"


def with_literal(dtype, literal):
    """A literal changes the category only."""
    if is_float(dtype) or isinstance(literal, int) and not isinstance(literal, bool) and dtype != "bool":
        return dtype
    return "f32" if isinstance(literal, float) else "i64"


def encode(dtype, values):
    if dtype == "bf16":
        return b"".join(struct.pack("<f", rounded("bf16", v))[2:] for v in values)
    return struct.pack(f"<{len(values)}{FORMATS[dtype]}", *values)


def decode(dtype, raw):
    values = struct.unpack(f"<{len(raw) // SIZES[dtype]}{FORMATS[dtype]}", raw)
    if dtype == "bf16":
        return [struct.unpack("<f", struct.pack("<I", v << 16))[0] for v in values]
    return list(values)
