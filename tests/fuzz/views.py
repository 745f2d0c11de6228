# SPDX-License-Identifier: Apache-2.0
"""Views of computed values that keep their shape: their elements lie elsewhere along one axis, or are left out for others."""
from arrays import Array, gather
from dtypes import converted
from operations import Illegal, Value


def view(rng, value):
    """A flip, a roll, or what a slice leaves, at one end of the axis; the rest is a number or the element at the edge."""
    axes = [k for k, extent in enumerate(value.shape) if extent > 1]
    if not axes or value.dtype == "bool":
        raise Illegal
    axis = rng.choice(axes)
    extent, along = value.shape[axis], f"tn::axis<{axis}>"
    cut = rng.randint(1, extent - 1)
    text, position = rng.choice([
        (f"tn::flip({{0}}, {along})", lambda i: extent - 1 - i),
        (f"tn::roll({{0}}, {along}, {cut})", lambda i: (i - cut) % extent),
        (f"tn::pad(tn::slice({{0}}, {along}, tn::range<{cut}, tn::end>), {along}, tn::widths<0, {cut}>, 2)",
         lambda i: i + cut if i + cut < extent else None),
        (f"tn::pad(tn::slice({{0}}, {along}, tn::range<0, {cut}>), {along}, tn::widths<{extent - cut}, 0>, tn::edge)",
         lambda i: max(i - (extent - cut), 0)),
    ])

    def moved(array):
        number = Array(array.dtype, array.shape, array.data + [converted(array.dtype, 2)])  # the last one is beside the array
        def source(at):
            i = position(at[axis])
            return None if i is None else [i if k == axis else j for k, j in enumerate(at)]
        return gather(number, array.shape, source)
    return Value(text.format(value.text), [moved(array) for array in value.arrays])
