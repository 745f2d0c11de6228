# SPDX-License-Identifier: Apache-2.0
"""A seed -> a random program that is differentiated, and its values beside its point: what the derivatives must agree with.

The function is sum(weight * result) in f64. It is called at x + s h d for a random direction d, s = -2, -1, 1, 2: the products of
the gradients with d are its slope. Slopes by h and by 2 h that differ say that the function has a bend there, and so nothing.
"""
import math
import re

import operations
import ordered
import views
from arrays import Array, groups
from dtypes import decode
from emission import Layout, type_text
from generate import Input, Program, random_shape
from operations import RUNS, Illegal, Value

MOST = 1e3       # numbers are kept small, so that differences have digits
DISTANCE = 1e-5  # h
STEPS = (-2, -1, 1, 2)


def exactly(text, array):
    return Value(text, [array] * RUNS)


def of_groups(rng, value, axes):
    """Reductions beside those of operations.reduction."""
    name, function = rng.choice([("prod", math.prod), ("l2_norm", lambda xs: math.sqrt(sum(x * x for x in xs))),
                                 ("l1_norm", lambda xs: sum(map(abs, xs)))])
    if any(value.shape[k] == 0 for k in axes):
        raise Illegal
    shape, members = groups(value.arrays[0], axes)
    return exactly(f"tn::{name}({value.text}, tn::axis<{', '.join(map(str, axes))}>, tn::keepdim)",
                   Array("f64", shape, [function(xs) for xs in members]))


def of_rows(rng, value, axes):
    """What keeps the shape and looks at a whole row; its numbers stay within those of the operand, or near 0."""
    if len(axes) != 1 or value.shape[axes[0]] < 2:
        raise Illegal
    name = rng.choice(["tn::log_softmax({0}, tn::axis<{1}>)", "tn::softmin({0}, tn::axis<{1}>)",
                       "({0} - tn::mean({0}, tn::axis<{1}>, tn::keepdim)) * tn::rsqrt(tn::var({0}, tn::axis<{1}>, tn::keepdim) + 0.5)"])
    return exactly(name.format(value.text, axes[0]), value.arrays[0])


def cumsum(rng, value, axes):
    axis = ordered.only_axis(axes)
    options = rng.choice(["", ", tn::exclusive", ", tn::reversed"])
    return exactly(f"tn::cumsum({value.text}, tn::axis<{axis}>{options}) * 0.125", value.arrays[0])


