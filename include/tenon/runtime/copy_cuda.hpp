// SPDX-License-Identifier: Apache-2.0
#pragma once
// A strided copy inside CUDA memory: one thread an element, in grid-stride order.

#include "tenon/tensor/layout.hpp"
#include "tenon/tensor/space.hpp"

namespace tenon::detail {

template <class Space> struct strided_copy;

}  // namespace tenon::detail

#if defined(__CUDACC__)
#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include "tenon/runtime/error_cuda.hpp"

namespace tenon::detail {

// Reads and writes every element once, sizeof(Word) bytes each; the layouts stay in the constant
// bank of the arguments.
template <class Word>
__global__ void strided_copy_kernel(Word* target, layout to, Word const* source, layout from,
                                    std::int64_t count) {
  std::int64_t const threads = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += threads) {
    std::int64_t rest = i, to_offset = to.offset, from_offset = from.offset;
    for (int axis = to.rank - 1; axis >= 0; --axis) {
      std::int64_t const index = rest % to.extents[axis];
      rest /= to.extents[axis];
      to_offset += index * to.strides[axis];
      from_offset += index * from.strides[axis];
    }
    target[to_offset] = source[from_offset];
  }
}

template <> struct strided_copy<cuda> {
  template <int Bytes>
  static void run(void* target, layout to, void const* source, layout from, stream on) {
    using word = std::conditional_t<
        Bytes == 8, std::uint64_t,
        std::conditional_t<Bytes == 4, std::uint32_t,
                           std::conditional_t<Bytes == 2, std::uint16_t, std::uint8_t>>>;
    constexpr int threads_per_block = 256;
    constexpr std::int64_t most_blocks = 1 << 20;
    std::int64_t count = size(to);
    std::int64_t const blocks = (count + threads_per_block - 1) / threads_per_block;
    void* arguments[] = {&target, &to, &source, &from, &count};
    check(cudaLaunchKernel(reinterpret_cast<void const*>(&strided_copy_kernel<word>),
                           dim3(static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks)),
                           dim3(threads_per_block), arguments, 0, on.handle),
          "copy");
  }
};

}  // namespace tenon::detail
#endif
