#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workloads of seed_expressions.cpp in NumPy, as rows of the same form: numpy_peer.py [rows] [columns]."""
import numpy as np

import peers


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
    peers.report_version("numpy", np.__version__)
    x, y, w, b = peers.normal_arrays(*peers.shape())
    peers.report("relu_add_mul", "numpy", x, 3, lambda: relu_add_mul(x, y))
    peers.report("seed_sum_mean", "numpy", x, 2, lambda: relu_add_mul(x, y).sum(1).mean())
    peers.report("seed_layernorm_gelu", "numpy", x, 2, lambda: layer_norm_gelu(x, w, b))
    peers.report("softmax", "numpy", x, 2, lambda: softmax(x))
    peers.report("sin_plus_cos", "numpy", x, 2, lambda: np.sin(x) + np.cos(x))


if __name__ == "__main__":
    main()
