# SPDX-License-Identifier: Apache-2.0
"""Operations that look at elements in their order along an axis: scans, sorts, positions of extrema, searches."""
import bisect
import functools
import math

from arrays import Array, broadcast, groups
from dtypes import is_float, promoted, wrapped
from noise import noisy
from operations import RUNS, Illegal, Value, checked, nan_or

SCANS = {"cumsum": lambda a, b: a + b, "cummax": nan_or(max), "cummin": nan_or(min)}


def along_axis(value, axis, function, dtype):
    """function(run, elements of a row) -> as many elements, in every run."""
    arrays = []
    for run in range(RUNS):
        shape, rows = groups(value.arrays[run], [axis])
        ordered = [iter(function(run, row)) for row in rows]
        numbers = broadcast(Array("i64", shape, list(range(len(rows)))), value.shape)
        arrays.append(Array(dtype, value.shape, checked(dtype, [next(ordered[row]) for row in numbers])))
    return arrays


def only_axis(axes):
    if len(axes) != 1:
        raise Illegal
    return axes[0]


def scan(rng, value, axes):
    """A running sum or extremum from either end, perhaps seen from the other one."""
    axis, name = only_axis(axes), rng.choice(["cumsum", "cumsum", "cummax", "cummin"])
    if value.dtype == "bool" and name != "cumsum":
        raise Illegal
    dtype = value.dtype if is_float(value.dtype) or name != "cumsum" else "i64"
    is_reversed, is_flipped = rng.random() < 0.3, rng.random() < 0.3
    is_exclusive = name == "cumsum" and rng.random() < 0.2

    def scanned(run, row):
        result, so_far, size = [], None, 0.0
        for x in reversed(row) if is_reversed else row:
            before, size_before = so_far, size
            so_far = x if so_far is None else SCANS[name](so_far, x)
            size += abs(x)
            taken, scale = (before or 0, size_before) if is_exclusive else (so_far, size)
            result.append(noisy(run, dtype, float(taken), rng, scale if name == "cumsum" else 0.0) if is_float(dtype)
                          else wrapped(dtype, int(taken)))
        return result[::-1] if is_reversed != is_flipped else result

    options = (", tn::exclusive" if is_exclusive else "") + (", tn::reversed" if is_reversed else "")
    text = f"tn::{name}({value.text}, tn::axis<{axis}>{options})"
    return Value(f"tn::flip({text}, tn::axis<{axis}>)" if is_flipped else text, along_axis(value, axis, scanned, dtype))


def precedes(a, b):
    """NaN is greater than any number."""
    return (a != a) - (b != b) or (a > b) - (a < b)


def sort(rng, value, axes):
    axis, is_descending = only_axis(axes), rng.random() < 0.4
    key = functools.cmp_to_key(precedes)
    arrays = along_axis(value, axis, lambda run, row: sorted(row, key=key, reverse=is_descending), value.dtype)
    return Value(f"tn::sort({value.text}, tn::axis<{axis}>{', tn::descending' if is_descending else ''})", arrays)


def extremum(rng, value, axes):
    """The position of the greatest or least element: the first of equal ones, or the first NaN."""
    is_greatest = rng.random() < 0.5
    if any(value.shape[k] == 0 for k in axes):
        raise Illegal

    def position(row):
        return max(range(len(row)), key=lambda i: (row[i] != row[i], row[i] if is_greatest else -row[i], -i)
                   if row[i] == row[i] else (True, 0, -i))
    arrays = []
    for run in range(RUNS):
        shape, rows = groups(value.arrays[run], axes)
        arrays.append(Array("i64", shape, [position(row) for row in rows]))
    name = "argmax" if is_greatest else "argmin"
    return Value(f"tn::{name}({value.text}, tn::axis<{', '.join(map(str, axes))}>, tn::keepdim)", arrays)


def search(rng, value, boundaries):
    """Where the elements belong in a sorted vector."""
    if not is_float(value.dtype):
        raise Illegal
    is_right = rng.random() < 0.5
    place = bisect.bisect_right if is_right else bisect.bisect_left
    sequence = boundaries.arrays[0].data
    if promoted(value.dtype, boundaries.dtype) not in ("f32", "f64"):
        raise Illegal
    arrays = []
    for run in range(RUNS):
        data = [(len(sequence) if math.isnan(x) else place(sequence, x)) for x in value.arrays[run].data]
        arrays.append(Array("i64", value.shape, data))
    return Value(f"tn::bucketize({value.text}, {boundaries.text}{', tn::right' if is_right else ''})", arrays)
