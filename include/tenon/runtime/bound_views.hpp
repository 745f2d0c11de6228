// SPDX-License-Identifier: Apache-2.0
#pragma once
// The views that a call reads: the layouts of its arguments, changed by the movements of the graph.

#include "tenon/backend/arguments.hpp"
#include "tenon/core/config.hpp"
#include "tenon/runtime/description.hpp"
#include "tenon/runtime/dim_values.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

class bound_views {
 protected:
  [[gnu::cold]] bound_views(description const& d, array_view<argument const> inputs, expression_name const& name)
      : d_(d), lengths_(d.final, inputs, name), inputs_(inputs), name_(name) {}

  // The layout of a view: an argument's, changed by the movements above it.
  [[gnu::cold]] tenon::layout view_of(int id) const {
    graph const& g = d_.final;
    node const& n = g[id];
    if (n.is<ops::input>()) return inputs_[static_cast<std::size_t>(n.bits)].layout;
    if (n.is<ops::index>()) return row_major(lengths_(n.dims));
    tenon::layout operand = view_of(n.operands[0]);
    if (n.is<ops::slice>()) {
      tenon::layout const result = slice_of(operand, g.attributes_of(n));
      for (int k = 0; k < result.rank; ++k)
        if (result.extents[k] != lengths_[n.dims[k]]) refuse_position(input_under(id), g.attributes_of(n)[3 * k], operand, k);
      return result;
    }
    axis_list extents = lengths_(n.dims);
    if (n.is<ops::reshape>()) {
      maybe<tenon::layout> result = reshaped(operand, extents);
      if (!result) refuse_reshape(input_under(id), operand, extents);
      return *result;
    }
    axis_list map;
    for (long long axis : g.attributes_of(n)) map.values[map.count++] = axis;
    return broadcast(operand, map, extents);
  }
  [[gnu::cold]] static tenon::layout slice_of(tenon::layout const& operand, attribute const& numbers) {
    axis_list starts, steps, counts;
    starts.count = steps.count = counts.count = operand.rank;
    for (int k = 0; k < operand.rank; ++k) {
      detail::axis_range range = detail::resolve_range(operand.extents[k], numbers[3 * k], numbers[3 * k + 1], numbers[3 * k + 2]);
      starts.values[k] = range.start, steps.values[k] = numbers[3 * k + 2], counts.values[k] = range.count;
    }
    return sliced(operand, starts, steps, counts);
  }
  int input_under(int id) const {
    while (d_.final[id].is(op_kind::movement)) id = d_.final[id].operands[0];
    return d_.final[id].is<ops::input>() ? static_cast<int>(d_.final[id].bits) : -1;
  }

  [[noreturn, gnu::cold, gnu::noinline]] void refuse_reshape(int operand, tenon::layout const& from, axis_list const& to) const {
    raise({.operation = "reshape",
           .problem = text(operand < 0 ? "the output" : "the operand")
                      << " of shape " << to_string(from) << " is not contiguous along the axes that become shape " << to_string(to),
           .remedy = "pass a contiguous tensor",
           .shapes = to_string(from) << " and " << to_string(to),
           .operand = operand},
          name_);
  }
  // Of a length that is known when the call is.
  [[noreturn, gnu::cold, gnu::noinline]] void refuse_position(int operand, long long position, tenon::layout const& of, int axis) const {
    raise({.operation = "take",
           .problem = text("index ") << position << " is out of range for extent " << of.extents[axis],
           .remedy = "give indices from -extent to extent - 1",
           .shapes = to_string(of),
           .operand = operand},
          name_);
  }

  description const& d_;
  dim_values lengths_;
  array_view<argument const> inputs_;
  expression_name const& name_;
};

}  // namespace tenon::detail
TENON_ONCE_END
