# SPDX-License-Identifier: Apache-2.0
"""The workloads in PyTorch: what is computed, from which inputs, how many bytes must move, and how each row is timed.

Half inputs are computed in float and rounded once at the end; double inputs stay double, which gives the reference.
"""
from dataclasses import dataclass
from typing import Callable

import torch
import torch.nn.functional as F


@dataclass(frozen=True)
class Workload:
    function: Callable      # tensors -> tensor or tuple of tensors
    inputs: Callable        # (shape, make) -> tuple of tensors, make(*extents) being normally distributed
    arrays_moved: Callable  # inputs -> bytes: each input and output element once, vectors of weights left out


def arithmetic(x):
    return x if x.dtype == torch.float64 else x.float()


def relu_add_mul(x, y):
    return torch.relu((x + y) * 2.0)


def sin_plus_cos(x):
    return torch.sin(x) + torch.cos(x)


def tanh_add_transposed(x, y):
    return torch.tanh(x + y.T)


def adam(p, g, m, v):
    new_m = 0.9 * m + 0.1 * g
    new_v = 0.999 * v + 0.001 * g * g
    return p - 1e-3 * new_m / (new_v.sqrt() + 1e-8), new_m, new_v


def softmax(x):
    return torch.softmax(x, dim=-1)


def softmax_axis0(x):
    return torch.softmax(x, dim=0)


def seed_layernorm_gelu(x, w, b):
    return F.gelu(F.layer_norm(x, w.shape, w, b)) * 1.2 + 0.1


def rmsnorm(x, w):
    wide = arithmetic(x)
    return (wide * torch.rsqrt((wide * wide).mean(-1, keepdim=True) + 1e-6) * arithmetic(w)).to(x.dtype)


def bias_residual_layernorm(x, residual, bias, w):
    h = arithmetic(x) + arithmetic(bias) + arithmetic(residual)
    return h.to(x.dtype), F.layer_norm(h, w.shape, arithmetic(w)).to(x.dtype)


def seed_sum_mean(x, y):
    return torch.relu((x + y) * 2.0).sum(1).mean()


def sumsq_axis0(x):
    return (x * x).sum(0)


def sumsq_all(x):
    return (x * x).sum()


def var_all(x):
    return x.var()


def mse_value_grad(x, y):
    difference = x - y
    return (difference * difference).mean(), (2.0 / x.numel()) * difference


def nbytes(*tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def like_first(count):
    return lambda shape, make: tuple(make(*shape) for _ in range(count))


def with_row_vectors(full, vectors):
    return lambda shape, make: tuple(make(*shape) for _ in range(full)) + tuple(make(shape[-1]) for _ in range(vectors))


WORKLOADS = {
    "relu_add_mul": Workload(relu_add_mul, like_first(2), lambda x, y: 3 * nbytes(x)),
    "sin_plus_cos": Workload(sin_plus_cos, like_first(1), lambda x: 2 * nbytes(x)),
    "tanh_add_transposed": Workload(tanh_add_transposed,
                                    lambda shape, make: (make(*shape), make(shape[1], shape[0])),
                                    lambda x, y: 3 * nbytes(x)),
    "adam": Workload(adam, lambda shape, make: tuple(make(*shape).abs() for _ in range(4)),
                     lambda p, g, m, v: 7 * nbytes(p)),
    "softmax": Workload(softmax, like_first(1), lambda x: 2 * nbytes(x)),
    "softmax_axis0": Workload(softmax_axis0, like_first(1), lambda x: 2 * nbytes(x)),
    "seed_layernorm_gelu": Workload(seed_layernorm_gelu, with_row_vectors(1, 2), lambda x, w, b: 2 * nbytes(x)),
    "rmsnorm": Workload(rmsnorm, with_row_vectors(1, 1), lambda x, w: 2 * nbytes(x)),
    "bias_residual_layernorm": Workload(bias_residual_layernorm, with_row_vectors(2, 2),
                                        lambda x, residual, bias, w: 4 * nbytes(x)),
    "seed_sum_mean": Workload(seed_sum_mean, like_first(2), nbytes),
    "sumsq_axis0": Workload(sumsq_axis0, like_first(1), nbytes),
    "sumsq_all": Workload(sumsq_all, like_first(1), nbytes),
    "var_all": Workload(var_all, like_first(1), nbytes),
    "mse_value_grad": Workload(mse_value_grad, like_first(2), lambda x, y: 3 * nbytes(x)),
}

STEADY, SINGLE = "steady state, rotating buffers", "one call between two events, L2 flushed"
LARGE_SOFTMAXES = [(32768, 1024), (32768, 4096), (16384, 16384), (8192, 65536), (2048, 262144)]
NORMALIZATIONS = [
    ("seed_layernorm_gelu", (64, 128, 512), SINGLE),
    ("seed_layernorm_gelu", (128, 1024, 512), STEADY),
    ("seed_layernorm_gelu", (32768, 4096), STEADY),
    ("rmsnorm", (32768, 1024), STEADY),
    ("rmsnorm", (32768, 4096), STEADY),
    ("rmsnorm", (16384, 16384), STEADY),
    ("rmsnorm", (8192, 65536), STEADY),
    ("bias_residual_layernorm", (32768, 4096), STEADY),
]

# group -> (workload, shape, dtype, timing); a group is one program of kernels/.
GROUPS = {
    "pointwise": [
        ("relu_add_mul", (8192, 8192), "f32", STEADY),
        ("relu_add_mul", (8192, 8192), "bf16", STEADY),
        ("sin_plus_cos", (8192, 8192), "f32", STEADY),
        ("tanh_add_transposed", (8192, 8192), "f32", STEADY),
        ("tanh_add_transposed", (8192, 8192), "bf16", STEADY),
        ("adam", (67108864,), "f32", STEADY),
    ],
    "softmax": [("softmax", shape, dtype, STEADY) for dtype in ("f32", "bf16") for shape in LARGE_SOFTMAXES] + [
        ("softmax", (4, 1048576), "f32", SINGLE),
        ("softmax_axis0", (4096, 32768), "f32", STEADY),
    ],
    "normalization": [(name, shape, dtype, how) for dtype in ("f32", "bf16") for name, shape, how in NORMALIZATIONS],
    "reductions": [
        ("seed_sum_mean", (100, 100), "f32", SINGLE),
        ("seed_sum_mean", (1000, 1000), "f32", SINGLE),
        ("seed_sum_mean", (2000, 2000), "f32", SINGLE),
        ("seed_sum_mean", (16384, 16384), "f32", STEADY),
        ("sumsq_axis0", (65536, 4096), "f32", STEADY),
        ("sumsq_axis0", (65536, 4096), "bf16", STEADY),
        ("sumsq_axis0", (1000000, 64), "f32", STEADY),
        ("sumsq_axis0", (1000000, 64), "bf16", STEADY),
        ("sumsq_all", (268435456,), "f32", STEADY),
        ("sumsq_all", (268435456,), "bf16", STEADY),
        ("sumsq_all", (1048576,), "f32", SINGLE),
        ("sumsq_all", (1048576,), "bf16", SINGLE),
        ("var_all", (268435456,), "f32", STEADY),
        ("mse_value_grad", (4194304,), "f32", SINGLE),
    ],
}
LATENCY_ROWS = [("relu_add_mul", (elements,), "f32") for elements in (1 << 10, 1 << 14, 1 << 18, 1 << 22)]
