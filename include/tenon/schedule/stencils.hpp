// SPDX-License-Identifier: Apache-2.0
#pragma once
// Pointwise expressions of an element's neighbours: loads of slices of one tensor that differ in
// where they begin along its last axis and along one other. What one of them has in a row the
// others have in the rows around it.

#include "tenon/schedule/neighbours.hpp"
#include "tenon/schedule/pointwise.hpp"
#include "tenon/schedule/slice_bounds.hpp"
#include "tenon/schedule/transposed.hpp"

namespace tenon {

// What a program says of a load in its bits, beside its position: where its element is among those
// of its group.
struct stencil_place {
  int group = 0;   // the same of loads of one tensor that are alike otherwise; 0: none
  int row = 0;     // along the other axis, which is the same of all groups
  int column = 0;  // from the vector on in which the group begins, if rows are whole ones

  // In the place of neighbours (schedule/neighbours.hpp), which such a load has none of, with a
  // count that these have not.
  static constexpr int shift = neighbours::shift, mark = 7, most_groups = 15, most_row = 7,
                       most_column = 15;
  constexpr long long packed() const {
    return group == 0
               ? 0
               : static_cast<long long>(mark | row << 3 | column << 6 | group << 10) << shift;
  }
  static constexpr stencil_place unpack(long long bits) {
    auto const all = static_cast<int>((bits & neighbours::mask) >> shift);
    if ((all & 7) != mark) return {};
    return {all >> 10, all >> 3 & 7, all >> 6 & 15};
  }
  constexpr bool operator==(stencil_place const&) const = default;
};
// And where its group is among those that begin elsewhere along a third axis, the same of all of
// them (schedule/stencil_planes.hpp).
struct stencil_plane {
  int set = 0;    // the same of groups that are alike otherwise; 0: there are none in other planes
  int plane = 0;  // along that axis
  int row = 0;    // how far its group's first row is behind the set's

  // In the place of a slice of a row (schedule/row_slices.hpp), which such a load has not.
  static constexpr int shift = 54, most = 7, most_sets = 3;
  constexpr long long packed() const {
    return static_cast<long long>(set | plane << 2 | row << 5) << shift;
  }
  static constexpr stencil_plane unpack(long long bits) {
    auto const all = static_cast<int>(bits >> shift & 255);
    return {all & 3, all >> 2 & 7, all >> 5};
  }
  constexpr bool operator==(stencil_plane const&) const = default;
};

namespace detail {

class stencil_finder {
 public:
  constexpr stencil_finder(graph const& g, iteration_space const& space, schedule const& s)
      : g_(g), space_(space) {
    all_ = constexpr_vector<stencil_place>(space.loads.size(), {});
    if (s.chosen != &schedules::pointwise) return;
    innermost_ = last_axis(space.stores[0].along);
    int widest = 1, slices = 0;
    for (load const& from : space.loads) {
      if (from.view == no_view || from.what != reading::element || from.along.empty()) continue;
      if (size_of(g[from.view].type) > widest) widest = size_of(g[from.view].type);
      slices += g[from.view].is<ops::slice>();
    }
    if (slices < least_places - 1) return;  // one may be the whole
    for (auto const& result : g.outputs)
      if (size_of(result.type) > widest) widest = size_of(result.type);
    width_ = 16 / widest;
    int most_saved = 0;
    for (int axis = 0; axis < space.axes.size(); ++axis) {
      if (axis == innermost_) continue;
      int saved = 0;
      auto const found = find(axis, saved);
      // Of axes that share as much the inner one: rows in memory that follow each other.
      if (saved > 0 && saved >= most_saved) all_ = found, most_saved = saved, axis_ = axis;
    }
  }

  // Of load number k.
  constexpr stencil_place of_load(int k) const { return all_[k]; }
  // That of the space along which they are in rows; no_axis: there are no groups.
  constexpr int axis() const { return axis_; }
  constexpr int innermost() const { return innermost_; }

