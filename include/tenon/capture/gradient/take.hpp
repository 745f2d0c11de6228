// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reverse pass through reads at indices: what was read goes back to where the index says. That is a comparison of
// positions where one element is read, a view where the index moves with the position, and else a sum by index.

#include "tenon/capture/gradient/circle.hpp"
#include "tenon/capture/gradient/slice.hpp"
#include "tenon/capture/gradient/varying.hpp"
#include "tenon/capture/gradient/windows.hpp"
#include "tenon/core/maybe.hpp"
#include "tenon/ops/scatter.hpp"

namespace tenon::detail {

constexpr attribute all_of(int value, int count) {
  attribute result;
  for (int k = 0; k < count; ++k) result.push_back(value);
  return result;
}

// A take and the derivative d by its result, summed over the axes that neither the operand nor the index have.
class reversed_take {
 public:
  graph& g;
  node const n;
  dim_list const operand;
  int axis = -1;     // of the operand, the one that is read at the index
  attribute home;    // of each axis of the result the operand's axis that it is, or -1
  attribute twin;    // of each axis of the operand an earlier one that has the same position, or -1
  unsigned moving = 0;  // axes of the result along which the index varies
  int index = -1, d = -1;
  bool is_checked = false, is_known = true;

  constexpr reversed_take(graph& of, int id, int derivative)
      : g(of), n(of[id]), operand(of.operand(n, 0).dims), home(all_of(-1, n.rank())), twin(all_of(-1, operand.size())) {
    attribute const map = g.attributes_of(n);
    for (int k = 0; k < map.size(); ++k) {
      if (map[k] < 0)
        add_index(k, static_cast<int>(-1 - map[k]));
      else if (is_long(operand[k]))
        add_axis(k, static_cast<int>(map[k]));
    }
    is_known = is_known && (axis < 0 || twin == all_of(-1, operand.size()));
    unsigned repeated = 0;
    for (int r = 0; r < n.rank(); ++r)
      if (home[r] < 0 && !(moving >> r & 1u)) repeated |= 1u << r;
    d = sum_along(g, derivative, n.dims, repeated);
    for (int r = 0; r < n.rank(); ++r)
      if (!(repeated >> r & 1u)) left_.push_back(r);
  }

  constexpr bool is_home(int r) const { return home[r] >= 0; }
  // The axes of the index that the operand has not.
  constexpr attribute own_axes() const {
    attribute result;
    for (int r = 0; r < n.rank(); ++r)
      if ((moving >> r & 1u) && !is_home(r)) result.push_back(r);
    return result;
  }
  // d, and the index, over `dims`: axes of the operand in their places, the index' own from `first_own` on.
  constexpr int laid_out(int id, attribute const& axes, dim_list const& dims, int first_own) const {
    if (g[id].rank() == 0) return id;
    attribute map;
    for (long long r : axes) map.push_back(is_home(static_cast<int>(r)) ? home[static_cast<int>(r)] : first_own++);
    return build::broadcast(g, id, map, dims);
  }
  constexpr int derivative_over(dim_list const& dims, int first_own) const { return laid_out(d, left_, dims, first_own); }
  constexpr int index_over(dim_list const& dims, int first_own) const {
    if (g[index].rank() == 0) return index;
    attribute map, axes;
    dim_list varied;
    for (int r = 0; r < n.rank(); ++r) {
      map.push_back(moving >> r & 1u ? varied.size() : -1);
      if (!(moving >> r & 1u)) continue;
      axes.push_back(r);
      varied.push_back(n.dims[r]);
    }
    int const first = build::integer_literal(g, dtype::i64, 0);
    int const alone = varied.size() == n.rank() ? index : build::take(g, index, map, {{first}, 1}, 0u, varied);
    return laid_out(alone, axes, dims, first_own);
  }
  constexpr term length() const { return length_term(g, operand[axis]); }

