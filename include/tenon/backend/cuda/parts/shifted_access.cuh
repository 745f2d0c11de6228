// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whole vectors of rows that begin anywhere, one to a lane ↔ registers.
//
// They are loaded by the words that each has parts of: what the lanes of a warp want of the same
// cache lines the first-level cache has. They are written by memory's own aligned vectors, each by
// the lane in whose vector it begins; the next lane gives it what it lacks.

#include "tenon/backend/cuda/parts/misaligned_access.cuh"
#include "tenon/backend/cuda/parts/row_words.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Words are wanted where `left` is above 0. Four of them are a statement, together or one by one,
// because each is five lines of PTX by itself.
#define TENON_LOAD_FOUR(Instruction, Policy)                                                  \
  "{\n\t.reg .pred wanted;\n\tsetp.gt.s32 wanted, %5, 0;\n\t"                                 \
  "@wanted ld.global" Instruction ".u32 %0, [%4]" Policy ";\n\t@wanted ld.global" Instruction \
  ".u32 %1, [%4+4]" Policy ";\n\t@wanted ld.global" Instruction ".u32 %2, [%4+8]" Policy      \
  ";\n\t@wanted ld.global" Instruction ".u32 %3, [%4+12]" Policy ";\n\t}"
#define TENON_LOAD_VECTOR(Instruction, Policy)                \
  "{\n\t.reg .pred wanted;\n\tsetp.gt.s32 wanted, %5, 0;\n\t" \
  "@wanted ld.global" Instruction ".v4.u32 {%0, %1, %2, %3}, [%4]" Policy ";\n\t}"
#define TENON_LOAD_WORDS(Statement)                               \
  if constexpr (Reuse == reuse::near)                             \
    asm volatile(Statement(".nc.L2::cache_hint", ", %6")          \
                 : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3]) \
                 : "l"(from), "r"(left), "l"(goes_last));         \
  else                                                            \
    asm volatile(Statement(".nc", "")                             \
                 : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3]) \
                 : "l"(from), "r"(left));
template <reuse Reuse, bool AreTogether, int Count>
__device__ __forceinline__ void load_words_at(packed<unsigned, Count>& to, unsigned const* from,
                                              int left) {
  auto& w = to.words;
  if constexpr (Count == 4 && AreTogether) {
    TENON_LOAD_WORDS(TENON_LOAD_VECTOR)
  } else if constexpr (Count == 4) {
    TENON_LOAD_WORDS(TENON_LOAD_FOUR)
  } else if constexpr (AreTogether) {
    load_packed<Reuse>(to, from, left > 0);
  } else {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      packed<unsigned, 1> word{w[i]};
      load_packed<Reuse>(word, from + i, left > 0);
      w[i] = word.words[0];
    }
  }
}
#undef TENON_LOAD_WORDS
#undef TENON_LOAD_VECTOR
#undef TENON_LOAD_FOUR

// What the vector at `from` has of its last word, which are `in_front` bytes of it. By elements,
// because the word may end behind the operand.
template <reuse Reuse, int V, class T>
__device__ __forceinline__ unsigned load_last_word(T const* from, int in_front, int left) {
  constexpr int size = static_cast<int>(sizeof(T));
  unsigned result = 0;
  int const wanted = in_front > 0 ? left : 0;
  if constexpr (size == 2) {
    T const* const last = from + (V - 1);
    asm volatile(
        "{\n\t.reg .pred wanted;\n\tsetp.gt.s32 wanted, %2, 0;\n\t@wanted ld.global.nc.u16 %0, "
        "[%1];\n\t}"
        : "+r"(result)
        : "l"(last), "r"(wanted));
  } else {
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      packed<T, 1> one{};
      load_packed<Reuse>(one, from + (V - 1 - i), wanted > 0 && i < in_front);
      result |= one.words[0] << (i < in_front ? 8 * (in_front - 1 - i) : 0);
    }
  }
  return result;
}

// Loads `Count` vectors of each lane, the first at `from`, `step` elements from each other, where
// left(u) is above 0; the others are 0. The word that a vector begins in is loaded whole, what is
// in front of the vector there is shifted out.
template <reuse Reuse, int Count, class T, int V, int Room, class Left>
__device__ __forceinline__ void load_shifted(packed<T, V> (&to)[Room], T const* from, unsigned step,
                                             Left const& left) {
  using of = row_words<T, V>;
  int const in_front = of::beyond(from);
  auto const* const first = reinterpret_cast<unsigned const*>(of::first_word(from));
  unsigned const step_words = step * of::size / 4;
  packed<unsigned, of::words> all[Count] = {};
  unsigned last[Count] = {};
  // Words may be aligned together where vectors are not. H200, softmax of 1 x 4096 bf16, shifted,
  // 2.0 us, with a predicate for each of the two ways instead of the branch 2.2; of 65536 x 2048
  // 160 and 166.
  if (reinterpret_cast<std::uintptr_t>(first) % of::bytes == 0) {
#pragma unroll
    for (int u = 0; u < Count; ++u)
      load_words_at<Reuse, true>(all[u], first + u * step_words, left(u));
  } else {
#pragma unroll
    for (int u = 0; u < Count; ++u)
      load_words_at<Reuse, false>(all[u], first + u * step_words, left(u));
  }
  if constexpr (of::has_parts)
#pragma unroll
    for (int u = 0; u < Count; ++u)
      last[u] = load_last_word<Reuse, V>(from + u * step, in_front, left(u));
#pragma unroll
  for (int u = 0; u < Count; ++u) {
    packed<unsigned, 1> parts[of::words + 1];
    for (int i = 0; i < of::words; ++i) parts[i].words[0] = all[u].words[i];
    parts[of::words].words[0] = last[u];
    to[u] = of::join(parts, in_front);
  }
}

