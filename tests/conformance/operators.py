# SPDX-License-Identifier: Apache-2.0
"""The operators of the standard as C++ over tn:: functions; a new operator is a line in TABLE.

An entry is a template: {0}, {1}... are operands, {all} all of them, {given} those that are not absent, {name} an attribute as
C++. Attributes that choose between forms are handled by a function of the step in forms.py. An operator with several results
gives a std::tuple.
"""
import forms
import forms_of_arrays
import forms_of_searches
import spellings
from cpp_types import CPP_TYPES
from forms import Inexpressible, as_cpp


def write(template, step):
    names = {name: as_cpp(value) for name, value in step.attributes.items() if not isinstance(value, str) or
             value in CPP_TYPES or value.lstrip("-").startswith(("0x", "inf", "nan"))}
    return template.format(*step.operands, all=", ".join(o or "" for o in step.operands),
                           given=", ".join(o for o in step.operands if o), **names)


TABLE = forms_of_arrays.TABLE | forms_of_searches.TABLE | {
    # elementwise
    "abs": "tn::abs({0})", "neg": "-{0}", "sign": "tn::sign({0})", "recip": "tn::reciprocal({0})",
    "sqrt": "tn::sqrt({0})", "square": "tn::square({0})",
    "add": forms.folded("({0} + {1})"), "sub": "{0} - {1}", "mul": forms.folded("({0} * {1})"), "div": "standard::div({0}, {1})",
    "mod": "standard::like({0}, tn::remainder({0}, {1}))", "fmod": "standard::like({0}, tn::fmod({0}, {1}))",
    "pow": "standard::like({0}, tn::pow({0}, {1}))",
    "max": forms.folded("tn::maximum({0}, {1})"), "min": forms.folded("tn::minimum({0}, {1})"), "clip": forms.clip,
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
    "isinf": forms.is_infinite, "where": "tn::where({0}, {1}, {2})", "cast": "tn::cast<{to}>({0})", "bitcast": "tn::bit_cast<{to}>({0})", "identity": "{0}",
    "elu": "tn::elu({0}, {alpha})", "celu": "tn::celu({0}, {alpha})", "gelu": forms.gelu,
    "selu": "standard::selu({0}, {alpha}, {gamma})", "hardsigmoid": "standard::hard_sigmoid({0}, {alpha}, {beta})",
    "leaky_relu": "tn::leaky_relu({0}, {alpha})", "prelu": "tn::prelu({0}, {1})",
    "threshold_relu": "tn::threshold({0}, {alpha}, 0)", "shrink": "standard::shrink({0}, {lambd}, {bias})",
    "swish": "standard::swish({0}, {alpha})", "swiglu": "standard::swish({0}, {alpha}) * {1}",
    "dropout_eval": "std::tuple({0}, {0} == {0} || true)",
    # reductions
    "sum": forms.reduction("tn::sum"), "mean": forms.mean_of_several, "prod": forms.reduction("tn::prod"),
    "rmax": forms.reduction("standard::extremum<true>{}"), "rmin": forms.reduction("standard::extremum<false>{}"), "l1": forms.reduction("tn::l1_norm"),
    "l2": forms.reduction("tn::l2_norm"), "sumsq": forms.reduction("tn::sum_of_squares"), "logsum": forms.reduction("standard::log_sum"),
    "logsumexp": forms.reduction("tn::logsumexp"),
    "argmax": forms.arg_reduction("argmax"), "argmin": forms.arg_reduction("argmin"), "hardmax": "standard::hardmax<{axis}>({0})",
    # losses
    "nll": forms.loss("nll"), "softmax_xent": forms.loss("softmax_cross_entropy"),
    # normalisations
    "softmax": "tn::softmax({0}, tn::axis<{axis}>)", "log_softmax": "tn::log_softmax({0}, tn::axis<{axis}>)",
    "lpnorm": "standard::lp_normalization<{axis}, {p}>({0})",
    "layernorm": forms.norm_with_parameters("layer_norm"), "rmsnorm": forms.norm_with_parameters("rms_norm"),
    "batchnorm": forms.batch_norm, "instancenorm": "tn::instance_norm({0}, {1}, {2}, {eps})",
    "groupnorm": "tn::group_norm({0}, tn::ct<{groups}>, {1}, {2}, {eps})",
    "mvn": "standard::mean_variance_normalization({0}, tn::axis<{axes}>)",
    # steps of optimizers
    "adagrad": "standard::adagrad({all}, {decay}, {eps}, {norm})",
    "adam": "standard::adam({all}, {alpha}, {beta}, {eps}, {norm}, {norm_post})", "momentum": forms.momentum,
    # views
    "reshape": "tn::reshape({0}, tn::shape<{shape}>)", "transpose": "tn::transpose({0}, tn::axis<{perm}>)",
    "slice": forms.slices, "split": forms.split, "expand": "standard::expand<{shape}>({0})",
    # elements by position
    "gather": "tn::take({0}, {1}, tn::axis<{axis}>)", "gather_elements": "tn::take_along_axis({0}, {1}, tn::axis<{axis}>)",
    "gather_nd": forms.gather_nd, "scatter_nd": forms.scatter_nd, "trilu": "standard::triangle<{k}, {upper}>({0})",
    "one_hot": "standard::one_hot<{depth}, {axis}>({0}, {1})",
    "reverse_sequence": "standard::reverse_sequence<{batch_axis}, {time_axis}>({0}, {1})", "rotary": forms.rotary,
    # sources: `any` is an argument that stands for no tensor
    "iota": "standard::ramp<{n}, {dtype}>(any, {start}, {step})", "full": "standard::full<{dtype}, {shape}>(any, {value})",
    "eye": "standard::eye<{rows}, {cols}, {k}, {dtype}>(any)",
    # elements of several places
    "pad": forms.pad, "concat": forms.concat, "tile": forms.tile, "lrn": forms.local_response,
    # quantisation
    "quantize": forms.in_blocks("quantize"), "quantize_linear": forms.in_blocks("quantize"),
    "dequantize": forms.in_blocks("dequantize"), "dequantize_linear": forms.in_blocks("dequantize"),
    "dynamic_quantize": "standard::dynamic_quantize({0})", "dynamic_quantize_linear": "standard::dynamic_quantize({0})",
    # order and scans
    "cumsum": forms.scan("cumsum"), "cumprod": forms.scan("cumprod"), "topk": forms.topk,
    # products
    "einsum": forms.einsum, "matmul": "standard::matmul({0}, {1})", "gemm": forms.gemm,
}


def expression_of(operator, step):
    """C++ for one operator. @raises Inexpressible"""
    operator, step = spellings.spelled(operator, step)
    entry = TABLE.get(operator)
    if entry is None:
        raise Inexpressible(f"no operator {operator}")
    if callable(entry):
        return entry(step)
    try:
        return write(entry, step)
    except (KeyError, IndexError) as missing:
        raise Inexpressible(f"{operator} without {missing}") from missing
