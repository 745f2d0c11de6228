// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors that memory need not have as such, because they are misaligned or the last is not whole,
// loaded in pieces: each element in the access of the word that it shares with its neighbour, or
// alone.
//
// No access goes beyond what is wanted, none waits for another, and there are hardly more registers
// than of whole vectors. Neighbouring lanes want the same cache lines at once, which the
// first-level cache then has. H200, sums along rows of 65536 x 1023 f32 71 us (through shared
// memory 79), bf16 46 (59), along columns of 65536 x 1025 f32 66 (by two aligned vectors for each
// 99).

#include "tenon/backend/cuda/parts/misaligned_access.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Up to V elements, each in an access of its own.
template <class T, int V> struct single_elements {
  packed<T, 1> all[V];

  // Asks for the first `count` of the V at `from`; the others are 0.
  __device__ __forceinline__ void request(T const* from, int count) {
#pragma unroll
    for (int i = 0; i < V; ++i) {
      all[i] = {};
      load_packed<reuse::expected>(all[i], from + i, i < count);
    }
  }
  __device__ __forceinline__ packed<T, V> vector() const { return pack_elements(all); }
};
template <int V, class T>
__device__ __forceinline__ packed<T, V> load_some(T const* from, int count) {
  single_elements<T, V> some;
  some.request(from, count);
  return some.vector();
}

// Whether two neighbours of a vector share a word, and nothing less does.
template <class T, int V> inline constexpr bool has_pairs = sizeof(T) == 2 && V % 2 == 0;

// How many of the elements at `at` have no neighbour in front of them in a word: 1 or 0.
template <class T> __device__ __forceinline__ int odd_elements(T const* at) {
  if constexpr (sizeof(T) != 2) return 0;
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(at)) >> 1 & 1;
}
// Pair i of a vector of 16 bits.
template <class T, int V>
__device__ __forceinline__ void load_pair(packed<T, V>& to, int i, T const* words, bool is_wanted) {
  packed<unsigned, 1> pair{{to.words[i]}};
  load_packed<reuse::expected>(pair, reinterpret_cast<unsigned const*>(words + 2 * i), is_wanted);
  to.words[i] = pair.words[0];
}
// If `moves`, the elements move one place from the first, which becomes `head`.
template <class T, int V>
__device__ __forceinline__ void move_behind(packed<T, V>& vector, packed<T, 1> const& head,
                                            bool moves) {
  unsigned low = head.words[0] << 16;
#pragma unroll
  for (int i = 0; i < V / 2; ++i) {
    unsigned const high = vector.words[i];
    vector.words[i] = __funnelshift_rc(low, high, moves ? 16 : 32);
    low = high;
  }
}
// Loads vectors that need not be aligned, each element in the access of the word that it shares
// with its neighbour, or alone: no access goes beyond them, and other lanes want the same cache
// lines at once. odd(u): odd_elements() of a vector; words(u): where it goes on behind them.
// count(u) are wanted: of vectors of pairs all or none. What is loaded is 0 before, the others stay
// as they are.
template <int V, int Items, class T, class Words, class Odd, class Count>
__device__ __forceinline__ void load_pieces(packed<T, V> (&to)[Items], Words const& words,
                                            Odd const& odd, Count const& count) {
  if constexpr (sizeof(T) >= 4) {
    constexpr int size = packed<T, 1>::bytes / 4;
#pragma unroll
    for (int u = 0; u < Items; ++u)
#pragma unroll
      for (int i = 0; i < V; ++i) {
        packed<T, 1> one;
        for (int w = 0; w < size; ++w) one.words[w] = to[u].words[size * i + w];
        load_packed<reuse::expected>(one, words(u) + i, i < count(u));
        for (int w = 0; w < size; ++w) to[u].words[size * i + w] = one.words[w];
      }
  } else if constexpr (has_pairs<T, V>) {
    packed<T, 1> head[Items], last[Items];
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      head[u] = last[u] = {};
      T const* const at = words(u);
      bool const is_wanted = count(u) > 0, is_odd = is_wanted && odd(u) != 0;
      load_packed<reuse::expected>(head[u], at - 1, is_odd);
#pragma unroll
      for (int i = 0; i < V / 2; ++i)
        load_pair(to[u], i, at, is_wanted && !(is_odd && i == V / 2 - 1));
      load_packed<reuse::expected>(last[u], at + (V - 2), is_odd);
    }
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      to[u].words[V / 2 - 1] |= last[u].words[0];
      move_behind(to[u], head[u], count(u) > 0 && odd(u) != 0);
    }
  } else {
#pragma unroll
    for (int u = 0; u < Items; ++u)
      if (count(u) > 0) to[u] = load_some<V>(words(u) - odd(u), count(u));
  }
}

// Loads the items of a row that begins at `from`: all of them where it IsMisaligned, else the last
// vector if it is not whole. What is loaded is 0 before.
template <int V, int Items, class T, class Positions>
__device__ __forceinline__ void load_items_in_pieces(packed<T, V> (&to)[Items], T const* from,
                                                     Positions const& positions,
                                                     bool is_misaligned) {
  // Of pairs the last vector comes by itself, if the row has it in part: it is at most one of
  // these.
  constexpr bool is_rest_apart = has_pairs<T, V>;
  auto const is_rest = [&](int u) { return positions.is_live(u) && !positions.is_whole(u); };
  bool has_rest = false;
  single_elements<T, V> rest;
  if constexpr (is_rest_apart) {
#pragma unroll
    for (int u = 0; u < Items; ++u) has_rest = has_rest || is_rest(u);
    if (has_rest)
      rest.request(from + static_cast<long long>(positions.rest_at()) * V, positions.partial);
  }
  if (is_misaligned || !is_rest_apart) {
    // Vectors begin at multiples of two elements from each other.
    int const odd = odd_elements(from);
    T const* words = from + static_cast<long long>(positions.at(0)) * V + odd;
    asm volatile("" : "+l"(words));  // else every address is found from the operand's
    load_pieces(
        to, [&](int u) { return words + positions.template offset<V>(u); },
        [&](int) { return odd; },
        [&](int u) {
          if (positions.is_whole(u)) return is_misaligned ? V : 0;
          return is_rest_apart ? 0 : positions.template count<V>(u);
        });
  }
  if (!has_rest) return;
  packed<T, V> const vector = rest.vector();
#pragma unroll
  for (int u = 0; u < Items; ++u)
    if (is_rest(u)) to[u] = vector;
}

}  // namespace tenon::detail
#endif