 private:
  constexpr bool is_long(dim length) const { return g.dims.representative(length) != unit_dim; }
  constexpr void add_index(int k, int which) {
    is_known = is_known && axis < 0;
    axis = k;
    index = n.operands[1 + which];
    is_checked = n.axes >> which & 1u;
    moving = axes_that_vary(g, index);
  }
  constexpr void add_axis(int k, int r) {
    if (is_home(r))
      twin[k] = home[r];
    else
      home[r] = k;
  }
  attribute left_;  // axes of the result that d still has
};

// Without an index: the operand's axes that had one position have it.
constexpr int reverse_diagonal(reversed_take const& t) {
  term result{t.g, t.derivative_over(t.operand, 0)};
  for (int k = 0; k < t.operand.size(); ++k)
    if (t.twin[k] >= 0)
      result = ops::when(position_term(t.g, t.operand, k) == position_term(t.g, t.operand, static_cast<int>(t.twin[k])), result);
  return result.id;
}

// One element is read: it is where the index equals the position.
constexpr int reverse_one(reversed_take const& t) {
  term const index{t.g, t.index_over(t.operand, 0)};
  term const place = t.is_checked ? ops::of<ops::where>(index < whole_number(t.g, 0), index + t.length(), index) : index;
  return ops::when(position_term(t.g, t.operand, t.axis) == place, {t.g, t.derivative_over(t.operand, 0)}).id;
}

// Sums and differences of literals.
constexpr maybe<long long> known_number(graph const& g, int id) {
  node const& n = g[id];
  if (n.is<ops::literal>()) return n.bits;
  if (!n.is<ops::add>() && !n.is<ops::sub>()) return no_value;
  maybe<long long> const a = known_number(g, n.operands[0]), b = known_number(g, n.operands[1]);
  if (!a || !b) return no_value;
  return n.is<ops::add>() ? *a + *b : *a - *b;
}

// Where every element was read, as those of a part of a concatenation are, a slice of d; else -1.
constexpr int reverse_whole_line(reversed_take const& t, line const& index, int own, int d) {
  graph& g = t.g;
  dim const length = g.dims.representative(t.operand[t.axis]), read = g.dims.representative(t.n.dims[own]);
  maybe<long long> const offset = known_number(g, index.offset);
  if (t.is_checked || index.sign < 0 || !offset || !g.dims.is_constant(length) || !g.dims.is_constant(read)) return -1;
  if (*offset > 0 || g.dims[length].a - *offset > g.dims[read].a) return -1;
  if (g[d].rank() == 0) return d;
  attribute bounds;
  for (int axis = 0; axis < g[d].rank(); ++axis)
    for (long long const bound : {axis == t.axis ? -*offset : 0, axis == t.axis ? g.dims[length].a - *offset : open_bound, 1ll})
      bounds.push_back(bound);
  return build::slice(g, d, bounds);
}

// The index is a position along `own`, moved or turned round: what it read at is found by the inverse.
constexpr int reverse_line(reversed_take const& t, line const& index, int own) {
  graph& g = t.g;
  dim_list seen = t.operand;
  seen[t.axis] = t.n.dims[own];
  int const d = t.derivative_over(seen, t.axis);
  if (int const part = reverse_whole_line(t, index, own, d); part >= 0) return part;
  term const from = position_term(g, t.operand, t.axis) - term{g, index.offset};
  auto const at = [&](term difference) {
    return taken_or_zero(g, d, t.axis, index.sign < 0 ? -difference : difference, seen[t.axis], t.operand);
  };
  if (!t.is_checked) return at(from);
  return sum_of(g, at(from), at(from - t.length()));  // a negative index counts from the end
}

// The windows that two axes of the index are; -1: they are none.
constexpr int reverse_windows(reversed_take const& t, attribute const& own) {
  if (own.size() != 2 || t.is_checked || t.moving != (1u << own[0] | 1u << own[1])) return -1;
  int const first = static_cast<int>(own[0]), within = static_cast<int>(own[1]);
  long long const step = step_of_windows(t.g, t.index, first, within);
  if (step == 0) return -1;
  dim_list reads = t.operand;
  reads[t.axis] = unit_dim;
  reads.push_back(t.n.dims[first]);
  reads.push_back(t.n.dims[within]);
  int const d = t.derivative_over(reads, t.operand.size());
  return reverse_windows(t.g, d, t.axis, step, t.n.dims[first], t.n.dims[within], t.operand);
}

// Any index: each position takes in what was read there, in its order.
constexpr int reverse_by_index(reversed_take const& t, attribute const& own) {
  graph& g = t.g;
  int const rank = t.operand.size();
  dim_list reads = t.operand;
  reads[t.axis] = unit_dim;
  for (long long r : own) reads.push_back(t.n.dims[static_cast<int>(r)]);
  dim_list of_index = reads;
  for (int r = 0; r < t.n.rank(); ++r)
    if (t.is_home(r) && !(t.moving >> r & 1u)) of_index[static_cast<int>(t.home[r])] = unit_dim;
  term const index{g, t.index_over(of_index, rank)};
  term const is_inside = index >= whole_number(g, 0) && index < t.length();
  term const target = t.is_checked ? ops::of<ops::target_position>(index, t.length())
                                   : ops::of<ops::where>(is_inside, index, whole_number(g, -1));
  dim_list places = t.operand;
  for (int k = 0; k < rank + own.size(); ++k) {
    if (k >= rank) places.push_back(unit_dim);
    if (k != t.axis) places[k] = unit_dim;
  }
  term const is_for = ops::of<ops::is_target>(target, position_term(g, places, t.axis));
  int const counted = ops::when(is_for, {g, t.derivative_over(reads, rank)}).id;
  int const total = build::reduce(g, op_id<ops::sum>, counted, ((1u << own.size()) - 1) << rank);
  return build::broadcast_trailing(g, total, t.operand);
}

constexpr void reverse_take(adjoints& all, int id) {
  graph& g = all.g;
  reversed_take const t(g, id, all.of(id));
  attribute const own = t.own_axes();
  if (!t.is_known || t.operand.size() + own.size() > max_rank) {
    g.refused = refusal::derivative_of_indices;
    return;
  }
  int result = -1;
  if (t.axis < 0) {
    result = reverse_diagonal(t);
  } else if (own.empty()) {
    result = reverse_one(t);
  } else {
    bool const is_single = own.size() == 1 && t.moving == 1u << own[0];
    int const only = static_cast<int>(own[0]);
    line const along = is_single ? line_along(g, t.index, only) : line{};
    bool const is_whole = is_single && !t.is_checked && g.dims.representative(t.n.dims[only]) == g.dims.representative(t.operand[t.axis]);
    circle const around = is_whole ? circle_along(g, t.index, only, t.operand[t.axis]) : circle{};
    result = along.sign != 0    ? reverse_line(t, along, only)
             : around.more >= 0 ? reverse_circle(g, t.derivative_over(t.operand, t.axis), t.axis, around, t.operand)
                                : reverse_windows(t, own);
    if (result < 0) result = reverse_by_index(t, own);
  }
  all.add(t.n.operands[0], result);
}

}  // namespace tenon::detail
