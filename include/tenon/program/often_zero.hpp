// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → its quotients of f32 whose dividend may well be 0: of what is cut off at 0, of what a
// mask leaves out, and of products with that.

#include "tenon/program/traits.hpp"

namespace tenon::detail {

template <class Program> struct often_zero {
  template <int K> using at = typename program_traits<Program>::template at<K>;

  template <int K> static consteval bool is_zero() {
    return std::is_same_v<typename at<K>::op, ops::literal> && at<K>::bits == 0;
  }
  template <int K> static consteval bool holds() {
    using op = typename at<K>::op;
    constexpr int x = at<K>::first_operand, y = at<K>::second_operand;
    if constexpr (std::is_same_v<op, ops::relu>)
      return true;
    else if constexpr (std::is_same_v<op, ops::cast>)
      return at<x>::type == dtype::boolean || holds<x>();
    else if constexpr (std::is_same_v<op, ops::maximum> || std::is_same_v<op, ops::minimum>)
      return is_zero<x>() || is_zero<y>();
    else if constexpr (std::is_same_v<op, ops::mul>)
      return holds<x>() || holds<y>();
    else if constexpr (std::is_same_v<op, ops::where>)
      return is_zero<y>() || is_zero<at<K>::third_operand>() || holds<y>() ||
             holds<at<K>::third_operand>();
    else if constexpr (std::is_same_v<op, ops::neg> || std::is_same_v<op, ops::abs> ||
                       std::is_same_v<op, ops::square> || std::is_same_v<op, ops::sqrt>)
      return holds<x>();
    else
      return false;
  }
  // Whether quotient K is such.
  template <int K> static consteval bool is_divided() {
    if constexpr (std::is_same_v<typename at<K>::op, ops::div> && at<K>::type == dtype::f32)
      return holds<at<K>::first_operand>();
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
