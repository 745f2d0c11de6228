// SPDX-License-Identifier: Apache-2.0
#pragma once
// A take of a node, or a movement of a take → the same of its operands.

#include "tenon/ops/indexing.hpp"
#include "tenon/ops/scan.hpp"
#include "tenon/passes/moved_views.hpp"
#include "tenon/passes/view_strides.hpp"

namespace tenon::passes::detail {

class moved_takes : protected moved_views {
 protected:
  // is_reduced: whether something in the whole expression is.
  constexpr moved_takes(graph& g, bool is_reduced) : moved_views(g), is_reduced_(is_reduced) {}

  // The indices that a map still names, each once.
  struct index_list {
    static_vector<int, build::max_indices> indices = {};
    unsigned checked = 0;
  };
  constexpr long long use(index_list& list, int index, bool is_checked) {
    for (int j = 0; j < list.indices.size(); ++j)
      if (list.indices[j] == index && (list.checked >> j & 1u) == is_checked) return -1 - j;
    list.checked |= static_cast<unsigned>(is_checked) << list.indices.size();
    list.indices.push_back(index);
    return -list.indices.size();
  }
  // Entry `at` of the map of `how`.
  constexpr long long use(index_list& list, long long at, movement const& how) {
    if (at >= 0) return at;
    int j = static_cast<int>(-1 - at);
    return use(list, how.indices[j], how.checked >> j & 1u);
  }

  // Where something is reduced, a position that is known while compiling is a slice of an argument,
  // whose other elements keep their strides: H200, silu of one half times the other as fp8 with a
  // scale for each of 8192 rows 158 us, so 73. Not along the last axis there, nor along another of
  // what is only moved, whose place is found once for what repeats it, too: a convolution with four
  // weights for each channel 100 us, so 127. Along its last, neighbours are one access for all: grey
  // of 2^26 u8 colours 117 us, so 90.
  constexpr int taken_from(int id, movement const& how) {
    attribute const map = g_.attributes[how.attributes];
    bool const is_view = is_view_of_argument(g_, id);
    attribute kept;
    dim_list lengths;
    index_list left;
    for (int k = 0; k < map.size(); ++k) {
      int const at = map[k] < 0 ? how.indices[static_cast<int>(-1 - map[k])] : -1;
      bool const is_last = k == map.size() - 1;
      if (is_view && at >= 0 && is_reduced_ != is_last && g_[at].is<ops::literal>()) {
        id = position_of(id, k, g_[at].bits);
      } else {
        kept.push_back(use(left, map[k], how));
        lengths.push_back(g_[id].dims[k]);
      }
    }
    id = build::reshape(g_, id, lengths);
    return build::take(g_, id, kept, left.indices, left.checked, how.dims);
  }
  // Along a run-time length it is looked up when the call is bound.
  constexpr int position_of(int id, int axis, long long position) {
    node slice{.op = op_id<ops::slice>, .type = g_[id].type, .operands = {{id}, 1}, .dims = g_[id].dims};
    attribute bounds;
    for (int k = 0; k < slice.rank(); ++k)
      for (long long const bound : {k == axis ? position : 0, k == axis && position != -1 ? position + 1 : tenon::detail::open_bound, 1ll})
        bounds.push_back(bound);
    slice.dims[axis] = unit_dim;
    slice.attributes = g_.intern(bounds);
    return g_.intern(slice);
  }

