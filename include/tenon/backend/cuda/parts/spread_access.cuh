// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements that the lanes of a warp take in turn: those of a lane are as far from its first one as
// constants say, and whether one is inside is a question of one instruction.

#include "tenon/backend/cuda/parts/shared_access.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The elements that a lane has of a run: of a row's, every 32nd from `first` on.
struct spread_positions {
  static constexpr int lanes = 32;
  int first;
  int left;  // elements of the run from the first one on, if any

  // Those of a row of `size` elements, of which each warp has a stretch. The asm keeps them from
  // being held in registers from sweep to sweep.
  __device__ __forceinline__ static spread_positions of(int stretch, int size) {
    unsigned thread = threadIdx.x;
    asm volatile("" : "+r"(thread));
    int const begin = static_cast<int>(thread / lanes) * stretch, end = begin + stretch,
              first = begin + static_cast<int>(thread % lanes);
    return {first, (end < size ? end : size) - first};
  }
  __device__ __forceinline__ int at(int u) const { return first + u * lanes; }
  template <int> __device__ __forceinline__ int offset(int u) const { return u * lanes; }
  __device__ __forceinline__ bool is_live(int u) const { return left > u * lanes; }
  template <int> __device__ __forceinline__ int count(int u) const { return is_live(u) ? 1 : 0; }
  // How many of `most` are live.
  __device__ __forceinline__ int live(int most) const {
    int const all = (left + lanes - 1) >> 5;
    return all < 0 ? 0 : all < most ? all : most;
  }
};

// Four elements in registers as wide as their accesses need.
template <class T> struct spread_words {
  std::conditional_t<sizeof(T) == 8, std::uint64_t, unsigned> at[4];

  template <int N> __device__ __forceinline__ void take(packed<T, 1> const (&all)[N], int first) {
#pragma unroll
    for (int i = 0; i < 4; ++i) __builtin_memcpy(&at[i], all[first + i].words, sizeof(at[i]));
  }
  template <int N> __device__ __forceinline__ void give(packed<T, 1> (&all)[N], int first) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) __builtin_memcpy(all[first + i].words, &at[i], sizeof(at[i]));
  }
};

// Elements U to U + 3 of a lane, whose first one is `at`, as far as they are live: a statement of
// ten lines of PTX, where load_packed takes 36.
#define TENON_IF_LIVE(Before, Access) "setp.gt.s32 live, %5, " Before ";\n\t@live " Access ";\n\t"
#define TENON_LOADS(Instruction, Policy)                                              \
  "{\n\t.reg .pred live;\n\t" TENON_IF_LIVE("%6", Instruction " %0, [%4+%10]" Policy) \
      TENON_IF_LIVE("%7", Instruction " %1, [%4+%11]" Policy)                         \
          TENON_IF_LIVE("%8", Instruction " %2, [%4+%12]" Policy)                     \
              TENON_IF_LIVE("%9", Instruction " %3, [%4+%13]" Policy) "}"
#define TENON_STORES(Instruction, Policy)                                             \
  "{\n\t.reg .pred live;\n\t" TENON_IF_LIVE("%6", Instruction " [%4+%10], %0" Policy) \
      TENON_IF_LIVE("%7", Instruction " [%4+%11], %1" Policy)                         \
          TENON_IF_LIVE("%8", Instruction " [%4+%12], %2" Policy)                     \
              TENON_IF_LIVE("%9", Instruction " [%4+%13], %3" Policy) "}"
#define TENON_FOUR(Register) Register(w[0]), Register(w[1]), Register(w[2]), Register(w[3])
#define TENON_PLACES                                                            \
  "r"(left), "n"(U * 32), "n"(U * 32 + 32), "n"(U * 32 + 64), "n"(U * 32 + 96), \
      "n"(U * 32 * size), "n"((U * 32 + 32) * size), "n"((U * 32 + 64) * size), \
      "n"((U * 32 + 96) * size)
#define TENON_BY_SIZE(Statement, Sign)              \
  constexpr int size = static_cast<int>(sizeof(T)); \
  if constexpr (size == 8) {                        \
    Statement("u64", Sign "l")                      \
  } else if constexpr (size == 4) {                 \
    Statement("u32", Sign "r")                      \
  } else if constexpr (size == 2) {                 \
    Statement("u16", Sign "r")                      \
  } else {                                          \
    Statement("u8", Sign "r")                       \
  }

// Whether what is not live becomes anything instead of staying as it is: of a row's own elements of
// two bytes, so that their words need not be cleared.
template <reuse Reuse, class T>
inline constexpr bool leaves_anything = Reuse == reuse::near && sizeof(T) == 2;

