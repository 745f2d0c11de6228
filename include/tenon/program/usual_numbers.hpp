// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → what it computes of elements in f32 that asks each number whether it is 0, subnormal,
// infinite or NaN: quotients and logarithms.

#include "tenon/program/often_zero.hpp"

namespace tenon::detail {

template <class Program> struct usual_numbers {
  using traits = program_traits<Program>;

  static constexpr bool stores_elements() {
    bool result = false;
    for (instruction_facts const& i : traits::all)
      result = result || (i.is_store && i.where == place::element);
    return result;
  }
  // Whether instruction K is one. Where a dividend is often 0 numbers are often unusual; what all
  // elements of a row are divided by has its own way (parts/quotients.cuh).
  template <int K> static consteval bool holds() {
    using I = typename traits::template at<K>;
    if constexpr (!I::op::asks_for_sizes)
      return false;
    else if constexpr (I::where != place::element || I::type != dtype::f32)
      return false;
    else if constexpr (std::is_same_v<typename I::op, ops::div>)
      return traits::all[I::second_operand].where == place::element &&
             !often_zero<Program>::template is_divided<K>();
    else
      return true;
  }
  // Rows that are held, and totals, leave no registers for vectors of them.
  static constexpr bool leaves_registers =
      !traits::has_total &&
      (traits::row_phases == 0 || (traits::row_phases == 1 && !stores_elements()));
  static constexpr bool are_found = leaves_registers && []<int... K>(std::integer_sequence<int, K...>) {
    return (false || ... || holds<K>());
  }
  (typename traits::sequence{});
};

}  // namespace tenon::detail
