// SPDX-License-Identifier: Apache-2.0
#pragma once
// The vectors of a row that begins anywhere → registers, by the words that they have parts of.
//
// Each lane loads the words of its own vectors: what its neighbours want of the same cache lines at
// the same time, the first-level cache has.

#include "tenon/backend/cuda/parts/element_tile.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The vectors of a thread that shares a row of `size` elements, which is 0 where nothing is wanted.
struct row_positions : item_positions<int> {
  int size;

  // Those of the lane behind this one.
  __device__ __forceinline__ row_positions next() const {
    row_positions result = *this;
    ++result.first;
    return result;
  }
  // Bytes of the row from item u on.
  template <class T, int V> __device__ __forceinline__ int bytes_left(int u) const {
    return (size - at(u) * V) * static_cast<int>(sizeof(T));
  }
};

// What words of memory and vectors of elements have to do with each other.
template <class T, int V> struct row_words {
  static constexpr int size = static_cast<int>(sizeof(T)), bytes = packed<T, V>::bytes,
                       words = bytes / 4;
  static constexpr bool has_parts = size < 4;  // of words
  static_assert(bytes % 4 == 0, "vectors are of whole words");

  // Bytes in front of `at` in the word that it lies in.
  static __device__ __forceinline__ int beyond(T const* at) {
    return has_parts ? static_cast<int>(reinterpret_cast<std::uintptr_t>(at) % 4) : 0;
  }
  static __device__ __forceinline__ unsigned char const* first_word(T const* at) {
    return reinterpret_cast<unsigned char const*>(at) - beyond(at);
  }
  // The vector that begins `in_front` bytes after the first of all words.
  static __device__ __forceinline__ packed<T, V> join(packed<unsigned, 1> const (&all)[words + 1],
                                                      int in_front) {
    packed<T, V> result;
#pragma unroll
    for (int i = 0; i < words; ++i)
      result.words[i] = has_parts ? __funnelshift_r(all[i].words[0], all[i + 1].words[0],
                                                    static_cast<unsigned>(in_front) * 8)
                                  : all[i].words[0];
    return result;
  }
};

#define TENON_LOAD_WORD(To, From, Left, Before) \
  "setp.gt.s32 wanted, " Left ", " Before ";\n\t@wanted ld.global.nc.u32 " To ", [" From "];\n\t"
// The first Count words from `from` on, of which the row has the first `left` bytes; what it has
// not whole stays as it is. One statement: each is four lines of PTX for a word instead of twelve.
template <int Count, int Room>
__device__ __forceinline__ void load_whole_words(packed<unsigned, 1> (&to)[Room],
                                                 unsigned char const* from, int left) {
  if constexpr (Count == 4) {
    asm volatile(
        "{\n\t.reg .pred wanted;\n\t" TENON_LOAD_WORD("%0", "%4", "%5", "3")
            TENON_LOAD_WORD("%1", "%4+4", "%5", "7") TENON_LOAD_WORD("%2", "%4+8", "%5", "11")
                TENON_LOAD_WORD("%3", "%4+12", "%5", "15") "}"
        : "+r"(to[0].words[0]), "+r"(to[1].words[0]), "+r"(to[2].words[0]), "+r"(to[3].words[0])
        : "l"(from), "r"(left));
  } else {
#pragma unroll
    for (int i = 0; i < Count; ++i)
      asm volatile("{\n\t.reg .pred wanted;\n\t" TENON_LOAD_WORD("%0", "%1", "%2", "3") "}"
                   : "+r"(to[i].words[0])
                   : "l"(from + 4 * i), "r"(left - 4 * i));
  }
}
#undef TENON_LOAD_WORD

// Loads the items of a row that begins at `row`; what is beyond it is anything. The word that it
// begins in is loaded whole, what is in front of the row there is shifted out; and so is the one
// that it ends in, if goes_on: the operand has elements behind it.
template <int V, int Items, class T>
__device__ __forceinline__ void load_words(packed<T, V> (&to)[Items], T const* row,
                                           row_positions const& where, bool goes_on) {
  using of = row_words<T, V>;
  constexpr int words = of::words;
  int const in_front = of::beyond(row), end = where.size * of::size + in_front,
            step = where.step * of::bytes,
            // Of the last word, if the row has it in part.
      rest = of::has_parts && where.size > 0 && !goes_on ? end % 4 : 0,
            // Of the words that are loaded whole, from this thread's first item on.
      left = where.size > 0
                 ? end - rest + (of::has_parts && goes_on ? 3 : 0) - where.at(0) * of::bytes
                 : 0;
  unsigned char const* const begin = of::first_word(row + where.at(0) * V);
  packed<unsigned, 1> all[Items][words + 1] = {};
  auto const load = [&](int u) {
    unsigned char const* const from = begin + static_cast<unsigned>(u * step);
    load_whole_words<words>(all[u], from, left - u * step);
    if constexpr (of::has_parts) {
      packed<unsigned, 1> last[1] = {};
      load_whole_words<1>(last, from + of::bytes, in_front > 0 ? left - u * step - of::bytes : 0);
      all[u][words] = last[0];
    }
  };
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    if (u > 0 && left <= u * step) break;
    load(u);
  }
  if constexpr (of::has_parts)
    if (rest > 0 && left - (Items - 1) * step <= of::bytes) {
      packed<unsigned, 1> part{};
#pragma unroll
      for (int i = 0; i < 4 / of::size - 1; ++i) {
        bool const is_wanted = i * of::size < rest;
        packed<T, 1> one{};
        load_packed<reuse::expected>(one, row + (where.size - 1 - i), is_wanted);
        if (is_wanted) part.words[0] = (i > 0 ? part.words[0] << 8 * of::size : 0) | one.words[0];
      }
#pragma unroll
      for (int u = 0; u < Items; ++u)
#pragma unroll
        for (int i = 0; i <= words; ++i)
          if (left - u * step == 4 * i) all[u][i] = part;
    }
#pragma unroll
  for (int u = 0; u < Items; ++u) to[u] = of::join(all[u], in_front);
}

}  // namespace tenon::detail
#endif
