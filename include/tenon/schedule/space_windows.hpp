// SPDX-License-Identifier: Apache-2.0
#pragma once
// A result that is a part of what is computed → instructions that find where each element goes.

#include "tenon/ops/source.hpp"
#include "tenon/ops/window.hpp"
#include "tenon/schedule/space_instructions.hpp"

namespace tenon::detail {

class space_windows : protected space_instructions {
 protected:
  // How far into the output the current position's element lies.
  constexpr int add_window(graph const& g, int output, coordinates const& along) {
    attribute const numbers = g.attributes[g.outputs[output].window];
    auto number = [&](long long n) { return add({op_id<ops::literal>, dtype::i64, {}, 0, 0, n}); };
    auto of_window = [&](quantity::kind what, int k) { return add_quantity({what, output, k}); };
    int offset = number(0);
    for (int k = 0; k < along.size(); ++k) {
      int const position = along[k] == no_axis ? number(0) : emit_position(along[k]);
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
  // The position along an axis of the space.
  constexpr int emit_position(int axis) {
    instruction result{op_id<ops::index>, dtype::i64, {}, 1u << axis, 0, 0};
    coordinates along;
    along.push_back(axis);
    result.bits = position(space_.loads, load{no_view, along, reading::position});
    return add(result);
  }
};

}  // namespace tenon::detail