class Differentiated(Program):
    """The results are the gradients, and then the function's values at the points of the direction."""
    dtypes, specials_share = ["f64"], 0

    def choose_shape(self):
        """An axis of one element is one in the types: the cotangent has the types of the result."""
        return tuple(2 if extent == 1 else extent for extent in random_shape(self.rng, self.most_elements))

    def add(self, value):
        if any(not abs(x) <= MOST for x in value.arrays[0].data):
            raise Illegal
        super().add(Value(re.sub(r"tn::sqrt\(tn::abs\((\w+)\)\)", r"tn::sqrt(tn::abs(\1) + 0.25)", value.text), value.arrays))

    def grow(self):
        rng = self.rng
        for _ in range(20):
            kind, operand = rng.random(), self.pick()
            try:
                if kind < 0.3:
                    value = operations.unary(rng, operand)
                elif kind < 0.55:
                    value = operations.binary(rng, operand, self.pick())
                elif kind < 0.62:
                    value = operations.with_number(rng, operand, None)
                elif kind < 0.7:
                    condition = operations.comparison(rng, self.pick(), self.pick())
                    value = operations.selection(rng, operand, self.pick(), condition)
                elif kind < 0.76:
                    value = views.view(rng, operand)
                elif self.axes and operand.shape == self.shape:
                    actions = {0.98: cumsum, 0.95: of_groups, 0.91: of_rows, 0.87: operations.softmax}
                    value = next((action for least, action in actions.items() if kind > least), operations.reduction)(rng, operand, self.axes)
                else:
                    continue
                if value.dtype == "f64":
                    return self.add(value)
            except Illegal:
                continue
        return None

    def choose_results(self):
        """Adds the weight of the result and the direction as inputs."""
        rng, self.result = self.rng, self.values[-1]
        self.arguments = len(self.inputs)
        used = self.used_inputs()
        self.by = sorted(rng.sample(used, rng.randint(1, len(used)))) if rng.random() < 0.5 else used
        self.is_product, self.is_split = rng.random() < 0.5, len(self.by) == 1
        for shape, extents in [(self.result.shape, None), *((self.inputs[k].layout.shape, self.inputs[k].extents) for k in self.by)]:
            data = [rng.choice((-1, 1)) * rng.uniform(0.5, 1) for _ in range(math.prod(shape))]
            self.inputs.append(Input("f64", extents or [1 if e == 1 else None for e in shape], Layout("f64", shape, "contiguous"), data))
        gradients = [Value("", [Array("f64", self.inputs[k].layout.shape, [])]) for k in self.by]
        return gradients + [Value("", [Array("f64", (), [])])] * len(STEPS)

    def used_inputs(self):
        needed = {self.result.text}
        for name, text in reversed(self.lines):
            if name in needed:
                needed |= set(re.findall(r"\b[vx]\d+\b", text))
        return [k for k in range(len(self.inputs)) if f"x{k}" in needed]

    def text(self):
        names = [f"x{k}" for k in range(self.arguments)]
        given = [f"c.in<{type_text(i.dtype, i.extents)}>({k})" for k, i in enumerate(self.inputs)]
        outputs = [f"c.out<{type_text('f64', [None] * len(v.shape))}>({k})" for k, v in enumerate(self.results)]
        body = "".join(f"    auto {name} = {value};\n" for name, value in self.lines)
        directions = [f"d{k}" for k in self.by]
        moved = ", ".join(f"{x} + h * d{x[1:]}" if int(x[1:]) in self.by else x for x in names)
        weight = len(names)

        def gradient(positions, into):
            function, how = ("f", "vjp") if self.is_product else ("weighted", "grad")
            return (f"  {{ constexpr auto g = tn::compile(tn::{how}({function}, tn::wrt<{', '.join(map(str, positions))}>));\n"
                    f"  g.into({', '.join(into)})({', '.join(given[:weight + 1])}); }}\n")

        gradients = gradient(self.by, outputs[:len(self.by)])
        if self.is_split:
            gradients = "".join(gradient([k], [out]) for k, out in zip(self.by, outputs))
        calls = "".join(f"  at.into({out})({', '.join(given)}, {step * DISTANCE!r});\n" for step, out in zip(STEPS, outputs[len(self.by):]))
        return (f"// seed {self.seed}\nstatic programs::entry const entry_{self.number}({self.number}, [](programs::call const& c) {{\n"
                f"  static constexpr auto f = []({', '.join('auto ' + x for x in names)}) {{\n{body}    return {self.result.text};\n  }};\n"
                f"  static constexpr auto weighted = []({', '.join('auto ' + x for x in [*names, 'w'])}) {{ return tn::sum(w * f({', '.join(names)})); }};\n"
                f"  constexpr auto at = tn::compile([]({', '.join('auto ' + x for x in [*names, 'w', *directions, 'h'])}) {{ return weighted({moved}, w); }});\n"
                f"{gradients}{calls}}});\n")

    def find_fault_in(self, raws):
        """raws: the bytes of each result -> what is wrong, or None."""
        values = []
        for layout, raw in zip(self.layouts, raws):
            elements, is_clean = layout.split(raw)
            if not is_clean:
                return "a result is written beside its elements"
            values.append(decode("f64", elements))
        directions = [self.inputs[self.arguments + 1 + k].data for k in range(len(self.by))]
        terms = [g * d for gs, ds in zip(values, directions) for g, d in zip(gs, ds)]
        below2, below, above, above2 = (v[0] for v in values[len(self.by):])
        near, far = (above - below) / (2 * DISTANCE), (above2 - below2) / (4 * DISTANCE)
        size = max(map(abs, terms), default=0.0) + abs(near) + 1e-4
        if not math.isfinite(near) or abs(near - far) > 1e-5 * size:
            return None
        slope = math.fsum(terms) if all(map(math.isfinite, terms)) else math.nan
        if abs(slope - near) <= 1e-4 * size:
            return None
        return f"the gradients give the slope {slope!r}, differences {near!r} and {far!r}"
