// SPDX-License-Identifier: Apache-2.0
#pragma once
// Options of nvcc that make arithmetic less exact → an error of ptxas.

// The compiler answers this while it optimizes, by its options.
extern "C" __device__ int __nvvm_reflect(char const* option);

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// nvcc 13.0 has no macro for these options, so neither #error nor the build's hash can tell them
// apart: a kernel built with them in one translation unit would run for the same expression in
// another. What follows the condition is in the PTX only where it holds, and is no instruction.
__device__ __forceinline__ void refuse_inexact_arithmetic() {
#if defined(__CUDA_ARCH__)
  if (__nvvm_reflect("__CUDA_FTZ") != 0 || __nvvm_reflect("__CUDA_PREC_DIV") == 0 ||
      __nvvm_reflect("__CUDA_PREC_SQRT") == 0)
    asm volatile(
        "\"tenon: configuration: --use_fast_math, -ftz=true, -prec-div=false and -prec-sqrt=false "
        "are less exact than Tenon promises; build without them\";");
#endif
}

}  // namespace tenon::detail
#endif
