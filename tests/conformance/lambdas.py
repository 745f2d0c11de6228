# SPDX-License-Identifier: Apache-2.0
"""A case -> one C++ lambda over handles; equal lambdas of equal argument types are written once."""
from cpp_types import CPP_TYPES
from forms import Inexpressible, Step
from operators import expression_of


def lines_of(case):
    """The statements of the lambda's body, without the return. @raises Inexpressible"""
    lines, shapes = [], {tensor["name"]: tensor["shape"] for tensor in case["inputs"]}
    for number, step in enumerate(case["program"]):
        operands = [None if name in ("", "#none") else name for name in step["in"]]
        value = expression_of(step["op"], Step(operands, step["attr"], [shapes.get(name) for name in operands],
                                               len(step["out"])))
        names = [name if name not in ("", "_", "#none") else f"unused_{number}_{k}" for k, name in enumerate(step["out"])]
        if len(names) == 1:  # of an operator that gives more, the first
            value = f"standard::first({value})"
        target = names[0] if len(names) == 1 else f"[{', '.join(names)}]"
        lines.append(f"auto {target} = {value};")
    return lines


def type_of(tensor, is_input):
    """Extents are known at run time, but for an input's of 1 and 0: only an axis of build-time 1 is repeated, and the extremum
    of nothing, which Tenon refuses and the standard defines, is written differently."""
    if tensor["dtype"] not in CPP_TYPES:
        raise Inexpressible(f"no type {tensor['dtype']}")
    if len(tensor["shape"]) > 8:
        raise Inexpressible("more than 8 axes")
    extents = [str(extent) if is_input and extent < 2 else "tn::dyn" for extent in tensor["shape"]]
    return ", ".join([CPP_TYPES[tensor["dtype"]], *extents])


def call_of(case, body, outputs):
    """One call whose results are `outputs`, positions in the case's list."""
    results = [case["outputs"][k] for k in outputs]
    parameters = ", ".join(f"auto {tensor['name']}" for tensor in case["inputs"]) or "auto any"
    values = ", ".join(tensor["name"] for tensor in results)
    returned = f"tn::outputs({values})" if len(results) > 1 else values
    into = ", ".join(f"c.out<{type_of(tensor, False)}>({k})" for k, tensor in zip(outputs, results))
    arguments = ", ".join(f"c.in<{type_of(tensor, True)}>({k})" for k, tensor in enumerate(case["inputs"])) or "0"
    lambda_text = "\n".join([f"  constexpr auto f = tn::compile([]({parameters}) {{", *(f"    {line}" for line in body),
                             f"    return {returned};", "  });"])
    return f"  {{\n{lambda_text}\n  f.into({into})({arguments});\n  }}"


class Lambda:
    """What is generated once for all cases of one program and one list of argument types."""

    def __init__(self, number, case):
        self.number, self.case, self.cases = number, case, []
        self.body = lines_of(case)
        self.is_split = False  # one call for each output, where one kernel cannot have them all
        self.fault = None      # why it does not compile
        self.outputs = len(case["outputs"])

    def text(self):
        all_outputs = list(range(len(self.case["outputs"])))
        calls = [[k] for k in all_outputs] if self.is_split else [all_outputs]
        return "\n".join([f"// {self.case['expr'][:200]}",
                          f"static programs::entry const entry_{self.number}({self.number}, [](programs::call const& c) {{",
                          *(call_of(self.case, self.body, outputs) for outputs in calls), "});", ""])


def signature(case):
    """The lines too: some operators are written with extents of the case."""
    return (case["expr"], tuple(lines_of(case)), tuple(type_of(t, True) for t in case["inputs"]), tuple(type_of(t, False) for t in case["outputs"]))


def lambdas_of(cases):
    """-> (the lambdas, {name of an inexpressible case: why})."""
    lambdas, inexpressible = {}, {}
    for case in cases:
        try:
            key = signature(case)
            if key not in lambdas:
                lambdas[key] = Lambda(len(lambdas), case)
            lambdas[key].cases.append(case)
        except Inexpressible as reason:
            inexpressible[case["name"]] = str(reason)
    return list(lambdas.values()), inexpressible
