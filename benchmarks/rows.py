# SPDX-License-Identifier: Apache-2.0
"""The rows of the benchmark: which workload in which shape and type, and how it is timed."""
from dataclasses import dataclass

from harness.results import SINGLE, STEADY


@dataclass(frozen=True)
class Row:
    group: str
    workload: str
    shape: tuple
    dtype: str
    timing: str
    is_curve: bool = False  # a point of a curve over lengths or sizes; the other rows stand for themselves

    @property
    def is_autotuned(self):
        """Whether torch.compile is measured in all of its modes, for which ten minutes are too short with all rows."""
        return not self.is_curve and self.group != "everyday"

    @property
    def title(self):
        return f"{self.workload} {'x'.join(map(str, self.shape))} {self.dtype}"


def rows(group, workload, shapes, dtypes, timing=STEADY, is_curve=False):
    return [Row(group, workload, shape if isinstance(shape, tuple) else (shape,), dtype, timing, is_curve)
            for shape in shapes for dtype in dtypes.split()]


BOTH = "f32 bf16"
LONG_ROWS = [(32768, 1024), (32768, 4096), (16384, 16384), (8192, 65536)]
CURVE_ELEMENTS = 1 << 26
CURVE_LENGTHS = (64, 256, 1000, 2048, 8192, 16384, 50257, 131072, 262144, 1048576)
CURVE_SIZES = tuple(1 << exponent for exponent in range(10, 29, 2))

