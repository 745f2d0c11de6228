// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums and products that are rounded the same way wherever they are computed.
//
// A device compiler makes one operation, with one rounding, of a product and the sum that it goes into,
// where it sees both: in one kernel of an expression, and not in the next one, where an element that may be
// missing is in between. The bits of a row must not depend on which of them computes it.

#include <type_traits>

#include "tenon/core/config.hpp"

namespace tenon::math {

// Each is an operation of its own. A difference is a sum with -y, which costs a device no instruction.
template <class T> constexpr TENON_HD T rounded_sum(T x, T y) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) {
    if constexpr (std::is_same_v<T, float>) return __fadd_rn(x, y);
    if constexpr (std::is_same_v<T, double>) return __dadd_rn(x, y);
  }
#endif
  return x + y;
}
template <class T> constexpr TENON_HD T rounded_product(T x, T y) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) {
    if constexpr (std::is_same_v<T, float>) return __fmul_rn(x, y);
    if constexpr (std::is_same_v<T, double>) return __dmul_rn(x, y);
  }
#endif
  return x * y;
}
// x * y + z: on a device rounded once; on a host, which may have no instruction for it, as its compiler
// likes.
template <class T> constexpr TENON_HD T product_plus(T x, T y, T z) {
#if defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) {
    if constexpr (std::is_same_v<T, float>) return __fmaf_rn(x, y, z);
    if constexpr (std::is_same_v<T, double>) return __fma_rn(x, y, z);
  }
#endif
  return x * y + z;
}

}  // namespace tenon::math
