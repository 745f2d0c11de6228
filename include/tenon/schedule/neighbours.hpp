// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operands whose elements lie between each other: the even and the odd columns of a view, the parts
// of a pair, results beside each other along the last axis. What one of them steps over the others
// have.

#include "tenon/schedule/schedule.hpp"

namespace tenon {

// What a program says of a load or a store in its bits, beside its position: that it is one of
// `count` such operands, the first of which is number `first`.
struct neighbours {
  int count = 0;  // 0: none
  int position = 0;
  int first = 0;

  static constexpr int shift = 40, most = 4, most_operands = 256;
  constexpr long long packed() const {
    return count == 0 ? 0 : (count | position << 3 | static_cast<long long>(first) << 6) << shift;
  }
  static constexpr long long mask = ((1ll << 14) - 1) << shift;
  static constexpr neighbours unpack(long long bits) {
    auto const all = static_cast<int>((bits & mask) >> shift);
    return {all & 7, all >> 3 & 7, all >> 6};
  }
  constexpr bool operator==(neighbours const&) const = default;
};

namespace detail {

class neighbour_finder {
 public:
  constexpr neighbour_finder(graph const& g, iteration_space const& space) : g_(g), space_(space) {}

  // Of load number k.
  constexpr neighbours of_load(int k) const {
    return of(k, space_.loads.size(), [&](int a, int b) { return distance(a, b); });
  }
  // Of store number k: parts of one output along its last axis.
  constexpr neighbours of_store(int k) const {
    return of(k, space_.stores.size(), [&](int a, int b) {
      store const &x = space_.stores[a], &y = space_.stores[b];
      bool const are_parts = x.axis != no_axis && x.axis == y.axis && x.output == y.output &&
                             x.along == y.along && x.along[x.axis] == no_axis &&
                             x.axis == last_axis_of(x.output);
      return are_parts ? y.position - x.position : far;
    });
  }

 private:
  // One too many is seen from either end.
  static constexpr int reach = neighbours::most, far = reach + 1;

  // @post of operands that are distances 0, 1, ... from the first, all of which have the same count
  // and first; who shares its place with another is nobody's neighbour, and none where there are
  // more of them than one access has
  template <class Distance> static constexpr neighbours of(int k, int size, Distance distance) {
    constexpr int nobody = -1, several = -2;
    if (k >= neighbours::most_operands) return {};
    int at[2 * far + 1];  // who is so far from k, from -reach on, between two who are not there
    for (int& one : at) one = nobody;
    for (int other = 0; other < size && other < neighbours::most_operands; ++other) {
      int const d = other == k ? 0 : distance(k, other);
      if (d < -reach || d > reach) continue;
      at[far + d] = at[far + d] == nobody ? other : several;
    }
    if (at[far] == several) return {};
    int begin = far, end = far + 1;
    while (at[begin - 1] >= 0) --begin;
    while (at[end] >= 0) ++end;
    int const count = end - begin;
    if (count < 2 || count > neighbours::most) return {};
    return {count, far - begin, at[begin]};
  }
  // Of what is stored, beside axes of one element.
  constexpr int last_axis_of(int output) const {
    dim_list const& dims = g_[g_.outputs[output].id].dims;
    int axis = dims.size() - 1;
    while (axis > 0 && dims[axis] == unit_dim) --axis;
    return axis;
  }
  // How many elements load b is further than load a along the last axis of a view, in steps of more
  // than one or as one of its elements; `far` if it is none of that. Where these lie in memory
  // says a call.
  constexpr int distance(int a, int b) const {
    load const &x = space_.loads[a], &y = space_.loads[b];
    if (x.view == no_view || y.view == no_view || x.what != y.what || x.along != y.along)
      return far;
    int from = x.view, to = y.view;
    while (are_seen_alike(g_[from], g_[to])) from = g_[from].operands[0], to = g_[to].operands[0];
    node const &v = g_[from], &w = g_[to];
    if (!v.is<ops::slice>() || !w.is<ops::slice>() || v.operands[0] != w.operands[0]) return far;
    int const last = v.rank() - 1;
    attribute const of_v = g_.attributes_of(v), of_w = g_.attributes_of(w);
    auto const begin = [](attribute const& bounds, int axis) {
      return bounds[3 * axis] == open_bound ? 0 : bounds[3 * axis];
    };
    for (int axis = 0; axis < last; ++axis)
      if (begin(of_v, axis) != begin(of_w, axis) || of_v[3 * axis + 2] != of_w[3 * axis + 2])
        return far;
    long long const further = begin(of_w, last) - begin(of_v, last), step = of_v[3 * last + 2];
    bool const is_between = step == of_w[3 * last + 2] && (step > 1 || v.dims[last] == unit_dim);
    return is_between && further >= -reach && further <= reach ? static_cast<int>(further) : far;
  }

  // Whether two views, of different ones, are the same otherwise.
  constexpr bool are_seen_alike(node const& v, node const& w) const {
    if (v.op != w.op || !v.is(op_kind::movement) || v.operands[0] == w.operands[0]) return false;
    return v.is<ops::reshape>() || g_.attributes_of(v) == g_.attributes_of(w);
  }

  graph const& g_;
  iteration_space const& space_;
};

}  // namespace detail
}  // namespace tenon
