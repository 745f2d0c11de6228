// SPDX-License-Identifier: Apache-2.0
#pragma once
// A vector to or from shared memory in one access: its words are aligned as a whole, which
// nvcc 13.0 does not conclude from a copy of them.

#include "tenon/core/config.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Vector> __device__ __forceinline__ void move_whole(Vector& to, Vector const& from) {
  if constexpr (sizeof(Vector) == 16)
    reinterpret_cast<uint4&>(to) = reinterpret_cast<uint4 const&>(from);
  else if constexpr (sizeof(Vector) == 8)
    reinterpret_cast<uint2&>(to) = reinterpret_cast<uint2 const&>(from);
  else
    to = from;
}

}  // namespace tenon::detail
#endif