  constexpr slice_bounds bounds_of(int k) const { return {g_, space_.loads[k].view}; }
  // Which axis of its tensor a load reads along an axis of the space; no_axis: none.
  constexpr int seen_along(int k, int axis) const {
    coordinates const& along = space_.loads[k].along;
    for (int seen = 0; seen < along.size(); ++seen)
      if (along[seen] == axis) return seen;
    return no_axis;
  }

 private:
  // In groups that share any. H200, three of 8192 x 8192, us, each by itself and as a group: f32
  // 141 and 128, bf16 89 and 75.
  static constexpr int least_places = 3;

  constexpr long long begin(int k, int axis) const {
    return bounds_of(k).begin(seen_along(k, axis));
  }
  // Whether a load is of neighbours along the last axis and `axis`.
  constexpr bool may_take_part(int k, int axis) const {
    load const& from = space_.loads[k];
    if (from.view == no_view || from.what != reading::element || from.along.size() < 2)
      return false;
    if (innermost_ == no_axis || from.along[from.along.size() - 1] != innermost_) return false;
    if (seen_along(k, axis) == no_axis || !bounds_of(k).is_of_neighbours()) return false;
    for (int seen = 0; seen < from.along.size(); ++seen)
      if (bounds_of(k).begin(seen) == slice_bounds::unknown) return false;
    return true;
  }
  // Whether two loads differ in nothing but where they begin along the last axis and `axis`.
  constexpr bool are_alike(int a, int b, int axis) const {
    load const &x = space_.loads[a], &y = space_.loads[b];
    if (!(x.along == y.along) || bounds_of(a).whole() != bounds_of(b).whole()) return false;
    for (int seen = 0; seen < x.along.size() - 1; ++seen)
      if (seen != seen_along(a, axis) && bounds_of(a).begin(seen) != bounds_of(b).begin(seen))
        return false;
    return true;
  }
  // The groups along an axis, which may be of one place. Saved: places that others have in other
  // rows, in groups of enough.
  constexpr constexpr_vector<stencil_place> find(int axis, int& saved) const {
    constexpr_vector<stencil_place> result(space_.loads.size(), {});
    constexpr_vector<bool> is_done(space_.loads.size(), false);
    int groups = 0;
    for (int first = 0; first < space_.loads.size(); ++first) {
      if (is_done[first] || !may_take_part(first, axis)) continue;
      constexpr_vector<int> members;
      for (int k = first; k < space_.loads.size(); ++k)
        if (may_take_part(k, axis) && are_alike(first, k, axis)) members.push_back(k);
      long long row = begin(first, axis), column = begin(first, innermost_);
      for (int k : members) {
        is_done[k] = true;
        if (begin(k, axis) < row) row = begin(k, axis);
        if (begin(k, innermost_) < column) column = begin(k, innermost_);
      }
      column = column / width_ * width_;
      bool has[stencil_place::most_column + 1][stencil_place::most_row + 1] = {}, is_near = true;
      for (int k : members) {
        long long const down = begin(k, axis) - row, along = begin(k, innermost_) - column;
        is_near = is_near && down <= stencil_place::most_row && along <= stencil_place::most_column;
        if (is_near) has[along][down] = true;
      }
      if (!is_near || groups == stencil_place::most_groups) continue;
      ++groups;
      for (int k : members)
        result[k] = {groups, static_cast<int>(begin(k, axis) - row),
                     static_cast<int>(begin(k, innermost_) - column)};
      int places = 0, columns = 0;
      for (auto const& of_column : has) {
        int rows = 0;
        for (bool one : of_column) rows += one;
        places += rows, columns += rows > 0;
      }
      if (places >= least_places) saved += places - columns;
    }
    return result;
  }

  graph const& g_;
  iteration_space const& space_;
  int innermost_ = no_axis, axis_ = no_axis, width_ = 1;
  constexpr_vector<stencil_place> all_;
};

}  // namespace detail
}  // namespace tenon
