// SPDX-License-Identifier: Apache-2.0
#pragma once
// What nodes are wanted along which axes → the axes that the innermost reductions go along.

#include "tenon/ops/movement.hpp"
#include "tenon/ops/source.hpp"
#include "tenon/schedule/slice_bounds.hpp"

namespace tenon::detail {

// Node `id` with its axes laid along `along`.
struct demand {
  int id;
  coordinates along;
  static_vector<int, max_operands> sources = {};  // of take: those of the indices
  unsigned reduced = 0;
  int result = -1;
};

constexpr bool is_view_node(node const& n) {
  return n.is<ops::input>() || n.is<ops::index>() || n.is<ops::slice>() || n.is<ops::reshape>();
}

struct innermost_axes {
  graph const& g;
  constexpr_vector<demand> const& demands;
  int axes;  // of the space

  // The fewest axes that a reduction reduces, of equally many those that the widest operand runs
  // along; none when there is no reduction over more than one element.
  constexpr unsigned smallest_reduction() const {
    unsigned result = 0;
    auto count = [](unsigned mask) {
      int n = 0;
      for (; mask; mask &= mask - 1) ++n;
      return n;
    };
    unsigned const fastest = fastest_axis();
    for (demand const& d : demands) {
      if (!d.reduced) continue;
      int const fewer = result ? count(result) - count(d.reduced) : 1;
      if (fewer > 0 || (fewer == 0 && d.reduced & fastest && !(result & fastest)))
        result = d.reduced;
    }
    if (result != (1u << axes) - 1 || !all_merge() || are_taken_by_rows()) return result;
    return piece_in_memory();
  }

 private:
  // The last axes of the space along which every view lies in one piece: all but for what a slice
  // leaves out of an inner axis. H200, the sum of the differences of neighbours of 8192 x 4096, as
  // one sweep over all and as rows: f32 217 us and 91, bf16 263 and 57; the largest of all but the
  // first and last columns 161 and 49, 207 and 34.
  constexpr unsigned piece_in_memory() const {
    unsigned result = (1u << axes) - 1;
    for (demand const& d : demands) {
      if (!g[d.id].is<ops::slice>()) continue;
      attribute const& numbers = g.attributes_of(g[d.id]);
      unsigned behind = 0;
      for (int k = d.along.size() - 1; k > 0; --k) {
        if (d.along[k] != no_axis) behind |= 1u << d.along[k];
        bool const is_whole = numbers[3 * k] == 0 &&
                              numbers[3 * k + 1] == tenon::detail::open_bound &&
                              numbers[3 * k + 2] == 1;
        if (!is_whole && behind != 0) {
          result &= behind;
          break;
        }
      }
    }
    return result != 0 ? result : (1u << axes) - 1;
  }
  // Whether nothing is left but such reductions of slices that begin or end in the midst of vectors,
  // of which the sweep over all takes vectors of rows.
  constexpr bool are_taken_by_rows() const {
    int widest = 1;
    for (graph_output const& o : g.outputs)
      if (g[o.id].rank() > 0) return false;
    for (demand const& d : demands) {
      node const& n = g[d.id];
      if (n.is<ops::take>() || n.is<ops::index>() || n.op->is_search || n.is(op_kind::scan))
        return false;
      if (is_view_node(n) && n.rank() > 0 && size_of(n.type) > widest) widest = size_of(n.type);
    }
    bool result = false;
    for (demand const& d : demands) {
      if (!g[d.id].is<ops::slice>()) continue;
      slice_bounds const bounds(g, d.id);
      bool const is_along = d.along[bounds.last()] != no_axis;
      if (!bounds.is_of_neighbours()) return false;
      result = result || (is_along && bounds.has_part_of_vector(16 / widest));
    }
    return result;
  }
  // Whether each reduction may be one of another's results.
  constexpr bool all_merge() const {
    for (demand const& d : demands)
      if (d.reduced && !g[d.id].op->merges_with_itself) return false;
    return true;
  }
  // The last axis of the view that varies over most axes, as a mask.
  constexpr unsigned fastest_axis() const {
    int most = 0;
    unsigned result = 0;
    for (demand const& d : demands) {
      if (!is_view_node(g[d.id])) continue;
      int varying = 0, last = 0;
      for (int axis : d.along)
        if (axis != no_axis) ++varying, last = axis;
      if (varying > most) most = varying, result = 1u << last;
    }
    return result;
  }
};

}  // namespace tenon::detail
