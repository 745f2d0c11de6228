#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints torch_promotion.inc: PyTorch's result type of every pair of dtypes and kinds of operand. Needs PyTorch."""
import warnings

warnings.filterwarnings("ignore")
import torch  # noqa: E402

DTYPES = {"boolean": torch.bool, "u8": torch.uint8, "i8": torch.int8, "u16": torch.uint16, "i16": torch.int16,
          "u32": torch.uint32, "i32": torch.int32, "u64": torch.uint64, "i64": torch.int64,
          "f8_e4m3": torch.float8_e4m3fn, "f8_e5m2": torch.float8_e5m2,
          "f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64}
NAMES = {dtype: name for name, dtype in DTYPES.items()}
TENSORS = {name: torch.ones(2).to(dtype) for name, dtype in DTYPES.items()}
SCALARS = {name: torch.ones(()).to(dtype) for name, dtype in DTYPES.items()}
LITERALS = {"boolean": True, "i64": 1, "f32": 1.5}  # by the dtype that Tenon gives a number of the category


def result(left, right):
    try:
        return NAMES[torch.result_type(left, right)]
    except RuntimeError:
        return "refused"


def print_table(name, left, right):
    print(f"\n// Row: {', '.join(left)}; column: {', '.join(right)}.")
    print(f"inline constexpr dtype {name}[{len(left)}][{len(right)}] = {{")
    rows = ["    {" + ", ".join(result(a, b) for b in right.values()) + "}" for a in left.values()]
    print(",\n".join(rows) + "};")


if __name__ == "__main__":
    print("// SPDX-License-Identifier: Apache-2.0")
    print(f"// Printed by torch_promotion.py with PyTorch {torch.__version__.split('+')[0]}.")
    print_table("tensor_with_tensor", TENSORS, TENSORS)
    print_table("tensor_with_scalar", TENSORS, SCALARS)
    print_table("scalar_with_scalar", SCALARS, SCALARS)
    print_table("tensor_with_literal", TENSORS, LITERALS)
    print_table("scalar_with_literal", SCALARS, LITERALS)
