# SPDX-License-Identifier: Apache-2.0
"""The operators of the standard as C++ over tn:: functions; a new operator is a line in TABLE.

An entry is a template: {0}, {1}... are operands, {all} all of them, {name} an attribute as C++. Attributes that choose
between forms are handled by a function of the step. An operator with several results gives a std::tuple.
"""

import typing

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


def write(template, step):
    names = {name: as_cpp(value) for name, value in step.attributes.items() if not isinstance(value, str) or
             value in CPP_TYPES or value.lstrip("-").startswith(("0x", "inf", "nan"))}
    return template.format(*step.operands, all=", ".join(step.operands), **names)


# --- operators whose attributes choose the form -------------------------------------------------------------------

def folded(template):
    """A binary operator of any number of operands."""
    def expand(step):
        result = step.operands[0]
        for operand in step.operands[1:]:
            result = template.format(result, operand)
        return result
    return expand


def reduction(function):
    def expand(step):
        axes = as_cpp(step.attributes.get("axes", []))
        keep = ", tn::keepdim" if step.attributes.get("keep") else ""
        return f"standard::reduce({step.operands[0]}, {function}, tn::axis<{axes}>{keep})"
    return expand


def mean_of_several(step):
    if "axes" in step.attributes:
        return reduction("tn::mean")(step)
    return f"({' + '.join(step.operands)}) / {len(step.operands)}"


def clip(step):
    low, high = (step.operands[k] if len(step.operands) > k and step.operands[k] else
                 as_cpp(step.attributes[name]) if step.attributes.get(name) is not None else None
                 for k, name in ((1, "lo"), (2, "hi")))
    if low and high:
        return f"standard::clip({step.operands[0]}, {low}, {high})"
    if low or high:
        return f"standard::like({step.operands[0]}, tn::{'maximum' if low else 'minimum'}({step.operands[0]}, {low or high}))"
    return step.operands[0]


def is_infinite(step):
    negative, positive = step.attributes.get("neg", True), step.attributes.get("pos", True)
    if negative and positive:
        return f"tn::isinf({step.operands[0]})"
    return f"{step.operands[0]} == {'-' if negative else ''}standard::infinity" if negative or positive else \
        f"tn::not_equal({step.operands[0]}, {step.operands[0]}) && false"


def slices(step):
    result = step.operands[0]
    for axis, (start, end, step) in enumerate(zip(step.attributes["starts"], step.attributes["ends"], step.attributes["steps"])):
        stop = "tn::end" if step < 0 and end < 0 else end
        result = f"tn::slice({result}, tn::axis<{axis}>, tn::range<{start}, {stop}, {step}>)"
    return result


def split(step):
    parts, start = [], 0
    for size in step.attributes["sizes"]:
        parts.append(f"tn::slice({step.operands[0]}, tn::axis<{step.attributes['axis']}>, tn::range<{start}, {start + size}>)")
        start += size
    return f"std::tuple({', '.join(parts)})"


def gelu(step):
    return f"tn::gelu{'_tanh' if step.attributes.get('approx') == 'tanh' else ''}({step.operands[0]})"


def batch_norm(step):
    x, scale, bias, mean, variance = step.operands
    if step.attributes["training"]:
        return f"standard::batch_norm_training({', '.join(step.operands)}, {step.attributes['eps']!r}, {step.attributes['momentum']!r})"
    return f"std::tuple(tn::batch_norm_inference({x}, {mean}, {variance}, {scale}, {bias}, {step.attributes['eps']!r}), 0, 0)"


def norm_with_parameters(function):
    def expand(step):
        given = "".join(f", {o}" for o in step.operands[1:] if o)
        return f"standard::{function}<{step.attributes['axis']}>({step.operands[0]}, {step.attributes['eps']!r}{given})"
    return expand


def momentum(step):
    is_nesterov = "true" if step.attributes["mode"] == "nesterov" else "false"
    numbers = ", ".join(number(step.attributes[name]) for name in ("alpha", "beta", "norm"))
    return f"standard::momentum<{is_nesterov}>({', '.join(step.operands)}, {numbers})"


def arg_reduction(name):
    def expand(step):
        axis, keep = step.attributes["axis"], ", tn::keepdim" if step.attributes.get("keep") else ""
        last = "last_" if step.attributes.get("last") else ""
        namespace = "standard" if last else "tn"
        return f"{namespace}::{last}{name}({step.operands[0]}, tn::axis<{axis}>{keep})"
    return expand


