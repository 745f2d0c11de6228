// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors whose elements are not the neighbours of one access: one of memory stands for several, or
// others lie between them.

#include "tenon/backend/cuda/moved/place_values.cuh"
#include "tenon/backend/cuda/parts/vector_access.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <int V, class Parts, class T>
__device__ __forceinline__ void repeat(Parts& to, packed<T, 1> const& one) {
#pragma unroll
  for (int p = 0; p < V / Parts::width; ++p) to.at[p] = splat<Parts::width>(one);
}

// A vector of V, `element(i)` after another.
template <int V, class T, class Parts, class Element>
__device__ __forceinline__ void collect(Parts& to, Element const& element) {
#pragma unroll
  for (int p = 0; p < V / Parts::width; ++p) {
    T elements[Parts::width];
#pragma unroll
    for (int i = 0; i < Parts::width; ++i) elements[i] = element(p * Parts::width + i);
    to.at[p] = pack<T>(elements);
  }
}

// Neighbours that are so many elements apart, one by one.
template <int V, class T, class Parts>
__device__ __forceinline__ void read_apart(Parts& to, T const* from, int distance) {
  packed<T, 1> one[V];
#pragma unroll
  for (int i = 0; i < V; ++i) load_packed<reuse::expected>(one[i], from + i * distance);
  collect<V, T>(to, [&](int i) { return element_of(one[i], 0); });
}

// Where an element in memory stands for `times` neighbours: for Most at most, or all of the vector.
template <int V, long long Most, int Times = V, class T, class Parts>
__device__ __forceinline__ void read_repeated(Parts& to, T const* from, int times) {
  if constexpr (Times == V) {
    if (times == V) {
      packed<T, 1> one;
      load_packed<reuse::expected>(one, from);
      repeat<V>(to, one);
      return;
    }
  } else if constexpr (Times <= Most) {
    if (times == Times) {
      moved_parts<T, V / Times> all;
      constexpr int width = decltype(all)::width;
#pragma unroll
      for (int p = 0; p < V / Times / width; ++p)
        load_packed<reuse::near>(all.at[p], from + p * width);
      collect<V, T>(to, [&](int i) { return all.element(i / Times); });
      return;
    }
  }
  if constexpr (Times > 2) read_repeated<V, Most, Times / 2>(to, from, times);
}

}  // namespace tenon::detail
#endif
