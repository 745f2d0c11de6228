// SPDX-License-Identifier: Apache-2.0
#pragma once
// Groups of an element's neighbours (schedule/stencils.hpp) that differ in where they begin along a
// third axis: what one plane's elements are above, those of another one are beside.

#include "tenon/schedule/stencils.hpp"

namespace tenon::detail {

class stencil_plane_finder {
 public:
  constexpr stencil_plane_finder(graph const& g, iteration_space const& space,
                                 stencil_finder const& groups)
      : g_(g), space_(space), groups_(groups) {
    all_ = constexpr_vector<stencil_plane>(space.loads.size(), {});
    if (groups.axis() == no_axis) return;
    int most_saved = 0;
    for (int axis = 0; axis < space.axes.size(); ++axis) {
      if (axis == groups.axis() || axis == groups.innermost()) continue;
      int saved = 0;
      auto const found = find(axis, saved);
      if (saved > most_saved) all_ = found, most_saved = saved;
    }
  }

  // Of load number k.
  constexpr stencil_plane of_load(int k) const { return all_[k]; }

 private:
  constexpr long long begin(int k, int axis) const {
    return groups_.bounds_of(k).begin(groups_.seen_along(k, axis));
  }
  // Where the group of load k begins.
  constexpr long long first_row(int k) const {
    return begin(k, groups_.axis()) - groups_.of_load(k).row;
  }
  constexpr long long first_column(int k) const {
    return begin(k, groups_.innermost()) - groups_.of_load(k).column;
  }
  // Whether the groups of two loads are in the same columns, and differ along `axis` and that of
  // rows alone.
  constexpr bool are_alike(int a, int b, int axis) const {
    load const &x = space_.loads[a], &y = space_.loads[b];
    if (!(x.along == y.along) || groups_.bounds_of(a).whole() != groups_.bounds_of(b).whole() ||
        first_column(a) != first_column(b))
      return false;
    for (int seen = 0; seen < x.along.size() - 1; ++seen)
      if (seen != groups_.seen_along(a, axis) && seen != groups_.seen_along(a, groups_.axis()) &&
          groups_.bounds_of(a).begin(seen) != groups_.bounds_of(b).begin(seen))
        return false;
    return true;
  }
  // The sets along an axis, of several planes each. Saved: groups that are in a set with others.
  constexpr constexpr_vector<stencil_plane> find(int axis, int& saved) const {
    constexpr_vector<stencil_plane> result(space_.loads.size(), {});
    constexpr_vector<bool> is_done(space_.loads.size(), false);
    int sets = 0;
    auto const may_take_part = [&](int k) {
      return !is_done[k] && groups_.of_load(k).group != 0 && groups_.seen_along(k, axis) != no_axis;
    };
    for (int first = 0; first < space_.loads.size(); ++first) {
      if (!may_take_part(first)) continue;
      constexpr_vector<int> members;
      for (int k = first; k < space_.loads.size(); ++k)
        if (may_take_part(k) && are_alike(first, k, axis)) members.push_back(k);
      long long plane = begin(first, axis), row = first_row(first);
      for (int k : members) {
        is_done[k] = true;
        if (begin(k, axis) < plane) plane = begin(k, axis);
        if (first_row(k) < row) row = first_row(k);
      }
      bool has[stencil_plane::most + 1] = {}, is_near = true;
      for (int k : members) {
        long long const above = begin(k, axis) - plane,
                        down = first_row(k) - row + groups_.of_load(k).row;
        is_near = is_near && above <= stencil_plane::most && down <= stencil_plane::most;
        if (is_near) has[above] = true;
      }
      int planes = 0;
      for (bool one : has) planes += one;
      if (!is_near || planes < 2 || sets == stencil_plane::most_sets) continue;
      ++sets, saved += planes - 1;
      for (int k : members)
        result[k] = {sets, static_cast<int>(begin(k, axis) - plane),
                     static_cast<int>(first_row(k) - row)};
    }
    return result;
  }

  graph const& g_;
  iteration_space const& space_;
  stencil_finder const& groups_;
  constexpr_vector<stencil_plane> all_;
};

}  // namespace tenon::detail
