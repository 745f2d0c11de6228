# SPDX-License-Identifier: Apache-2.0
"""What the everyday expressions compute, in PyTorch, as computed.py does."""
import math

import torch
import torch.nn.functional as F

from computed import quantized, wide


def causal_softmax(x):
    is_seen = torch.ones(x.shape[-2:], dtype=torch.bool, device=x.device).tril()
    return torch.softmax(x.masked_fill(~is_seen, -math.inf), -1)


def biased_softmax(x, bias):
    return torch.softmax(wide(x) + wide(bias), -1).to(x.dtype)


def channel_var_mean(x):
    return torch.var_mean(wide(x), (0, 2, 3), correction=0)


def mean_axis1(x):
    return x.mean(1)


def rows_to_int8(x):
    values = wide(x)
    scale = values.abs().amax(-1, keepdim=True) / 127.0
    return torch.round(values / scale).to(torch.int8), scale.squeeze(-1)


def cumsum_axis0(x):
    return wide(x).cumsum(0).to(x.dtype)


def flip(x):
    return x.flip(-1)


def pad_images(x):
    return F.pad(x, (1, 1, 1, 1))


def concat_columns(x, y):
    return torch.relu(torch.cat((x, y), 1))


def second_difference(x):
    return x[:, :-2] - 2.0 * x[:, 1:-1] + x[:, 2:]


def images_to_planes(x):
    return (x.permute(0, 3, 1, 2).contiguous().float() * (2.0 / 255) - 1.0).to(torch.bfloat16)


def heads_first(x):
    return (x.transpose(1, 2) * 0.125).contiguous()


def mish(x):
    return F.mish(x)


def gelu_gradient(x, dy):
    return torch.ops.aten.gelu_backward(dy, x)


def swiglu_of_halves(x):
    gate, value = wide(x).chunk(2, -1)
    return (F.silu(gate) * value).to(x.dtype)


def geglu_of_pairs(x):
    values = wide(x)
    return (values[:, ::2] * F.gelu(values[:, 1::2])).to(x.dtype)


def embedding_layernorm(table, index, w, b):
    return F.layer_norm(F.embedding(index, table), w.shape, w, b)


def merged_heads_layernorm(x, w, b):
    return F.layer_norm(x.transpose(1, 2).flatten(2), w.shape, w, b)


