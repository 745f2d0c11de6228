// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared memory by its own addresses of 32 bits: where generic ones are used, nvcc 13.0 finds out
// before every access where shared memory begins.

#include "tenon/backend/cuda/parts/vector_access.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class T, int V>
__device__ __forceinline__ void load_shared(packed<T, V>& to, unsigned from) {
  auto& w = to.words;
  constexpr int bytes = packed<T, V>::bytes;
  if constexpr (bytes == 16)
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w[0]), "=r"(w[1]), "=r"(w[2]), "=r"(w[3])
                 : "r"(from)
                 : "memory");
  else if constexpr (bytes == 8)
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(w[0]), "=r"(w[1])
                 : "r"(from)
                 : "memory");
  else if constexpr (bytes == 4)
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(w[0]) : "r"(from) : "memory");
  else if constexpr (bytes == 2)
    asm volatile("ld.shared.u16 %0, [%1];" : "=r"(w[0]) : "r"(from) : "memory");
  else
    asm volatile("ld.shared.u8 %0, [%1];" : "=r"(w[0]) : "r"(from) : "memory");
}
template <class T, int V>
__device__ __forceinline__ void store_shared(unsigned to, packed<T, V> const& from) {
  auto const& w = from.words;
  constexpr int bytes = packed<T, V>::bytes;
  if constexpr (bytes == 16)
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(w[0]), "r"(w[1]),
                 "r"(w[2]), "r"(w[3])
                 : "memory");
  else if constexpr (bytes == 8)
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(to), "r"(w[0]), "r"(w[1]) : "memory");
  else if constexpr (bytes == 4)
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(to), "r"(w[0]) : "memory");
  else if constexpr (bytes == 2)
    asm volatile("st.shared.u16 [%0], %1;" ::"r"(to), "r"(w[0]) : "memory");
  else
    asm volatile("st.shared.u8 [%0], %1;" ::"r"(to), "r"(w[0]) : "memory");
}

// A word, or 0, on its way from global to shared memory while the thread does other things; nothing
// is written where it is not wanted.
__device__ __forceinline__ void copy_word(unsigned to, void const* from, bool is_word,
                                          bool is_wanted = true) {
  asm volatile(
      "{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, %3, 0;\n\t@wanted "
      "cp.async.ca.shared.global [%0], [%1], 4, %2;\n\t}" ::"r"(to),
      "l"(from), "r"(is_word ? 4 : 0), "r"(static_cast<unsigned>(is_wanted))
      : "memory");
}
// The first `bytes` of a word, of elements of type T; the others become 0. They are waited for: an
// asynchronous copy of a part of a word counts as one of the whole for the compute-sanitizer of
// CUDA 13.0, which ends the kernel where memory does behind the part.
template <class T>
__device__ __forceinline__ void put_part(unsigned to, void const* from, int bytes) {
  constexpr int size = static_cast<int>(sizeof(T));
  packed<unsigned, 1> word{};
#pragma unroll
  for (int i = 0; i < 4 / size - 1; ++i) {
    packed<T, 1> one{};
    load_packed<reuse::expected>(one, static_cast<T const*>(from) + i, i * size < bytes);
    word.words[0] |= one.words[0] << 8 * size * i;
  }
  store_shared(to, word);
}

}  // namespace tenon::detail
#endif
