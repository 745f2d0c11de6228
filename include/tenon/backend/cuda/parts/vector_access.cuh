// SPDX-License-Identifier: Apache-2.0
#pragma once
// Global memory in vectors: V neighbouring elements as 1 to 16 bytes that stay packed in registers
// until they are used.

#include <cstdint>

#include "tenon/backend/cuda/parts/cache_policy.cuh"
#include "tenon/core/dtype.hpp"

namespace tenon::detail {

// V elements of storage type T as they lie in memory.
template <class T, int V> struct packed {
  static constexpr int bytes = static_cast<int>(sizeof(T)) * V;
  static_assert(bytes <= 16 || bytes % 16 == 0, "accesses move at most 16 bytes");
  unsigned words[(bytes + 3) / 4];
};

#if defined(__CUDA_ARCH__)
// Whether the same bytes are read again: not by this thread block, which stores as much (`passing`)
// or does not (`none`); by a neighbour in it alone, at once (`near`); or by a later row
// (`expected`). What passes the L2 cache is to go last, so that what is written goes first. H200,
// f32, us, against loads without the policy, all with streaming stores: bias + residual + layer
// norm of 32768 x 4096 503 (554), RMS norm of 32768 x 1024 63.8 (65.9), Adam of 2^26 433 (441),
// relu((x + y) * 2) of 8192 x 8192 181.3 (183.9), two matrices of 8192 x 8192 one below the other
// 251 (255.5); sums, which write nothing, are no faster. On cp.async (ptxas 13.0) the policy makes
// illegal instructions: softmax of 16384 x 8192 bf16.
enum class reuse { passing, none, near, expected };

// The asm statements are volatile so that loads are issued in the order in which they are written:
// all of a tile's before the first use; and have a predicate, because a branch around each would
// keep their addresses from being computed together.
#define TENON_LOAD_IF(Instruction, Address, Wanted, Policy) \
  "{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, " Wanted  \
  ", 0;\n\t@wanted "                                        \
  "ld.global" Instruction ", [" Address "]" Policy ";\n\t}"

// ByN: the policy as the operand behind the others, which are N bytes in four, two or one word.
#define TENON_LOADS_IF(Hint, By16, By8, By4, ...)                                 \
  if constexpr (bytes == 16)                                                      \
    asm volatile(TENON_LOAD_IF(Hint ".v4.u32 {%0, %1, %2, %3}", "%4", "%5", By16) \
                 : "+r"(w[0]), "+r"(w[1]), "+r"(w[2]), "+r"(w[3])                 \
                 : "l"(from), "r"(wanted)__VA_OPT__(, ) __VA_ARGS__);             \
  else if constexpr (bytes == 8)                                                  \
    asm volatile(TENON_LOAD_IF(Hint ".v2.u32 {%0, %1}", "%2", "%3", By8)          \
                 : "+r"(w[0]), "+r"(w[1])                                         \
                 : "l"(from), "r"(wanted)__VA_OPT__(, ) __VA_ARGS__);             \
  else if constexpr (bytes == 4)                                                  \
    asm volatile(TENON_LOAD_IF(Hint ".u32 %0", "%1", "%2", By4)                   \
                 : "+r"(w[0])                                                     \
                 : "l"(from), "r"(wanted)__VA_OPT__(, ) __VA_ARGS__);             \
  else if constexpr (bytes == 2)                                                  \
    asm volatile(TENON_LOAD_IF(Hint ".u16 %0", "%1", "%2", By4)                   \
                 : "+r"(w[0])                                                     \
                 : "l"(from), "r"(wanted)__VA_OPT__(, ) __VA_ARGS__);             \
  else                                                                            \
    asm volatile(TENON_LOAD_IF(Hint ".u8 %0", "%1", "%2", By4)                    \
                 : "+r"(w[0])                                                     \
                 : "l"(from), "r"(wanted)__VA_OPT__(, ) __VA_ARGS__);

// Loads where `is_wanted`; otherwise `to` stays as it is.
template <reuse Reuse, class T, int V>
__device__ __forceinline__ void load_packed(packed<T, V>& to, T const* from, bool is_wanted) {
  auto& w = to.words;
  constexpr int bytes = packed<T, V>::bytes;
  unsigned const wanted = is_wanted;
  if constexpr (bytes > 16) {
    constexpr int part = 16 / static_cast<int>(sizeof(T));
#pragma unroll
    for (int i = 0; i < V / part; ++i) {
      packed<T, part> next;
      for (int n = 0; n < 4; ++n) next.words[n] = w[4 * i + n];
      load_packed<Reuse>(next, from + i * part, is_wanted);
      for (int n = 0; n < 4; ++n) w[4 * i + n] = next.words[n];
    }
  } else if constexpr (Reuse == reuse::passing) {
    TENON_LOADS_IF(".nc.L1::no_allocate.L2::cache_hint", ", %6", ", %4", ", %3", "l"(goes_last))
  } else if constexpr (Reuse == reuse::none) {
    TENON_LOADS_IF(".nc.L1::no_allocate", "", "", "")
  } else if constexpr (Reuse == reuse::near) {
    TENON_LOADS_IF(".nc.L2::cache_hint", ", %6", ", %4", ", %3", "l"(goes_last))
  } else {
    TENON_LOADS_IF(".nc", "", "", "")
  }
}
#undef TENON_LOADS_IF
#undef TENON_LOAD_IF
template <reuse Reuse, class T, int V>
__device__ __forceinline__ void load_packed(packed<T, V>& to, T const* from) {
  load_packed<Reuse>(to, from, true);
}

#define TENON_STORE_IF(Instruction, Wanted)                \
  "{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, " Wanted \
  ", 0;\n\t@wanted "                                       \
  "st.global.L2::cache_hint" Instruction ";\n\t}"

// Streaming stores, unless the call wants others: the output is not read again by this kernel.
template <class T, int V>
__device__ __forceinline__ void store_packed(T* to, packed<T, V> const& from, bool is_wanted = true,
                                             cache_policy kept = goes_first) {
  auto const& w = from.words;
  constexpr int bytes = packed<T, V>::bytes;
  unsigned const wanted = is_wanted;
  if constexpr (bytes == 16)
    asm volatile(TENON_STORE_IF(".v4.u32 [%0], {%1, %2, %3, %4}, %6", "%5")::"l"(to), "r"(w[0]),
                 "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(wanted), "l"(kept)
                 : "memory");
  else if constexpr (bytes == 8)
    asm volatile(TENON_STORE_IF(".v2.u32 [%0], {%1, %2}, %4", "%3")::"l"(to), "r"(w[0]), "r"(w[1]),
                 "r"(wanted), "l"(kept)
                 : "memory");
  else if constexpr (bytes == 4)
    asm volatile(TENON_STORE_IF(".u32 [%0], %1, %3", "%2")::"l"(to), "r"(w[0]), "r"(wanted),
                 "l"(kept)
                 : "memory");
  else if constexpr (bytes == 2)
    asm volatile(TENON_STORE_IF(".u16 [%0], %1, %3", "%2")::"l"(to), "r"(w[0]), "r"(wanted),
                 "l"(kept)
                 : "memory");
  else
    asm volatile(TENON_STORE_IF(".u8 [%0], %1, %3", "%2")::"l"(to), "r"(w[0]), "r"(wanted),
                 "l"(kept)
                 : "memory");
}
#undef TENON_STORE_IF

// Element i of a vector. @pre i is a constant after unrolling
template <class T, int V> __device__ __forceinline__ T element_of(packed<T, V> const& from, int i) {
  if constexpr (sizeof(T) == 8) {
    return __builtin_bit_cast(
        T, static_cast<std::uint64_t>(from.words[2 * i + 1]) << 32 | from.words[2 * i]);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bit_cast(T, from.words[i]);
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bit_cast(T, static_cast<std::uint16_t>(from.words[i / 2] >> i % 2 * 16));
  } else {
    auto byte = static_cast<std::uint8_t>(from.words[i / 4] >> i % 4 * 8);
    if constexpr (std::is_same_v<T, bool>)
      return byte != 0;
    else
      return __builtin_bit_cast(T, byte);
  }
}

// The elements move one place towards the first, which is lost; `next` becomes the last. A loop of
// V turns fills the vector without an index into registers.
template <class T, int V>
__device__ __forceinline__ void push_element(packed<T, V>& vector, packed<T, 1> const& next) {
  auto& w = vector.words;
  if constexpr (V == 1) {
    vector = next;
  } else if constexpr (sizeof(T) == 8) {
    for (int i = 2; i < 2 * V; ++i) w[i - 2] = w[i];
    w[2 * V - 2] = next.words[0], w[2 * V - 1] = next.words[1];
  } else {
    constexpr int bits = 8 * static_cast<int>(sizeof(T)), count = sizeof(w) / sizeof(unsigned),
                  bits_held = packed<T, V>::bytes < 4 ? 8 * packed<T, V>::bytes : 32;
    for (int i = 0; i + 1 < count; ++i)
      w[i] = bits == 32 ? w[i + 1] : w[i] >> bits % 32 | w[i + 1] << (32 - bits) % 32;
    unsigned last = bits == 32 ? 0 : w[count - 1] >> bits % 32;
    w[count - 1] = last | next.words[0] << (bits_held - bits);
  }
}
// Removes and returns the first element; the others move one place towards it.
template <class T, int V>
__device__ __forceinline__ packed<T, 1> pop_element(packed<T, V>& vector) {
  packed<T, 1> first;
  constexpr int words = sizeof(first.words) / sizeof(unsigned);
  for (int i = 0; i < words; ++i) first.words[i] = vector.words[i];
  push_element(vector, packed<T, 1>{});
  return first;
}

// V elements as a vector. @pre nothing is beyond an element in its word
template <class T, int V>
__device__ __forceinline__ packed<T, V> pack_elements(packed<T, 1> const (&all)[V]) {
  packed<T, V> result;
  constexpr int per_word = sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1,
                words = sizeof(all[0].words) / sizeof(unsigned);
#pragma unroll
  for (int i = 0; i < V; ++i)
#pragma unroll
    for (int w = 0; w < words; ++w)
      if (i % per_word == 0)
        result.words[i / per_word * words + w] = all[i].words[w];
      else
        result.words[i / per_word] |= all[i].words[0] << i % per_word * 8 * sizeof(T);
  return result;
}

// V times the same element.
template <int V, class T> __device__ __forceinline__ packed<T, V> splat(packed<T, 1> const& one) {
  packed<T, V> result;
  constexpr int count = sizeof(result.words) / sizeof(unsigned);
  unsigned word = one.words[0];
  if constexpr (sizeof(T) == 1) word *= 0x01010101u;
  if constexpr (sizeof(T) == 2) word *= 0x00010001u;
  for (int i = 0; i < count; ++i)
    result.words[i] = sizeof(T) == 8 && i % 2 == 1 ? one.words[sizeof(one.words) / 4 - 1] : word;
  return result;
}

// From arithmetic type to storage type; the half types round to nearest even.
template <class T, class Value> __device__ __forceinline__ T to_storage(Value value) {
  if constexpr (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)
    return T(static_cast<float>(value));
  else
    return static_cast<T>(value);
}

// Two values to one word: one conversion instruction instead of three.
template <class T> __device__ __forceinline__ unsigned pack_pair(float low, float high) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  unsigned word;
  if constexpr (std::is_same_v<T, half>)
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  else
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(word) : "f"(high), "f"(low));
  return word;
