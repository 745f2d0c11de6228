// SPDX-License-Identifier: Apache-2.0
#pragma once
// The reverse pass through slices: each element goes back to the position that it was read at, and between them are zeros.

#include "tenon/capture/gradient/adjoints.hpp"

namespace tenon::detail {

constexpr term whole_number(graph& g, long long x) { return {g, build::integer_literal(g, dtype::i64, x)}; }
constexpr term length_term(graph& g, dim d) {
  dim_list counted;
  counted.push_back(d);
  return {g, build::size(g, counted, dtype::i64)};
}
constexpr term position_term(graph& g, dim_list const& dims, int axis) {
  return {g, build::position_along(g, dims, 1u << axis)};
}
// `from` along `axis` at the positions `at`, of which nothing else is read.
constexpr term taken_along(graph& g, int from, int axis, term at, dim_list const& dims) {
  attribute map;
  for (int k = 0; k < dims.size(); ++k) map.push_back(k == axis ? -1 : k);
  return {g, build::take(g, from, map, {{at.id}, 1}, 0u, dims)};
}
// What lies at the positions `at` along `axis`, zero where there is none. d has rank 0 where it is one number everywhere.
constexpr int taken_or_zero(graph& g, int d, int axis, term at, dim length, dim_list const& dims) {
  term const is_inside = at >= whole_number(g, 0) && at < length_term(g, length);
  return ops::when(is_inside, g[d].rank() == 0 ? term{g, d} : taken_along(g, d, axis, at, dims)).id;
}

// The position of the first element of a slice.
constexpr term first_position(graph& g, dim length, long long start, long long stop, long long step) {
  if (g.dims.is_constant(g.dims.representative(length)))
    return whole_number(g, resolve_range(g.dims[g.dims.representative(length)].a, start, stop, step).start);
  term const n = length_term(g, length);
  if (start == open_bound) return step < 0 ? n - whole_number(g, 1) : whole_number(g, 0);
  term const first = start < 0 ? n + whole_number(g, start) : whole_number(g, start);
  if (start < 0 && step > 0) return ops::of<ops::maximum>(first, whole_number(g, 0));
  return start > 0 && step < 0 ? ops::of<ops::minimum>(first, n - whole_number(g, 1)) : first;
}

// Position p of the operand is element (p - first) / step of the slice, if there is one.
constexpr int reverse_slice_along(graph& g, int d, int axis, dim taken, dim_list const& dims, attribute const& numbers) {
  long long const start = numbers[3 * axis], stop = numbers[3 * axis + 1], step = numbers[3 * axis + 2];
  term const from_first = position_term(g, dims, axis) - first_position(g, dims[axis], start, stop, step);
  if (step == 1) return taken_or_zero(g, d, axis, from_first, taken, dims);
  term const stride = whole_number(g, step);
  int const found = taken_or_zero(g, d, axis, ops::of<ops::floor_divide>(from_first, stride), taken, dims);
  return ops::when(ops::of<ops::remainder>(from_first, stride) == whole_number(g, 0), term{g, found}).id;
}

constexpr void reverse_slice(adjoints& all, int id) {
  graph& g = all.g;
  node const n = g[id];
  attribute const numbers = g.attributes_of(n);
  dim_list dims = n.dims;
  int d = all.of(id);
  for (int axis = 0; axis < n.rank(); ++axis) {
    dim const whole = g.operand(n, 0).dims[axis];
    if (build::takes_everything(g, whole, numbers, axis)) continue;
    bool const is_flip = numbers[3 * axis] == open_bound && numbers[3 * axis + 1] == open_bound && numbers[3 * axis + 2] == -1;
    if (is_flip && g[d].rank() == 0) continue;
    dims[axis] = whole;
    if (is_flip) {
      attribute flipped;
      for (int k = 0; k < n.rank(); ++k) {
        flipped.push_back(k == axis ? open_bound : 0);
        flipped.push_back(open_bound);
        flipped.push_back(k == axis ? -1 : 1);
      }
      d = build::slice(g, d, flipped);
    } else {
      d = reverse_slice_along(g, d, axis, n.dims[axis], dims, numbers);
    }
  }
  all.add(n.operands[0], d);
}

}  // namespace tenon::detail
