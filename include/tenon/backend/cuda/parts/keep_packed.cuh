// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements of half types that stay packed from sweep to sweep.

#include "tenon/backend/cuda/parts/element_tile.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Keeps nvcc 13.0 from holding the elements of a half type unpacked from sweep to sweep: they are
// twice as many registers, and take one instruction each to unpack again.
template <class Program, class Selected, class Tile>
__device__ __forceinline__ void keep_packed(Tile& tile) {
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    if constexpr (sizeof(storage_t<program_traits<Program>::template at<k>::type>) < 4)
      for (auto& vector : read_register<k>(tile).at)
        for (unsigned& word : vector.words) asm volatile("" : "+r"(word));
  });
}

}  // namespace tenon::detail
#endif
