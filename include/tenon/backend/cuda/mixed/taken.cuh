// SPDX-License-Identifier: Apache-2.0
#pragma once
// The state of a column and an element of it → the state that has taken the element in.

#include "tenon/backend/cuda/parts/reduce.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Whether a reduction over the rows is the sum of a product of each element, which is rounded with
// the sum.
template <class Program, int K>
inline constexpr bool adds_products = [] {
  using I = typename program_traits<Program>::template at<K>;
  using element = typename program_traits<Program>::template at<I::first_operand>;
  return std::is_same_v<typename I::op, ops::sum> &&
         std::is_same_v<typename element::op, ops::mul> && element::where == place::element &&
         std::is_floating_point_v<typename I::value_type> &&
         std::is_same_v<typename element::value_type, typename I::value_type>;
}();

template <int K, class Program, class State>
__device__ __forceinline__ State taken_by_column(State const& state, frame<Program> const& f) {
  using facts = reduction_facts<Program, K>;
  constexpr int operand = facts::instruction::first_operand;
  if constexpr (adds_products<Program, K>) {
    using product = typename program_traits<Program>::template at<operand>;
    return math::product_plus(value_of<product::first_operand>(f),
                              value_of<product::second_operand>(f), state);
  } else {
    return facts::op::combine(
        state, facts::op::lift(static_cast<typename facts::operand>(value_of<operand>(f))));
  }
}

}  // namespace tenon::detail
#endif
