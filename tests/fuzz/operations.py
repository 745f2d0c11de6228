# SPDX-License-Identifier: Apache-2.0
"""The operations of random programs: their C++, their result dtype, and their value by plain arithmetic in double.

Every value is computed several times: exactly, and with each floating result moved by a little more than its roundoff. How
far these are apart says how exact a right result must be.
"""
import math

from arrays import Array, broadcast, broadcast_shape, groups
from cpp_types import CPP_TYPES
from dtypes import arithmetic, converted, is_float, promoted, rounded, with_literal, wrapped
from noise import function_scale, noisy

RUNS = 5
TOO_LARGE = 1e30  # f32 would overflow soon


class Illegal(Exception):
    """The operation has no place here: a number beyond f32, or operands that it does not take."""


class Value:
    """A value of a program: C++ text, and its array in every run."""

    def __init__(self, text, arrays):
        self.text, self.arrays = text, arrays
        self.dtype, self.shape = arrays[0].dtype, arrays[0].shape


def checked(dtype, data):
    if is_float(dtype) and any(abs(x) > TOO_LARGE and math.isfinite(x) for x in data):
        raise Illegal
    return data


def total(function):
    """A function of the reals, made total as floating-point arithmetic has it."""
    def at(*x):
        try:
            return function(*x)
        except ValueError:
            return math.nan
        except OverflowError:
            return math.inf
        except ZeroDivisionError:
            return math.nan
    return at


def sigmoid(x):
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))


def nan_or(function):
    return lambda *x: math.nan if any(v != v for v in x) else function(*x)


FLOAT_FUNCTIONS = {
    "tn::exp({0})": math.exp, "tn::tanh({0})": math.tanh, "tn::sigmoid({0})": nan_or(sigmoid),
    "tn::sin({0})": math.sin, "tn::cos({0})": math.cos, "tn::erf({0})": math.erf, "tn::atan({0})": math.atan,
    "tn::expm1({0})": math.expm1, "tn::sqrt(tn::abs({0}))": lambda x: math.sqrt(abs(x)),
    "tn::log(tn::abs({0}) + 1.5)": lambda x: math.log(abs(x) + 1.5), "tn::log1p(tn::abs({0}))": lambda x: math.log1p(abs(x)),
    "tn::rsqrt(tn::abs({0}) + 0.5)": lambda x: 1 / math.sqrt(abs(x) + 0.5),
    "tn::reciprocal(tn::abs({0}) + 0.5)": lambda x: 1 / (abs(x) + 0.5),
    "tn::silu({0})": nan_or(lambda x: x * sigmoid(x) if x > -1e300 else 0.0),
    "tn::gelu({0})": nan_or(lambda x: 0.5 * x * math.erfc(-x / math.sqrt(2)) if x > -1e300 else 0.0),
    "tn::softplus({0})": nan_or(lambda x: max(x, 0.0) + math.log1p(math.exp(-abs(x)))),
}
SAME_FUNCTIONS = {  # integers stay integers
    "-{0}": lambda x: -x, "tn::abs({0})": abs, "tn::square({0})": lambda x: x * x, "tn::relu({0})": nan_or(lambda x: max(x, 0)),
    "tn::sign({0})": nan_or(lambda x: (x > 0) - (x < 0)),
    "tn::floor({0})": nan_or(lambda x: math.floor(x) if abs(x) < 1e300 else x),
    "tn::round({0})": nan_or(lambda x: round(x) if abs(x) < 1e300 else x),
}
BINARY = {
    "{0} + {1}": lambda x, y: x + y, "{0} - {1}": lambda x, y: x - y, "{0} * {1}": lambda x, y: x * y,
    "tn::maximum({0}, {1})": nan_or(max), "tn::minimum({0}, {1})": nan_or(min),
}
COMPARISONS = {"{0} < {1}": lambda x, y: x < y, "{0} >= {1}": lambda x, y: x >= y, "{0} == {1}": lambda x, y: x == y,
               "{0} != {1}": lambda x, y: x != y}
LITERALS = [0.5, 2.5, -1.25, 2, 3, -1]


def result_type(values):
    """Tensors with axes decide over those of rank 0 inside a category."""
    def category(value):
        return 2 if is_float(value.dtype) else value.dtype != "bool"
    highest = max(category(v) for v in values)
    deciding = [v for v in values if category(v) == highest]
    deciding = [v for v in deciding if v.shape] or deciding
    dtype = deciding[0].dtype
    for value in deciding[1:]:
        dtype = promoted(dtype, value.dtype)
    return dtype


