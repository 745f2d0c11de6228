# SPDX-License-Identifier: Apache-2.0
"""What a right implementation may make of a floating result: the runs of the evaluator differ by it."""
import math

from dtypes import arithmetic, is_float, rounded

NOISE = {"f32": 2.0**-22, "f64": 2.0**-50}
SMALLEST_NORMAL = {"f32": 2.0**-126, "f64": 2.0**-1022}


def noisy(run, dtype, x, rng, scale=None):
    if run == 0 or not is_float(dtype) or not math.isfinite(x):
        return x
    # Of no fixed size, so that what two operands were moved by does not cancel in their difference.
    moved = x + rng.choice((-1, 1)) * rng.uniform(0.5, 1) * NOISE[arithmetic(dtype)] * (abs(x) if scale is None else scale)
    if run == 1 and abs(x) < SMALLEST_NORMAL[arithmetic(dtype)]:  # too small for the arithmetic, it may become 0
        return 0.0
    # What is nearly an integer, or nearly equal to something, may be that once it is rounded.
    return rounded(arithmetic(dtype), x) if run == 3 else moved


def function_scale(dtype, x):
    """Of bf16 the functions may be off by a quarter of a unit, which shows where the result is computed with in another dtype."""
    return abs(x) * (2.0**12 if dtype == "bf16" else 1)