def gather_nd(step):
    batch, shape = step.attributes.get("batch", 0), step.shapes[1]
    if shape is None:
        raise Inexpressible("gather_nd of a computed index")
    index = f"tn::reshape({step.operands[1]}, tn::shape<{as_cpp(shape)}>)"  # the last extent while compiling
    return f"standard::gather_nd<{batch}>({step.operands[0]}, {index})"


def loss(function):
    def expand(step):
        weight = f", {step.operands[2]}" if len(step.operands) > 2 and step.operands[2] else ""
        ignored = step.attributes.get("ignore")
        ignore = "standard::nothing_ignored" if ignored is None else f"tn::ct<{ignored}>"
        return f"standard::{function}<standard::reduction::{step.attributes['reduction']}>({step.operands[0]}, " \
               f"{step.operands[1]}, {ignore}{weight})"
    return expand


def rotary(step):
    interleaved = "true" if step.attributes.get("interleaved") else "false"
    heads, size = step.attributes.get("num_heads", 0), step.attributes.get("rotary_embedding_dim", 0)
    given = [operand for operand in step.operands if operand]
    return f"standard::rotary<{interleaved}, {heads}, {size}>({', '.join(given)})"


def einsum(step):
    """The product of the operands, each with its axes in the order of all labels, summed over those that the result lacks."""
    equation = step.attributes["equation"].replace(" ", "")
    left, arrow, right = equation.partition("->")
    terms = left.split(",")
    if "." in equation or any(len(set(t)) < len(t) for t in terms):
        raise Inexpressible("einsum of a diagonal or of axes without a label")
    if not arrow:
        right = "".join(sorted(c for c in set("".join(terms)) if "".join(terms).count(c) == 1))
    labels = right + "".join(dict.fromkeys(c for c in "".join(terms) if c not in right))
    factors = []
    for operand, term in zip(step.operands, terms):
        order = ", ".join(str(term.index(c)) for c in labels if c in term)
        factor = f"tn::transpose({operand}, tn::axis<{order}>)"
        for position, label in enumerate(labels):
            if label not in term:
                factor = f"tn::unsqueeze({factor}, tn::axis<{position}>)"
        factors.append(factor)
    product = " * ".join(factors)
    if len(labels) == len(right):
        return product
    return f"standard::like({step.operands[0]}, tn::sum({product}, tn::axis<{', '.join(map(str, range(len(right), len(labels))))}>))"


def gemm(step):
    a, b = step.operands[:2]
    a = f"tn::transpose({a})" if step.attributes.get("ta") else a
    b = f"tn::transpose({b})" if step.attributes.get("tb") else b
    product = f"{number(step.attributes['alpha'])} * standard::matmul({a}, {b})"
    return f"{product} + {number(step.attributes['beta'])} * {step.operands[2]}" if len(step.operands) > 2 and step.operands[2] else product


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
    "argmax": arg_reduction("argmax"), "argmin": arg_reduction("argmin"), "hardmax": "standard::hardmax<{axis}>({0})",
    # losses
    "nll": loss("nll"), "softmax_xent": loss("softmax_cross_entropy"),
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
    # elements by position
    "gather": "tn::take({0}, {1}, tn::axis<{axis}>)", "gather_elements": "tn::take_along_axis({0}, {1}, tn::axis<{axis}>)",
    "gather_nd": gather_nd, "trilu": "standard::triangle<{k}, {upper}>({0})",
    "one_hot": "standard::one_hot<{depth}, {axis}>({0}, {1})",
    "reverse_sequence": "standard::reverse_sequence<{batch_axis}, {time_axis}>({0}, {1})", "rotary": rotary,
    # products
    "einsum": einsum, "matmul": "standard::matmul({0}, {1})", "gemm": gemm,
}


class Step(typing.NamedTuple):
    operands: list    # names in C++, None where absent
    attributes: dict
    shapes: list      # of the operands; None where it is not an input of the case


def expression_of(operator, step):
    """C++ for one operator. @raises Inexpressible"""
    entry = TABLE.get(operator)
    if entry is None:
        raise Inexpressible(f"no operator {operator}")
    if callable(entry):
        return entry(step)
    try:
        return write(entry, step)
    except (KeyError, IndexError) as missing:
        raise Inexpressible(f"{operator} without {missing}") from missing