def in_float(dtype, source, column):
    """Operands in the type of the arithmetic: what it does not hold is rounded."""
    if arithmetic(dtype) == "f32" and arithmetic(source) != "f32":
        return [rounded("f32", float(x)) for x in column]
    return [float(x) for x in column]


def elementwise(text, dtype, computed_in, function, values, rng, is_function=False):
    """function of the values broadcast, its operands in one dtype."""
    shape, arrays = broadcast_shape([v.shape for v in values]), []
    for run in range(RUNS):
        columns = [broadcast(v.arrays[run], shape) for v in values]
        if computed_in and not is_float(computed_in):
            columns = [[converted(computed_in, x) for x in column] for column in columns]
        elif computed_in:
            columns = [in_float(computed_in, v.dtype, column) for v, column in zip(values, columns)]
        data = [function(*x) for x in zip(*columns)]
        if is_float(dtype):
            data = [noisy(run, dtype, float(x), rng, function_scale(dtype, x) if is_function else None) for x in data]
        elif dtype != "bool":
            data = [wrapped(dtype, int(x)) for x in data]
        arrays.append(Array(dtype, shape, checked(dtype, data)))
    return Value(text.format(*(v.text for v in values)), arrays)


def needs_numbers(values):
    if any(v.dtype == "bool" for v in values):
        raise Illegal


def unary(rng, value):
    needs_numbers([value])
    if rng.random() < 0.6:
        text, function = rng.choice(list(FLOAT_FUNCTIONS.items()))
        dtype = value.dtype if is_float(value.dtype) else "f32"
        if not is_float(value.dtype):  # the magnitude of the least integer is not one of its type
            text = text.replace("tn::abs({0})", "tn::abs(tn::cast<float>({0}))")
        return elementwise(text, dtype, dtype, total(function), [value], rng, True)
    text, function = rng.choice(list(SAME_FUNCTIONS.items()))
    return elementwise(text, value.dtype, value.dtype, total(function), [value], rng)


def binary(rng, x, y):
    needs_numbers([x, y])
    if rng.random() < 0.15:
        # In two steps, since the divisor is rounded in a type of its own.
        own = y.dtype if is_float(y.dtype) else "f32"
        text = "(tn::abs({0}) + 0.5)" if is_float(y.dtype) else "(tn::abs(tn::cast<float>({0})) + 0.5)"
        divisor = elementwise(text, own, own, lambda b: abs(b) + 0.5, [y], rng)
        result = result_type([x, divisor])
        return elementwise("{0} / {1}", result, result, total(lambda a, b: a / b), [x, divisor], rng)
    return combined(rng, x, y)


def combined(rng, x, y):
    dtype = result_type([x, y])
    text, function = rng.choice(list(BINARY.items()))
    return elementwise(text, dtype, dtype, total(function), [x, y], rng)


def with_number(rng, x, _):
    needs_numbers([x])
    literal = rng.choice(LITERALS)
    dtype = with_literal(x.dtype, literal)
    text, function = rng.choice(list(BINARY.items()))
    if not is_float(dtype) and dtype[0] == "u" and literal < 0:
        raise Illegal
    return elementwise(text.replace("{1}", repr(literal)), dtype, dtype, total(lambda a: function(a, literal)), [x], rng)


def comparison(rng, x, y):
    needs_numbers([x, y])
    text, function = rng.choice(list(COMPARISONS.items()))
    return elementwise(text, "bool", result_type([x, y]), function, [x, y], rng)


def selection(rng, x, y, condition):
    needs_numbers([x, y])
    if condition.dtype != "bool":
        condition = comparison(rng, condition, x)
    dtype = result_type([x, y])
    arrays, shape = [], broadcast_shape([condition.shape, x.shape, y.shape])
    for run in range(RUNS):
        c, a, b = (broadcast(v.arrays[run], shape) for v in (condition, x, y))
        if is_float(dtype):
            a, b = in_float(dtype, x.dtype, a), in_float(dtype, y.dtype, b)
        arrays.append(Array(dtype, shape, [converted(dtype, p if k else q) if not is_float(dtype) else p if k else q
                                           for k, p, q in zip(c, a, b)]))
    return Value(f"tn::where({condition.text}, {x.text}, {y.text})", arrays)


def cast(rng, value, _):
    dtype = rng.choice([d for d in ("f32", "f64", "f16", "bf16", "i32", "i64", "i8", "u8", "bool") if d != value.dtype])
    arrays = []
    for run in range(RUNS):
        exact = value.arrays[run].data
        data = [noisy(run, value.dtype, x, rng, 8 * abs(x)) for x in exact]
        if run in (1, 2):  # once up and once down: a number close to an integer may be truncated to either neighbour
            data = [x + math.copysign(y - x, 1 if run == 1 else -1) if y != x and math.isfinite(x) else y
                    for x, y in zip(exact, data)]
        if is_float(value.dtype) and not is_float(dtype) and any(not abs(x) < 1e18 for x in data):
            raise Illegal
        arrays.append(Array(dtype, value.shape, checked(dtype, [converted(dtype, x) for x in data])))
    return Value(f"tn::cast<{CPP_TYPES[dtype]}>({value.text})", arrays)


