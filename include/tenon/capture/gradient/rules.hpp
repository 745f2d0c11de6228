// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rules that an expression needs: of the views, and of each operator between the arguments and the results.

#include "tenon/capture/gradient/movement.hpp"
#include "tenon/capture/gradient/pointwise.hpp"
#include "tenon/capture/gradient/reduction.hpp"
#include "tenon/capture/gradient/slice.hpp"
#include "tenon/capture/gradient/take.hpp"

namespace tenon::detail {

// @pre the node has an adjoint. Adds what it gives to those of its operands.
using reverse_function = void (*)(adjoints&, int id);

struct reverse_rule {
  op_info const* op;
  reverse_function apply;
};

inline constexpr reverse_rule movement_rules[] = {
    {op_id<ops::broadcast>, reverse_broadcast},
    {op_id<ops::transpose>, reverse_broadcast},
    {op_id<ops::reshape>, reverse_reshape},
    {op_id<ops::slice>, reverse_slice},
    {op_id<ops::take>, reverse_take},
};

// By a call: nvcc 13.0 knows no address of the template.
template <class Op, class... Rest>
concept has_rule_for = requires(term d, Rest... rest) { Op::derivative(d, rest...); };

template <std::size_t> using one_term = term;
template <class Op, std::size_t... I> constexpr bool has_pointwise_rule(std::index_sequence<I...>) {
  if constexpr (sizeof...(I) == 1)
    return has_rule_for<Op, term, term>;
  else
    return has_rule_for<Op, one_term<I>..., term, int>;
}
template <class Op> constexpr bool has_derivative() {
  if constexpr (Op::kind == op_kind::reduction || Op::kind == op_kind::projection)
    return has_rule_for<Op, term, term, reduced_axes>;
  else if constexpr (Op::kind == op_kind::scan)
    return has_rule_for<Op, term, term, scanned_axis>;
  else if constexpr (Op::kind == op_kind::pointwise)
    return has_pointwise_rule<Op>(std::make_index_sequence<Op::arity>{});
  else
    return false;
}

constexpr void reverse_nothing(adjoints&, int) {}

template <class Op> constexpr reverse_function reverse_function_of() {
  if constexpr (Op::is_locally_constant)
    return reverse_nothing;
  else if constexpr (Op::kind == op_kind::pointwise)
    return [](adjoints& all, int id) { reverse_pointwise<Op>(all, id, std::make_index_sequence<Op::arity>{}); };
  else if constexpr (Op::kind == op_kind::reduction)
    return reverse_reduction<Op>;
  else if constexpr (Op::kind == op_kind::projection)
    return reverse_projection<Op>;
  else
    return reverse_scan<Op>;
}

// The operators whose own rules an expression needs, each once.
struct operator_list {
  static constexpr int capacity = 96;
  op_info const* at[capacity] = {};
  int count = 0;

  constexpr void add(op_info const* op) {
    for (int k = 0; k < count; ++k)
      if (at[k] == op) return;
    at[count++] = op;
  }
};

// Those through which the results depend on what is differentiated by. A reduction with a state is reversed by its projections.
constexpr operator_list operators_between(graph const& g, adjoints const& all, constexpr_vector<int> const& results) {
  constexpr_vector<char> is_needed(g.size(), 0);
  for (int id : results) is_needed[id] = 1;
  operator_list result;
  for (int id = g.size() - 1; id >= 0; --id) {
    node const& n = g[id];
    if (!is_needed[id] || !all.is_active(id) || all.is_end(id)) continue;
    for (int operand : n.operands) is_needed[operand] = 1;
    bool const is_projected = n.op->has_state && !n.is(op_kind::scan);
    if (!n.is(op_kind::movement) && !is_projected) result.add(n.op);
  }
  return result;
}

}  // namespace tenon::detail
