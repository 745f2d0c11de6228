# SPDX-License-Identifier: Apache-2.0
"""Hand-written Triton kernels where one is standard: softmax, layer normalisation, cross-entropy.

Rows up to LONGEST_BLOCK are held by one program; longer ones are swept twice, with a running maximum and sum.
"""
import torch
import triton
import triton.language as tl

LONGEST_BLOCK = 32768
SWEEP_BLOCK = 8192


@triton.jit
def softmax_kernel(x, out, columns, block: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    column = tl.arange(0, block)
    live = column < columns
    values = tl.load(x + row + column, mask=live, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, 0))
    tl.store(out + row + column, powers / tl.sum(powers, 0), mask=live)


@triton.jit
def running_statistics(x, row, columns, block: tl.constexpr):
    """-> the maximum of a row and the sum of exp(x - maximum)."""
    largest = tl.full((block,), -float("inf"), tl.float32)
    total = tl.zeros((block,), tl.float32)
    for first in range(0, columns, block):
        column = first + tl.arange(0, block)
        values = tl.load(x + row + column, mask=column < columns, other=-float("inf")).to(tl.float32)
        grown = tl.maximum(largest, values)
        safe = tl.where(grown == -float("inf"), 0.0, grown)
        total = total * tl.exp(largest - safe) + tl.exp(values - safe)
        largest = grown
    top = tl.max(largest, 0)
    return top, tl.sum(total * tl.exp(largest - top), 0)


@triton.jit
def long_softmax_kernel(x, out, columns, block: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    top, total = running_statistics(x, row, columns, block)
    for first in range(0, columns, block):
        column = first + tl.arange(0, block)
        values = tl.load(x + row + column, mask=column < columns).to(tl.float32)
        tl.store(out + row + column, tl.exp(values - top) / total, mask=column < columns)


def warps(block):
    return max(4, min(32, block // 512))


def softmax(x):
    out = torch.empty_like(x)
    rows, columns = x.shape
    if columns <= LONGEST_BLOCK:
        block = triton.next_power_of_2(columns)
        softmax_kernel[(rows,)](x, out, columns, block, num_warps=warps(block))
    else:
        long_softmax_kernel[(rows,)](x, out, columns, SWEEP_BLOCK, num_warps=16)
    return out


@triton.jit
def layer_norm_kernel(x, w, b, out, columns, block: tl.constexpr, has_gelu: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * columns
    column = tl.arange(0, block)
    live = column < columns
    values = tl.load(x + row + column, mask=live, other=0.0).to(tl.float32)
    mean = tl.sum(values, 0) / columns
    centred = tl.where(live, values - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, 0) / columns + 1e-5)
    weight = tl.load(w + column, mask=live).to(tl.float32)
    bias = tl.load(b + column, mask=live).to(tl.float32)
    result = centred * scale * weight + bias
    if has_gelu:
        result = 0.5 * result * (1.0 + tl.erf(result * 0.7071067811865476)) * 1.2 + 0.1
    tl.store(out + row + column, result, mask=live)


def layer_norm(x, w, b, has_gelu=False):
    out = torch.empty_like(x)
    columns = x.shape[-1]
    block = triton.next_power_of_2(columns)
    layer_norm_kernel[(x.numel() // columns,)](x, w, b, out, columns, block, has_gelu, num_warps=warps(block))
    return out


@triton.jit
def cross_entropy_kernel(x, labels, losses, columns, block: tl.constexpr):
    line = tl.program_id(0).to(tl.int64)
    top, total = running_statistics(x, line * columns, columns, block)
    chosen = tl.load(x + line * columns + tl.load(labels + line)).to(tl.float32)
    tl.store(losses + line, top + tl.log(total) - chosen)


def cross_entropy_mean(x, labels):
    losses = torch.empty(x.shape[0], device=x.device)
    cross_entropy_kernel[(x.shape[0],)](x, labels, losses, x.shape[1], SWEEP_BLOCK, num_warps=16)
    return losses.mean()


KERNELS = {
    "softmax": softmax,
    "layer_norm": layer_norm,
    "seed_layernorm_gelu": lambda x, w, b: layer_norm(x, w, b, has_gelu=True),
    "cross_entropy_mean": cross_entropy_mean,
}


def contenders(workload_name):
    return {"triton": lambda: KERNELS[workload_name]} if workload_name in KERNELS else {}
