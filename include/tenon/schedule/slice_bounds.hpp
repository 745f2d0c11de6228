// SPDX-License-Identifier: Apache-2.0
#pragma once
// A slice of a slice ... of a tensor: where in it it begins, and whether along its last axis it has
// parts of vectors.

#include "tenon/ops/movement.hpp"
#include "tenon/schedule/space.hpp"

namespace tenon::detail {

class slice_bounds {
 public:
  // @pre g[view] is one
  constexpr slice_bounds(graph const& g, int view) : g_(g), view_(view) {}

  constexpr int last() const { return g_[view_].rank() - 1; }
  // What it is a slice of a slice of.
  constexpr int whole() const {
    int view = view_;
    while (is_slice(view)) view = g_[view].operands[0];
    return view;
  }
  static constexpr long long unknown = -1;
  // Where it begins along an axis of that.
  constexpr long long begin(int axis) const {
    long long result = 0;
    for (int view = view_; is_slice(view); view = g_[view].operands[0]) {
      long long const first = g_.attributes_of(g_[view])[3 * axis];
      if (first == open_bound) continue;
      if (first < 0) return unknown;
      result += first;
    }
    return result;
  }
  // How far its elements are from each other along an axis.
  constexpr long long step(int axis) const {
    long long result = 1;
    for (int view = view_; is_slice(view); view = g_[view].operands[0])
      result *= g_.attributes_of(g_[view])[3 * axis + 2];
    return result;
  }
  // Whether it is of neighbours along all axes, with a beginning that is known along the last one.
  constexpr bool is_of_neighbours() const {
    for (int view = view_; is_slice(view); view = g_[view].operands[0])
      for (int axis = 0; axis < g_[view].rank(); ++axis)
        if (g_.attributes_of(g_[view])[3 * axis + 2] != 1) return false;
    return begin(last()) != unknown;
  }
  // Whether it begins or ends in the midst of a vector of that many elements, if the tensor's rows
  // are whole ones.
  constexpr bool has_part_of_vector(int width) const {
    for (int view = view_; is_slice(view); view = g_[view].operands[0])
      for (int bound = 0; bound < 2; ++bound) {
        long long const at = g_.attributes_of(g_[view])[3 * last() + bound];
        if (at != open_bound && at % width != 0) return true;
      }
    return false;
  }

 private:
  constexpr bool is_slice(int view) const { return g_[view].is<ops::slice>(); }

  graph const& g_;
  int view_;
};

}  // namespace tenon::detail
