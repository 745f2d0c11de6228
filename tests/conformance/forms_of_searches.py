# SPDX-License-Identifier: Apache-2.0
"""Further operators of NumPy and PyTorch: searches, pairs of statistics, views and losses by their names there."""
from forms import Inexpressible, as_cpp, number, split
from forms_of_arrays import along, options_of_reduction


def search(sequence, values):
    def expand(step):
        given = step.attributes
        is_right = given.get("right", False) or given.get("side") == "right"
        return f"tn::searchsorted({step.operands[sequence]}, {step.operands[values]}{', tn::right' if is_right else ''})"
    return expand


def with_mean(is_deviation):
    def expand(step):
        given = step.attributes
        correction = int(given.get("correction", given.get("ddof", 1 if given.get("unbiased", True) else 0)))
        x, options = step.operands[0], options_of_reduction(step)
        variance = f"tn::{'stddev' if is_deviation else 'var'}({x}{options}, tn::correction<{correction}>)"
        return f"std::tuple({variance}, tn::mean({x}{options}))"
    return expand


def reduction(function):
    def expand(step):
        return f"tn::{function}({step.operands[0]}{options_of_reduction(step)})"
    return expand


def with_numbers(function, *defaults):
    """function of the operands and numbers: attributes (name, default), in their order."""
    def expand(step):
        numbers = [number(step.attributes.get(name, default)) for name, default in defaults]
        return f"tn::{function}({', '.join([*step.operands, *numbers])})"
    return expand


def loss(function, *parameters):
    def expand(step):
        reduce = {"none": "tn::none", "sum": "tn::sum"}.get(step.attributes.get("reduction", "mean"), "tn::mean")
        numbers = [number(step.attributes[name]) for name in parameters if name in step.attributes]
        return f"tn::{function}({', '.join([*step.operands, *numbers, reduce])})"
    return expand


def like(number_of):
    def expand(step):
        return f"tn::full_like({step.operands[0]}, {number_of(step)})"
    return expand


def chunk(step):
    pieces = step.attributes.get("chunks", step.attributes.get("k", step.results))
    axis, shape = step.attributes.get("axis", 0), step.shapes[0]
    if shape is None:
        raise Inexpressible("chunk of a computed value")
    size = -(-shape[axis] // pieces)
    sizes = [min(size, shape[axis] - start) for start in range(0, shape[axis], size)]
    return split(step._replace(attributes={"sizes": sizes, "axis": axis}))


def unfold(step):
    return f"tn::unfold({step.operands[0]}, {along(step, step.attributes.get('dimension', -1))}, " \
           f"tn::ct<{step.attributes['size']}>, tn::ct<{step.attributes['step']}>)"


def diagonal(step):
    if step.attributes.get("k", step.attributes.get("offset", 0)) != 0:
        raise Inexpressible("a diagonal beside the main one")
    axes = [step.attributes.get("dim1", step.attributes.get("axis1", 0)), step.attributes.get("dim2", step.attributes.get("axis2", 1))]
    return f"tn::diagonal({step.operands[0]}, tn::axis<{as_cpp(axes)}>)"


def index_add(step):
    base, index, updates = step.operands
    return f"tn::index_add({base}, {along(step, 0)}, {index}, {updates})"


TABLE = {
    "searchsorted": search(0, 1), "bucketize": search(1, 0), "digitize": search(1, 0),
    "var_mean": with_mean(False), "std_mean": with_mean(True), "count_nonzero": reduction("count_nonzero"),
    "fmax": "tn::fmax({0}, {1})", "fmin": "tn::fmin({0}, {1})", "relu6": "tn::relu6({0})",
    "softmin": lambda step: f"tn::softmin({step.operands[0]}, {along(step, -1)})",
    "hardtanh": with_numbers("hardtanh", ("lo", -1.0), ("hi", 1.0)), "softshrink": with_numbers("softshrink", ("lambd", 0.5)),
    "hardshrink": with_numbers("hardshrink", ("lambd", 0.5)),
    "threshold": lambda step: f"tn::threshold({step.operands[0]}, {number(step.attributes['threshold'])}, {number(step.attributes['value'])})",
    "cosine_similarity": lambda step: f"tn::cosine_similarity({step.operands[0]}, {step.operands[1]}, {along(step, 1)}, "
                                      f"{number(step.attributes.get('eps', 1e-8))})",
    "cosine_embedding_loss": loss("cosine_embedding_loss", "margin"), "hinge_loss": loss("hinge_loss"),
    "full_like": like(lambda step: number(step.attributes["value"])), "zeros_like": like(lambda step: "0"),
    "ones_like": like(lambda step: "1"), "chunk": chunk, "unfold": unfold, "diagonal": diagonal, "index_add": index_add,
}
