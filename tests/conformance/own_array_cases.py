# SPDX-License-Identifier: Apache-2.0
"""Cases of operators by the names of NumPy and PyTorch, with values from plain loops over lists."""
import bisect
import math

ROWS, COLUMNS = 3, 5


def along_rows(x, function):
    """function of each row, the rows one after the other."""
    return [v for i in range(ROWS) for v in function(x[i * COLUMNS:(i + 1) * COLUMNS])]


def add_reductions(cases):
    x = cases.numbers(ROWS * COLUMNS)
    matrix = ("f32", (ROWS, COLUMNS), x)
    columns = [x[j::COLUMNS] for j in range(COLUMNS)]

    def variance(xs, correction):
        mean = sum(xs) / len(xs)
        return sum((v - mean) ** 2 for v in xs) / (len(xs) - correction)
    cases.add("var", [matrix], [("f32", (ROWS,), along_rows(x, lambda r: [variance(r, 1)]))], axis=-1, correction=1)
    cases.add("var", [matrix], [("f32", (1, COLUMNS), [variance(c, 0) for c in columns])], dim=0, correction=0, keepdim=True)
    cases.add("std", [matrix], [("f32", (), [math.sqrt(variance(x, 1))])], axis=None)
    cases.add("amax", [matrix], [("f32", (1, 1), [max(x)])], axis=None, keepdims=True)
    cases.add("sum", [matrix], [("f32", (COLUMNS,), [sum(c) for c in columns])], axis=-2)
    cases.add("norm", [matrix], [("f32", (ROWS,), along_rows(x, lambda r: [sum(map(abs, r))]))], dim=[1], p=1)
    cases.add("norm", [matrix], [("f32", (), [math.sqrt(sum(v * v for v in x))])])
    cases.add("norm", [matrix], [("f32", (COLUMNS,), [max(map(abs, c)) for c in columns])], dim=0, p="inf")
    truths = [v > 1 for v in x]
    cases.add("any", [("bool", (ROWS, COLUMNS), truths)], [("bool", (ROWS,), along_rows(truths, lambda r: [any(r)]))], dim=1)
    cases.add("all", [("bool", (ROWS, COLUMNS), truths)], [("bool", (), [all(truths)])], axis=None)
    cases.add("argmax", [matrix], [("i64", (), [x.index(max(x))])], axis=None)


def order(row, is_descending=False):
    return sorted(range(len(row)), key=lambda k: (-row[k] if is_descending else row[k], k))


def add_orders(cases):
    x = [float(round(v)) for v in cases.numbers(ROWS * COLUMNS)]  # some are equal
    matrix = ("f32", (ROWS, COLUMNS), x)
    for descending in (False, True):
        values = along_rows(x, lambda r: [r[k] for k in order(r, descending)])
        indices = along_rows(x, lambda r: order(r, descending))
        cases.add("sort", [matrix], [("f32", (ROWS, COLUMNS), values), ("i64", (ROWS, COLUMNS), indices)], dim=-1, descending=descending)
        cases.add("argsort", [matrix], [("i64", (ROWS, COLUMNS), indices)], axis=1, descending=descending)
    cases.add("sort", [matrix], [("f32", (ROWS * COLUMNS,), sorted(x))], axis=None)
    long = cases.numbers(40)
    best = order(long, True)[:20]
    cases.add("topk", [("f32", (40,), long)], [("f32", (20,), [long[k] for k in best]), ("i64", (20,), best)], axis=-1, k=20)
    for name, is_no_worse in (("cummax", lambda a, b: a >= b), ("cummin", lambda a, b: a <= b)):
        def latest(row):
            best, found = 0, []
            for k, v in enumerate(row):
                best = k if is_no_worse(v, row[best]) else best
                found.append(best)
            return found
        indices = along_rows(x, latest)
        values = along_rows(x, lambda r: [r[k] for k in latest(r)])
        cases.add(name, [matrix], [("f32", (ROWS, COLUMNS), values), ("i64", (ROWS, COLUMNS), indices)], dim=1)
        cases.add(name, [matrix], [("f32", (ROWS, COLUMNS), values)], dim=-1)


