// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → its quotients of f32 whose dividend may well be 0: of what is cut off at 0, of what a
// mask leaves out, and of products with that.

#include "tenon/program/traits.hpp"

namespace tenon::detail {

template <class Program> struct often_zero {
  template <int K> using at = typename program_traits<Program>::template at<K>;

  template <int K, int... Operands>
  static consteval bool has_one_through(std::integer_sequence<int, Operands...>) {
    unsigned through = at<K>::op::zeros_through;
    bool result = false;
    ((result = result || ((through & 1) && holds<Operands>), through >>= 1), ...);
    return result;
  }
  // A variable, so that what several instructions read is looked at once.
  template <int K>
  static constexpr bool holds = [] {
    using op = typename at<K>::op;
    if constexpr (std::is_same_v<op, ops::literal>)
      return at<K>::bits == 0;
    else if constexpr (at<K>::type == dtype::boolean || op::makes_zeros)
      return true;
    else
      return has_one_through<K>(typename at<K>::operands{});
  }();
  // Whether quotient K is such.
  template <int K> static consteval bool is_divided() {
    if constexpr (std::is_same_v<typename at<K>::op, ops::div> && at<K>::type == dtype::f32)
      return holds<at<K>::first_operand>;
    else
      return false;
  }
};

#if defined(__CUDA_ARCH__)
// x / y. What the device has for 0 / y takes longer than any other quotient, and all lanes of a
// warp wait for it: another number is divided in the place of 0, whose quotient is finite, 0 or NaN
// where that of 0 is 0 or NaN. H200, us, so and without: overlaps of 4096 x 4096 boxes f32 32 and
// 51, sin(relu(x) / y) + exp(y) / x of 8192 x 8192 184 and 224; where no dividend is 0, two
// logarithms of quotients for each element of 16384 x 2048, 115 and 109.
__device__ __forceinline__ float quotient_of_often_zero(float x, float y) {
  bool const is_zero = x == 0;
  float const quotient = ops::div::eval(is_zero ? 0x1p-30f : x, y);
  return is_zero ? x * quotient : quotient;
}
#endif

}  // namespace tenon::detail
