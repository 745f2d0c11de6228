// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors of neighbouring elements that may be misaligned, strided or cut off: moved as a whole
// where that is one access, else element by element.

#include <cstdint>

#include "tenon/backend/cuda/parts/vector_access.cuh"
#include "tenon/backend/cuda/parts/vector_part.cuh"

namespace tenon::detail {

// Whether every vector of `width` elements along an axis of stride `stride` is one aligned access.
// @pre the vectors begin at multiples of `width` along that axis
inline bool is_aligned_vector(void const* address, int bytes, int width, long long stride) {
  return stride == 1 &&
         reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(width * bytes) ==
             0;
}

#if defined(__CUDA_ARCH__)
// Elements that have their storage type already.
template <class T, int V>
__device__ __forceinline__ packed<T, V> pack_stored(T const (&elements)[V]) {
  packed<T, V> result{};
#pragma unroll
  for (int i = 0; i < V; ++i) {
    packed<T, 1> one{};
    __builtin_memcpy(one.words, &elements[i], sizeof(T));
    push_element(result, one);
  }
  return result;
}

// The first `count` of V elements that are `stride` apart; the others are 0.
template <class T, int V>
__device__ __forceinline__ void load_singly(packed<T, V>& to, T const* from, long long stride,
                                            int count) {
#pragma unroll 1
  for (int i = 0; i < V; ++i) {
    packed<T, 1> one{};
    if (i < count) load_packed<reuse::expected>(one, from + i * stride);
    push_element(to, one);
  }
}
template <class T, int V>
__device__ __forceinline__ void store_singly(T* to, packed<T, V> const& from, long long stride,
                                             int count) {
#pragma unroll
  for (int i = 0; i < V; ++i)
    if (i < count) to[i * stride] = element_of(from, i);
}
#endif

}  // namespace tenon::detail
