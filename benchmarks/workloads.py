# SPDX-License-Identifier: Apache-2.0
"""The workloads: what is computed, from which inputs, and how many bytes must move."""
import math
from dataclasses import dataclass
from typing import Callable

import torch

import computed
import everyday


# --- from which inputs ------------------------------------------------------------------------------------------------
def like_first(count):
    return lambda shape, make: tuple(make(*shape) for _ in range(count))


def with_row_vectors(full, vectors):
    return lambda shape, make: tuple(make(*shape) for _ in range(full)) + tuple(make(shape[-1]) for _ in range(vectors))


def with_labels(shape, make):
    x = make(*shape)
    return x, torch.randint(0, shape[1], (shape[0],), device=x.device)


def with_image_labels(shape, make):
    """shape: images, classes, places."""
    images, classes, places = shape
    x = make(*shape)
    return x, torch.randint(0, classes, (images, places), device=x.device)


def rotation_inputs(shape, make):
    """shape: batch, length, query heads, head size; there is a quarter as many key heads."""
    batch, length, heads, size = shape
    q, k = make(*shape), make(batch, length, heads // 4, size)
    positions = torch.arange(length, device=q.device)[:, None]
    angles = positions / 10000.0 ** (torch.arange(size // 2, device=q.device) / (size // 2))
    return q, k, torch.cos(angles), torch.sin(angles)


def rotation_inputs_with_weights(shape, make):
    return *rotation_inputs(shape, make), make(shape[-1]), make(shape[-1])


def with_probabilities(shape, make):
    return make(*shape), torch.softmax(make(*shape), -1)


def with_bias(shape, make):
    return make(*shape), make(*shape[1:])


def columns_of_two(shape, make):
    """shape: rows, and columns of both operands, of which the first has one more than the second."""
    rows, columns = shape
    return make(rows, (columns + 1) // 2), make(rows, columns // 2)


def images(shape, make):
    return (torch.randint(0, 256, shape, dtype=torch.uint8, device=make(1).device),)


def indexed_table(shape, make):
    """shape: rows of the table, columns; half as many rows are taken."""
    rows, columns = shape
    table = make(rows, columns)
    return table, torch.randint(0, rows, (rows // 2,), device=table.device), make(columns), make(columns)


def tokens(shape, make):
    """shape: rows of the table, columns; 8192 rows are taken, the k-th about as often as 1 / k says, as words are."""
    rows, columns = shape
    table, dy = make(rows, columns), make(8192, columns)
    index = (torch.rand(dy.shape[0], device=table.device) * math.log(rows)).exp().long() - 1
    return table, index.clamp(0, rows - 1), dy


def with_statistics(shape, make):
    """Of rows a mean and an inverse deviation, of columns a weight and a bias, all in f32."""
    rows, columns = shape
    return make(*shape), *(make(count).float() for count in (rows, rows, columns, columns))


def heads_with_weights(shape, make):
    """shape: batch, heads, length, head size; a weight and a bias for each element of all heads."""
    return make(*shape), make(shape[1] * shape[3]), make(shape[1] * shape[3])


def patches_with_weights(shape, make):
    """shape: images, height, width, channels; a weight and a bias for each element of two by two."""
    return make(*shape), make(4 * shape[3]), make(4 * shape[3])


def columns_of_two_with_weights(shape, make):
    return *columns_of_two(shape, make), make(shape[1]), make(shape[1])


def channels_with_taps(shape, make):
    """shape: images, channels, height, width; a window of three by three and a bias for each channel."""
    return make(*shape), make(shape[1], 3, 3), make(shape[1])


def two_with_sums(shape, make):
    """Twice: values, and a number for each row of them."""
    return make(*shape), make(*shape[:-1]).float(), make(*shape), make(*shape[:-1]).float()


def bytes_with_scales(shape, make):
    scales = make(shape[0]).float().abs()
    return torch.randint(-128, 128, shape, dtype=torch.int8, device=scales.device), scales


def with_lengths(shape, make):
    x = make(*shape)
    return x, torch.randint(0, shape[1] + 1, (shape[0],), device=x.device)


# --- the table --------------------------------------------------------------------------------------------------------
def nbytes(*tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


def reads(x, *_):
    return nbytes(x)


def read_and_write(x, *_):
    return 2 * nbytes(x)


def arrays(count):
    return lambda x, *_: count * nbytes(x)


def read_table(table, index, *_):
    """The rows that the index names, and as many results."""
    return 2 * nbytes(table[:1]) * index.numel()


@dataclass(frozen=True)
class Workload:
    function: Callable      # tensors -> tensor or tuple of tensors
    inputs: Callable        # (shape, make) -> tuple of tensors, make(*extents) being normally distributed
    bytes_moved: Callable   # inputs -> each input and output element once; small vectors (weights, labels) left out
    half_tolerance: float = 6e-3  # three roundings to 8 bits


WORKLOADS = {
    "relu_add_mul": Workload(computed.relu_add_mul, like_first(2), arrays(3)),
    "sin_plus_cos": Workload(computed.sin_plus_cos, like_first(1), read_and_write),
    "tanh_add_transposed": Workload(computed.tanh_add_transposed,
                                    lambda shape, make: (make(*shape), make(shape[1], shape[0])), arrays(3)),
    "adam": Workload(computed.adam, lambda shape, make: tuple(make(*shape).abs() for _ in range(4)), arrays(7)),
    "softmax": Workload(computed.softmax, like_first(1), read_and_write),
    "softmax_axis0": Workload(computed.softmax_axis0, like_first(1), read_and_write),
    "softmax_but_last": Workload(computed.softmax_but_last, like_first(1), lambda x: nbytes(x) + nbytes(x[..., :-1])),
    "entropy": Workload(computed.entropy, like_first(1), reads),
    "kl_div_value_grad": Workload(computed.kl_div_value_grad, with_probabilities, arrays(3)),
    "layer_norm": Workload(computed.layer_norm, with_row_vectors(1, 2), read_and_write),
    "seed_layernorm_gelu": Workload(computed.seed_layernorm_gelu, with_row_vectors(1, 2), read_and_write),
    "rmsnorm": Workload(computed.rmsnorm, with_row_vectors(1, 1), read_and_write),
    "bias_residual_layernorm": Workload(computed.bias_residual_layernorm, with_row_vectors(2, 2), arrays(4)),
    "layernorm_backward": Workload(computed.layernorm_backward,
                                   lambda shape, make: (make(*shape), make(shape[-1]), make(*shape)), arrays(3)),
    "seed_sum_mean": Workload(computed.seed_sum_mean, like_first(2), arrays(2)),
    "sum_axis1": Workload(computed.sum_axis1, like_first(1), reads),
    "nested_sums": Workload(computed.nested_sums, like_first(1), reads),
    "sum_axis0": Workload(computed.sum_axis0, like_first(1), reads),
    "sumsq_axis0": Workload(computed.sumsq_axis0, like_first(1), reads),
    "sumsq_all": Workload(computed.sumsq_all, like_first(1), reads),
    "var_all": Workload(computed.var_all, like_first(1), reads),
    "argmax": Workload(computed.argmax, like_first(1), reads),
    "argmax_all": Workload(computed.argmax_all, like_first(1), reads),
    "cross_entropy_mean": Workload(computed.cross_entropy_mean, with_labels, reads),
    "cross_entropy_value_grad": Workload(computed.cross_entropy_value_grad, with_labels, read_and_write),
    "mse_value_grad": Workload(computed.mse_value_grad, like_first(2), arrays(3)),
    "cumsum": Workload(computed.cumsum, like_first(1), read_and_write),
    "cumsum_over_amax": Workload(computed.cumsum_over_amax, like_first(1), read_and_write),
    "cumsum_normalized": Workload(computed.cumsum_normalized, like_first(1), read_and_write),
    "norm_scale": Workload(computed.norm_scale, like_first(1), read_and_write),
    "standardize": Workload(computed.standardize, like_first(1), read_and_write),
    "batchnorm_train": Workload(computed.batchnorm_train, like_first(1), read_and_write),
    "groupnorm_silu": Workload(computed.groupnorm_silu, like_first(1), read_and_write),
    "sum0_sum1": Workload(computed.sum0_sum1, like_first(1), reads),
    "softmax_sum0": Workload(computed.softmax_sum0, like_first(1), reads),
    "amax0_amax1_amax": Workload(computed.amax0_amax1_amax, like_first(1), reads),
    "cat10_relu": Workload(computed.cat10_relu, like_first(10), arrays(20)),
    # Where the two roundings before that to 4 bits differ, one value in a few hundred goes to the next number.
    "fp8_tensorwise_quant": Workload(computed.fp8_tensorwise_quant, like_first(1), lambda x: nbytes(x) * 3 // 2, 2e-2),
    "rmsnorm_blockquant": Workload(computed.rmsnorm_blockquant, with_row_vectors(1, 1),
                                   lambda x, w: nbytes(x) + x.numel() + x.numel() // computed.QUANTIZED_COLUMNS, 2e-2),
    "fp8_and_transposed": Workload(computed.fp8_and_transposed, like_first(1), read_and_write),
    "rope_gqa": Workload(computed.rope_gqa, rotation_inputs, lambda q, k, *_: 2 * nbytes(q, k)),
    "qk_rmsnorm_rope": Workload(computed.qk_rmsnorm_rope, rotation_inputs_with_weights, lambda q, k, *_: 2 * nbytes(q, k)),
    "causal_softmax": Workload(everyday.causal_softmax, like_first(1), read_and_write),
    "biased_softmax": Workload(everyday.biased_softmax, with_bias, lambda x, bias: 2 * nbytes(x) + nbytes(bias)),
    "channel_var_mean": Workload(everyday.channel_var_mean, like_first(1), reads),
    "mean_axis1": Workload(everyday.mean_axis1, like_first(1), reads),
    # A quotient whose last bit differs goes to the next number now and then.
    "rows_to_int8": Workload(everyday.rows_to_int8, like_first(1), lambda x: nbytes(x) + x.numel(), 2e-2),
    "cumsum_axis0": Workload(everyday.cumsum_axis0, like_first(1), read_and_write),
    "flip": Workload(everyday.flip, like_first(1), read_and_write),
    "pad_images": Workload(everyday.pad_images, like_first(1), lambda x: nbytes(x) + nbytes(everyday.pad_images(x))),
    "concat_columns": Workload(everyday.concat_columns, columns_of_two, lambda x, y: 2 * nbytes(x, y)),
    "second_difference": Workload(everyday.second_difference, like_first(1), read_and_write, 2e-2),
    "images_to_planes": Workload(everyday.images_to_planes, images, arrays(3)),
    "heads_first": Workload(everyday.heads_first, like_first(1), read_and_write),
    "mish": Workload(everyday.mish, like_first(1), read_and_write),
    "gelu_gradient": Workload(everyday.gelu_gradient, like_first(2), arrays(3)),
    "swiglu_of_halves": Workload(everyday.swiglu_of_halves, like_first(1), lambda x: nbytes(x) * 3 // 2),
    "geglu_of_pairs": Workload(everyday.geglu_of_pairs, like_first(1), lambda x: nbytes(x) * 3 // 2),
    "embedding_layernorm": Workload(everyday.embedding_layernorm, indexed_table, read_table),
    "merged_heads_layernorm": Workload(everyday.merged_heads_layernorm, heads_with_weights, read_and_write),
    "merged_patches_layernorm": Workload(everyday.merged_patches_layernorm, patches_with_weights, read_and_write),
    "joined_layernorm": Workload(everyday.joined_layernorm, columns_of_two_with_weights, lambda x, y, w, b: 2 * nbytes(x, y)),
    "silu_bias_backward": Workload(everyday.silu_bias_backward,
                                   lambda shape, make: (make(*shape), make(shape[-1]), make(*shape)), arrays(3)),
    "depthwise_convolution": Workload(everyday.depthwise_convolution, channels_with_taps, read_and_write),
    "global_response_norm": Workload(everyday.global_response_norm, with_row_vectors(1, 2), read_and_write),
    "merged_attention": Workload(everyday.merged_attention, two_with_sums, lambda x, a, y, b: nbytes(x, y, a, b) * 3 // 2),
    "swiglu_fp8": Workload(everyday.swiglu_fp8, like_first(1), lambda x: nbytes(x) * 5 // 4, 2e-2),
    "fp8_tiles": Workload(everyday.fp8_tiles, like_first(1), lambda x: nbytes(x) * 3 // 2, 2e-2),
    "local_response_norm": Workload(everyday.local_response_norm, like_first(1), read_and_write),
    "label_log_probability": Workload(everyday.label_log_probability, with_labels, reads),
    "top8": Workload(everyday.top8, like_first(1), lambda x: nbytes(x) + nbytes(x[:, :8])),
    "router": Workload(everyday.router, like_first(1), lambda x: nbytes(x) + nbytes(x[:, :8])),
    "average_pool": Workload(everyday.average_pool, like_first(1), lambda x: nbytes(x) * 5 // 4),
    "total_variation": Workload(everyday.total_variation, like_first(1), reads),
    "standardize_columns": Workload(everyday.standardize_columns, like_first(1), read_and_write),
    "repeat_heads": Workload(everyday.repeat_heads, like_first(1), arrays(5)),
    "mirror_images": Workload(everyday.mirror_images, like_first(1), lambda x: nbytes(x) + nbytes(everyday.mirror_images(x))),
    "stack_pairs": Workload(everyday.stack_pairs, like_first(2), arrays(4)),
    "rotate_pairs": Workload(everyday.rotate_pairs,
                             lambda shape, make: (make(*shape), make(shape[-1] // 2), make(shape[-1] // 2)), read_and_write),
    "argmax_axis1": Workload(everyday.argmax_axis1, like_first(1), reads),
    "class_softmax": Workload(everyday.class_softmax, like_first(1), read_and_write),
    "image_cross_entropy": Workload(everyday.image_cross_entropy, with_image_labels, lambda *inputs: nbytes(*inputs)),
    "embedding_gradient": Workload(everyday.embedding_gradient, tokens, lambda table, index, dy: nbytes(table, dy)),
    "group_norm_last": Workload(everyday.group_norm_last, with_row_vectors(1, 2), read_and_write),
    "bias_gelu": Workload(everyday.bias_gelu, with_row_vectors(1, 1), read_and_write),
    "normalize_rows": Workload(everyday.normalize_rows, with_statistics, read_and_write),
    "int8_to_half": Workload(everyday.int8_to_half, bytes_with_scales, arrays(3)),
    "mask_lengths": Workload(everyday.mask_lengths, with_lengths, read_and_write),
    "pixel_shuffle": Workload(everyday.pixel_shuffle, like_first(1), read_and_write),
    "causal_convolution": Workload(everyday.causal_convolution, lambda shape, make: (make(*shape), make(4, shape[-1])),
                                   read_and_write),
    "periodic_laplacian": Workload(everyday.periodic_laplacian, like_first(1), read_and_write),
    "sobel": Workload(everyday.sobel, like_first(1), read_and_write, 2e-2),
    "laplacian_3d": Workload(everyday.laplacian_3d, like_first(1), read_and_write, 2e-2),
    "max_pool": Workload(everyday.max_pool, like_first(1), lambda x: nbytes(x) * 5 // 4),
    "reverse_cumsum": Workload(everyday.reverse_cumsum, like_first(1), read_and_write),
}