def add_views(cases):
    x = cases.numbers(ROWS * COLUMNS)
    matrix, shape = ("f32", (ROWS, COLUMNS), x), (ROWS, COLUMNS)
    cases.add("flip", [matrix], [("f32", shape, along_rows(x, lambda r: r[::-1]))], dims=[-1])
    cases.add("flip", [matrix], [("f32", shape, x[::-1])], axis=None)
    cases.add("roll", [matrix], [("f32", shape, along_rows(x, lambda r: r[-2:] + r[:-2]))], shifts=2, dims=1)
    for name, holds in (("tril", lambda i, j: j <= i + 1), ("triu", lambda i, j: j >= i + 1)):
        kept = [v if holds(k // COLUMNS, k % COLUMNS) else 0.0 for k, v in enumerate(x)]
        cases.add(name, [matrix], [("f32", shape, kept)], diagonal=1)
    cases.add("unsqueeze", [matrix], [("f32", (ROWS, COLUMNS, 1), x)], dim=-1)
    cases.add("unsqueeze", [matrix], [("f32", (1, ROWS, 1, COLUMNS), x)], axes=[0, 2])
    cases.add("squeeze", [("f32", (ROWS, 1, COLUMNS), x)], [("f32", shape, x)], dim=1)
    cases.add("flatten", [matrix], [("f32", (ROWS * COLUMNS,), x)])
    cases.add("stack", [matrix, matrix], [("f32", (ROWS, 2, COLUMNS), along_rows(x, lambda r: r + r))], dim=1)
    cases.add("concatenate", [matrix, matrix], [("f32", (ROWS, 2 * COLUMNS), along_rows(x, lambda r: r + r))], axis=-1)
    cases.add("repeat_interleave", [matrix], [("f32", (ROWS, 2 * COLUMNS), [v for v in x for _ in range(2)])], dim=1, repeats=2)


def add_elementwise(cases):
    x, y = cases.numbers(12, 0.5, 3.0), cases.numbers(12, 0.5, 3.0)
    vectors = [("f32", (12,), x), ("f32", (12,), y)]
    for name, function in (("rsqrt", lambda v: 1 / math.sqrt(v)), ("exp2", lambda v: 2.0**v), ("log2", math.log2), ("log10", math.log10),
                           ("erfc", math.erfc), ("lgamma", math.lgamma), ("silu", lambda v: v / (1 + math.exp(-v)))):
        cases.add(name, vectors[:1], [("f32", (12,), [function(v) for v in x])])
    for name, function in (("arctan2", math.atan2), ("hypot", math.hypot), ("logaddexp", lambda a, b: math.log(math.exp(a) + math.exp(b))),
                           ("maximum", max), ("divide", lambda a, b: a / b), ("floor_divide", lambda a, b: float(a // b))):
        cases.add(name, vectors, [("f32", (12,), [function(a, b) for a, b in zip(x, y)])])
    cases.add("lerp", vectors, [("f32", (12,), [a + 0.25 * (b - a) for a, b in zip(x, y)])], weight=0.25)
    cases.add("addcmul", [*vectors, vectors[0]], [("f32", (12,), [a + 2 * b * a for a, b in zip(x, y)])], value=2)
    truths = [v > 1.5 for v in x]
    cases.add("masked_fill", [vectors[0], ("bool", (12,), truths)], [("f32", (12,), [-1.0 if t else v for v, t in zip(x, truths)])], value=-1)
    cases.add("clamp", vectors[:1], [("f32", (12,), [min(max(v, 1.0), 2.0) for v in x])], min=1, max=2)
    cases.add("mse", vectors, [("f32", (), [sum((a - b) ** 2 for a, b in zip(x, y)) / 12])])
    cases.add("l1_loss", vectors, [("f32", (), [sum(abs(a - b) for a, b in zip(x, y))])], reduction="sum")
    cases.add("huber", vectors, [("f32", (12,), [0.5 * d * d if d <= 1 else d - 0.5 for d in (abs(a - b) for a, b in zip(x, y))])],
              reduction="none", delta=1)
    base, index, updates = cases.numbers(6), [4, 1, 4], cases.numbers(3)
    sums = list(base)
    for k, v in zip(index, updates):
        sums[k] += v
    operands = [("f32", (6,), base), ("i64", (3,), index), ("f32", (3,), updates)]
    cases.add("scatter_add", operands, [("f32", (6,), sums)], dim=0)
    cases.add("scatter", operands, [("f32", (6,), [updates[2 - index[::-1].index(k)] if k in index else v for k, v in enumerate(base)])], axis=0)


def add_positions(cases):
    x = cases.numbers(ROWS * COLUMNS)
    matrix = ("f32", (ROWS, COLUMNS), x)
    for count in (2, 4):  # of one rank, in two lengths
        places = [(k % ROWS, (3 * k) % COLUMNS) for k in range(count)]
        index = ("i64", (count, 2), [v for place in places for v in place])
        flat = [i * COLUMNS + j for i, j in places]
        cases.add("gather_nd", [matrix, index], [("f32", (count,), [x[k] for k in flat])])
        updates = cases.numbers(count)
        for how, combine in (("none", lambda a, b: b), ("add", lambda a, b: a + b), ("max", max)):
            changed = list(x)
            for k, v in zip(flat, updates):
                changed[k] = combine(changed[k], v)
            cases.add("scatter_nd", [matrix, index, ("f32", (count,), updates)], [("f32", (ROWS, COLUMNS), changed)], reduction=how)


def add_searches(cases):
    sequence, x = [-2.0, -1.0, -1.0, 0.0, 2.0], [-3.0, -1.0, 0.5, 2.0, 3.0, 0.0]
    operands = [("f32", (5,), sequence), ("f32", (2, 3), x)]
    left, right = [bisect.bisect_left(sequence, v) for v in x], [bisect.bisect_right(sequence, v) for v in x]
    cases.add("searchsorted", operands, [("i64", (2, 3), left)])
    cases.add("searchsorted", operands, [("i64", (2, 3), right)], side="right")
    cases.add("bucketize", operands[::-1], [("i64", (2, 3), right)], right=True)


def add_names(cases):
    x, y = cases.numbers(ROWS * COLUMNS), cases.numbers(ROWS * COLUMNS)
    matrices = [("f32", (ROWS, COLUMNS), x), ("f32", (ROWS, COLUMNS), y)]
    means = along_rows(x, lambda r: [sum(r) / COLUMNS])
    variances = [v for k, m in enumerate(means) for v in [sum((a - m) ** 2 for a in x[k * COLUMNS:(k + 1) * COLUMNS]) / COLUMNS]]
    cases.add("var_mean", matrices[:1], [("f32", (ROWS,), variances), ("f32", (ROWS,), means)], dim=1, correction=0)
    cases.add("fmax", matrices, [("f32", (ROWS, COLUMNS), [max(a, b) for a, b in zip(x, y)])])
    cases.add("hardtanh", matrices[:1], [("f32", (ROWS, COLUMNS), [min(max(a, -0.5), 1.0) for a in x])], min=-0.5, max=1.0)
    whole = [round(v) for v in x]
    cases.add("count_nonzero", [("i32", (ROWS, COLUMNS), whole)], [("i64", (ROWS,), along_rows(whole, lambda r: [sum(v != 0 for v in r)]))], dim=1)
    parts = [[x[i * COLUMNS + j] for i in range(ROWS) for j in some] for some in (range(0, 3), range(3, 5))]
    cases.add("unfold", matrices[:1], [("f32", (ROWS, 2, 3), [x[i * COLUMNS + j + k] for i in range(ROWS) for j in (0, 2) for k in range(3)])],
              dim=1, size=3, step=2)
    cases.add("chunk", matrices[:1], [("f32", (ROWS, 3), parts[0]), ("f32", (ROWS, 2), parts[1])], dim=1, chunks=2)
    likeness = [sum(a * b for a, b in zip(x[k:k + COLUMNS], y[k:k + COLUMNS])) /
                math.sqrt(sum(a * a for a in x[k:k + COLUMNS]) * sum(b * b for b in y[k:k + COLUMNS])) for k in range(0, ROWS * COLUMNS, COLUMNS)]
    cases.add("cosine_similarity", matrices, [("f32", (ROWS,), likeness)], dim=1)


def add(cases):
    for part in (add_reductions, add_orders, add_views, add_elementwise, add_searches, add_positions, add_names):
        part(cases)