// Element I of the words %0, ..., where bit I of %5 is set; its value is `Value`, found by `Take`.
#define TENON_STORE_ELEMENT(Bit, Take, Type, Place, Value)            \
  "and.b32 one, %5, " Bit ";\n\tsetp.ne.u32 wanted, one, 0;\n\t" Take \
  "@wanted st.global.L2::cache_hint." Type " [%4" Place "], " Value ", %6;\n\t"
#define TENON_STORE_HALVES(Low, High, PlaceLow, PlaceHigh, Word) \
  TENON_STORE_ELEMENT(Low, "", "u16", PlaceLow, Word)            \
  TENON_STORE_ELEMENT(High, "shr.u32 one, " Word ", 16;\n\t", "u16", PlaceHigh, "one")
// Writes those elements of a vector whose bits are set.
template <class T, int V>
__device__ __forceinline__ void store_chosen(T* to, packed<T, V> const& vector, unsigned chosen,
                                             cache_policy kept) {
  auto const& w = vector.words;
  if constexpr (sizeof(T) == 4 && V == 4) {
    asm volatile("{\n\t.reg .pred wanted;\n\t.reg .b32 one;\n\t" TENON_STORE_ELEMENT(
                     "1", "", "u32", "", "%0") TENON_STORE_ELEMENT("2", "", "u32", "+4", "%1")
                     TENON_STORE_ELEMENT("4", "", "u32", "+8", "%2")
                         TENON_STORE_ELEMENT("8", "", "u32", "+12", "%3") "}" ::"r"(w[0]),
                 "r"(w[1]), "r"(w[2]), "r"(w[3]), "l"(to), "r"(chosen), "l"(kept)
                 : "memory");
  } else if constexpr (sizeof(T) == 2 && V == 8) {
    asm volatile("{\n\t.reg .pred wanted;\n\t.reg .b32 one;\n\t" TENON_STORE_HALVES(
                     "1", "2", "", "+2", "%0") TENON_STORE_HALVES("4", "8", "+4", "+6", "%1")
                     TENON_STORE_HALVES("16", "32", "+8", "+10", "%2")
                         TENON_STORE_HALVES("64", "128", "+12", "+14", "%3") "}" ::"r"(w[0]),
                 "r"(w[1]), "r"(w[2]), "r"(w[3]), "l"(to), "r"(chosen), "l"(kept)
                 : "memory");
  } else {
    packed<T, V> rest = vector;
#pragma unroll
    for (int i = 0; i < V; ++i) {
      packed<T, 1> const one = pop_element(rest);
      store_packed(to + i, one, (chosen >> i & 1u) != 0, kept);
    }
  }
}
#undef TENON_STORE_HALVES
#undef TENON_STORE_ELEMENT

// Writes a vector of each lane at `to`, where is_live. Lanes of which both are live, and of which
// `has_before` or `has_after` says so, have neighbouring ones.
// @pre all lanes of the warp are here
template <class T, int V>
__device__ __forceinline__ void store_shifted(T* to, packed<T, V> const& vector, bool is_live,
                                              bool has_before, bool has_after, cache_policy kept) {
  // Elements in front of the aligned vector that begins in this one.
  int const begin = -elements_beyond<V>(to) & (V - 1);
  packed<T, V> next{};
  constexpr int given = ((V - 1) * static_cast<int>(sizeof(T)) + 3) / 4;
#pragma unroll
  for (int i = 0; i < given; ++i) next.words[i] = __shfl_down_sync(~0u, vector.words[i], 1);
  store_packed(to + begin, part_of(vector, next, begin), is_live && (has_after || begin == 0),
               kept);
  // What no aligned vector of these lanes has.
  unsigned const in_front = (1u << begin) - 1;
  store_chosen(to, vector,
               is_live && begin > 0 ? (has_before ? 0 : in_front) | (has_after ? 0 : ~in_front) : 0,
               kept);
}

}  // namespace tenon::detail
#endif
