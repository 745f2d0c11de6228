// SPDX-License-Identifier: Apache-2.0
#pragma once
// Loads of slices of one tensor that differ in nothing but where they begin, as those of an
// element's neighbours do: the places of one of them are those of all.

#include "tenon/schedule/slice_bounds.hpp"

namespace tenon {

// What a program says of a load in its bits, beside its position: the number of its group, from 1
// on; 0: it is in none. Few are as fast each for itself, or faster. H200, us, as a group and not:
// windows of 3 x 3, every second one, of 32 x 64 x 112 x 112 bf16 28 and 58, sixteen neighbours of
// 4096 x 4096 f32 112 and 314, but three of 4096 x 8192 bf16 46.8 and 42.6, a laplacian of five of
// 8192 x 8192 f32 176 and 165.
struct alike_loads {
  static constexpr int shift = 36, most_groups = 15, least = 6;
  static constexpr long long mask = static_cast<long long>(most_groups) << shift;
  static constexpr long long packed(int group) { return static_cast<long long>(group) << shift; }
  static constexpr int unpack(long long bits) { return static_cast<int>((bits & mask) >> shift); }
};

namespace detail {

class alike_finder {
 public:
  constexpr alike_finder(graph const& g, iteration_space const& space) : g_(g) {
    groups_ = constexpr_vector<int>(space.loads.size(), 0);
    int groups = 0;
    for (int first = 0; first < space.loads.size() && groups < alike_loads::most_groups; ++first) {
      if (groups_[first] != 0) continue;
      constexpr_vector<int> group;
      for (int k = first; k < space.loads.size(); ++k)
        if (groups_[k] == 0 && are_alike(space.loads[first], space.loads[k])) group.push_back(k);
      if (group.size() < alike_loads::least) continue;
      ++groups;
      for (int k : group) groups_[k] = groups;
    }
  }

  // Of load number k.
  constexpr int of_load(int k) const { return groups_[k]; }

 private:
  constexpr bool are_alike(load const& x, load const& y) const {
    if (x.view == no_view || y.view == no_view || x.what != reading::element || x.what != y.what ||
        x.along != y.along)
      return false;
    int from = x.view, to = y.view;
    while (g_[from].is<ops::reshape>() && g_[to].is<ops::reshape>()) {
      from = g_[from].operands[0], to = g_[to].operands[0];
      if (!(g_[from].dims == g_[to].dims)) return false;
    }
    if (!g_[from].is<ops::slice>() && !g_[to].is<ops::slice>()) return false;
    slice_bounds const a(g_, from), b(g_, to);
    bool result = a.whole() == b.whole();
    for (int axis = 0; result && axis <= a.last(); ++axis) result = a.step(axis) == b.step(axis);
    return result;
  }

  graph const& g_;
  constexpr_vector<int> groups_;
};

}  // namespace detail
}  // namespace tenon