#else
  return static_cast<unsigned>(T(high).bits) << 16 | T(low).bits;
#endif
}

// Whether the conversion of a value to float8_e4m3 is a number.
template <class Value> __device__ __forceinline__ bool is_inside_e4m3(Value value) {
  return fabsf(static_cast<float>(value)) <= 464.0f;
}
// To float8_e4m3, two values per instruction. It saturates, which the conversion of one value does
// not: what is above 464, infinite or NaN is put right afterwards, unless is_inside.
template <class Value, int V>
__device__ __forceinline__ packed<float8_e4m3, V> pack_e4m3(Value const (&values)[V],
                                                            bool is_inside) {
  packed<float8_e4m3, V> result{};
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
#pragma unroll
  for (int i = 0; i < V; i += 2) {
    unsigned short pair;
    asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
        : "=h"(pair)
        : "f"(static_cast<float>(values[i + 1])), "f"(static_cast<float>(values[i])));
    result.words[i / 4] |= static_cast<unsigned>(pair) << i % 4 * 8;
  }
  if (!is_inside)
#pragma unroll
    for (int i = 0; i < V; ++i)
      if (!is_inside_e4m3(values[i])) result.words[i / 4] |= 0x7fu << i % 4 * 8;
#else
#pragma unroll
  for (int i = 0; i < V; ++i)
    result.words[i / 4] |= static_cast<unsigned>(float8_e4m3(static_cast<float>(values[i])).bits)
                           << i % 4 * 8;
