# SPDX-License-Identifier: Apache-2.0
"""Operators of NumPy and PyTorch beside those of the standard: functions of a step, as in forms.py."""
from forms import Inexpressible, as_cpp, number


def along(step, default=None):
    axis = step.attributes.get("axis", default)
    if not isinstance(axis, int):
        raise Inexpressible("an operator along one axis without an axis")
    return f"tn::axis<{axis}>"


def options_of_reduction(step):
    """`, axis<...>, keepdim` as far as they are given; without axes everything is reduced."""
    axes = "" if step.attributes.get("reduces_all", False) else f", tn::axis<{as_cpp(step.attributes['axes'])}>"
    return axes + (", tn::keepdim" if step.attributes.get("keep") else "")


def reduction(function):
    def expand(step):
        return f"{function}({step.operands[0]}{options_of_reduction(step)})"
    return expand


def all_or(some, whole):
    """`some`, which is given axes; `whole` where everything is reduced."""
    def expand(step):
        return whole(step) if step.attributes.get("reduces_all") else some(step)
    return expand


def variance(is_deviation):
    def expand(step):
        given = step.attributes
        correction = given.get("correction", given.get("ddof", 1 if given.get("unbiased", True) else 0))
        result = f"tn::var({step.operands[0]}{options_of_reduction(step)}, tn::correction<{int(correction)}>)"
        return f"tn::sqrt({result})" if is_deviation else result
    return expand


def norm(step):
    p = step.attributes.get("p", 2)
    x, options = step.operands[0], options_of_reduction(step)
    if str(p).lstrip("+") in ("inf", "Infinity"):
        return f"tn::max(tn::abs({x}){options})"
    if p == 1:
        return f"tn::sum(tn::abs({x}){options})"
    if p == 2:
        return f"tn::sqrt(tn::sum(tn::square({x}){options}))"
    return f"tn::pow(tn::sum(tn::pow(tn::abs({x}), {number(p)}){options}), {1 / float(p)!r})"


def running_extremum(name):
    def expand(step):
        function = name if step.results == 1 else f"{name}_with_index"
        options = "".join(f", tn::{word}" for given, word in (("exclusive", "exclusive"), ("reverse", "reversed"))
                          if step.attributes.get(given))
        return f"tn::{function}({step.operands[0]}, {along(step)}{options})"
    return expand


def sort(name):
    def expand(step):
        is_descending = step.attributes.get("descending", step.attributes.get("largest", False))
        x, axis = step.operands[0], step.attributes.get("axis", -1)
        if axis is None:
            x, axis = f"tn::flatten({x})", 0
        function = name if step.results == 1 else "sort_with_index"
        return f"tn::{function}({x}, tn::axis<{axis}>{', tn::descending' if is_descending else ''})"
    return expand


def weighted(template):
    """A product with a factor that is 1 unless given."""
    def expand(step):
        return template.format(*step.operands, value=number(step.attributes.get("value", 1)))
    return expand


def lerp(step):
    weight = step.operands[2] if len(step.operands) > 2 else number(step.attributes["weight"])
    return f"{step.operands[0]} + {weight} * ({step.operands[1]} - {step.operands[0]})"


def masked_fill(step):
    value = step.operands[2] if len(step.operands) > 2 else number(step.attributes["value"])
    return f"tn::where({step.operands[1]}, {value}, {step.operands[0]})"


def flip(step):
    axes = step.attributes.get("axes")
    if axes is None:
        if step.shapes[0] is None:
            raise Inexpressible("flip of a computed value along all axes")
        axes = list(range(len(step.shapes[0])))
    return f"tn::flip({step.operands[0]}, tn::axis<{as_cpp(axes)}>)"


def roll(step):
    shifts = step.attributes.get("shifts", step.attributes.get("shift"))
    shifts, axes = shifts if isinstance(shifts, list) else [shifts], step.attributes.get("axes")
    if axes is None:
        raise Inexpressible("roll of a flattened tensor")
    result = step.operands[0]
    for axis, shift in zip(axes, shifts):
        result = f"tn::roll({result}, tn::axis<{axis}>, {shift})"
    return result