ROWS = [
    *rows("pointwise", "relu_add_mul", [(8192, 8192)], BOTH),
    *rows("pointwise", "sin_plus_cos", [(8192, 8192)], "f32"),
    *rows("pointwise", "adam", [67108864], "f32"),
    *rows("pointwise", "tanh_add_transposed", [(8192, 8192)], BOTH),
    *rows("softmax", "softmax", [*LONG_ROWS, (2048, 262144)], BOTH),
    *rows("softmax", "softmax", [(4, 1048576)], "f32", SINGLE),
    *rows("softmax", "softmax_axis0", [(4096, 32768)], "f32"),
    *rows("normalization", "seed_layernorm_gelu", [(64, 128, 512)], BOTH, SINGLE),
    *rows("normalization", "seed_layernorm_gelu", [(128, 1024, 512), (32768, 4096)], BOTH),
    *rows("normalization", "rmsnorm", LONG_ROWS, BOTH),
    *rows("normalization", "bias_residual_layernorm", [(32768, 4096)], BOTH),
    *rows("normalization", "layernorm_backward", [(32768, 1024), (32768, 4096)], BOTH),
    *rows("reductions", "seed_sum_mean", [(100, 100), (1000, 1000), (2000, 2000)], "f32", SINGLE),
    *rows("reductions", "seed_sum_mean", [(16384, 16384)], "f32"),
    *rows("reductions", "sumsq_axis0", [(65536, 4096), (1000000, 64)], BOTH),
    *rows("reductions", "sumsq_all", [268435456], BOTH),
    *rows("reductions", "sumsq_all", [1048576], BOTH, SINGLE),
    *rows("reductions", "var_all", [268435456], "f32"),
    *rows("reductions", "mse_value_grad", [4194304], "f32", SINGLE),
    *rows("reductions", "argmax", [(32768, 4096), (512, 131072)], BOTH),
    *rows("reductions", "argmax_all", [16777216], "f32"),
    *rows("reductions", "sum0_sum1", [(4096, 4096)], "f32", SINGLE),
    *rows("reductions", "softmax_sum0", [(4096, 4096)], "f32", SINGLE),
    *rows("reductions", "amax0_amax1_amax", [(4096, 4096)], "f32", SINGLE),
    *rows("losses", "cross_entropy_mean", [(8192, 32768), (4096, 131072)], BOTH),
    *rows("losses", "cross_entropy_value_grad", [(8192, 32768)], "f32", SINGLE),
    *rows("scans", "cumsum", [(32768, 4096), 134217728], "f32"),
    *rows("scans", "cumsum_over_amax", [(4096, 4096)], "f32", SINGLE),
    *rows("grid", "norm_scale", [4194304], "f32", SINGLE),
    *rows("grid", "batchnorm_train", [(64, 64, 56, 56)], "f32", SINGLE),
    *rows("grid", "groupnorm_silu", [(8, 320, 64, 64)], "f32", SINGLE),
    *rows("grid", "fp8_tensorwise_quant", [(8192, 8192)], "bf16", SINGLE),
    *rows("movement", "cat10_relu", [(1000, 100)], "f32", SINGLE),
    *rows("movement", "rmsnorm_blockquant", [(8192, 4096)], "bf16", SINGLE),
    *rows("movement", "rope_gqa", [(4, 4096, 32, 128)], "bf16", SINGLE),
    *rows("patterns", "entropy", [(1, 32768)], "f32", SINGLE),
    *rows("patterns", "kl_div_value_grad", [(4, 1048576)], "f32", SINGLE),
    *rows("patterns", "standardize", [4194304], "f32", SINGLE),
    *rows("patterns", "nested_sums", [(64, 512, 2048)], "f32", SINGLE),
    *rows("patterns", "fp8_and_transposed", [(8192, 8192)], "bf16", SINGLE),
    *rows("patterns", "qk_rmsnorm_rope", [(4, 4096, 32, 128)], "bf16", SINGLE),
    *rows("patterns", "cumsum_normalized", [(4096, 4096)], "f32", SINGLE),
    *rows("patterns", "softmax_but_last", [(65536, 513)], "f32", SINGLE),
    *rows("everyday", "causal_softmax", [(8, 2048, 2048)], BOTH),
    *rows("everyday", "biased_softmax", [(16, 16, 512, 512)], "bf16"),
    *rows("everyday", "channel_var_mean", [(64, 256, 56, 56)], BOTH),
    *rows("everyday", "mean_axis1", [(64, 1024, 1024)], "bf16"),
    *rows("everyday", "rows_to_int8", [(16384, 4096)], "bf16"),
    *rows("everyday", "cumsum_axis0", [(8192, 8192)], BOTH),
    *rows("everyday", "flip", [(8192, 8192)], "bf16"),
    *rows("everyday", "pad_images", [(64, 64, 112, 112)], "bf16"),
    *rows("everyday", "concat_columns", [(16384, 2049)], "bf16"),
    *rows("everyday", "second_difference", [(8192, 8192)], BOTH),
    *rows("everyday", "images_to_planes", [(128, 224, 224, 3)], "bf16"),
    *rows("everyday", "heads_first", [(8, 4096, 16, 128)], "bf16"),
    *rows("everyday", "mish", [(8192, 8192)], "bf16"),
    *rows("everyday", "gelu_gradient", [(8192, 8192)], "bf16"),
    *rows("everyday", "swiglu_of_halves", [(8192, 16384)], "bf16"),
    *rows("everyday", "geglu_of_pairs", [(8192, 16384)], "bf16"),
    *rows("everyday", "embedding_layernorm", [(65536, 1024)], "bf16"),
    *rows("everyday", "merged_heads_layernorm", [(8, 16, 2048, 64)], "bf16"),
    *rows("everyday", "merged_patches_layernorm", [(64, 56, 56, 96)], "bf16"),
    *rows("everyday", "joined_layernorm", [(16384, 2048)], "bf16"),
    *rows("everyday", "silu_bias_backward", [(32768, 4096)], "bf16"),
    *rows("everyday", "depthwise_convolution", [(64, 128, 112, 112)], "bf16"),
    *rows("everyday", "global_response_norm", [(64, 3136, 384)], "bf16"),
    *rows("everyday", "merged_attention", [(8192, 32, 128)], "bf16"),
    *rows("everyday", "swiglu_fp8", [(8192, 2, 4096)], "bf16"),
    *rows("everyday", "fp8_tiles", [(64, 128, 64, 128)], "bf16"),
    *rows("everyday", "local_response_norm", [(32, 96, 55, 55)], "f32"),
    *rows("everyday", "label_log_probability", [(8192, 32768)], "bf16"),
    *rows("everyday", "top8", [(65536, 64)], "f32"),
    *rows("everyday", "router", [(65536, 256)], "f32"),
    *rows("everyday", "average_pool", [(16, 64, 128, 128)], "bf16"),
    *rows("everyday", "total_variation", [(8192, 4096)], "bf16"),
    *rows("everyday", "standardize_columns", [(65536, 256)], "f32"),
    *rows("everyday", "cumsum", [(1048576, 16)], "f32"),
    *rows("everyday", "repeat_heads", [(4, 4096, 8, 128)], "bf16"),
    *rows("everyday", "mirror_images", [(64, 64, 112, 112)], "bf16"),
    *rows("everyday", "stack_pairs", [(4096, 8192)], "bf16"),
    *rows("everyday", "rotate_pairs", [(16384, 32, 128)], "bf16"),
    *rows("everyday", "argmax_axis1", [(64, 512, 1024)], "bf16"),
    *rows("everyday", "class_softmax", [(16, 19, 262144)], "bf16"),
    *rows("everyday", "image_cross_entropy", [(16, 19, 262144)], "bf16"),
    *rows("everyday", "embedding_gradient", [(50000, 1024)], "bf16"),
    *rows("everyday", "group_norm_last", [(16, 4096, 320)], "bf16"),
    *rows("everyday", "reverse_cumsum", [(8192, 4096)], "bf16"),
    *rows("everyday", "bias_gelu", [(8192, 8192)], "bf16"),
    *rows("everyday", "normalize_rows", [(8192, 8192)], "bf16"),
    *rows("everyday", "int8_to_half", [(8192, 8192)], "bf16"),
    *rows("everyday", "mask_lengths", [(8192, 8192)], "bf16"),
    *rows("everyday", "pixel_shuffle", [(16, 256, 128, 128)], "bf16"),
    *rows("everyday", "causal_convolution", [(8, 4096, 2048)], "bf16"),
    *rows("everyday", "periodic_laplacian", [(8192, 8192)], "f32"),
    *rows("everyday", "sobel", [(8192, 8192)], "f32"),
    *rows("everyday", "laplacian_3d", [(400, 400, 400)], "f32"),
    *rows("everyday", "max_pool", [(64, 64, 112, 112)], "bf16"),
    *rows("curves", "softmax", [(max(1, CURVE_ELEMENTS // n), n) for n in CURVE_LENGTHS], "f32", is_curve=True),
    *rows("curves", "relu_add_mul", CURVE_SIZES, "f32", is_curve=True),
]
GROUPS = tuple(dict.fromkeys(row.group for row in ROWS))

# One call as its caller sees it, launched by the host and as a graph: elements, 4 KB to 16 MB.
LATENCY_WORKLOAD, LATENCY_ELEMENTS = "relu_add_mul", (1 << 10, 1 << 14, 1 << 18, 1 << 22)
