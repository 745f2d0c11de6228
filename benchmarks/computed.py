# SPDX-License-Identifier: Apache-2.0
"""What each workload computes, in PyTorch.

Half inputs are computed in float and rounded once at the end; double inputs stay double, which gives the reference.
Every function is one that torch.compile takes whole.
"""
import torch
import torch.nn.functional as F

FP8_LARGEST = 448.0  # of float8_e4m3fn
QUANTIZED_COLUMNS = 32


def wide(x):
    """The type of the arithmetic."""
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


def softmax_but_last(x):
    return torch.softmax(x, dim=-1)[..., :-1].contiguous()


def entropy(x):
    log_p = torch.log_softmax(x, -1)
    return -(log_p.exp() * log_p).sum(-1)


def kl_div_value_grad(x, target):
    log_p = torch.log_softmax(x, -1)
    loss = F.kl_div(log_p, target, reduction="sum")
    return loss, log_p.exp() * target.sum(-1, keepdim=True) - target


def layer_norm(x, w, b):
    return F.layer_norm(x, w.shape, w, b)


def seed_layernorm_gelu(x, w, b):
    return F.gelu(F.layer_norm(x, w.shape, w, b)) * 1.2 + 0.1


def rms_scaled(x, w):
    values = wide(x)
    return values * torch.rsqrt(values.square().mean(-1, keepdim=True) + 1e-6) * wide(w)


def rmsnorm(x, w):
    return rms_scaled(x, w).to(x.dtype)


def bias_residual_layernorm(x, residual, bias, w):
    h = wide(x) + wide(bias) + wide(residual)
    return h.to(x.dtype), F.layer_norm(h, w.shape, wide(w)).to(x.dtype)


def layernorm_backward(x, w, dy):
    values, gradient = wide(x), wide(dy)
    variance, mean = torch.var_mean(values, -1, correction=0, keepdim=True)
    scale = torch.rsqrt(variance + 1e-5)
    normal = (values - mean) * scale
    h = gradient * wide(w)
    dx = (h - h.mean(-1, keepdim=True) - normal * (h * normal).mean(-1, keepdim=True)) * scale
    return dx.to(x.dtype), (gradient * normal).sum(0), gradient.sum(0)


def seed_sum_mean(x, y):
    return torch.relu((x + y) * 2.0).sum(1).mean()


def sum_axis1(x):
    return x.sum(1)


def nested_sums(x):
    return x.sum(-1), x.sum((-2, -1)), x.sum()


def sum_axis0(x):
    return x.sum(0)


def sumsq_axis0(x):
    return (x * x).sum(0)


def sumsq_all(x):
    return (x * x).sum()


def var_all(x):
    return x.var()


def argmax(x):
    return x.argmax(-1)


def argmax_all(x):
    return x.argmax()


def cross_entropy_mean(x, labels):
    return F.cross_entropy(wide(x), labels)


def cross_entropy_value_grad(x, labels):
    values = wide(x)
    total = torch.logsumexp(values, -1, keepdim=True)
    loss = (total - values.gather(1, labels[:, None])).mean()
    gradient = (torch.exp(values - total) - F.one_hot(labels, x.shape[1])) / x.shape[0]
    return loss, gradient.to(x.dtype)


def mse_value_grad(x, y):
    difference = x - y
    return (difference * difference).mean(), (2.0 / x.numel()) * difference


def cumsum(x):
    return torch.cumsum(x * 2.0, -1)


def cumsum_over_amax(x):
    return x.cumsum(-1) / x.amax(-1, keepdim=True)


def cumsum_normalized(x):
    sums = x.cumsum(-1)
    return sums / sums.abs().amax(-1, keepdim=True)


def norm_scale(x):
    return x * torch.clamp(1.0 / x.norm(), max=1.0)


def standardize(x):
    return (x - x.mean()) * torch.rsqrt(x.var(correction=0))


def batchnorm_train(x):
    variance, mean = torch.var_mean(x, (0, 2, 3), correction=0, keepdim=True)
    return (x - mean) * torch.rsqrt(variance + 1e-5), mean.flatten(), variance.flatten()


def groupnorm_silu(x):
    return F.silu(F.group_norm(x, 32))


def sum0_sum1(x):
    return x.sum(0), x.sum(1)


def softmax_sum0(x):
    return torch.softmax(x, -1).sum(0)


def amax0_amax1_amax(x):
    return x.amax(0), x.amax(1), x.amax()


def cat10_relu(*parts):
    return torch.relu(torch.cat(parts))


def quantized(x, largest):
    """-> x in float8 with the largest value at the end of its range, and the factor that gives x back."""
    scale = FP8_LARGEST / largest.clamp(min=1e-12)
    return (x * scale).to(torch.float8_e4m3fn), 1.0 / scale


def fp8_tensorwise_quant(x):
    values = wide(x)
    return quantized(values, values.abs().amax())


def rmsnorm_blockquant(x, w):
    blocks = wide(rmsnorm(x, w)).unflatten(-1, (-1, QUANTIZED_COLUMNS))
    values, factor = quantized(blocks, blocks.abs().amax(-1, keepdim=True))
    return values.flatten(-2), factor.squeeze(-1)


def fp8_and_transposed(x):
    values = wide(x)
    small = values.to(torch.float8_e4m3fn)
    return small, small.T.contiguous(), values.abs().amax()


def rotated(x, cosines, sines):
    a, b = wide(x).chunk(2, -1)
    c, s = cosines[None, :, None], sines[None, :, None]
    return torch.cat((a * c - b * s, b * c + a * s), -1)


def rope_gqa(q, k, cosines, sines):
    return tuple(rotated(x, cosines, sines).to(x.dtype) for x in (q, k))


def qk_rmsnorm_rope(q, k, cosines, sines, wq, wk):
    return tuple(rotated(rms_scaled(x, w), cosines, sines).to(x.dtype) for x, w in ((q, wq), (k, wk)))
