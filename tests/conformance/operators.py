# SPDX-License-Identifier: Apache-2.0
"""The operators of the standard as C++ over tn:: functions; a new operator is a line in TABLE.

An entry is a template: {0}, {1}... are operands, {all} all of them, {name} an attribute as C++. Attributes that choose
between forms are handled by a function of (operands, attributes). An operator with several results gives a std::tuple.
"""

CPP_TYPES = {"bool": "bool", "f16": "tn::half", "bf16": "tn::bfloat16", "f32": "float", "f64": "double",
             "f8_e4m3": "tn::float8_e4m3", "f8_e5m2": "tn::float8_e5m2",
             **{f"{sign}{bits}": f"std::{'u' if sign == 'u' else ''}int{bits}_t"
                for sign in "iu" for bits in (8, 16, 32, 64)}}


class Inexpressible(Exception):
    """Why a case cannot be written: the operator that is missing."""


def number(value):
    """A literal: a number, a bool, or a float as C hex text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str) and value.lstrip("+-") in ("inf", "infinity", "Infinity"):
        return "-standard::infinity" if value.startswith("-") else "standard::infinity"
    if isinstance(value, str) and value.lower() == "nan" or value != value:
        return "standard::nan"
    if isinstance(value, str):
        return repr(float.fromhex(value))
    if value in (float("inf"), float("-inf")):
        return "standard::infinity" if value > 0 else "-standard::infinity"
    if isinstance(value, int) and value > 2**63 - 1:
        return f"{value}u"
    if value == -2**63:
        return "(-9223372036854775807 - 1)"
    return repr(value)


def as_cpp(value):
    if isinstance(value, list):
        return ", ".join(as_cpp(v) for v in value)
    if isinstance(value, str) and value in CPP_TYPES:
        return CPP_TYPES[value]
    return "#none" if value is None else number(value)


def write(template, operands, attributes):
    names = {name: as_cpp(value) for name, value in attributes.items() if not isinstance(value, str) or
             value in CPP_TYPES or value.lstrip("-").startswith(("0x", "inf", "nan"))}
    return template.format(*operands, all=", ".join(operands), **names)


# --- operators whose attributes choose the form -------------------------------------------------------------------

def folded(template):
    """A binary operator of any number of operands."""
    def expand(operands, _):
        result = operands[0]
        for operand in operands[1:]:
            result = template.format(result, operand)
        return result
    return expand


def reduction(function):
    def expand(operands, attributes):
        axes = as_cpp(attributes.get("axes", []))
        keep = ", tn::keepdim" if attributes.get("keep") else ""
        return f"standard::reduce({operands[0]}, {function}, tn::axis<{axes}>{keep})"
    return expand


def mean_of_several(operands, attributes):
    if "axes" in attributes:
        return reduction("tn::mean")(operands, attributes)
    return f"({' + '.join(operands)}) / {len(operands)}"


def clip(operands, attributes):
    low, high = (operands[k] if len(operands) > k and operands[k] else
                 as_cpp(attributes[name]) if attributes.get(name) is not None else None
                 for k, name in ((1, "lo"), (2, "hi")))
    if low and high:
        return f"standard::clip({operands[0]}, {low}, {high})"
    if low or high:
        return f"standard::like({operands[0]}, tn::{'maximum' if low else 'minimum'}({operands[0]}, {low or high}))"
    return operands[0]


def is_infinite(operands, attributes):
    negative, positive = attributes.get("neg", True), attributes.get("pos", True)
    if negative and positive:
        return f"tn::isinf({operands[0]})"
    return f"{operands[0]} == {'-' if negative else ''}standard::infinity" if negative or positive else \
        f"tn::not_equal({operands[0]}, {operands[0]}) && false"


def slices(operands, attributes):
    result = operands[0]
    for axis, (start, end, step) in enumerate(zip(attributes["starts"], attributes["ends"], attributes["steps"])):
        stop = "tn::end" if step < 0 and end < 0 else end
        result = f"tn::slice({result}, tn::axis<{axis}>, tn::range<{start}, {stop}, {step}>)"
    return result


def split(operands, attributes):
    parts, start = [], 0
    for size in attributes["sizes"]:
        parts.append(f"tn::slice({operands[0]}, tn::axis<{attributes['axis']}>, tn::range<{start}, {start + size}>)")
        start += size
    return f"std::tuple({', '.join(parts)})"


def gelu(operands, attributes):
    return f"tn::gelu{'_tanh' if attributes.get('approx') == 'tanh' else ''}({operands[0]})"


def batch_norm(operands, attributes):
    x, scale, bias, mean, variance = operands
    if attributes["training"]:
        return f"standard::batch_norm_training({', '.join(operands)}, {attributes['eps']!r}, {attributes['momentum']!r})"
    return f"std::tuple(tn::batch_norm_inference({x}, {mean}, {variance}, {scale}, {bias}, {attributes['eps']!r}), 0, 0)"


def norm_with_parameters(function):
    def expand(operands, attributes):
        given = "".join(f", {o}" for o in operands[1:] if o)
        return f"standard::{function}<{attributes['axis']}>({operands[0]}, {attributes['eps']!r}{given})"
    return expand


def momentum(operands, attributes):
    is_nesterov = "true" if attributes["mode"] == "nesterov" else "false"
    numbers = ", ".join(number(attributes[name]) for name in ("alpha", "beta", "norm"))
    return f"standard::momentum<{is_nesterov}>({', '.join(operands)}, {numbers})"


def einsum(operands, attributes):
    """The product of the operands, each with its axes in the order of all labels, summed over those that the result lacks."""
    equation = attributes["equation"].replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if "." in equation or any(len(set(t)) < len(t) for t in terms):
        raise Inexpressible("einsum of a diagonal or of axes without a label")
    if not arrow:
        right = "".join(sorted(c for c in set("".join(terms)) if "".join(terms).count(c) == 1))
    labels = right + "".join(dict.fromkeys(c for c in "".join(terms) if c not in right))
    factors = []
    for operand, term in zip(operands, terms):
        order = ", ".join(str(term.index(c)) for c in labels if c in term)
        factor = f"tn::transpose({operand}, tn::axis<{order}>)"
        for position, label in enumerate(labels):
            if label not in term:
                factor = f"tn::unsqueeze({factor}, tn::axis<{position}>)"
        factors.append(factor)
    product = " * ".join(factors)
    if len(labels) == len(right):
        return product
    return f"standard::like({operands[0]}, tn::sum({product}, tn::axis<{', '.join(map(str, range(len(right), len(labels))))}>))"


def gemm(operands, attributes):
    a, b = operands[:2]
    a = f"tn::transpose({a})" if attributes.get("ta") else a
    b = f"tn::transpose({b})" if attributes.get("tb") else b
    product = f"{number(attributes['alpha'])} * standard::matmul({a}, {b})"
    return f"{product} + {number(attributes['beta'])} * {operands[2]}" if len(operands) > 2 and operands[2] else product


TABLE = {
    # elementwise
    "abs": "tn::abs({0})", "neg": "-{0}", "sign": "tn::sign({0})", "recip": "tn::reciprocal({0})",
    "sqrt": "tn::sqrt({0})", "square": "tn::square({0})",
    "add": folded("({0} + {1})"), "sub": "{0} - {1}", "mul": folded("({0} * {1})"), "div": "standard::div({0}, {1})",
    "mod": "standard::like({0}, tn::remainder({0}, {1}))", "fmod": "standard::like({0}, tn::fmod({0}, {1}))",
    "pow": "standard::like({0}, tn::pow({0}, {1}))",
    "max": folded("tn::maximum({0}, {1})"), "min": folded("tn::minimum({0}, {1})"), "clip": clip,
    "ceil": "tn::ceil({0})", "floor": "tn::floor({0})", "round": "tn::round({0})", "trunc": "tn::trunc({0})",
    "exp": "tn::exp({0})", "log": "tn::log({0})", "log1p": "tn::log1p({0})", "expm1": "tn::expm1({0})",
    **{name: f"tn::{name}({{0}})" for name in
       ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "erf", "isnan",
        "sigmoid", "relu", "softplus", "softsign", "hardswish", "mish")},
    "and": "tn::logical_and({0}, {1})", "or": "tn::logical_or({0}, {1})", "xor": "tn::logical_xor({0}, {1})",
    "not": "tn::logical_not({0})",
    "eq": "{0} == {1}", "ne": "{0} != {1}", "lt": "{0} < {1}", "le": "{0} <= {1}", "gt": "{0} > {1}", "ge": "{0} >= {1}",
    "band": "tn::bitwise_and({0}, {1})", "bor": "tn::bitwise_or({0}, {1})", "bxor": "tn::bitwise_xor({0}, {1})",
    "bnot": "tn::bitwise_not({0})", "shl": "tn::shift_left({0}, {1})", "shr": "tn::shift_right({0}, {1})",
    "isinf": is_infinite, "where": "tn::where({0}, {1}, {2})", "cast": "tn::cast<{to}>({0})", "identity": "{0}",
    "elu": "tn::elu({0}, {alpha})", "celu": "tn::celu({0}, {alpha})", "gelu": gelu,
    "selu": "standard::selu({0}, {alpha}, {gamma})", "hardsigmoid": "standard::hard_sigmoid({0}, {alpha}, {beta})",
    "leaky_relu": "tn::leaky_relu({0}, {alpha})", "prelu": "tn::prelu({0}, {1})",
    "threshold_relu": "tn::threshold({0}, {alpha}, 0)", "shrink": "standard::shrink({0}, {lambd}, {bias})",
    "swish": "standard::swish({0}, {alpha})", "swiglu": "standard::swish({0}, {alpha}) * {1}",
    "dropout_eval": "std::tuple({0}, {0} == {0} || true)",
    # reductions
    "sum": reduction("tn::sum"), "mean": mean_of_several, "prod": reduction("tn::prod"),
    "rmax": reduction("standard::extremum<true>{}"), "rmin": reduction("standard::extremum<false>{}"), "l1": reduction("tn::l1_norm"),
    "l2": reduction("tn::l2_norm"), "sumsq": reduction("tn::sum_of_squares"), "logsum": reduction("standard::log_sum"),
    "logsumexp": reduction("tn::logsumexp"),
    # normalisations
    "softmax": "tn::softmax({0}, tn::axis<{axis}>)", "log_softmax": "tn::log_softmax({0}, tn::axis<{axis}>)",
    "lpnorm": "standard::lp_normalization<{axis}, {p}>({0})",
    "layernorm": norm_with_parameters("layer_norm"), "rmsnorm": norm_with_parameters("rms_norm"),
    "batchnorm": batch_norm, "instancenorm": "tn::instance_norm({0}, {1}, {2}, {eps})",
    "groupnorm": "tn::group_norm({0}, tn::ct<{groups}>, {1}, {2}, {eps})",
    "mvn": "standard::mean_variance_normalization({0}, tn::axis<{axes}>)",
    # steps of optimizers
    "adagrad": "standard::adagrad({all}, {decay}, {eps}, {norm})",
    "adam": "standard::adam({all}, {alpha}, {beta}, {eps}, {norm}, {norm_post})", "momentum": momentum,
    # views
    "reshape": "tn::reshape({0}, tn::shape<{shape}>)", "transpose": "tn::transpose({0}, tn::axis<{perm}>)",
    "slice": slices, "split": split, "expand": "standard::expand<{shape}>({0})",
    # products
    "einsum": einsum, "matmul": "standard::matmul({0}, {1})", "gemm": gemm,
}


def expression_of(operator, operands, attributes):
    """C++ for one operator. @raises Inexpressible"""
    entry = TABLE.get(operator)
    if entry is None:
        raise Inexpressible(f"no operator {operator}")
    if callable(entry):
        return entry(operands, attributes)
    try:
        return write(entry, operands, attributes)
    except (KeyError, IndexError) as missing:
        raise Inexpressible(f"{operator} without {missing}") from missing
