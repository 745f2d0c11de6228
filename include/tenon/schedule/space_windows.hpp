// SPDX-License-Identifier: Apache-2.0
#pragma once
// A result that is a part of what is computed → instructions that find where each element goes.

#include "tenon/ops/source.hpp"
#include "tenon/ops/window.hpp"
#include "tenon/schedule/space_instructions.hpp"
#include "tenon/tensor/slice.hpp"

namespace tenon::detail {

class space_windows : protected space_instructions {
 protected:
  // How far into the output the current position's element lies.
  constexpr int add_window(graph const& g, int output, coordinates const& along) {
    attribute const numbers = g.attributes[g.outputs[output].window];
    auto number = [&](long long n) { return add({op_id<ops::literal>, dtype::i64, {}, 0, 0, n}); };
    auto of_window = [&](quantity::kind what, int k) { return add_quantity({what, output, k}); };
    // Along the axes of which it has everything, as far as the output's strides go.
    coordinates whole;
    bool is_any = false;
    for (int k = 0; k < along.size(); ++k) {
      bool const is_whole = numbers[3 * k] == 0 && numbers[3 * k + 1] == open_bound &&
                            numbers[3 * k + 2] == 1 && along[k] != no_axis;
      is_any = is_any || is_whole;
      whole.push_back(is_whole ? along[k] : no_axis);
    }
    int offset = is_any ? emit_position({no_view, whole, reading::position, output}) : number(0);
    for (int k = 0; k < along.size(); ++k) {
      if (whole[k] != no_axis) continue;
      coordinates one;
      one.push_back(along[k]);
      int const position =
          along[k] == no_axis ? number(0) : emit_position({no_view, one, reading::position});
      int const index =
          add_of(op_id<ops::window_index>, dtype::i64,
                 {{position, of_window(quantity::kind::window_start, k), number(numbers[3 * k + 2]),
                   of_window(quantity::kind::window_extent, k)},
                  4});
      offset = add_of(op_id<ops::window_offset>, dtype::i64,
                      {{offset, index, of_window(quantity::kind::window_stride, k)}, 3});
    }
    return offset;
  }

 private:
  constexpr int emit_position(load const& of) {
    instruction result{op_id<ops::index>, dtype::i64, {}, 0, 0, position(space_.loads, of)};
    for (int axis : of.along)
      if (axis != no_axis) result.axes |= 1u << axis;
    return add(result);
  }
};

}  // namespace tenon::detail
