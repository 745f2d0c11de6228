// SPDX-License-Identifier: Apache-2.0
#pragma once
// Results that join equally long pieces which are computed, as a rotation of halves is written →
// each piece by itself: whoever has an element of one piece has those of all, reads once what they
// have in common, and computes nothing that is not stored.

#include "tenon/passes/elements_at.hpp"

namespace tenon::passes {
namespace detail {

// Of pieces of two elements more accesses are made. H200, corners of 2^22 boxes of four f32 from
// their middles and sizes 48 us, as a whole 44; of bf16, two boxes beside each other, 56 and 65.
inline constexpr long long most_pieces = 4, least_of_piece = 4;

// The length of one of `count` equal pieces of a length; unit_dim: there are none.
constexpr dim length_of_piece(graph& g, dim d, long long count) {
  d = g.dims.representative(d);
  if (!g.dims.is_constant(d)) {
    dim one = d;
    while (g.dims[one].kind == dim_kind::sum)
      one = g.dims.representative(static_cast<dim>(g.dims[one].a));
    return piece_positions(g, {0, 0, one}).pieces_of(d) == count ? one : unit_dim;
  }
  long long const length = g.dims[d].a;
  return length % count == 0 && length / count >= least_of_piece ? g.dims.constant(length / count)
                                                                 : unit_dim;
}

// All pieces of node `id`, of that length each; none where one of them cannot be told, or where
// nothing is computed for another place than it is read at.
constexpr constexpr_vector<int> pieces_along(graph& g, int id, int axis, long long count,
                                             dim length) {
  constexpr_vector<int> result, none;
  bool is_computed = false, is_taken = false;
  for (long long k = 0; k < count; ++k) {
    elements_at here(g, axis, k, false, length);
    dim_list dims = g[id].dims;
    dims[axis] = length;
    int const one = here.of(id);
    if (one < 0 || g[one].rank() == 0) return none;
    result.push_back(build::broadcast_trailing(g, one, dims));
    is_computed = is_computed || here.chooses_computed, is_taken = is_taken || here.is_taken;
  }
  return is_computed && is_taken ? result : none;
}

// Whether anything that is taken elsewhere may be chosen by the position.
constexpr bool may_choose_taken(graph const& g, int id) {
  bool has_choice = false, has_take = false, has_index = false;
  return is_computed_from(g, id, [&](node const& n) {
    has_choice = has_choice || n.is<ops::where>(), has_take = has_take || n.is<ops::take>(),
    has_index = has_index || n.is<ops::index>();
    return has_choice && has_take && has_index;
  });
}

}  // namespace detail

// All results, in as many pieces of one length; else none.
constexpr void piece_outputs(graph& g) {
  if (!g.parts.empty()) return;
  for (graph_output const& output : g.outputs)
    if (output.window != no_attribute || detail::is_accumulated(g, output.id) ||
        !detail::may_choose_taken(g, output.id))
      return;
  dim_list const dims(g[g.outputs[0].id].dims);
  for (int axis = dims.size() - 1; axis >= 0; --axis)
    for (long long count = 2; count <= detail::most_pieces; ++count) {
      dim const length = detail::length_of_piece(g, dims[axis], count);
      if (length == unit_dim) continue;
      constexpr_vector<output_part> parts;
      for (int k = 0; k < g.outputs.size(); ++k) {
        int const id = g.outputs[k].id;
        if (axis >= g[id].rank() ||
            g.dims.representative(g[id].dims[axis]) != g.dims.representative(dims[axis]))
          break;
        constexpr_vector<int> const all = detail::pieces_along(g, id, axis, count, length);
        for (int j = 0; j < all.size(); ++j) parts.push_back({all[j], k, axis, j});
      }
      if (parts.size() != count * g.outputs.size()) continue;
      g.parts = parts;
      return;
    }
}

}  // namespace tenon::passes
