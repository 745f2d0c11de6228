# SPDX-License-Identifier: Apache-2.0
"""Source texts whose compile time is measured: one function per case, each a whole translation unit."""

TENSORS = "tn::tensor<float, tn::dyn, tn::dyn> x(8, 8), y(8, 8);\n  tn::tensor<float, tn::dyn> w(8), b(8);\n"

# Five kernels of the kinds that a user writes first.
FUSED = [
    ("x, y", "tn::relu((x + y) * 2.0f)"),
    ("x, y", "tn::mean(tn::sum(tn::relu((x + y) * 2.0f), tn::axis<1>))"),
    ("x", "tn::softmax(x * 0.5f, tn::axis<-1>)"),
    ("x, w, b", "tn::gelu(tn::layer_norm(x, w, b, tn::axis<-1>)) * 1.2f + 0.1f"),
    ("x, w", "tn::rms_norm(x, w, tn::axis<-1>)"),
]


def unit(body):
    return f'#include <tenon/tenon.hpp>\nnamespace tn = tenon;\nint main() {{\n  {TENSORS}{body}}}\n'


def call(arguments, expression, statements=""):
    parameters = ", ".join(f"auto {name}" for name in arguments.split(", "))
    return f"  tn::compile([]({parameters}) {{ {statements}return {expression}; }})({arguments});\n"


def expressions(count):
    """Expressions that differ, so that nothing is instantiated twice."""
    return unit("".join(call(arguments, f"({expression}) + {k}.5f" if k else expression)
                        for k, (arguments, expression) in ((k, FUSED[k % len(FUSED)]) for k in range(count))))


def chain(nodes):
    """A pointwise chain of about `nodes` nodes, written out; nothing in it can be folded."""
    steps, last = [], "x"
    for k in range(nodes // 2):
        operation = ("tn::tanh({0}) + y", "tn::sin({0}) * y")[k % 2].format(last)
        steps.append(f"auto v{k} = {operation};")
        last = f"v{k}"
    return unit(call("x, y", last, " ".join(steps) + " "))


def doublings(count):
    """Each value is used twice: as a tree 2^count nodes, as a graph `count`."""
    steps, last = [], "x"
    for k in range(count):
        steps.append(f"auto v{k} = {last} * {last};")
        last = f"v{k}"
    return unit(call("x", last, " ".join(steps) + " "))


CASES = {
    "empty": lambda: "int main() {}\n",
    "header": lambda: "#include <tenon/tenon.hpp>\nint main() {}\n",
    "expressions_1": lambda: expressions(1),
    "expressions_5": lambda: expressions(5),
    "expressions_20": lambda: expressions(20),
    "lambda_of_8_nodes": lambda: unit(call(*FUSED[0]) + call("x, y", "tn::relu(tn::exp((x + y) * 2.0f) - x) / (y + 1.0f)")),
    "chain_16": lambda: chain(16),
    "chain_64": lambda: chain(64),
    "chain_256": lambda: chain(256),
    "doublings_20": lambda: doublings(20),
}
