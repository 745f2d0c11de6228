// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements of half types that stay packed from sweep to sweep.

#include "tenon/backend/cuda/parts/element_tile.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Keeps nvcc 13.0 from holding the elements of a half type unpacked from sweep to sweep: they are
// twice as many registers, and take one instruction each to unpack again.
template <class T, int V, int Items>
__device__ __forceinline__ void keep_packed(packed<T, V> (&vectors)[Items]) {
  if constexpr (sizeof(T) < 4)
    for (auto& vector : vectors)
      for (unsigned& word : vector.words) asm volatile("" : "+r"(word));
}
template <class Selected, int... K>
__device__ __forceinline__ void keep_packed(
    register_file<Selected, std::integer_sequence<int, K...>>& tile) {
  (keep_packed(read_register<K>(tile).at), ...);
}

}  // namespace tenon::detail
#endif