  // The reduced axes come after those of the result, along which no index varies.
  constexpr movement taken_around(node const& n, movement const& how, unsigned& axes) {
    node const& operand = g_.operand(n, 0);
    movement result = how;
    attribute const& map = g_.attributes[how.attributes];
    attribute extended, same;
    for (int axis = 0, kept = 0; axis < operand.rank(); ++axis) {
      if (!(n.axes >> axis & 1u)) {
        extended.push_back(map[kept++]);
        continue;
      }
      if (result.dims.size() == max_rank) {
        g_.refused = refusal::too_many_axes;
        return how;
      }
      axes |= 1u << result.dims.size();
      extended.push_back(result.dims.size());
      result.dims.push_back(operand.dims[axis]);
    }
    for (int k = 0; k < how.dims.size(); ++k) same.push_back(k);
    for (int& index : result.indices)
      if (g_[index].rank() != 0) index = build::broadcast(g_, index, same, result.dims);
    result.attributes = g_.intern(extended);
    return result;
  }

  // Whether what a slice leaves of a scan is a scan of what the slice leaves: everything from the
  // element on with which the scan begins, in either order.
  constexpr bool leaves_scan(node const& n, int axis, movement const& how) const {
    attribute const& numbers = g_.attributes[how.attributes];
    long long const first = numbers[3 * axis], end = numbers[3 * axis + 1],
                    step = numbers[3 * axis + 2];
    bool const is_whole = first == 0 && end == tenon::detail::open_bound && step == 1;
    bool const is_placed =
        n.op->is_sort || n.bits >> 2 != 0;  // by its axis as a whole, or in blocks
    if (is_whole || is_placed) return is_whole;
    if (step == 1)
      return n.bits & ops::scan_reverses ? end == tenon::detail::open_bound : first == 0;
    if (step != -1) return false;
    return n.bits & ops::scan_reverses ? first == tenon::detail::open_bound || first == -1
                                       : end == tenon::detail::open_bound;
  }
  // node::bits of scan n after a movement: the other way round after a reversal.
  constexpr long long bits_of_moved_scan(node const& n, movement const& how) const {
    int axis = 0;
    while (!(n.axes >> axis & 1u)) ++axis;
    bool const turns =
        how.op == op_id<ops::slice> && g_.attributes[how.attributes][3 * axis + 2] < 0;
    return turns ? n.bits ^ ops::scan_reverses : n.bits;
  }

  // Where a scan's axis is after a movement that leaves it whole.
  constexpr unsigned axes_of_moved_scan(node const& n, movement const& how) {
    int axis = 0;
    while (!(n.axes >> axis & 1u)) ++axis;
    if (how.op == op_id<ops::slice>) {
      if (leaves_scan(n, axis, how)) return n.axes;
    } else if (how.op == op_id<ops::reshape>) {
      for (axis_group group : reshape_groups(g_.dims, n.dims, how.dims))
        if (group.from == axis && group.from_end == axis + 1 && group.to_end == group.to + 1)
          return 1u << group.to;
    } else {
      long long const to = g_.attributes[how.attributes][axis];
      unsigned indexed = 0;
      for (int index : how.indices) indexed |= varying_axes(index);
      int readers = 0;
      for (long long at : g_.attributes[how.attributes]) readers += at == to;
      if (to >= 0 && !(indexed >> to & 1u) && readers == 1) return 1u << to;
    }
    g_.refused = refusal::scan_is_moved;
    return n.axes;
  }

  // The axes along which a value is not known to be repeated.
  constexpr unsigned varying_axes(int root) const {
    unsigned result = 0;
    constexpr_vector<int> open(1, root);
    while (!open.empty()) {
      node const& n = g_[open.back()];
      open.pop_back();
      if (n.is(op_kind::pointwise)) {
        for (int operand : n.operands)
          if (g_[operand].rank() != 0) open.push_back(operand);
      } else if (n.is<ops::broadcast>()) {
        attribute const& map = g_.attributes_of(n);
        for (int k = 0; k < map.size(); ++k)
          if (g_.operand(n, 0).dims[k] != unit_dim) result |= 1u << map[k];
      } else {
        for (int k = 0; k < n.rank(); ++k)
          if (n.dims[k] != unit_dim) result |= 1u << k;
      }
    }
    return result;
  }