#endif
  return result;
}

template <class T, class Value, int V>
__device__ __forceinline__ packed<T, V> pack(Value const (&values)[V]) {
  packed<T, V> result{};
  if constexpr (V % 2 == 0 && (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)) {
#pragma unroll
    for (int i = 0; i < V / 2; ++i)
      result.words[i] =
          pack_pair<T>(static_cast<float>(values[2 * i]), static_cast<float>(values[2 * i + 1]));
  } else if constexpr (V == 1 && (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)) {
    // As the first of two: the device's conversion to one bfloat16 is that of the second, shifted.
    result.words[0] = pack_pair<T>(static_cast<float>(values[0]), 0.0f);
  } else if constexpr (V % 2 == 0 && std::is_same_v<T, float8_e4m3>) {
    bool is_inside = true;
#pragma unroll
    for (int i = 0; i < V; ++i) is_inside = is_inside & is_inside_e4m3(values[i]);
    result = pack_e4m3(values, is_inside);
  } else {
#pragma unroll
    for (int i = 0; i < V; ++i) {
      T element = to_storage<T>(values[i]);
      if constexpr (sizeof(T) == 8) {
        auto bits = __builtin_bit_cast(std::uint64_t, element);
        result.words[2 * i] = static_cast<unsigned>(bits);
        result.words[2 * i + 1] = static_cast<unsigned>(bits >> 32);
      } else if constexpr (sizeof(T) == 4) {
        result.words[i] = __builtin_bit_cast(unsigned, element);
      } else if constexpr (sizeof(T) == 2) {
        result.words[i / 2] |= static_cast<unsigned>(__builtin_bit_cast(std::uint16_t, element))
                               << i % 2 * 16;
      } else {
        result.words[i / 4] |= static_cast<unsigned>(__builtin_bit_cast(std::uint8_t, element))
                               << i % 4 * 8;
      }
    }
  }
  return result;
}
#endif

}  // namespace tenon::detail
