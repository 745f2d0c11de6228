# SPDX-License-Identifier: Apache-2.0
"""A seed -> a random program: inputs, the lines of its lambda, its results with their tolerances."""
import math
import random
import typing

import operations
import ordered
import views
from arrays import Array, gather
from dtypes import FLOATS, INTEGERS, converted, is_float
from emission import ARRANGEMENTS, Layout, lambda_text
from operations import Illegal, RUNS, Value

EXTENTS = [1, 2, 3, 5, 7, 8, 16, 31, 32, 33, 64, 127]
LONG_EXTENTS = [255, 257, 1023, 1024, 1025]
MOST_ELEMENTS = 2100
# Where programs may have more: rows in shared memory, of several blocks, taken in turns.
LARGE_EXTENTS = [2047, 2048, 4096, 4099, 8192, 8193, 12288, 16385, 33000, 50257, 65536, 131072]
INPUT_DTYPES = ["f32"] * 10 + ["f64"] * 2 + ["f16"] * 3 + ["bf16"] * 3 + ["i32", "i64", "i8", "u8", "bool"]


class Input(typing.NamedTuple):
    dtype: str
    extents: list   # as the type has them; None at run time
    layout: Layout
    data: list


class Program:
    """What build.py compiles and runs; equal seeds give equal programs."""
    dtypes = INPUT_DTYPES
    specials_share = 0.15
    most_elements = MOST_ELEMENTS

    def __init__(self, seed):
        self.seed = self.number = seed
        self.is_split, self.fault = False, None
        self.rng = rng = random.Random(seed)
        self.shape = self.choose_shape()
        self.is_static = [rng.random() < 0.3 for _ in self.shape]
        self.axes = random_axes(rng, len(self.shape))
        self.has_specials = rng.random() < self.specials_share
        self.are_tensors = rng.random() < 0.4  # of the call and of its results; otherwise views of any memory
        self.inputs, self.lines, self.values = [], [], []
        for _ in range(rng.choice([1, 2, 2, 3, 4])):
            self.add(random_input(self))
        for _ in range(rng.randint(2, 10)):
            self.grow()
        self.results = self.choose_results()
        self.outputs = len(self.results)
        self.layouts = [self.random_layout(v.dtype, v.shape) for v in self.results]

    def random_layout(self, dtype, shape):
        return Layout(dtype, shape, "contiguous" if self.are_tensors else self.rng.choice(ARRANGEMENTS))

    def choose_shape(self):
        return random_shape(self.rng, self.most_elements)

    def text(self):
        return lambda_text(self, self.is_split)

    def add(self, value):
        name = f"v{len(self.lines)}"
        self.lines.append((name, value.text))
        self.values.append(Value(name, value.arrays))

    def pick(self):
        """Later values more often, so that the program has some depth."""
        return self.values[int(len(self.values) * math.sqrt(self.rng.random()))]

    def grow(self):
        rng = self.rng
        for _ in range(20):
            try:
                kind = rng.random()
                if kind < 0.30:
                    value = operations.unary(rng, self.pick())
                elif kind < 0.60:
                    value = operations.binary(rng, self.pick(), self.pick())
                elif kind < 0.68:
                    value = operations.with_number(rng, self.pick(), None)
                elif kind < 0.76:
                    value = operations.selection(rng, self.pick(), self.pick(), self.pick())
                elif kind < 0.80:
                    value = operations.cast(rng, self.pick(), None)
                elif kind < 0.84:
                    value = views.view(rng, self.pick())
                elif kind < 0.855:
                    value = views.window(rng, self.pick())
                elif kind < 0.87:
                    value = views.picked(rng, self.pick(), self.pick())
                elif kind > 0.985:
                    value = ordered.search(rng, self.pick(), self.boundaries())
                elif self.axes:
                    operand = self.pick()
                    if operand.shape != self.shape:
                        continue
                    actions = {0.970: ordered.extremum, 0.963: ordered.sort, 0.933: ordered.scan, 0.913: operations.softmax}
                    action = next((action for least, action in actions.items() if kind > least), operations.reduction)
                    value = action(rng, operand, self.axes)
                else:
                    continue
            except Illegal:
                continue
            return self.add(value)
        return None

    def boundaries(self):
        """A sorted vector as a further input."""
        data = sorted(random_number(self, "f32") for _ in range(self.rng.choice([1, 2, 5, 32, 100])))
        data = [x for x in data if x == x] or [0.0]
        name = f"x{len(self.inputs)}"
        self.inputs.append(Input("f32", [None], self.random_layout("f32", (len(data),)), sorted(data)))
        return Value(name, [Array("f32", (len(data),), sorted(data))] * RUNS)

    def choose_results(self):
        rng, last = self.rng, self.values[-1]
        results = [finished(self, last)]
        others = [v for v in self.values[:-1] if v.shape == last.shape]
        # Results of equal rank may differ along one axis.
        lengths = zip(results[0].shape, last.shape)
        is_joinable = len(results[0].shape) != len(last.shape) or sum(a != b for a, b in lengths) < 2
        if others and is_joinable and rng.random() < 0.25:
            results.append(rng.choice(others))
        return results


