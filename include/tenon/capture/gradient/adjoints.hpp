// SPDX-License-Identifier: Apache-2.0
#pragma once
// The state of the reverse pass: which nodes depend on what is differentiated by, and the derivative by each of them so far.
//
// An adjoint has the shape of its node, or rank 0 where it is one number for all elements.

#include "tenon/capture/gradient/term.hpp"
#include "tenon/ops/reduction.hpp"

namespace tenon::detail {

constexpr int sum_of(graph& g, int a, int b) { return build::pointwise(g, op_id<ops::add>, {{a, b}, 2}); }
constexpr int product_of(graph& g, int a, int b) { return build::pointwise(g, op_id<ops::mul>, {{a, b}, 2}); }

// The same number for every element of dims, where there is only one.
constexpr int expanded(graph& g, int id, dim_list const& dims) {
  return g[id].rank() == 0 ? build::broadcast(g, id, {}, dims) : id;
}

// The sum over the axes whose bit is set of an adjoint of these dims. That of one number is its multiple, and that of negated
// terms is negated once.
constexpr int sum_along(graph& g, int id, dim_list const& dims, unsigned axes) {
  if (axes == 0) return id;
  bool const is_negated = g[id].is<ops::neg>();
  if (is_negated) id = g[id].operands[0];
  int result = -1;
  if (g[id].rank() != 0) {
    result = build::reduce(g, op_id<ops::sum>, id, axes);
  } else {
    dim_list counted;
    for (int k = 0; k < dims.size(); ++k)
      if (axes >> k & 1u) counted.push_back(dims[k]);
    result = product_of(g, id, build::size(g, counted, g[id].type));
  }
  return is_negated ? build::pointwise(g, op_id<ops::neg>, {{result}, 1}) : result;
}

class adjoints {
 public:
  graph& g;

  // What is differentiated by ends the way back: what it was made of does not count.
  constexpr adjoints(graph& of, int end, constexpr_vector<int> const& by)
      : g(of), ids_(end, -1), is_active_(end, 0), is_end_(end, 0) {
    for (int id : by) is_end_[id] = 1;
    for (int id = 0; id < end; ++id) {
      is_active_[id] = is_end_[id];
      if (!is_floating(g[id].type)) continue;
      for (int operand : g[id].operands) is_active_[id] = is_active_[id] || is_active_[operand];
    }
  }

  constexpr bool is_active(int id) const { return is_active_[id]; }
  constexpr bool is_end(int id) const { return is_end_[id]; }
  constexpr bool is_waiting(int id) const { return ids_[id] >= 0 && !is_end_[id]; }
  constexpr int of(int id) const { return ids_[id]; }

  // `part` has the shape `dims`, or rank 0; the operand too.
  constexpr void add(int operand, int part, dim_list const& dims) {
    if (!is_active_[operand] || is_constant(g, part, 0)) return;
    if (g[operand].rank() == 0) part = sum_along(g, part, dims, (1u << dims.size()) - 1);
    part = build::convert(g, part, g[operand].type);
    ids_[operand] = ids_[operand] < 0 ? part : sum_of(g, ids_[operand], part);
  }
  constexpr void add(int operand, int part) { add(operand, part, dim_list(g[operand].dims)); }

 private:
  constexpr_vector<int> ids_;
  constexpr_vector<char> is_active_, is_end_;
};

}  // namespace tenon::detail
