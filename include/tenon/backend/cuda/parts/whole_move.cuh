// SPDX-License-Identifier: Apache-2.0
#pragma once
// A vector from or to shared memory in one access: there its words are aligned as a whole, which
// nvcc 13.0 does not conclude from a copy of them. On the thread's side they are only as aligned
// as their words wherever they are not in registers (code that is not optimised).

#include "tenon/core/config.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <int Bytes> struct whole_word;
template <> struct whole_word<8> { using type = uint2; };
template <> struct whole_word<16> { using type = uint4; };

template <class Vector>
__device__ __forceinline__ void load_whole(Vector& to, Vector const& shared) {
  if constexpr (sizeof(Vector) == 8 || sizeof(Vector) == 16) {
    auto const word = reinterpret_cast<typename whole_word<sizeof(Vector)>::type const&>(shared);
    __builtin_memcpy(&to, &word, sizeof word);
  } else {
    to = shared;
  }
}
template <class Vector>
__device__ __forceinline__ void store_whole(Vector& shared, Vector const& from) {
  if constexpr (sizeof(Vector) == 8 || sizeof(Vector) == 16) {
    typename whole_word<sizeof(Vector)>::type word;
    __builtin_memcpy(&word, &from, sizeof word);
    reinterpret_cast<decltype(word)&>(shared) = word;
  } else {
    shared = from;
  }
}

}  // namespace tenon::detail
#endif