def merged_patches_layernorm(x, w, b):
    images, height, width, channels = x.shape
    halved = x.view(images, height // 2, 2, width // 2, 2, channels)
    return F.layer_norm(halved.permute(0, 1, 3, 4, 2, 5).flatten(3), w.shape, w, b)


def joined_layernorm(x, y, w, b):
    return F.layer_norm(torch.cat((x, y), 1), w.shape, w, b)


def silu_bias_backward(x, bias, dy):
    values = wide(x) + wide(bias)
    s = torch.sigmoid(values)
    dx = wide(dy) * s * (1 + values * (1 - s))
    return dx.to(x.dtype), dx.sum(0).to(x.dtype)


def depthwise_convolution(x, w, bias):
    return F.relu6(F.conv2d(wide(x), wide(w)[:, None], wide(bias), padding=1, groups=x.shape[1])).to(x.dtype)


def global_response_norm(x, w, b):
    """Of ConvNeXt V2; shape: images, positions, channels."""
    values = wide(x)
    norms = values.norm(dim=1, keepdim=True)
    return (wide(w) * (values * (norms / (norms.mean(-1, keepdim=True) + 1e-6))) + wide(b) + values).to(x.dtype)


def merged_attention(first, first_sum, second, second_sum):
    """Two parts of an attention, of other keys, and the logarithms of their sums."""
    total = torch.logaddexp(first_sum, second_sum)
    values = wide(first) * torch.exp(first_sum - total)[..., None] + wide(second) * torch.exp(second_sum - total)[..., None]
    return values.to(first.dtype), total


def swiglu_fp8(x):
    gate, up = wide(x).unbind(1)
    values = F.silu(gate) * up
    narrow, factor = quantized(values, values.abs().amax(-1, keepdim=True))
    return narrow, factor.squeeze(-1)


def fp8_tiles(x):
    values = wide(x)
    narrow, factor = quantized(values, values.abs().amax((1, 3), keepdim=True))
    return narrow, factor.squeeze((1, 3))


def local_response_norm(x):
    return F.local_response_norm(x, 5)


def label_log_probability(x, labels):
    return torch.log_softmax(wide(x), -1).gather(1, labels[:, None]).squeeze(1)


def top8(x):
    return torch.softmax(x, -1).topk(8, -1).values


def router(x):
    shares = torch.softmax(x, -1).topk(8, -1).values
    return shares / shares.sum(-1, keepdim=True)


def average_pool(x):
    return F.avg_pool2d(x, 2)


def total_variation(x):
    return wide(x[:, 1:] - x[:, :-1]).abs().sum()


def standardize_columns(x):
    variance, mean = torch.var_mean(x, 0, correction=0)
    return (x - mean) * torch.rsqrt(variance + 1e-5)


def repeat_heads(x):
    return x.repeat_interleave(4, 2)


def mirror_images(x):
    return F.pad(x, (1, 1, 1, 1), "reflect")


def stack_pairs(x, y):
    return torch.stack((x, y), -1)


def rotate_pairs(x, cosines, sines):
    first, second, c, s = (wide(v) for v in (x[..., ::2], x[..., 1::2], cosines, sines))
    return torch.stack((first * c - second * s, first * s + second * c), -1).flatten(2).to(x.dtype)


def argmax_axis1(x):
    return x.argmax(1)


def class_softmax(x):
    return torch.softmax(x, 1)


def image_cross_entropy(x, labels):
    return F.cross_entropy(wide(x), labels)


def embedding_gradient(table, index, dy):
    return torch.ops.aten.embedding_dense_backward(dy, index, table.shape[0], -1, False)


def group_norm_last(x, w, b):
    groups = wide(x).unflatten(-1, (32, -1))
    variance, mean = torch.var_mean(groups, (1, 3), correction=0, keepdim=True)
    values = ((groups - mean) * torch.rsqrt(variance + 1e-5)).flatten(-2)
    return F.silu(values * wide(w) + wide(b)).to(x.dtype)


def reverse_cumsum(x):
    return wide(x).flip(-1).cumsum(-1).flip(-1).to(x.dtype)


def bias_gelu(x, bias):
    return F.gelu(wide(x) + wide(bias)).to(x.dtype)


def normalize_rows(x, mean, inverse, w, b):
    return ((x - mean[:, None]) * inverse[:, None] * w + b).to(x.dtype)


def int8_to_half(x, scale):
    return (x.float() * scale[:, None]).to(torch.bfloat16)


def mask_lengths(x, lengths):
    return torch.where(torch.arange(x.shape[1], device=x.device) < lengths[:, None], x, 0)


def pixel_shuffle(x):
    return F.pixel_shuffle(x, 2).contiguous()


def causal_convolution(x, w):
    padded, length = F.pad(wide(x), (0, 0, 3, 0)), x.shape[1]
    return F.silu(sum(padded[:, k:k + length] * wide(w)[k] for k in range(4))).to(x.dtype)


def periodic_laplacian(x):
    return x.roll(1, 0) + x.roll(-1, 0) + x.roll(1, 1) + x.roll(-1, 1) - 4.0 * x


def sobel(x):
    across, down = x[:, 2:] - x[:, :-2], x[2:] - x[:-2]
    horizontal = across[:-2] + 2.0 * across[1:-1] + across[2:]
    vertical = down[:, :-2] + 2.0 * down[:, 1:-1] + down[:, 2:]
    return (horizontal * horizontal + vertical * vertical).sqrt()


def laplacian_3d(x):
    inner = slice(1, -1)
    ends = (x[:-2, inner, inner] + x[2:, inner, inner] + x[inner, :-2, inner] + x[inner, 2:, inner] +
            x[inner, inner, :-2] + x[inner, inner, 2:])
    return ends - 6.0 * x[inner, inner, inner]


def max_pool(x):
    return F.max_pool2d(x, 3, 2, 1)
