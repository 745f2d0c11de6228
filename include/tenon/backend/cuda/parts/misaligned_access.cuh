// SPDX-License-Identifier: Apache-2.0
#pragma once
// Contiguous vectors that do not begin at their own multiple in memory: moved by aligned accesses
// all the same, each of which has parts of two of them.
//
// Elements one by one would be as far apart as vectors from thread to thread, and their stores
// parts of sectors. H200, relu((x + y) * 2) of 2^26 with a misaligned result: bf16 128 us instead
// of 340, f32 228 instead of 314.

#include <cstdint>

#include "tenon/backend/cuda/parts/vector_access.cuh"

namespace tenon::detail {

#if defined(__CUDA_ARCH__)
// Elements of vectors from `at` on that are beyond the last multiple of a vector before it.
template <int V, class T> __device__ __forceinline__ int elements_beyond(T const* at) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(at) / sizeof(T) % V);
}
#endif
// Whether vectors are made of words, as all but those of few small elements.
template <class T, int V> inline constexpr bool has_words = packed<T, V>::bytes >= 4;

#if defined(__CUDA_ARCH__)
// Elements first, ..., first + V - 1 of the 2 V elements of two vectors. @pre 0 <= first < V
template <class T, int V>
__device__ __forceinline__ packed<T, V> part_of(packed<T, V> const& low, packed<T, V> const& high,
                                                int first) {
  constexpr int count = packed<T, V>::bytes / 4;
  unsigned words[2 * count];
#pragma unroll
  for (int i = 0; i < count; ++i) words[i] = low.words[i], words[count + i] = high.words[i];
  unsigned const bytes = static_cast<unsigned>(first) * sizeof(T);
#pragma unroll
  for (int by = 2; by > 0; by /= 2) {
    if (by >= count) continue;
    bool const moves = (bytes / 4 & static_cast<unsigned>(by)) != 0;
#pragma unroll
    for (int i = 0; i + by < 2 * count; ++i) words[i] = moves ? words[i + by] : words[i];
  }
  packed<T, V> result;
#pragma unroll
  for (int i = 0; i < count; ++i)
    result.words[i] =
        sizeof(T) >= 4 ? words[i] : __funnelshift_r(words[i], words[i + 1], bytes % 4 * 8);
  return result;
}

// Whether both aligned accesses that have parts of item u are of the row.
template <int V, class Positions>
__device__ __forceinline__ bool is_inner(Positions const& positions, int u, int beyond) {
  if (beyond == 0) return positions.is_whole(u);
  auto const at = positions.at(u);
  return at > 0 &&
         (at + 2 <= positions.end || (at + 1 == positions.end && V - beyond <= positions.partial));
}

// Loads the items that two aligned accesses of the row have. `from` is its beginning.
template <int V, int Items, class T, class Positions>
__device__ __forceinline__ void load_misaligned(packed<T, V> (&to)[Items], T const* from,
                                                Positions const& positions, int beyond) {
  auto access = [&](int u) { return from - beyond + static_cast<long long>(positions.at(u)) * V; };
#pragma unroll
  for (int u = 0; u < Items; ++u)
    load_packed<reuse::expected>(to[u], access(u), is_inner<V>(positions, u, beyond));
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    packed<T, V> next{};
    load_packed<reuse::expected>(next, access(u) + V,
                                 beyond != 0 && is_inner<V>(positions, u, beyond));
    to[u] = part_of(to[u], next, beyond);
  }
}

// Writes the first `count` elements of a vector. Where neighbouring lanes that are here have
// neighbouring whole vectors, each writes the aligned vector that begins in the one before its own.
template <class T, int V>
__device__ __forceinline__ void store_misaligned(T* to, packed<T, V> vector, int count) {
  int begin = 0, end = count;  // of what is written element by element
  if constexpr (has_words<T, V>) {
    int const beyond = elements_beyond<V>(to);
    if (beyond == 0 && count >= V) return store_packed(to, vector);
    // Lanes that are elsewhere are no neighbours; nothing depends on which these are.
    unsigned const here = __activemask();
    unsigned const lane = (threadIdx.x + threadIdx.y * blockDim.x) % 32;
    constexpr unsigned bytes = packed<T, V>::bytes;
    auto const address = reinterpret_cast<unsigned long long>(to);
    unsigned long long const own = count >= V && beyond != 0 ? address : 0;
    unsigned long long const before = __shfl_up_sync(here, own, 1),
                             after = __shfl_down_sync(here, own, 1);
    packed<T, V> other;
#pragma unroll
    for (int i = 0; i < static_cast<int>(bytes / 4); ++i)
      other.words[i] = __shfl_up_sync(here, vector.words[i], 1);
    bool const has_before = own != 0 && lane > 0 && (here >> (lane - 1) & 1u) != 0 && before != 0 &&
                            before + bytes == own;
    bool const has_after =
        own != 0 && lane < 31 && (here >> (lane + 1) & 1u) != 0 && own + bytes == after;
    if (has_before) {
      store_packed(to - beyond, part_of(other, vector, V - beyond));
      begin = V - beyond;
    }
    if (has_after) end = V - beyond;
  }
  if (begin < end)
#pragma unroll
    for (int i = 0; i < V; ++i) {
      packed<T, 1> const one = pop_element(vector);
      store_packed(to + i, one, i >= begin && i < end);
    }
}

// Whether positions say how the lanes of a warp move misaligned vectors together (warp_stage.cuh).
template <class Positions> inline constexpr bool has_runs = requires(Positions p) { p.run; };

// Whether positions keep what is stored, and look for the parts of a row themselves.
template <class Positions> inline constexpr bool finds_parts = requires { Positions::finds_parts; };

// Whether positions keep what is stored of misaligned rows.
template <class Positions> inline constexpr bool keeps_results = requires {
  Positions::keeps_results;
};

// Writes the first `count` elements of item u of a misaligned row.
template <class T, int V, class Positions>
__device__ __forceinline__ void store_elements(T* row, Positions const& positions,
                                               packed<T, V> const& vector, int u, int count) {
  if constexpr (has_runs<Positions> && has_words<T, V>)
    positions.send(row, vector, u);
  else
    store_misaligned(row + static_cast<long long>(positions.at(u)) * V, vector, count);
}
#endif

// Whether positions say how vectors are loaded, wherever they begin (shifted_access.cuh).
template <class Positions> inline constexpr bool loads_vectors = requires {
  Positions::loads_vectors;
};

}  // namespace tenon::detail
