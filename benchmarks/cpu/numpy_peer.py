#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workloads of seed_expressions.cpp in NumPy, as rows of the same form: numpy_peer.py [rows] [columns]."""
import json
import sys
import time

import numpy as np

REPETITIONS = 11


def time_calls(work):
    """-> median, 10th and 90th percentile of a call in microseconds."""
    us = []
    for repetition in range(-2, REPETITIONS):
        begin = time.perf_counter()
        work()
        if repetition >= 0:
            us.append((time.perf_counter() - begin) * 1e6)
    return np.percentile(us, [50, 10, 90], method="nearest")


def relu_add_mul(x, y):
    return np.maximum((x + y) * np.float32(2), np.float32(0))


def layer_norm_gelu(x, w, b):
    """With the tanh form of gelu: NumPy has no erf."""
    h = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + np.float32(1e-5)) * w + b
    inner = np.float32(0.79788456) * (h + np.float32(0.044715) * h * h * h)
    return h * np.float32(0.5) * (1 + np.tanh(inner)) * np.float32(1.2) + np.float32(0.1)


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def main():
    rows, columns = (int(argument) for argument in (sys.argv[1:3] or ("8192", "4096")))
    random = np.random.default_rng(1)
    x, y = (random.standard_normal((rows, columns), dtype=np.float32) for _ in range(2))
    w, b = x[0].copy(), y[0].copy()
    workloads = {
        "relu_add_mul": (3, lambda: relu_add_mul(x, y)),
        "seed_sum_mean": (2, lambda: relu_add_mul(x, y).sum(1).mean()),
        "seed_layernorm_gelu": (2, lambda: layer_norm_gelu(x, w, b)),
        "softmax": (2, lambda: softmax(x)),
        "sin_plus_cos": (2, lambda: np.sin(x) + np.cos(x)),
    }
    for name, (arrays_moved, work) in workloads.items():
        median, p10, p90 = time_calls(work)
        print(json.dumps({
            "workload": name, "shape": [rows, columns], "dtype": "f32", "provider": "numpy",
            "us": round(median, 1), "us_p10": round(p10, 1), "us_p90": round(p90, 1),
            "gbs": round(x.nbytes * arrays_moved / median * 1e-3, 3), "timing": "call after call"}))


if __name__ == "__main__":
    main()
