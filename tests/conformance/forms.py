# SPDX-License-Identifier: Apache-2.0
"""Operators of the standard whose attributes or number of operands choose what is written: functions of a step."""
import typing

from cpp_types import CPP_TYPES


class Step(typing.NamedTuple):
    operands: list    # names in C++, None where absent
    attributes: dict
    shapes: list      # of the operands; None where it is not an input of the case
    results: int = 1  # how many the case names


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
        keep = ", tn::keepdim" if step.attributes.get("keep") else ""
        if step.attributes.get("reduces_all"):
            return f"standard::like({step.operands[0]}, {function}({step.operands[0]}{keep}))"
        axes = as_cpp(step.attributes.get("axes", []))
        return f"standard::reduce({step.operands[0]}, {function}, tn::axis<{axes}>{keep})"
    return expand


def mean_of_several(step):
    if len(step.operands) == 1 and step.attributes:
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
        f"tn::logical_and(tn::isinf({step.operands[0]}), false)"


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
        axis, keep = step.attributes.get("axis"), ", tn::keepdim" if step.attributes.get("keep") else ""
        if axis is None:
            return f"tn::{name}({step.operands[0]}{keep})"
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


def scatter_nd(step):
    how, shape = step.attributes.get("reduction", step.attributes.get("reduce", "none")) or "none", step.shapes[1]
    if shape is None:
        raise Inexpressible("scatter_nd of a computed index")
    suffix = {"none": "", "add": "_add", "mul": "_mul", "max": "_max", "min": "_min"}[how]
    index = f"tn::reshape({step.operands[1]}, tn::shape<{as_cpp(shape)}>)"  # the last extent while compiling
    return f"tn::scatter_nd{suffix}({step.operands[0]}, {index}, {step.operands[2]})"


def in_blocks(function):
    """Each element of the scale and the zero point is for a block along the axis, where there are blocks."""
    def expand(step):
        given, block = [operand for operand in step.operands if operand], step.attributes.get("block_size", step.attributes.get("block", 0))
        axis = step.attributes.get("axis", 1)
        if block:
            given[1:] = [f"tn::repeat_interleave({operand}, tn::axis<{axis}>, tn::ct<{block}>)" for operand in given[1:]]
        return f"standard::{function}<{axis}>({', '.join(given)})"
    return expand


def scan(function):
    def expand(step):
        options = "".join(f", tn::{word}" for name, word in (("exclusive", "exclusive"), ("reverse", "reversed"))
                          if step.attributes.get(name))
        return f"standard::like({step.operands[0]}, tn::{function}({step.operands[0]}, tn::axis<{step.attributes['axis']}>{options}))"
    return expand


def topk(step):
    order = "" if step.attributes.get("largest", True) else ", tn::smallest"
    return f"tn::topk({step.operands[0]}, tn::axis<{step.attributes.get('axis', -1)}>, tn::ct<{step.attributes['k']}>{order})"


def pad(step):
    mode, result = step.attributes.get("mode", "constant"), step.operands[0]
    filling = number(step.attributes.get("value", 0)) if mode == "constant" else f"tn::{mode}"
    for axis, (before, after) in enumerate(zip(step.attributes["before"], step.attributes["after"])):
        if before < 0 or after < 0:  # a negative width takes elements away
            stop = min(after, 0) or "tn::end"
            result = f"tn::slice({result}, tn::axis<{axis}>, tn::range<{max(-before, 0)}, {stop}>)"
        if before > 0 or after > 0:
            result = f"tn::pad({result}, tn::axis<{axis}>, tn::widths<{max(before, 0)}, {max(after, 0)}>, {filling})"
    return result


def concat(step):
    return f"tn::concat({', '.join(step.operands)}, tn::axis<{step.attributes['axis']}>)"


def tile(step):
    """Along more than three axes the element is found in the flat tensor, because indices are along three at most."""
    repeats, shape = step.attributes["repeats"], step.shapes[0]
    if sum(times != 1 for times in repeats) <= 3 or shape is None:
        return f"tn::tile({step.operands[0]}, tn::shape<{as_cpp(repeats)}>)"
    terms, stride = [], 1
    for extent, times in reversed(list(zip(shape, repeats))):
        position = f"tn::arange<{extent * times}>({step.operands[0]})"
        for _ in terms:  # this axis stands before the later ones
            position = f"tn::unsqueeze({position}, tn::axis<-1>)"
        terms.append(f"tn::remainder({position}, {extent}) * {stride}")
        stride *= extent
    return f"tn::take(tn::reshape({step.operands[0]}, tn::shape<-1>), {' + '.join(terms)}, tn::axis<0>)"