  // `original` with its indices moved.
  // @pre the indices of n are those of the result
  constexpr int taken_twice(node const& original, node const& n, movement const& how) {
    attribute const inner = g_.attributes_of(n), outer = g_.attributes[how.attributes];
    index_list used;
    attribute map;
    for (int k = 0; k < inner.size(); ++k) {
      long long const at = inner[k];
      if (at >= 0) {
        // Where the operand is repeated it is read at its one position.
        bool const is_repeated = g_.operand(n, 0).dims[k] == unit_dim &&
                                 original.dims[static_cast<int>(at)] != unit_dim;
        map.push_back(is_repeated ? 0 : use(used, outer[static_cast<int>(at)], how));
        continue;
      }
      int const j = static_cast<int>(-1 - at);
      bool const is_checked = n.axes >> j & 1u;
      int const index =
          is_checked ? read_within(original, j, n.operands[1 + j], how) : n.operands[1 + j];
      map.push_back(use(used, index, is_checked));
    }
    return build::take(g_, n.operands[0], map, used.indices, used.checked, how.dims);
  }
  // Index j of `original`, which became `index`: where a position at which it is read is outside
  // there is none, which is not the user's mistake. A position of the user's is checked itself.
  constexpr int read_within(node const& original, int j, int index, movement const& how) {
    unsigned const varying = varying_axes(original.operands[1 + j]);
    attribute const outer = g_.attributes[how.attributes];
    for (int axis = 0; axis < original.rank(); ++axis) {
      int const number = static_cast<int>(-1 - outer[axis]);
      if (number < 0 || (how.checked >> number & 1u) || !(varying >> axis & 1u)) continue;
      dim_list length;
      length.push_back(original.dims[axis]);
      index =
          build::pointwise(g_, op_id<ops::index_within>,
                           {{index, how.indices[number], build::size(g_, length, dtype::i64)}, 3});
    }
    return index;
  }

  // A slice or reshape of a take, as a movement of what it takes from.
  constexpr movement through_take(node const& n, movement const& how, int& map) {
    node const operand = g_.operand(n, 0);
    attribute const axes = g_.attributes_of(n);
    if (how.op == op_id<ops::reshape>) return reshaped_take(n, operand, how, map);
    map = n.attributes;
    movement result{how.op};
    attribute numbers;
    for (int k = 0; k < axes.size(); ++k) {
      bool moves = axes[k] >= 0 && operand.dims[k] != unit_dim;
      push_bounds(numbers, moves ? static_cast<int>(axes[k]) : -1, how);
      result.dims.push_back(moves ? how.dims[static_cast<int>(axes[k])] : operand.dims[k]);
    }
    result.attributes = g_.intern(numbers);
    return result;
  }
  constexpr movement reshaped_take(node const& n, node const& operand, movement const& how,
                                   int& map) {
    attribute const axes = g_.attributes_of(n);
    auto const groups = reshape_groups(g_.dims, n.dims, how.dims);
    movement result{how.op};
    attribute moved;
    for (int k = 0; k < operand.rank();) {
      if (axes[k] < 0 || operand.dims[k] == unit_dim) {
        moved.push_back(axes[k] < 0 ? axes[k] : 0);
        result.dims.push_back(operand.dims[k++]);
        continue;
      }
      int g = 0;
      while (axes[k] >= groups[g].from_end) ++g;
      for (int axis = groups[g].from; axis < groups[g].from_end; ++axis) {
        if (n.dims[axis] == unit_dim) continue;
        if (k == operand.rank() || axes[k] != axis) {
          is_stuck_ = true;
          map = n.attributes;
          return result;
        }
        ++k;
      }
      for (int axis = groups[g].to; axis < groups[g].to_end; ++axis) {
        moved.push_back(axis);
        result.dims.push_back(how.dims[axis]);
      }
    }
    map = g_.intern(moved);
    return result;
  }

  bool is_reduced_;
};

}  // namespace tenon::passes::detail
