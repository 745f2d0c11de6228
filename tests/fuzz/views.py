# SPDX-License-Identifier: Apache-2.0
"""Views of computed values that keep their shape: their elements lie elsewhere along one axis, or are left out for others."""
from arrays import Array, gather
from dtypes import converted, is_float
from operations import Illegal, Value, combined, nan_or


def view(rng, value):
    """A flip, a roll, elements in some order, or what a slice leaves, at one end of the axis; the rest is a number or the element at the edge."""
    axes = [k for k, extent in enumerate(value.shape) if extent > 1]
    if not axes or value.dtype == "bool":
        raise Illegal
    axis = rng.choice(axes)
    extent, along = value.shape[axis], f"tn::axis<{axis}>"
    cut, stride = rng.randint(1, extent - 1), rng.randint(2, 7)
    text, position = rng.choice([
        (f"tn::flip({{0}}, {along})", lambda i: extent - 1 - i),
        (f"tn::roll({{0}}, {along}, {cut})", lambda i: (i - cut) % extent),
        (f"tn::pad(tn::slice({{0}}, {along}, tn::range<{cut}, tn::end>), {along}, tn::widths<0, {cut}>, 2)",
         lambda i: i + cut if i + cut < extent else None),
        (f"tn::pad(tn::slice({{0}}, {along}, tn::range<0, {cut}>), {along}, tn::widths<{extent - cut}, 0>, tn::edge)",
         lambda i: max(i - (extent - cut), 0)),
        (f"tn::slice(tn::repeat_interleave({{0}}, {along}, tn::ct<{cut + 1}>), {along}, tn::range<{cut}, {cut + extent}>)",
         lambda i: (i + cut) // (cut + 1)),
        (f"tn::slice(tn::concat({{0}}, tn::flip({{0}}, {along}), {along}), {along}, tn::range<{cut}, {cut + extent}>)",
         lambda i: i + cut if i + cut < extent else 2 * extent - 1 - (i + cut)),
        (f"tn::take({{0}}, tn::remainder(tn::arange<{extent}>({{0}}) * {stride} + {cut}, {extent}), {along})",
         lambda i: (i * stride + cut) % extent),
    ])

    def moved(array):
        number = Array(array.dtype, array.shape, array.data + [converted(array.dtype, 2)])  # the last one is beside the array
        def source(at):
            i = position(at[axis])
            return None if i is None else [i if k == axis else j for k, j in enumerate(at)]
        return gather(number, array.shape, source)
    return Value(text.format(value.text), [moved(array) for array in value.arrays])


def window(rng, value):
    """The greatest or least of the elements before each along an axis, at most 5 with its own."""
    axes = [k for k, extent in enumerate(value.shape) if extent > 0]
    if not axes or value.dtype == "bool" or len(value.shape) > 6:
        raise Illegal
    axis, length = rng.choice(axes), rng.randint(2, 5)
    name, function = rng.choice([("max", nan_or(max)), ("min", nan_or(min))])
    along = f"tn::axis<{axis}>"

    def reduced(array):
        def at_distance(k):
            return gather(array, array.shape, lambda at: [max(i - k, 0) if axis == n else i for n, i in enumerate(at)]).data
        columns = [at_distance(k) for k in range(length)]
        return Array(array.dtype, array.shape, [function(*xs) for xs in zip(*columns)])
    text = (f"tn::{name}(tn::unfold(tn::pad({value.text}, {along}, tn::widths<{length - 1}, 0>, tn::edge), {along}, "
            f"tn::ct<{length}>, tn::ct<1>), tn::axis<{len(value.shape)}>)")
    return Value(text, [reduced(array) for array in value.arrays])


def picked(rng, value, index):
    """Elements along an axis, at the positions that another value of the shape has, brought into the axis."""
    axes = [k for k, extent in enumerate(value.shape) if extent > 0]
    if not axes or index.shape != value.shape or index.dtype == "bool" or is_float(index.dtype):
        raise Illegal
    axis = rng.choice(axes)
    last = value.shape[axis] - 1

    def taken(array, indices):
        places = iter(min(max(i, 0), last) for i in indices.data)
        return gather(array, array.shape, lambda at: [next(places) if axis == n else i for n, i in enumerate(at)])
    text = f"tn::take_along_axis({value.text}, tn::clamp(tn::cast<std::int64_t>({index.text}), 0, {last}), tn::axis<{axis}>)"
    return Value(text, [taken(array, indices) for array, indices in zip(value.arrays, index.arrays)])


def enlarged(rng, value, other):
    """A last step whose result has more elements: beside another value, repeated, or the windows themselves."""
    if not value.shape or len(value.shape) > 6:
        raise Illegal
    axis = rng.randrange(len(value.shape))
    extent, along, kind = value.shape[axis], f"tn::axis<{axis}>", rng.randrange(4)
    if kind == 0:
        axis = rng.randrange(len(value.shape) + 1)
        shape = value.shape[:axis] + (2,) + value.shape[axis:]
        text, source = f"tn::stack({value.text}, {other.text}, tn::axis<{axis}>)", lambda at: (at[axis], at[:axis] + at[axis + 1:])
    elif kind == 1:
        shape = value.shape[:axis] + (2 * extent,) + value.shape[axis + 1:]
        text = f"tn::concat({value.text}, {other.text}, {along})"
        def source(at):
            which, i = divmod(at[axis], extent)
            return which, at[:axis] + (i,) + at[axis + 1:]
    elif kind == 2:
        times = rng.randint(2, 3)
        shape = value.shape[:axis] + (times * extent,) + value.shape[axis + 1:]
        text = f"tn::repeat_interleave({value.text}, {along}, tn::ct<{times}>)"
        source = lambda at: (0, at[:axis] + (at[axis] // times,) + at[axis + 1:])  # noqa: E731
    else:
        length, step = rng.randint(1, 4), rng.randint(1, 3)
        if extent < length:
            raise Illegal
        shape = value.shape[:axis] + ((extent - length) // step + 1,) + value.shape[axis + 1:] + (length,)
        text = f"tn::unfold({value.text}, {along}, tn::ct<{length}>, tn::ct<{step}>)"
        source = lambda at: (0, at[:axis] + (at[axis] * step + at[-1],) + at[axis + 1:-1])  # noqa: E731
    if kind < 2 and (other.shape != value.shape or other.dtype != value.dtype):
        raise Illegal

    def moved(arrays):
        whole = Array(value.dtype, (2,) + value.shape, arrays[0].data + arrays[1].data)
        def index_of(at):
            which, place = source(tuple(at))
            return [which, *place]
        return gather(whole, shape, index_of)
    others = other.arrays if kind < 2 else value.arrays
    return Value(text, [moved(arrays) for arrays in zip(value.arrays, others)])


def neighbours(rng, value):
    """A last step: what lies around each along two axes, or one of them, combined; there are fewer, or they are around the ends."""
    axes = [k for k, extent in enumerate(value.shape) if extent > 4]
    if not axes or value.dtype == "bool":
        raise Illegal
    chosen = [rng.choice(axes), axes[-1]]
    reach, is_around = rng.randint(1, 4), rng.random() < 0.4
    shape = tuple(extent - reach if k in chosen and not is_around else extent for k, extent in enumerate(value.shape))

    def beginning_at(starts):
        text = value.text
        for axis, start in starts.items():
            stop = start - reach if start < reach else "tn::end"
            text = (f"tn::roll({text}, tn::axis<{axis}>, {-start})" if is_around
                    else f"tn::slice({text}, tn::axis<{axis}>, tn::range<{start}, {stop}>)")
        return Value(text, [gather(array, shape, lambda at: [(i + starts.get(k, 0)) % value.shape[k] for k, i in enumerate(at)])
                            for array in value.arrays])
    result = None
    for _ in range(rng.randint(2, 7)):
        one = beginning_at({axis: rng.randint(-reach if is_around else 0, reach) for axis in chosen})
        result = one if result is None else combined(rng, Value(f"({result.text})", result.arrays), one)
    return result


def rejoined(rng, value):
    """A last step: equal pieces along an axis, each combined with another one, beside each other again."""
    choices = [(axis, count) for axis, extent in enumerate(value.shape) for count in (2, 3, 4)
               if extent > count and extent % count == 0]
    if not choices or value.dtype == "bool":
        raise Illegal
    axis, count = rng.choice(choices)
    length = value.shape[axis] // count
    shape = value.shape[:axis] + (length,) + value.shape[axis + 1:]

    def piece(number):
        def source(at):
            return [i + number * length if k == axis else i for k, i in enumerate(at)]
        text = f"tn::slice({value.text}, tn::axis<{axis}>, tn::range<{number * length}, {(number + 1) * length}>)"
        return Value(text, [gather(array, shape, source) for array in value.arrays])
    pieces = [combined(rng, piece(k), piece(rng.randrange(count))) for k in range(count)]
    if any(one.dtype != pieces[0].dtype for one in pieces):
        raise Illegal

    def joined(arrays):
        whole = Array(arrays[0].dtype, (count,) + shape, [x for array in arrays for x in array.data])
        def source(at):
            number, i = divmod(at[axis], length)
            return [number, *(i if k == axis else j for k, j in enumerate(at))]
        return gather(whole, value.shape, source)
    return Value(f"tn::concat({', '.join(one.text for one in pieces)}, tn::axis<{axis}>)",
                 [joined(arrays) for arrays in zip(*(one.arrays for one in pieces))])