def squeeze(step):
    axes = step.attributes.get("axes")
    if axes is None and step.shapes[0] is not None:
        axes = [k for k, extent in enumerate(step.shapes[0]) if extent == 1]
    return f"tn::squeeze({step.operands[0]}, tn::axis<{as_cpp(axes)}>)" if axes else step.operands[0]


def unsqueeze(step):
    """Axes are those of the result, so the lowest comes first; negative ones count in it."""
    axes, rank = step.attributes["axes"], None if step.shapes[0] is None else len(step.shapes[0])
    if any(axis < 0 for axis in axes) and (len(axes) > 1 and rank is None):
        raise Inexpressible("unsqueeze of a computed value along several axes from the end")
    result = step.operands[0]
    for axis in sorted(axis + rank + len(axes) if axis < 0 and rank is not None else axis for axis in axes):
        result = f"tn::unsqueeze({result}, tn::axis<{axis}>)"
    return result


def triangle(name):
    def expand(step):
        return f"tn::{name}({step.operands[0]}, tn::ct<{step.attributes.get('k', 0)}>)"
    return expand


UPDATES = {"none": "scatter", "add": "scatter_add", "sum": "scatter_add", "mul": "scatter_mul", "prod": "scatter_mul",
           "max": "scatter_max", "amax": "scatter_max", "min": "scatter_min", "amin": "scatter_min"}


def scatter(default):
    def expand(step):
        how = step.attributes.get("reduction", step.attributes.get("reduce", default)) or "none"
        base, index, updates = step.operands
        return f"tn::{UPDATES[how]}({base}, {along(step, 0)}, {index}, {updates})"
    return expand


def elementwise_loss(name):
    def expand(step):
        reduce = {"none": "tn::none", "sum": "tn::sum"}.get(step.attributes.get("reduction", "mean"), "tn::mean")
        parameter = "".join(f"{number(step.attributes[k])}, " for k in ("delta", "beta") if k in step.attributes)
        return f"tn::{name}({step.operands[0]}, {step.operands[1]}, {parameter}{reduce})"
    return expand


TABLE = {
    **{name: f"tn::{name}({{0}})" for name in
       ("rsqrt", "exp2", "log2", "log10", "cbrt", "erfc", "erfinv", "lgamma", "digamma", "i0", "isfinite", "silu", "logsigmoid",
        "tanhshrink", "frac")},
    **{name: f"tn::{name}({{0}}, {{1}})" for name in ("atan2", "hypot", "copysign", "nextafter", "logaddexp")},
    "floor_divide": "standard::like({0}, tn::floor_divide({0}, {1}))", "true_divide": "{0} / {1}",
    "fma": "tn::fma({0}, {1}, {2})", "lerp": lerp, "addcmul": weighted("{0} + {value} * {1} * {2}"),
    "addcdiv": weighted("{0} + {value} * ({1} / {2})"), "masked_fill": masked_fill,
    "any": reduction("tn::any"), "all": reduction("tn::all"), "var": variance(False), "std": variance(True), "norm": norm,
    "cummax": running_extremum("cummax"), "cummin": running_extremum("cummin"),
    "logcumsumexp": running_extremum("logcumsumexp"), "sort": sort("sort"), "argsort": sort("argsort"),
    "flip": flip, "roll": roll, "squeeze": squeeze, "unsqueeze": unsqueeze, "tril": triangle("tril"), "triu": triangle("triu"),
    "flatten": "tn::flatten({0})", "ravel": "tn::flatten({0})", "embedding": "tn::embedding({0}, {1})",
    "stack": lambda step: f"tn::stack({', '.join(step.operands)}, {along(step, 0)})",
    "repeat_interleave": lambda step: f"tn::repeat_interleave({step.operands[0]}, {along(step)}, tn::ct<{step.attributes['repeats']}>)",
    "scatter_elements": scatter("none"), "scatter_add": scatter("add"), "scatter_reduce": scatter("sum"),
    "mse_loss": elementwise_loss("mse_loss"), "l1_error": elementwise_loss("l1_loss"),
    "huber_loss": elementwise_loss("huber_loss"), "smooth_l1_loss": elementwise_loss("smooth_l1_loss"),
    "bce_with_logits_loss": elementwise_loss("bce_with_logits_loss"), "kl_div_loss": elementwise_loss("kl_div_loss"),
}
