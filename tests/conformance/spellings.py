# SPDX-License-Identifier: Apache-2.0
"""Other names of operators and attributes, as NumPy and PyTorch have them -> those of operators.py.

An axis may be given as axis, axes, dim or dims, as a number, a list or nothing (all axes), and count from the end.
"""
OPERATORS = {
    "negative": "neg", "reciprocal": "recip", "add_n": "add", "multiply": "mul", "subtract": "sub", "divide": "true_divide",
    "remainder": "mod", "power": "pow", "maximum": "max", "minimum": "min", "clamp": "clip", "rint": "round",
    "logical_and": "and", "logical_or": "or", "logical_xor": "xor", "logical_not": "not",
    "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "bitwise_and": "band", "bitwise_or": "bor", "bitwise_xor": "bxor", "bitwise_not": "bnot", "invert": "bnot",
    "left_shift": "shl", "shift_left": "shl", "right_shift": "shr", "shift_right": "shr",
    "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh",
    "arctan2": "atan2", "hard_swish": "hardswish", "hard_sigmoid": "hardsigmoid", "log_sigmoid": "logsigmoid",
    "reduce_sum": "sum", "reduce_mean": "mean", "reduce_prod": "prod", "amax": "rmax", "amin": "rmin", "reduce_max": "rmax",
    "reduce_min": "rmin", "variance": "var", "reduce_any": "any", "reduce_all": "all",
    "layer_norm": "layernorm", "rms_norm": "rmsnorm", "batch_norm": "batchnorm", "group_norm": "groupnorm",
    "instance_norm": "instancenorm", "cross_entropy": "softmax_xent", "nll_loss": "nll", "mse": "mse_loss", "l1_loss": "l1_error",
    "huber": "huber_loss", "bce_with_logits": "bce_with_logits_loss", "kl_div": "kl_div_loss",
    "cat": "concat", "concatenate": "concat", "permute": "transpose", "broadcast_to": "expand", "view": "reshape",
    "index_select": "gather", "take": "gather", "take_along_dim": "gather_elements", "take_along_axis": "gather_elements",
    "repeat": "tile", "scatter": "scatter_elements",
}
ATTRIBUTES = {"keepdim": "keep", "keepdims": "keep", "epsilon": "eps", "min": "lo", "max": "hi", "reversed": "reverse",
              "permutation": "perm", "dims_order": "perm", "exponent": "p", "ord": "p", "k_largest": "k", "num_groups": "groups",
              "negative_slope": "alpha", "ignore_index": "ignore", "diagonal": "k", "approximate": "approx"}
AXES = ("axes", "axis", "dims", "dim")
OF_SEVERAL_AXES = {"sum", "mean", "prod", "rmax", "rmin", "l1", "l2", "sumsq", "logsum", "logsumexp", "any", "all", "var", "std",
                   "norm", "count_nonzero", "var_mean", "std_mean", "flip", "squeeze", "unsqueeze", "roll", "mvn"}


def axes_of(attributes, shape):
    """-> the axes as a list, counted from the front where the rank is known; None when none is named."""
    given = next((attributes[name] for name in AXES if name in attributes), None)
    if given is None:
        return None
    rank = None if shape is None else len(shape)
    return [axis + rank if axis < 0 and rank is not None else axis for axis in (given if isinstance(given, list) else [given])]


def spelled(operator, step):
    """-> (operator, step) by the names of operators.py."""
    operator = OPERATORS.get(operator, operator)
    attributes = {ATTRIBUTES.get(name, name): value for name, value in step.attributes.items() if name not in AXES}
    shape = step.shapes[0] if step.shapes and operator not in ("unsqueeze", "stack") else None  # theirs are axes of the result
    axes = axes_of(step.attributes, shape)
    names_none = any(name in step.attributes and step.attributes[name] is None for name in AXES)
    if names_none and shape and operator in OF_SEVERAL_AXES - {"roll"}:
        axes, names_none = list(range(len(shape))), False
    if operator in OF_SEVERAL_AXES:
        if axes is not None:
            attributes["axes"] = axes
        attributes["reduces_all"] = names_none or not any(name in step.attributes for name in AXES)
    elif axes is not None:
        attributes["axis"] = axes[0] if len(axes) == 1 else axes
    elif names_none:
        attributes["axis"] = None
    return operator, step._replace(attributes=attributes)
