// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements side by side → their values in a program with reductions by blocks, instruction after
// instruction, so that a block is complete when it is reduced.

#include "tenon/backend/cpu/scan_states.hpp"

namespace tenon::cpu_backend {

template <class Program, int Phase, bool Stores> struct blockwise_scans {
  template <int K>
  static constexpr bool holds =
      tenon::detail::is_blockwise_scan<typename program_traits<Program>::template at<K>::op> &&
      is_scanned<Program, Phase, Stores, K>;
};
// Whether a sweep reduces blocks.
template <class Program, int Phase, bool Stores>
inline constexpr bool sweeps_blocks = holds_any<Program, blockwise_scans<Program, Phase, Stores>>;

// Reduces values[0] to values[count - 1], blocks of `length` of them.
template <class Op, class Value> void reduce_blocks(Value* values, int count, int length) {
  for (int first = 0; first < count; first += length) {
    int const end = first + length < count ? first + length : count;
    for (int step = 1; step < end - first; step *= 2)
      for (int i = first; i + step < end; i += 2 * step)
        values[i] = Op::combine(values[i], values[i + step]);
    for (int i = first + 1; i < end; ++i) values[i] = values[first];
  }
}

// @pre count is at most ops::longest_block, and the first element begins a block; what is read is
// in the frames, and what Given holds
template <int Phase, bool Stores, class Given, class Program, class FrameOf>
void evaluate_blockwise(int count, FrameOf const& frame_of,
                        scan_states<Program, Phase, Stores>& states) {
  visit_instructions<Program>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    constexpr bool needed = element_needs<Program>::template at<Phase, Stores>.needed[k];
    using number = arithmetic_t<I::type>;
    if constexpr (is_scanned<Program, Phase, Stores, k>) {
      using op = typename I::op;
      if constexpr (op::is_blockwise) {
        number values[ops::longest_block];
        for (int i = 0; i < count; ++i)
          values[i] = op::lift(static_cast<number>(value_of<I::first_operand>(frame_of(i))));
        reduce_blocks<op>(values, count, ops::block_length<I::bits>);
        for (int i = 0; i < count; ++i)
          value_of<k>(frame_of(i)) = op::template finish<number>(values[i]);
      } else {
        for (int i = 0; i < count; ++i) scan_element<k>(frame_of(i), state_in<k>(states));
      }
    } else if constexpr (needed && I::where == place::element && I::is_computed &&
                         !tenon::detail::is_held<Program, Given>(k)) {
      for (int i = 0; i < count; ++i) step<k>(frame_of(i), typename I::operands{});
    }
  });
}

}  // namespace tenon::cpu_backend
