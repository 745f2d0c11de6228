// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors all of which begin as far behind an aligned one: that one, and what they reach of the
// next one word by word, so that nothing behind an operand is read.

#include "tenon/backend/cuda/parts/misaligned_access.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// What is behind the aligned vector in which another one begins. Elements of halves of words may
// end in the midst of one.
template <class T, int V> struct vector_behind {
  static constexpr int per_word = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1,
                       words = V / per_word, of_word = sizeof(T) > 4 ? 2 : 1;
  packed<T, V> next;
  packed<T, 1> last;

  // @pre all elements are the same
  __device__ __forceinline__ void fill(packed<T, V> const& all) {
    next = all;
    last.words[0] = per_word > 1 ? all.words[0] & 0xffffu : all.words[0];
  }
  // The first `beyond` elements from `behind` on, where an aligned vector begins.
  __device__ __forceinline__ void load(T const* behind, int beyond, bool is_wanted) {
#pragma unroll
    for (int w = 0; w < words; ++w) {
      if (per_word == 1 && w == words - 1) continue;
      packed<T, per_word> one;
#pragma unroll
      for (int k = 0; k < of_word; ++k) one.words[k] = next.words[w * of_word + k];
      load_packed<reuse::near>(one, behind + w * per_word,
                               is_wanted && beyond >= (w + 1) * per_word);
#pragma unroll
      for (int k = 0; k < of_word; ++k) next.words[w * of_word + k] = one.words[k];
    }
    if constexpr (per_word > 1)
      load_packed<reuse::near>(last, behind + beyond - 1, is_wanted && beyond % per_word != 0);
  }
  // The vector that begins with element number `beyond` of the aligned one before.
  __device__ __forceinline__ packed<T, V> taken(packed<T, V> const& first, int beyond) const {
    packed<T, V> result = part_of(first, next, beyond);
    if constexpr (per_word > 1)
      if (beyond % per_word != 0)
        result.words[words - 1] = (result.words[words - 1] & 0xffffu) | last.words[0] << 16;
    return result;
  }
};

}  // namespace tenon::detail
#endif
