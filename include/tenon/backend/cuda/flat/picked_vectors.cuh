// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements a few places apart along a row, in either direction → a vector: picked in registers out
// of memory's own aligned vectors, those that hold them.
//
// As many vectors are read as the elements are apart, and one more where these do not begin at the
// beginning of one. What they hold besides, a neighbouring operand or row often wants at once, and
// the first-level cache has.

#include "tenon/backend/cuda/flat/row_arguments.cuh"
#include "tenon/backend/cuda/parts/shifted_access.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Vectors of which every second, third, ... element is wanted. Which words those are in is known
// while compiling, because registers have no addresses.
template <class T, int V> struct picked_vectors {
  static constexpr int most = most_apart(sizeof(T), V);
  static constexpr int words = packed<T, V>::bytes / 4;
  packed<T, V> all[most + 1];

  __device__ __forceinline__ unsigned& word(int i) { return all[i / words].words[i % words]; }

  // Everything moves to the front by `beyond` elements.
  __device__ __forceinline__ void move_to_front(int beyond) {
    unsigned const bytes = static_cast<unsigned>(beyond) * sizeof(T);
    constexpr int count = (most + 1) * words;
#pragma unroll 1
    for (unsigned k = bytes / 4; k > 0; --k)
#pragma unroll
      for (int i = 0; i + 1 < count; ++i) word(i) = word(i + 1);
    if constexpr (sizeof(T) < 4)
#pragma unroll
      for (int i = 0; i + 1 < count; ++i)
        word(i) = __funnelshift_r(word(i), word(i + 1), bytes % 4 * 8);
  }
  // The elements at two places, side by side from the lowest byte on.
  __device__ __forceinline__ unsigned two_at(int first, int second) {
    constexpr int size = static_cast<int>(sizeof(T)), per_word = 4 / size;
    int const low = first % per_word * size, high = 4 + second % per_word * size;
    int const chosen =
        size == 1 ? low | high << 4 : low | (low + 1) << 4 | high << 8 | (high + 1) << 12;
    return __byte_perm(word(first / per_word), word(second / per_word), chosen);
  }
  // The first element, and every one that is `Apart` places further.
  template <int Apart> __device__ __forceinline__ packed<T, V> every() {
    constexpr int size = static_cast<int>(sizeof(T)), per_element = size / 4;
    packed<T, V> result;
#pragma unroll
    for (int i = 0; i < words; ++i)
      if constexpr (size >= 4)
        result.words[i] = word(i / per_element * Apart * per_element + i % per_element);
      else if constexpr (size == 2)
        result.words[i] = two_at(2 * i * Apart, (2 * i + 1) * Apart);
      else
        result.words[i] = __byte_perm(two_at(4 * i * Apart, (4 * i + 1) * Apart),
                                      two_at((4 * i + 2) * Apart, (4 * i + 3) * Apart), 0x5410);
    return result;
  }
  template <int... Less>
  __device__ __forceinline__ packed<T, V> every(int apart, std::integer_sequence<int, Less...>) {
    packed<T, V> result;
    ((apart == Less + 1 ? void(result = every<Less + 1>()) : void()), ...);
    return result;
  }
};
// The same elements in the opposite order.
template <class T, int V>
__device__ __forceinline__ packed<T, V> reversed(packed<T, V> const& vector) {
  constexpr int words = packed<T, V>::bytes / 4, per_element = sizeof(T) < 8 ? 1 : 2;
  packed<T, V> result;
#pragma unroll
  for (int i = 0; i < words; ++i) {
    unsigned const word = vector.words[words - per_element - i + i % per_element * 2];
    result.words[i] =
        sizeof(T) >= 4 ? word : __byte_perm(word, 0, sizeof(T) == 2 ? 0x1032 : 0x0123);
  }
  return result;
}

// Loads V elements `apart` places from each other, the first of them `offset` from the operand's
// first; not where the operand does not reach as far as the vectors.
// @pre 0 < |apart| <= most_apart(sizeof(T), V)
// @post returns whether they are loaded
template <class T, int V>
__device__ __forceinline__ bool load_picked(packed<T, V>& to, T const* operand, long long offset,
                                            int apart, bool is_inner, operand_reach const& reach) {
  picked_vectors<T, V> vectors;
  int const by = apart < 0 ? -apart : apart;
  // The last one is the first in memory.
  if (apart < 0) offset -= (V - 1) * by;
  T const* const at = operand + offset;
  int const beyond = elements_beyond<V>(at);
  // Behind the last element are by - 1 others.
  int const count = by + (beyond >= by);
  long long const from = offset - beyond;
  if (!is_inner && (from < reach.begin || from + count * V > reach.end)) return false;
#pragma unroll
  for (int i = 0; i <= vectors.most; ++i)
    load_packed<reuse::near>(vectors.all[i], at - beyond + i * V, i < count);
  vectors.move_to_front(beyond);
  to = vectors.every(by, std::make_integer_sequence<int, vectors.most>{});
  if (apart < 0) to = reversed(to);
  return true;
}

}  // namespace tenon::detail
#endif
