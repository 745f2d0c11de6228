// SPDX-License-Identifier: Apache-2.0
#pragma once
// Global memory in vectors: V neighbouring elements as 1 to 16 bytes that stay packed in registers
// until they are used.

#include <cstdint>

#include "tenon/core/dtype.hpp"

namespace tenon::detail {

// V elements of storage type T as they lie in memory.
template <class T, int V> struct packed {
  static constexpr int bytes = static_cast<int>(sizeof(T)) * V;
  static_assert(bytes <= 16, "one access moves at most 16 bytes");
  unsigned words[(bytes + 3) / 4];
};

// Whether another block or a later row reads the same bytes: what L1 keeps.
enum class reuse { none, expected };

// The asm statements are volatile so that loads are issued in the order in which they are written:
// all of a tile's before the first use.
template <reuse Reuse, class T, int V>
__device__ __forceinline__ void load_packed(packed<T, V>& to, T const* from) {
  auto& w = to.words;
  constexpr int bytes = packed<T, V>::bytes;
  if constexpr (Reuse == reuse::none) {
    if constexpr (bytes == 16)
      asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                   : "l"(from));
    else if constexpr (bytes == 8)
      asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];"
                   : "=r"(w[0]), "=r"(w[1])
                   : "l"(from));
    else if constexpr (bytes == 4)
      asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(w[0]) : "l"(from));
    else if constexpr (bytes == 2)
      asm volatile("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=r"(w[0]) : "l"(from));
    else
      asm volatile("ld.global.nc.L1::no_allocate.u8 %0, [%1];" : "=r"(w[0]) : "l"(from));
  } else {
    if constexpr (bytes == 16)
      asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                   : "l"(from));
    else if constexpr (bytes == 8)
      asm volatile("ld.global.nc.v2.u32 {%0, %1}, [%2];" : "=r"(w[0]), "=r"(w[1]) : "l"(from));
    else if constexpr (bytes == 4)
      asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(w[0]) : "l"(from));
    else if constexpr (bytes == 2)
      asm volatile("ld.global.nc.u16 %0, [%1];" : "=r"(w[0]) : "l"(from));
    else
      asm volatile("ld.global.nc.u8 %0, [%1];" : "=r"(w[0]) : "l"(from));
  }
}

// Streaming stores: the output is not read again by this kernel.
template <class T, int V>
__device__ __forceinline__ void store_packed(T* to, packed<T, V> const& from) {
  auto const& w = from.words;
  constexpr int bytes = packed<T, V>::bytes;
  if constexpr (bytes == 16)
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(to), "r"(w[0]), "r"(w[1]),
                 "r"(w[2]), "r"(w[3])
                 : "memory");
  else if constexpr (bytes == 8)
    asm volatile("st.global.cs.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(w[0]), "r"(w[1]) : "memory");
  else if constexpr (bytes == 4)
    asm volatile("st.global.cs.u32 [%0], %1;" ::"l"(to), "r"(w[0]) : "memory");
  else if constexpr (bytes == 2)
    asm volatile("st.global.cs.u16 [%0], %1;" ::"l"(to), "r"(w[0]) : "memory");
  else
    asm volatile("st.global.cs.u8 [%0], %1;" ::"l"(to), "r"(w[0]) : "memory");
}

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

// All elements of the vector become its first. @pre the vector was loaded as one element
template <class T, int V> __device__ __forceinline__ void splat(packed<T, V>& vector) {
  constexpr int count = sizeof(vector.words) / sizeof(unsigned);
  if constexpr (sizeof(T) == 8) {
    for (int i = 2; i < count; ++i) vector.words[i] = vector.words[i % 2];
  } else {
    if constexpr (sizeof(T) == 1) vector.words[0] = (vector.words[0] & 0xffu) * 0x01010101u;
    if constexpr (sizeof(T) == 2) vector.words[0] = (vector.words[0] & 0xffffu) * 0x00010001u;
    for (int i = 1; i < count; ++i) vector.words[i] = vector.words[0];
  }
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

template <class T, class Value, int V>
__device__ __forceinline__ packed<T, V> pack(Value const (&values)[V]) {
  packed<T, V> result{};
  if constexpr (V % 2 == 0 && (std::is_same_v<T, half> || std::is_same_v<T, bfloat16>)) {
#pragma unroll
    for (int i = 0; i < V / 2; ++i)
      result.words[i] =
          pack_pair<T>(static_cast<float>(values[2 * i]), static_cast<float>(values[2 * i + 1]));
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

}  // namespace tenon::detail
