// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows that are no whole number of vectors, and so are never aligned ones: the lanes of a warp take
// neighbouring elements, so that each access is of a run of memory wherever the row begins.
//
// A warp has the same elements as of whole vectors, a vector for each lane, of which only the order
// within the warp is another one. What is no vector for all of its lanes is the rest of the row.

#include "tenon/backend/cuda/parts/vector_access.cuh"

namespace tenon::detail {

// V elements that are not packed.
template <class T, int V> struct loose { packed<T, 1> elements[V]; };

#if defined(__CUDA_ARCH__)
template <class T, int V> __device__ __forceinline__ T element_of(loose<T, V> const& from, int i) {
  return element_of(from.elements[i], 0);
}

// Element i of four bytes.
template <class T, int V> __device__ __forceinline__ unsigned& word_of(packed<T, V>& of, int i) {
  return of.words[i];
}
template <class T, int V> __device__ __forceinline__ unsigned& word_of(loose<T, V>& of, int i) {
  return of.elements[i].words[0];
}

// Columns of a thread's whole vectors: element i of vector u is `first` + u * `step` + i * 32.
struct spread_positions {
  static constexpr bool is_spread = true, has_gaps = true, is_ragged = false;
  int first, step, end;

  __device__ __forceinline__ int column_of(int u, int i) const { return first + u * step + i * 32; }
  __device__ __forceinline__ spread_positions from(int u) const {
    return {first + u * step, step, end};
  }
  // For the warp as a whole.
  __device__ __forceinline__ bool is_live(int u) const { return first + u * step < end; }
  template <int V> __device__ __forceinline__ int count(int u) const { return is_live(u) ? V : 0; }
};
// Those of the rest: one vector, of which only the elements before column `end` are there.
struct spread_rest {
  static constexpr bool is_spread = true, has_gaps = true, is_ragged = true;
  int first, end;

  __device__ __forceinline__ int column_of(int, int i) const { return first + i * 32; }
  __device__ __forceinline__ spread_rest from(int) const { return *this; }
  __device__ __forceinline__ bool is_live(int) const { return true; }
  template <int V> __device__ __forceinline__ int count(int) const {
    int const result = (end - first + 31) / 32;
    return first >= end ? 0 : result < V ? result : V;
  }
};
#endif
template <class Positions> inline constexpr bool is_spread = requires {
  requires Positions::is_spread;
};
// Whether some vector is there in part.
template <class Positions, int Dims>
inline constexpr bool is_ragged = [] {
  if constexpr (is_spread<Positions>)
    return Positions::is_ragged;
  else
    return Dims > 1;
}();

#if defined(__CUDA_ARCH__)
// Asks for the first `count` of V elements, 32 columns from each other.
template <class T, int V, class Stride>
__device__ __forceinline__ void load_elements(packed<T, 1> (&to)[V], T const* from, Stride stride,
                                              int count) {
#pragma unroll
  for (int i = 0; i < V; ++i)
    load_packed<reuse::expected>(to[i], from + i * 32 * stride, i < count);
}
// Element 0 of item u.
template <class T, class Positions>
__device__ __forceinline__ T* first_of(T* row, Positions const& positions, int u,
                                       long long stride) {
  return row + positions.column_of(u, 0) * stride;
}

// The same of whole vectors, one element a turn.
template <int Items, class T, int V, int Room, class Positions>
__device__ __forceinline__ void load_steps(packed<T, V> (&to)[Room], T const* row,
                                           Positions const& positions, long long stride,
                                           bool is_wanted) {
#pragma unroll 1
  for (int u = 0; u < Items; ++u) {
    packed<T, V> vector{};
    T const* from = first_of(row, positions, u, stride);
    int const count = is_wanted ? positions.template count<V>(u) : 0;
#pragma unroll 1
    for (int i = 0; i < V; ++i, from += 32 * stride) {
      packed<T, 1> one{};
      load_packed<reuse::expected>(one, from, i < count);
      push_element(vector, one);
    }
#pragma unroll
    for (int k = 1; k < Items; ++k) to[k - 1] = to[k];
    to[Items - 1] = vector;
  }
}

// Loads vectors of the row at `row`, whose neighbours are `stride` apart in memory. All are asked
// for before the first is packed. What accesses share of a cache line is kept by L1: H200, softmax
// of 4096 x 8193 f32 86 us, without 88, bf16 62 and 65.
template <int Items, class T, int V, int Room, class Positions>
__device__ __forceinline__ void load_spread(packed<T, V> (&to)[Room], T const* row,
                                            Positions const& positions, long long stride,
                                            bool is_wanted) {
  if (Items > 1 && !positions.is_live(0)) return;
  if constexpr (Items > 1)
    if (stride != 1) return load_steps<Items>(to, row, positions, stride, is_wanted);
  packed<T, 1> all[Items][V];
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    // What may keep its value from row to row takes registers until it is packed.
    if constexpr (sizeof(T) < 4)
      for (packed<T, 1>& one : all[u]) one = {};
    load_elements(all[u], first_of(row, positions, u, 1), 1,
                  is_wanted ? positions.template count<V>(u) : 0);
  }
#pragma unroll
  for (int u = 0; u < Items; ++u) to[u] = pack_elements(all[u]);
}
// Elements that are not packed, for which nobody waits.
template <int Items, class T, int V, class Positions>
__device__ __forceinline__ void load_spread(loose<T, V> (&to)[1], T const* row,
                                            Positions const& positions, long long stride,
                                            bool is_wanted) {
  load_elements(to[0].elements, first_of(row, positions, 0, stride), stride,
                is_wanted ? positions.template count<V>(0) : 0);
}
// Writes the first `count` elements of item u.
template <int V, class T, class Positions>
__device__ __forceinline__ void store_spread(T* row, packed<T, V> vector,
                                             Positions const& positions, int u, long long stride,
                                             int count) {
  T* to = first_of(row, positions, u, stride);
  if (stride == 1) {
#pragma unroll
    for (int i = 0; i < V; ++i) store_packed(to + i * 32, pop_element(vector), i < count);
  } else {
#pragma unroll 1
    for (int i = 0; i < count; ++i, to += 32 * stride) store_packed(to, pop_element(vector));
  }
}
#endif

}  // namespace tenon::detail