// Neighbouring accesses of a warp have lines in common.
template <reuse Reuse, int U, class T>
__device__ __forceinline__ void load_four(spread_words<T>& to, T const* at, int left) {
  auto& w = to.at;
#define TENON_LOAD(Type, Register)                                         \
  if constexpr (Reuse == reuse::near)                                      \
    asm volatile(TENON_LOADS("ld.global.nc.L2::cache_hint." Type, ", %14") \
                 : TENON_FOUR(Register)                                    \
                 : "l"(at), TENON_PLACES, "l"(goes_last));                 \
  else                                                                     \
    asm volatile(TENON_LOADS("ld.global.nc." Type, "")                     \
                 : TENON_FOUR(Register)                                    \
                 : "l"(at), TENON_PLACES);
  if constexpr (leaves_anything<Reuse, T>) {
    TENON_BY_SIZE(TENON_LOAD, "=")
  } else {
    TENON_BY_SIZE(TENON_LOAD, "+")
  }
#undef TENON_LOAD
}
template <reuse Reuse, int U, class T>
__device__ __forceinline__ void load_four(spread_words<T>& to, unsigned at, int left) {
  auto& w = to.at;
#define TENON_LOAD(Type, Register)                \
  asm volatile(TENON_LOADS("ld.shared." Type, "") \
               : TENON_FOUR(Register)             \
               : "r"(at), TENON_PLACES            \
               : "memory");
  if constexpr (leaves_anything<Reuse, T>) {
    TENON_BY_SIZE(TENON_LOAD, "=")
  } else {
    TENON_BY_SIZE(TENON_LOAD, "+")
  }
#undef TENON_LOAD
}
template <int U, class T>
__device__ __forceinline__ void store_four(T* at, spread_words<T> const& from, int left,
                                           cache_policy kept) {
  auto const& w = from.at;
#define TENON_STORE(Type, Register)                                     \
  asm volatile(TENON_STORES("st.global.L2::cache_hint." Type, ", %14")  \
               :                                                        \
               : TENON_FOUR(Register), "l"(at), TENON_PLACES, "l"(kept) \
               : "memory");
  TENON_BY_SIZE(TENON_STORE, "")
#undef TENON_STORE
}
template <int U, class T>
__device__ __forceinline__ void store_four(unsigned at, spread_words<T> const& from, int left,
                                           cache_policy) {
  auto const& w = from.at;
#define TENON_STORE(Type, Register)                          \
  asm volatile(TENON_STORES("st.shared." Type, "")           \
               :                                             \
               : TENON_FOUR(Register), "r"(at), TENON_PLACES \
               : "memory");
  TENON_BY_SIZE(TENON_STORE, "")
#undef TENON_STORE
}
#undef TENON_BY_SIZE
#undef TENON_PLACES
#undef TENON_FOUR
#undef TENON_STORES
#undef TENON_LOADS
#undef TENON_IF_LIVE

template <reuse Reuse, class T>
__device__ __forceinline__ void load_one_of(packed<T, 1>& to, T const* at, bool is_live) {
  load_packed<Reuse>(to, at, is_live);
}
template <reuse, class T>
__device__ __forceinline__ void load_one_of(packed<T, 1>& to, unsigned at, bool is_live) {
  if (is_live) load_shared(to, at);
}
template <class T>
__device__ __forceinline__ void store_one_of(T* at, packed<T, 1> const& from, bool is_live,
                                             cache_policy kept) {
  store_packed(at, from, is_live, kept);
}
template <class T>
__device__ __forceinline__ void store_one_of(unsigned at, packed<T, 1> const& from, bool is_live,
                                             cache_policy) {
  if (is_live) store_shared(at, from);
}
// Element U of a lane whose first one is `at`.
template <int U, class T, class Place> __device__ __forceinline__ Place behind(Place at) {
  if constexpr (std::is_pointer_v<Place>)
    return at + U * 32;
  else
    return at + U * 32 * static_cast<int>(sizeof(T));
}

// Elements Begin to End - 1 of a lane, whose first one is `at` in global or in shared memory.
template <reuse Reuse, int Begin, int End, class T, int N, class Place>
__device__ __forceinline__ void load_spread(packed<T, 1> (&to)[N], Place at, int left) {
  if constexpr (End - Begin >= 4) {
    spread_words<T> four;
    if constexpr (!leaves_anything<Reuse, T>) four.take(to, Begin);
    load_four<Reuse, Begin>(four, at, left);
    four.give(to, Begin);
    load_spread<Reuse, Begin + 4, End>(to, at, left);
  } else if constexpr (End > Begin) {
    load_one_of<Reuse>(to[Begin], behind<Begin, T>(at), left > Begin * 32);
    load_spread<Reuse, Begin + 1, End>(to, at, left);
  }
}
template <int Begin, int End, class T, int N, class Place>
__device__ __forceinline__ void store_spread(Place at, packed<T, 1> const (&from)[N], int left,
                                             cache_policy kept) {
  if constexpr (End - Begin >= 4) {
    spread_words<T> four;
    four.take(from, Begin);
    store_four<Begin>(at, four, left, kept);
    store_spread<Begin + 4, End>(at, from, left, kept);
  } else if constexpr (End > Begin) {
    store_one_of(behind<Begin, T>(at), from[Begin], left > Begin * 32, kept);
    store_spread<Begin + 1, End>(at, from, left, kept);
  }
}

}  // namespace tenon::detail
#endif
