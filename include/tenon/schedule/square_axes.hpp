// SPDX-License-Identifier: Apache-2.0
#pragma once
// Axes of an operand that are equally long → which of them each axis of each node is. By their
// length alone they are the same, and what reduces the rows of a square matrix and what reduces its
// columns would read it once as it lies and once on its side.

#include "tenon/ir/graph.hpp"
#include "tenon/ops/indexing.hpp"
#include "tenon/ops/movement.hpp"
#include "tenon/ops/source.hpp"
#include "tenon/schedule/space.hpp"

namespace tenon::detail {

class square_axes {
 public:
  // Unless wanted, axes are told apart by their lengths alone.
  constexpr explicit square_axes(graph const& g, bool is_wanted = true) : g_(g) {
    if (is_wanted) find_square();
    if (square_ < 0) return;
    all_ = constexpr_vector<coordinates>(g.size(), {});
    for (int id = 0; id < g.size(); ++id) all_[id] = of_node(g[id]);
  }

  // Whether some operand has axes that are equally long.
  constexpr bool is_any() const { return square_ >= 0; }
  // Which axis of that operand each axis of node `id` is; no_axis: of none, or not known.
  constexpr coordinates of(int id) const { return is_any() ? all_[id] : none(g_[id].rank()); }
  static constexpr coordinates none(int rank) {
    coordinates result;
    for (int k = 0; k < rank; ++k) result.push_back(no_axis);
    return result;
  }

 private:
  constexpr dim length(dim d) const { return g_.dims.representative(d); }
  constexpr void find_square() {
    for (int id = 0; id < g_.size() && square_ < 0; ++id) {
      node const& n = g_[id];
      if (!n.is<ops::input>()) continue;
      for (int a = 0; a < n.rank(); ++a)
        for (int b = a + 1; b < n.rank(); ++b)
          if (length(n.dims[a]) == length(n.dims[b]) && length(n.dims[a]) != unit_dim) square_ = id;
    }
  }
  // Whether every axis of an operand is as long as that of the square.
  constexpr bool is_alike(node const& n) const {
    bool result = n.rank() == g_[square_].rank();
    for (int k = 0; result && k < n.rank(); ++k)
      result = length(n.dims[k]) == length(g_[square_].dims[k]);
    return result;
  }
  constexpr coordinates of_node(node const& n) const {
    coordinates result = none(n.rank());
    if (n.is<ops::input>()) {
      for (int k = 0; k < n.rank() && is_alike(n); ++k) result[k] = k;
    } else if (n.is<ops::broadcast>() || n.is<ops::transpose>() || n.is<ops::take>()) {
      attribute const& map = g_.attributes_of(n);
      coordinates const& from = all_[n.operands[0]];
      for (int k = 0; k < map.size(); ++k)
        if (map[k] >= 0) set(result[static_cast<int>(map[k])], from[k]);
    } else if (n.is(op_kind::reduction)) {
      coordinates const& from = all_[n.operands[0]];
      for (int k = 0, kept = 0; k < from.size(); ++k)
        if (!(n.axes >> k & 1u)) result[kept++] = from[k];
    } else if (!n.is(op_kind::movement)) {
      for (int operand : n.operands)
        for (int k = 0; k < n.rank() && all_[operand].size() == n.rank(); ++k)
          set(result[k], all_[operand][k]);
    }
    return result;
  }
  // The first one to say so.
  static constexpr void set(int& axis, int found) {
    if (axis == no_axis) axis = found;
  }

  graph const& g_;
  int square_ = -1;
  constexpr_vector<coordinates> all_;
};

}  // namespace tenon::detail