def random_shape(rng, most):
    shape, is_large = [], most > MOST_ELEMENTS
    long_extents = [extent for extent in LARGE_EXTENTS if extent <= most] if is_large else LONG_EXTENTS
    for _ in range(rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])):
        extent = rng.choice(long_extents if rng.random() < (0.4 if is_large else 0.15) else EXTENTS)
        shape.append(0 if rng.random() < 0.02 else extent)
    while math.prod(shape) > most:
        k = rng.randrange(len(shape)) if is_large else max(range(len(shape)), key=lambda i: shape[i])
        shape[k] = max(1, shape[k] // 2)
    return tuple(shape)


def random_axes(rng, rank):
    """What the program reduces over: mostly trailing axes, sometimes others, sometimes none."""
    if rank == 0 or rng.random() < 0.25:
        return []
    if rng.random() < 0.7:
        return list(range(rank - rng.randint(1, min(rank, 2)), rank))
    return sorted(rng.sample(range(rank), rng.randint(1, rank)))


def random_number(program, dtype):
    rng = program.rng
    if dtype == "bool":
        return rng.random() < 0.5
    if dtype in INTEGERS:
        return converted(dtype, rng.randint(-9, 9) if rng.random() < 0.9 else rng.randint(-(1 << 62), 1 << 62))
    if program.has_specials and rng.random() < 0.1:
        return rng.choice([math.nan, math.inf, -math.inf, 0.0, -0.0, 1.0, -1.0])
    return converted(dtype, rng.uniform(-4, 4))


def random_input(program):
    """A tensor of the program's shape, with some axes of extent 1 or missing, read through a view."""
    rng = program.rng
    shape, extents = list(program.shape), [e if s else None for e, s in zip(program.shape, program.is_static)]
    if program.inputs and rng.random() < 0.4:
        missing = rng.randint(0, len(shape)) if rng.random() < 0.5 else 0
        shape, extents = shape[missing:], extents[missing:]
        for k in range(len(shape)):
            if rng.random() < 0.3:
                shape[k] = extents[k] = 1
    dtype, name = rng.choice(program.dtypes), f"x{len(program.inputs)}"
    text, stored, stored_extents, index_of = random_view(rng, name, shape, extents)
    data = [random_number(program, dtype) for _ in range(math.prod(stored))]
    program.inputs.append(Input(dtype, stored_extents, program.random_layout(dtype, tuple(stored)), data))
    array = gather(Array(dtype, tuple(stored), data), shape, index_of)
    return Value(text, [array] * RUNS)


def random_view(rng, name, shape, extents):
    """-> (C++, the shape and the type's extents of what is viewed, the index of an element in it)."""
    kind = rng.random()
    if kind < 0.15 and len(shape) > 1:
        order = list(range(len(shape)))
        rng.shuffle(order)  # axis k of the result is axis order[k] of what is viewed
        stored, stored_extents = [0] * len(shape), [None] * len(shape)
        for k, axis in enumerate(order):
            stored[axis], stored_extents[axis] = shape[k], extents[k]
        def permuted(at):
            result = [0] * len(at)
            for k, axis in enumerate(order):
                result[axis] = at[k]
            return result
        return f"tn::transpose({name}, tn::axis<{', '.join(map(str, order))}>)", stored, stored_extents, permuted
    sliceable = [k for k in range(len(shape)) if extents[k] != 1 and shape[k] > 0]
    if kind < 0.35 and sliceable:
        axis = rng.choice(sliceable)
        count, step, before, after = shape[axis], rng.choice([1, 2, 3, -1, -2]), rng.randint(0, 3), rng.randint(0, 3)
        length = before + (count - 1) * abs(step) + 1 + after
        start = before if step > 0 else length - 1 - before
        stop = start + (count - 1) * step + (1 if step > 0 else -1)
        stored, stored_extents = list(shape), list(extents)
        stored[axis], stored_extents[axis] = length, None if extents[axis] is None else length
        def stepped(at):
            return [start + i * step if k == axis else i for k, i in enumerate(at)]
        stop_text = "tn::end" if stop < 0 else stop
        return f"tn::slice({name}, tn::axis<{axis}>, tn::range<{start}, {stop_text}, {step}>)", stored, stored_extents, stepped
    if kind < 0.5 and sliceable:
        axis = rng.choice(sliceable)
        text, length, position = view_along(rng, name, axis, shape[axis])
        stored, stored_extents = list(shape), list(extents)
        stored[axis], stored_extents[axis] = length, None if extents[axis] is None else length
        return text, stored, stored_extents, lambda at: [position(i) if k == axis else i for k, i in enumerate(at)]
    return name, list(shape), list(extents), lambda at: at


def view_along(rng, name, axis, count):
    """A view by positions along one axis -> (C++, the length of what is viewed, the position of an element in it)."""
    along, kind = f"tn::axis<{axis}>", rng.randrange(4)
    if kind == 0 and count > 2:
        before, after = rng.randint(0, count // 2), rng.randint(0, count // 2 - 1)
        length = count - before - after
        return (f"tn::pad({name}, {along}, tn::widths<{before}, {after}>, tn::edge)", length,
                lambda i: min(max(i - before, 0), length - 1))
    cut = rng.randint(0, count)
    if kind == 1:
        parts = f"tn::slice({name}, {along}, tn::range<{cut}, tn::end>), tn::slice({name}, {along}, tn::range<0, {cut}>)"
        return f"tn::concat({parts}, {along})", count, lambda i: (i + cut) % count
    if kind == 2:
        return f"tn::roll({name}, {along}, {cut})", count, lambda i: (i - cut) % count
    return f"tn::flip({name}, {along})", count, lambda i: count - 1 - i


def finished(program, value):
    """The last step: nothing, more elements, neighbours, pieces, a reduction that drops its axes, a transpose."""
    rng = program.rng
    try:
        if rng.random() < 0.15:
            return views.enlarged(rng, value, rng.choice(program.values))
        if rng.random() < 0.08:
            return views.neighbours(rng, rng.choice(program.values))
        if rng.random() < 0.08:
            return views.rejoined(rng, rng.choice(program.values))
        if value.shape == program.shape and program.axes and rng.random() < 0.3:
            return operations.reduction(rng, value, program.axes, keeps=False)
        if value.shape and rng.random() < 0.1:
            return operations.reduction(rng, value, list(range(len(value.shape))), keeps=False)
    except Illegal:
        pass
    if len(value.shape) > 1 and rng.random() < 0.15:
        return Value(f"tn::transpose({value.text})",
                     [gather(a, a.shape[::-1], lambda at: at[::-1]) for a in value.arrays])
    return value


def tolerances(value):
    """How far each element may be from the exact one; None where the exact one says nothing."""
    result = []
    for exact, *moved in zip(*(array.data for array in value.arrays)):
        if not is_float(value.dtype):
            result.append(0 if all(x == exact for x in moved) else None)
            continue
        if not math.isfinite(exact) or any(not math.isfinite(x) for x in moved):
            same = all(x == exact or (x != x and exact != exact) for x in moved)
            result.append(0.0 if same else None)
            continue
        unit = max(abs(exact), 1e-38 if value.dtype != "f16" else 2.0**-14) * 2.0 ** (1 - FLOATS[value.dtype])
        computed = abs(exact) * (2.0**-20 if value.dtype != "f64" else 2.0**-46)
        result.append(6 * max(abs(x - exact) for x in moved) + 2 * unit + computed)
    return result
