// SPDX-License-Identifier: Apache-2.0
#pragma once
// cast: a value of any dtype in another dtype.

#include <limits>
#include <type_traits>

#include "tenon/ops/derivative.hpp"
#include "tenon/ops/op.hpp"

namespace tenon::detail {

template <class Integer> struct integer_limits {
  static constexpr Integer low = std::numeric_limits<Integer>::lowest();
  static constexpr Integer high = std::numeric_limits<Integer>::max();
  // high + 1, a power of two: exact in every floating type, which high itself need not be.
  static constexpr double beyond = 2.0 * static_cast<double>(high / 2 + 1);
};

// Truncates towards zero, saturates, NaN is 0: what the device's cvt.rzi does from f32 to 32 bits,
// on every backend.
template <class Integer, class T> constexpr TENON_HD Integer truncate(T x) {
  using limits = integer_limits<Integer>;
#if defined(__CUDA_ARCH__)
  // Without a branch, of which nvcc 13.0 makes three for each element.
  if constexpr (std::is_same_v<T, float> && std::is_same_v<Integer, unsigned>) {
    return __float2uint_rz(x);
  } else if constexpr (std::is_same_v<T, float> && sizeof(Integer) <= sizeof(int)) {
    int const wide = __float2int_rz(x);
    return static_cast<Integer>(wide < limits::low ? limits::low : wide > limits::high ? limits::high : wide);
  }
#endif
  if (x != x) return Integer(0);
  if (x >= static_cast<T>(limits::beyond)) return limits::high;
  if (x <= static_cast<T>(limits::low)) return limits::low;
  return static_cast<Integer>(x);
}

}  // namespace tenon::detail

namespace tenon::ops {

// To a half or float8 type: rounded to nearest even, through float. From integer to a narrower one: wraps. To
// bool: x != 0. The node's own dtype is the target, so it cannot be told from the operands. Not
// folded: a rounding to a narrow type that the user wrote stays.
struct cast : pointwise_op<1> {
  static constexpr text_view name = "cast";
  static constexpr unsigned zeros_through = 0b1;
  static constexpr double tolerance_ulp = 0.5;
  template <dtype D, class T> static constexpr TENON_HD arithmetic_t<D> eval_as(T x) {
    using target = arithmetic_t<D>;
    if constexpr (D == dtype::bf16)
      return bfloat16::rounded(static_cast<float>(x));
    else if constexpr (is_narrow_v<D>)
      return static_cast<float>(storage_t<D>(static_cast<float>(x)));
    else if constexpr (D == dtype::boolean)
      return x != T(0);
    else if constexpr (std::is_integral_v<target> && std::is_floating_point_v<T>)
      return detail::truncate<target>(x);
    else
      return static_cast<target>(x);
  }
  template <class V> static constexpr V derivative(V d, V, V) { return d; }
};

// The bits of a value of dtype From, read as dtype To of the same size.
template <dtype From, dtype To> struct bit_cast : pointwise_op<1> {
  static constexpr text_view name = "bit_cast";
  static constexpr dtype_rule rule{[](dtype, int) { return From; }, [](dtype) { return To; }};
  template <class T> static constexpr TENON_HD arithmetic_t<To> eval(T x) {
    return static_cast<arithmetic_t<To>>(__builtin_bit_cast(storage_t<To>, static_cast<storage_t<From>>(x)));
  }
};

}  // namespace tenon::ops
