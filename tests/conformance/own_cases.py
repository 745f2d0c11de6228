# SPDX-License-Identifier: Apache-2.0
"""Writes a set of cases in the published format, with values from plain arithmetic: operators that few sets have, and views."""
import itertools
import json
import math
import os
import random
import struct

import own_array_cases

FORMATS = {"f32": "f", "i32": "i", "i64": "q", "u8": "B", "i8": "b", "bool": "?"}


class Set:
    def __init__(self):
        self.random, self.cases, self.data = random.Random(7), [], bytearray()

    def numbers(self, count, low=-3.0, high=3.0):
        return [struct.unpack("<f", struct.pack("<f", self.random.uniform(low, high)))[0] for _ in range(count)]

    def store(self, dtype, values):
        self.data += b"\0" * (-len(self.data) % 16)
        offset = len(self.data)
        self.data += struct.pack(f"<{len(values)}{FORMATS[dtype]}", *values)
        return offset, len(self.data) - offset

    def tensor(self, name, dtype, shape, values):
        offset, count = self.store(dtype, values)
        return {"name": name, "dtype": dtype, "shape": list(shape), "offset": offset, "bytes": count}

    def add(self, op, inputs, outputs, **attributes):
        """Inputs and outputs are (dtype, shape, values)."""
        names = [f"x{k}" for k in range(len(inputs))]
        results = [f"y{k}" for k in range(len(outputs))]
        case = {"name": f"{op}_{len(self.cases)}",
                "inputs": [self.tensor(name, *value) for name, value in zip(names, inputs)],
                "outputs": [self.tensor(name, *value) | {"rtol": 2e-6, "atol": 1e-6} for name, value in zip(results, outputs)],
                "program": [{"op": op, "in": names, "out": results, "attr": attributes}],
                "expr": f"({op} {json.dumps(attributes)} {' '.join(names)})"}
        self.cases.append(case)

    def write(self, folder):
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "cases.jsonl"), "w", encoding="utf-8") as file:
            file.write("".join(json.dumps(case) + "\n" for case in self.cases))
        with open(os.path.join(folder, "data.bin"), "wb") as file:
            file.write(self.data)


def float32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def saturated(x, low, high):
    return int(min(max(round(x), low), high))


UNARY = {"abs": abs, "relu": lambda x: max(x, 0.0), "sign": lambda x: float((x > 0) - (x < 0)), "round": lambda x: float(round(x)),
         "erf": math.erf, "trunc": lambda x: float(math.trunc(x)), "expm1": math.expm1, "log1p": lambda x: math.log1p(x),
         "hardswish": lambda x: x * min(max(x / 6 + 0.5, 0.0), 1.0),
         "mish": lambda x: x * math.tanh(math.log1p(math.exp(x)))}


def add_elementwise(cases):
    for op, function in UNARY.items():
        x = cases.numbers(12, -0.9 if op == "log1p" else -3.0)
        cases.add(op, [("f32", (3, 4), x)], [("f32", (3, 4), [function(v) for v in x])])
    x = cases.numbers(6)
    cases.add("swish", [("f32", (6,), x)], [("f32", (6,), [v / (1 + math.exp(-1.5 * v)) for v in x])], alpha=1.5)
    x, y = cases.numbers(6), cases.numbers(6)
    cases.add("mean", [("f32", (6,), x), ("f32", (6,), y)], [("f32", (6,), [(a + b) / 2 for a, b in zip(x, y)])])
    cases.add("ne", [("f32", (6,), x), ("f32", (6,), x[:3] + y[3:])], [("bool", (6,), [False] * 3 + [True] * 3)])


