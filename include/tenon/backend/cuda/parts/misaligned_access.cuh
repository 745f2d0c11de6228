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

// The elements from number `count` on become 0.
template <class T, int V>
__device__ __forceinline__ void keep_first(packed<T, V>& vector, int count) {
#pragma unroll
  for (int w = 0; w < packed<T, V>::bytes / 4; ++w) {
    int const bytes = count * static_cast<int>(sizeof(T)) - 4 * w;
    if (bytes < 4) vector.words[w] &= bytes <= 0 ? 0u : (1u << 8 * bytes) - 1u;
  }
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

// Elements first, ..., end - 1 of the V at `from`; the others are 0.
template <int V, class T>
__device__ __forceinline__ packed<T, V> load_some(T const* from, int first, int end) {
  packed<T, 1> all[V];
#pragma unroll
  for (int i = 0; i < V; ++i) {
    all[i] = {};
    load_packed<reuse::expected>(all[i], from + i, i >= first && i < end);
  }
  packed<T, V> result{};
#pragma unroll
  for (int i = 0; i < V; ++i) push_element(result, all[i]);
  return result;
}

// Neighbouring lanes that have neighbouring vectors of a row: from lane `begin` to lane `last`.
struct neighbours {
  unsigned here;  // lanes that look for theirs together
  int lane, begin, last;

  // @pre `address` is that of the lane's first vector, which has `bytes` and is at `position` of
  // its row; rows that follow each other in memory have addresses that do, too
  __device__ __forceinline__ neighbours(unsigned long long address, unsigned bytes,
                                        unsigned position)
      : here(__activemask()),
        lane(static_cast<int>((threadIdx.x + threadIdx.y * blockDim.x) % 32)) {
    unsigned long long const after = __shfl_down_sync(here, address, 1);
    unsigned const position_after = __shfl_down_sync(here, position, 1);
    bool const is_last = lane == 31 || (here >> (lane + 1) & 1u) == 0 || after != address + bytes ||
                         position_after != position + 1;
    unsigned const lasts = __ballot_sync(here, is_last), before = (1u << lane) - 1;
    int const others = 32 - __clz(static_cast<int>(lasts & before));  // lanes before the first
    begin = __ffs(static_cast<int>(here >> others << others)) - 1;
    last = __ffs(static_cast<int>(lasts & ~before)) - 1;
  }
  __device__ __forceinline__ int count() const { return last - begin + 1; }
};

// Loads what is held for reductions by accesses to aligned vectors, each of which has the end of a
// vector and the beginning of the next: a lane has what it lacks from the lane after it. The last
// one of neighbours lacks a vector that none of them has, of each item: the lane whose place among
// them is the item's number loads it. `from` is the beginning of the row, `beyond` that of the
// aligned vector in front of it.
// @post false, and nothing is loaded, where some have fewer neighbours than items that are live
template <int V, int Items, class T, class Positions>
__device__ __forceinline__ bool load_shifted(packed<T, V> (&to)[Items], T const* from,
                                             Positions const& positions, int beyond) {
  T const* const own = from - beyond + static_cast<long long>(positions.at(0)) * V;
  neighbours const group(reinterpret_cast<unsigned long long>(own), packed<T, V>::bytes,
                         static_cast<unsigned>(positions.at(0)));
  bool is_held = true;
#pragma unroll
  for (int u = 0; u < Items; ++u) is_held = is_held && (u < group.count() || !positions.is_live(u));
  if (!__all_sync(group.here, is_held)) return false;
  // Aligned vectors are counted from this lane's first one. Those before number `end` are of the
  // row as a whole, but for the row's first; of number `end` the row has `rest` elements.
  auto const left = positions.template left<V>() + beyond;
  using Index = decltype(positions.first);
  Index const end = static_cast<Index>(left >= 0 ? left / V : -1);
  int const rest = static_cast<int>(left >= 0 ? left % V : 0);
  bool const is_first = beyond != 0 && positions.at(0) == 0;
  int const place = group.lane - group.begin;
  Index const lacking = group.last - group.lane + 1 + static_cast<Index>(place) * positions.step;
  auto at = [&](int u) { return static_cast<Index>(u) * positions.step; };
  bool has_rest = lacking == end;
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    to[u] = {};
    load_packed<reuse::none>(to[u], own + static_cast<long long>(at(u)) * V,
                             at(u) < end && !(u == 0 && is_first));
    has_rest = has_rest || at(u) == end;
  }
  packed<T, V> extra{};
  load_packed<reuse::expected>(extra, own + static_cast<long long>(lacking) * V,
                               place < Items && lacking < end);
  if (is_first && left > 0) to[0] = load_some<V>(own, beyond, end == 0 ? rest : V);
  if (has_rest && rest > 0) {
    bool const is_all = is_first && end == 0;
    packed<T, V> const some =
        load_some<V>(own + static_cast<long long>(end) * V, is_all ? beyond : 0, rest);
#pragma unroll
    for (int u = 0; u < Items; ++u)
      if (at(u) == end) to[u] = some;
    if (lacking == end) extra = some;
  }
  if (!__any_sync(group.here, beyond != 0)) return true;
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    if (!__any_sync(group.here, positions.is_live(u))) break;
    packed<T, V> next{};
#pragma unroll
    for (int w = 0; w < packed<T, V>::bytes / 4; ++w) {
      unsigned const after = __shfl_down_sync(group.here, to[u].words[w], 1),
                     lacked = __shfl_sync(group.here, extra.words[w], group.begin + u);
      next.words[w] = group.lane != group.last ? after : u < group.count() ? lacked : 0;
    }
    to[u] = part_of(to[u], next, beyond);
  }
  return true;
}

// Writes the first `count` elements of a vector. Where neighbouring lanes that are here have
// neighbouring whole vectors, each writes the aligned vector that begins in the one before its own.
template <class T, int V>
__device__ __forceinline__ void store_misaligned(T* to, packed<T, V> vector, int count) {
  int begin = 0, end = count;  // of what is written element by element
  if constexpr (has_words<T, V>) {
    int const beyond = elements_beyond<V>(to);
    if (beyond == 0 && count == V) return store_packed(to, vector);
    // Lanes that are elsewhere are no neighbours; nothing depends on which these are.
    unsigned const here = __activemask();
    unsigned const lane = (threadIdx.x + threadIdx.y * blockDim.x) % 32;
    constexpr unsigned bytes = packed<T, V>::bytes;
    auto const address = reinterpret_cast<unsigned long long>(to);
    unsigned long long const own = count == V && beyond != 0 ? address : 0;
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

}  // namespace tenon::detail
