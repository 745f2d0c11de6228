// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reverse pass through reductions, and through scans and the members of states that projections read.

#include "tenon/capture/gradient/updates.hpp"
#include "tenon/ops/indexed_reduction.hpp"
#include "tenon/ops/scan.hpp"

namespace tenon::detail {

// A reduction's result repeated along the axes that were reduced.
constexpr int repeated(graph& g, int id, dim_list const& dims, unsigned reduced) {
  if (g[id].rank() == 0) return id;
  attribute map;
  for (int k = 0; k < dims.size(); ++k)
    if (!(reduced >> k & 1u)) map.push_back(k);
  return build::broadcast(g, id, map, dims);
}

// What the rule of a reduction may ask for: the reduction `id` itself, and others over the same axes.
struct reduced_axes {
  graph& g;
  int id;

  constexpr node reduction() const { return g[id]; }
  constexpr node operand() const { return g.operand(reduction(), 0); }
  constexpr term repeat(int result) const {
    return {g, repeated(g, result, dim_list(operand().dims), reduction().axes)};
  }
  constexpr term count() const {
    dim_list counted;
    for (int k = 0; k < operand().rank(); ++k)
      if (reduction().axes >> k & 1u) counted.push_back(operand().dims[k]);
    return {g, build::size(g, counted, reduction().type)};
  }
  template <class Reduction> constexpr term total(term x) const {
    return repeat(build::reduce(g, op_id<Reduction>, expanded(g, x.id, dim_list(operand().dims)), reduction().axes));
  }
  template <class Projection> constexpr term member() const {
    constexpr bool is_index = requires { Projection::is_index; };
    return repeat(build::project(g, op_id<Projection>, id, is_index ? dtype::i64 : reduction().type));
  }
  // Of elements with their positions.
  constexpr term position() const { return {g, operand().operands[0]}; }
};

// The elements that are reduced: of pairs with their positions the values.
constexpr int reduced_element(graph const& g, node const& reduction) {
  int const id = reduction.operands[0];
  return g[id].is<ops::indexed>() ? g[id].operands[1] : id;
}

template <class Op> constexpr void reverse_reduction(adjoints& all, int id) {
  graph& g = all.g;
  if (comparison_of_targets(g, g[id]) >= 0) {
    if constexpr (std::is_same_v<Op, ops::sum>)
      reverse_sum_by_index(all, id);
    else
      g.refused = refusal::derivative_of_indices;
    return;
  }
  reduced_axes const over{g, id};
  int const element = reduced_element(g, g[id]);
  term const d = Op::derivative(over.repeat(all.of(id)), term{g, element}, over.repeat(id), over);
  all.add(element, d.id, dim_list(over.operand().dims));
}

template <class Op> constexpr void reverse_projection(adjoints& all, int id) {
  graph& g = all.g;
  reduced_axes const over{g, g[id].operands[0]};
  int const element = reduced_element(g, over.reduction());
  term const d = Op::derivative(over.repeat(all.of(id)), term{g, element}, over.repeat(id), over);
  all.add(element, d.id, dim_list(over.operand().dims));
}

// What the rule of a scan may ask for: scans of the same axis, in the other direction or in the same blocks.
struct scanned_axis {
  graph& g;
  int id;

  template <class Scan> constexpr term reversed(term d) const { return scan<Scan>(d, g[id].bits ^ ops::scan_reverses); }
  template <class Scan> constexpr term same(term d) const { return scan<Scan>(d, g[id].bits); }

 private:
  template <class Scan> constexpr term scan(term d, long long how) const {
    int axis = 0;
    while (!(g[id].axes >> axis & 1u)) ++axis;
    return {g, build::scan(g, op_id<Scan>, expanded(g, d.id, dim_list(g[id].dims)), axis, how)};
  }
};

template <class Op> constexpr void reverse_scan(adjoints& all, int id) {
  graph& g = all.g;
  int const element = g[id].operands[0];
  term const d = Op::derivative(term{g, all.of(id)}, term{g, element}, term{g, id}, scanned_axis{g, id});
  all.add(element, d.id);
}

}  // namespace tenon::detail
