// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether a reshape of a view of an argument is a view, too: the strides that it has of an argument
// that is contiguous, as products of lengths.

#include "tenon/ir/build.hpp"
#include "tenon/passes/axis_groups.hpp"

namespace tenon::passes::detail {

constexpr bool is_view_of_argument(graph const& g, int id) {
  while (g[id].is<ops::slice>() || g[id].is<ops::reshape>() || g[id].is<ops::transpose>())
    id = g[id].operands[0];
  return g[id].is(op_kind::source);
}

class view_strides {
 public:
  constexpr explicit view_strides(graph const& g) : g_(g), table_(g.dims) {}

  // Whether node `id`, a view of an argument, may have those dims.
  constexpr bool may_become(int id, dim_list const& dims) {
    return reshaped(dim_list(g_[id].dims), strides_of(id), dims).size() == dims.size();
  }

 private:
  // Of each axis; none where the view has no strides.
  constexpr dim_list strides_of(int id) {
    node const& n = g_[id];
    if (n.is(op_kind::source)) return contiguous(dim_list(n.dims), unit_dim);
    dim_list const operand = strides_of(n.operands[0]);
    if (operand.size() != g_.operand(n, 0).rank()) return {};
    if (n.is<ops::reshape>())
      return reshaped(dim_list(g_.operand(n, 0).dims), operand, dim_list(n.dims));
    attribute const& numbers = g_.attributes_of(n);
    dim_list result;
    for (int axis = 0; axis < n.rank(); ++axis) result.push_back(table_.constant(0));
    for (int k = 0; k < operand.size(); ++k)
      if (n.is<ops::slice>())
        result[k] = table_.product(operand[k], table_.constant(numbers[3 * k + 2]));
      else
        result[static_cast<int>(numbers[k])] = operand[k];
    return result;
  }
  constexpr dim_list contiguous(dim_list const& dims, dim innermost) {
    dim_list result(dims);
    for (int axis = dims.size() - 1; axis >= 0; --axis) {
      result[axis] = innermost;
      innermost = table_.product(innermost, dims[axis]);
    }
    return result;
  }
  // One element, as a column of a narrow tensor is, has its neighbours wherever they are.
  constexpr bool has_one_at_most(dim length) const {
    length = table_.representative(length);
    dim_expression const& part = table_[length];
    if (part.kind != dim_kind::slice) return length == unit_dim;
    if (part.c == tenon::detail::open_bound) return part.b == -1 && part.d > 0;
    return part.d > 0 && (part.b < 0) == (part.c < 0) && part.c - part.b <= part.d;
  }
  // As many as there are axes, or none.
  constexpr dim_list reshaped(dim_list const& from, dim_list const& strides, dim_list const& to) {
    dim_list result;
    if (strides.size() != from.size()) return result;
    for (axis_group const group : reshape_groups(table_, from, to)) {
      dim innermost = unit_dim, run = unit_dim;  // the stride and the length of what lies as one
      for (int k = group.from_end - 1; k >= group.from; --k) {
        if (has_one_at_most(from[k])) continue;
        if (run == unit_dim)
          innermost = strides[k];
        else if (table_.product(innermost, run) != table_.representative(strides[k]))
          return {};
        run = table_.product(run, from[k]);
      }
      dim_list lengths;
      for (int axis = group.to; axis < group.to_end; ++axis) lengths.push_back(to[axis]);
      for (dim const stride : contiguous(lengths, innermost)) result.push_back(stride);
    }
    return result;
  }

  graph const& g_;
  dim_table table_;
};

}  // namespace tenon::passes::detail
