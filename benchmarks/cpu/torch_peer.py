#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The workloads of seed_expressions.cpp in PyTorch on the CPU, eager and compiled: torch_peer.py [rows] [columns]."""
import torch
import torch.nn.functional as F

import peers


def relu_add_mul(x, y):
    return torch.relu((x + y) * 2)


def seed_sum_mean(x, y):
    return relu_add_mul(x, y).sum(1).mean()


def layer_norm_gelu(x, w, b):
    return F.gelu(F.layer_norm(x, w.shape, w, b)) * 1.2 + 0.1


def softmax(x):
    return torch.softmax(x, -1)


def sin_plus_cos(x):
    return torch.sin(x) + torch.cos(x)


def main():
    peers.report_version("torch", torch.__version__)
    x, y, w, b = (torch.from_numpy(array) for array in peers.normal_arrays(*peers.shape()))
    workloads = {
        "relu_add_mul": (3, relu_add_mul, (x, y)),
        "seed_sum_mean": (2, seed_sum_mean, (x, y)),
        "seed_layernorm_gelu": (2, layer_norm_gelu, (x, w, b)),
        "softmax": (2, softmax, (x,)),
        "sin_plus_cos": (2, sin_plus_cos, (x,)),
    }
    with torch.no_grad():
        for name, (arrays_moved, function, inputs) in workloads.items():
            compiled = torch.compile(function, dynamic=False)
            for provider, run in (("torch_eager", function), ("torch_compile", compiled)):
                peers.report(name, provider, x, arrays_moved, lambda: run(*inputs))


if __name__ == "__main__":
    main()
