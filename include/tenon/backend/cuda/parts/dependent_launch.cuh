// SPDX-License-Identifier: Apache-2.0
#pragma once
// A kernel that may be launched while the previous one of its stream comes to its end, and waits
// for it before it looks at memory.

#include <cuda_runtime_api.h>

namespace tenon::detail {

#if defined(__CUDA_ARCH__)
// Before memory is looked at or written to. @post what the kernels before it wrote is seen
// MayBeFew: blocks of the grid, of which a kernel with all registers in use does not ask:
// ptxas 13.0 spills four bytes of two sums by rows and by columns.
// may_leave: the blocks are many, but each has one turn, and the next kernel's take their places.
template <bool MayBeFew = true>
__device__ __forceinline__ void await_previous_kernel(bool may_leave = false) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
  // The next kernel may come when all of few blocks have begun, which want no more room. H200, in a
  // graph: relu((x + y) * 2) of 16 x 100 f32 0.69 us instead of 0.76.
  if (MayBeFew && (gridDim.x <= 132 || may_leave))
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}
// Asks the second-level cache for the line at `from`, which reads nothing that can be seen, before
// the wait; ptxas finds the address before it, too.
template <class T> __device__ __forceinline__ void ask_early(T const*& from, bool is_wanted) {
  asm volatile(
      "{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, %1, 0;\n\t@wanted "
      "prefetch.global.L2 [%0];\n\t}"
      : "+l"(from)
      : "r"(static_cast<unsigned>(is_wanted)));
}
#endif

// Whether the current device runs code of that kernel that was compiled for sm_90 or later: that of
// an older architecture neither waits nor knows of clusters, on whatever device.
[[gnu::cold]] inline bool has_code_of_sm_90(void const* function) {
  cudaFuncAttributes facts{};
  if (cudaFuncGetAttributes(&facts, function) == cudaSuccess) return facts.ptxVersion >= 90;
  cudaGetLastError();  // not the caller's
  return false;
}

inline void allow_early_launch(cudaLaunchAttribute& to) {
  to.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  to.val.programmaticStreamSerializationAllowed = 1;
}

}  // namespace tenon::detail