def add_quantisation(cases):
    x, scale, zero = cases.numbers(12, -100, 100), 0.5, 7
    cases.add("quantize", [("f32", (3, 4), x), ("f32", (), [scale]), ("u8", (), [zero])],
              [("u8", (3, 4), [saturated(round(v / scale) + zero, 0, 255) for v in x])], axis=1)
    scales, zeros = [0.5, 1.0, 2.0], [0, 3, -5]
    cases.add("quantize", [("f32", (3, 4), x), ("f32", (3,), scales), ("i8", (3,), zeros)],
              [("i8", (3, 4), [saturated(round(v / scales[k // 4]) + zeros[k // 4], -128, 127) for k, v in enumerate(x)])], axis=0)
    q = [cases.random.randrange(256) for _ in range(12)]
    cases.add("dequantize", [("u8", (3, 4), q), ("f32", (), [scale]), ("u8", (), [zero])],
              [("f32", (3, 4), [(v - zero) * scale for v in q])], axis=1)
    deep = cases.numbers(2 * 3 * 2, -100, 100)  # an axis in the middle, then blocks of two along it
    per_axis = [("f32", (2, 3, 2), deep), ("f32", (3,), scales), ("i8", (3,), zeros)]
    cases.add("quantize", per_axis, [("i8", (2, 3, 2), [saturated(round(v / scales[k // 2 % 3]) + zeros[k // 2 % 3], -128, 127)
                                                        for k, v in enumerate(deep)])], axis=1)
    blocks = [0.5, 1.0, 2.0, 0.25, 4.0, 1.5]
    cases.add("quantize", [("f32", (3, 4), x), ("f32", (3, 2), blocks), ("i8", (3, 2), [0] * 6)],
              [("i8", (3, 4), [saturated(round(v / blocks[k // 2]), -128, 127) for k, v in enumerate(x)])], axis=1, block_size=2)
    x = cases.numbers(9)
    low, high = min(0.0, *x), max(0.0, *x)
    scale = float32((high - low) / 255)
    zero = saturated(-low / scale, 0, 255)
    cases.add("dynamic_quantize", [("f32", (9,), x)],
              [("u8", (9,), [saturated(round(v / scale) + zero, 0, 255) for v in x]), ("f32", (), [scale]), ("u8", (), [zero])])


def add_normalisations(cases):
    n, c, size = 2, 5, 3
    x = cases.numbers(n * c * 2)
    def at(i, j, k):
        return x[(i * c + j) * 2 + k]
    def response(i, j, k):
        window = sum(at(i, m, k) ** 2 for m in range(max(0, j - 1), min(c, j + 2)))
        return at(i, j, k) / (1.0 + 0.5 / size * window) ** 0.75
    cases.add("lrn", [("f32", (n, c, 2), x)], [("f32", (n, c, 2), [response(i, j, k) for i, j, k in itertools.product(range(n), range(c), range(2))])],
              size=size, alpha=0.5, beta=0.75, bias=1.0)
    mean = sum(x) / len(x)
    deviation = math.sqrt(sum((v - mean) ** 2 for v in x) / len(x))
    cases.add("mvn", [("f32", (n, c, 2), x)], [("f32", (n, c, 2), [(v - mean) / (deviation + 1e-9) for v in x])], axes=[0, 1, 2])


def padded_index(k, extent, mode):
    if mode == "edge":
        return min(max(k, 0), extent - 1)
    if mode == "wrap":
        return k % extent
    k = abs(k)
    return k if k < extent else 2 * (extent - 1) - k


def add_views(cases):
    rows, columns = 3, 5
    x = cases.numbers(rows * columns)
    for mode in ("edge", "reflect", "wrap"):
        positions = itertools.product(range(-1, rows + 2), range(-2, columns + 1))
        values = [x[padded_index(i, rows, mode) * columns + padded_index(j, columns, mode)] for i, j in positions]
        cases.add("pad", [("f32", (rows, columns), x)], [("f32", (rows + 3, columns + 3), values)],
                  before=[1, 2], after=[2, 1], mode=mode, value=0)
    values = [x[i * columns + j] if 0 <= i < rows else 9.0 for i in range(-1, rows) for j in range(1, columns - 2)]
    cases.add("pad", [("f32", (rows, columns), x)], [("f32", (rows + 1, columns - 3), values)],
              before=[1, -1], after=[0, -2], mode="constant", value=9.0)
    values = [x[i * columns + j] for i in (2, 0) for j in (4, 3, 2, 1, 0)]
    cases.add("slice", [("f32", (rows, columns), x)], [("f32", (2, columns), values)],
              starts=[2, 4], ends=[-1, -1], steps=[-2, -1])
    cases.add("sum", [("f32", (rows, columns), x)], [("f32", (rows, columns), x)], axes=[], keep=1)
    squares = cases.numbers(2 * 3 * 3)
    cases.add("einsum", [("f32", (2, 3, 3), squares)], [("f32", (2, 3), [squares[9 * i + 4 * j] for i in range(2) for j in range(3)])],
              equation="...ii->...i")
    cases.add("einsum", [("f32", (rows, columns), x), ("f32", (rows, columns), x)],
              [("f32", (rows,), [sum(v * v for v in x[i * columns:(i + 1) * columns]) for i in range(rows)])], equation="ij,ij->i")


def write(folder):
    own = Set()
    for add in (add_elementwise, add_quantisation, add_normalisations, add_views, own_array_cases.add):
        add(own)
    own.write(folder)