def variance(xs):
    mean = sum(xs) / len(xs)
    return sum((x - mean) ** 2 for x in xs) / (len(xs) - 1)


def log_sum_exp(xs):
    greatest = max(xs)
    return greatest if math.isinf(greatest) else greatest + math.log(sum(math.exp(x - greatest) for x in xs))


def log_scale(xs):
    """The greatest number and the logarithm of the sum, whose own error is absolute, may cancel."""
    return abs(max(xs)) + math.log(len(xs)) + 1 if all(math.isfinite(x) for x in xs) else 1.0


def magnitude(xs):
    return sum(abs(x) for x in xs)


def spread(xs):
    """What the variance is moved by when its terms are: twice the deviation for each."""
    if len(xs) < 2 or not all(math.isfinite(x) for x in xs):
        return 1.0
    squares = variance(xs)
    return squares + 2 * math.sqrt(squares) * max(abs(x) for x in xs)


# Name → (function of the group, result dtype, whether nothing may be reduced, scale of the error).
REDUCTIONS = {
    "sum": (sum, lambda d: d if is_float(d) else "i64", True, magnitude),
    "max": (nan_or(lambda *xs: max(xs)), lambda d: d, False, None),
    "min": (nan_or(lambda *xs: min(xs)), lambda d: d, False, None),
    "mean": (lambda xs: sum(xs) / len(xs), lambda d: d if is_float(d) else None, True, lambda xs: magnitude(xs) / max(len(xs), 1)),
    "var": (variance, lambda d: d if is_float(d) else None, True, spread),
    "logsumexp": (log_sum_exp, lambda d: d if is_float(d) else None, False, log_scale),
    "any": (lambda xs: any(x != 0 for x in xs), lambda d: "bool", True, None),
    "all": (lambda xs: all(x != 0 for x in xs), lambda d: "bool", True, None),
}


def reduction(rng, value, axes, keeps=True):
    name = rng.choice(list(REDUCTIONS))
    function, dtype_of, takes_nothing, scale_of = REDUCTIONS[name]
    dtype = dtype_of(value.dtype)
    if dtype is None or value.dtype == "bool" and name in ("max", "min"):
        raise Illegal
    if not takes_nothing and any(value.shape[k] == 0 for k in axes):
        raise Illegal
    arrays = []
    for run in range(RUNS):
        shape, members = groups(value.arrays[run], axes)
        if name in ("max", "min"):
            data = [function(*xs) for xs in members]
        else:
            exact = nan_or(lambda *xs: function(xs)) if is_float(value.dtype) and dtype != "bool" else lambda *xs: function(xs)
            data = [total(exact)(*xs) for xs in members]
        if is_float(dtype):
            scales = [scale_of(xs) if scale_of else None for xs in members]
            data = [noisy(run, dtype, float(x), rng, scale) for x, scale in zip(data, scales)]
        elif dtype != "bool":
            data = [wrapped(dtype, int(x)) for x in data]
        if not keeps:
            shape = tuple(extent for k, extent in enumerate(shape) if k not in axes)
        arrays.append(Array(dtype, shape, checked(dtype, data)))
    named = ", ".join(map(str, axes))
    return Value(f"tn::{name}({value.text}, tn::axis<{named}>{', tn::keepdim' if keeps else ''})", arrays)


def softmax(rng, value, axes):
    if not is_float(value.dtype) or len(axes) != 1 or value.shape[axes[0]] == 0:
        raise Illegal
    arrays = []
    for run in range(RUNS):
        shape, members = groups(value.arrays[run], axes)
        if any(not math.isfinite(x) for xs in members for x in xs):
            raise Illegal
        sums = [sum(math.exp(x - max(xs)) for x in xs) for xs in members]
        tops = broadcast(Array("f64", shape, [max(xs) for xs in members]), value.shape)
        totals = broadcast(Array("f64", shape, sums), value.shape)
        data = [noisy(run, value.dtype, math.exp(x - top) / whole, rng, function_scale(value.dtype, math.exp(x - top) / whole))
                for x, top, whole in zip(value.arrays[run].data, tops, totals)]
        arrays.append(Array(value.dtype, value.shape, data))
    return Value(f"tn::softmax({value.text}, tn::axis<{axes[0]}>)", arrays)