def local_response(step):
    """Channels within a window around each, as a sum of shifted slices."""
    size = step.attributes["size"]
    squares = f"tn::pad(tn::square({step.operands[0]}), tn::axis<1>, tn::widths<{(size - 1) // 2}, {size // 2}>, 0)"
    slices_of = " + ".join(f"tn::slice({squares}, tn::axis<1>, tn::range<{k}, {k + 1 - size or 'tn::end'}>)" for k in range(size))
    alpha, beta, bias = (number(step.attributes[name]) for name in ("alpha", "beta", "bias"))
    return f"{step.operands[0]} / tn::pow({bias} + {alpha} / {size} * ({slices_of}), {beta})"


def loss(function):
    def expand(step):
        weight = f", {step.operands[2]}" if len(step.operands) > 2 and step.operands[2] else ""
        ignored = step.attributes.get("ignore")
        ignore = "standard::nothing_ignored" if ignored is None else f"tn::ct<{ignored}>"
        return f"standard::{function}<standard::reduction::{step.attributes['reduction']}>({step.operands[0]}, " \
               f"{step.operands[1]}, {ignore}{weight})"
    return expand


def rotary(step):
    given, shape = [operand for operand in step.operands if operand], step.shapes[0]
    if shape is None or step.shapes[1] is None:
        raise Inexpressible("rotary of a computed value")
    x, flat, half = given[0], None, step.shapes[1][-1]
    if len(shape) == 3:  # [batch, length, heads * size]
        heads = step.attributes["num_heads"]
        flat, parts = as_cpp(shape), as_cpp([*shape[:2], heads, shape[2] // heads])
        x = f"tn::transpose(tn::reshape({x}, tn::shape<{parts}>), tn::axis<0, 2, 1, 3>)"
    interleaved = "true" if step.attributes.get("interleaved") else "false"
    result = f"standard::rotated_pairs<{interleaved}, {half}>({', '.join([x, *given[1:]])})"
    return f"tn::reshape(tn::transpose({result}, tn::axis<0, 2, 1, 3>), tn::shape<{flat}>)" if flat else result


def labelled(step, terms):
    """Each axis that the equation leaves to an ellipsis gets a label: capital letters, the last axes the same ones."""
    counts = [len(shape or ()) - len(term.replace("...", "")) if "..." in term else 0 for shape, term in zip(step.shapes, terms)]
    if any("..." in term and shape is None for shape, term in zip(step.shapes, terms)):
        raise Inexpressible("einsum of a computed value with axes without a label")
    names = "ABCDEFGH"[:max(counts)]
    return [term.replace("...", names[len(names) - count:]) for term, count in zip(terms, counts)], names


def einsum(step):
    """The product of the operands, each with its axes in the order of all labels, summed over those that the result lacks."""
    left, arrow, right = step.attributes["equation"].replace(" ", "").partition("->")
    terms, names = labelled(step, left.split(","))
    right = right.replace("...", names)
    if not arrow:
        right = names + "".join(sorted(c for c in set("".join(terms)) - set(names) if "".join(terms).count(c) == 1))
    labels = right + "".join(dict.fromkeys(c for c in "".join(terms) if c not in right))
    factors = []
    for factor, term in zip(step.operands, terms):
        for label in [c for c in dict.fromkeys(term) if term.count(c) > 1]:
            if term.count(label) > 2:
                raise Inexpressible("einsum of a diagonal of more than two axes")
            axes = [k for k, c in enumerate(term) if c == label]  # the diagonal becomes the last axis
            factor, term = f"tn::diagonal({factor}, tn::axis<{as_cpp(axes)}>)", term.replace(label, "") + label
        order = ", ".join(str(term.index(c)) for c in labels if c in term)
        factor = f"tn::transpose({factor}, tn::axis<{order}>)" if len(term) > 1 else factor
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
