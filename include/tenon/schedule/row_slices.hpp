// SPDX-License-Identifier: Apache-2.0
#pragma once
// Slices that begin or end where no vector of their tensor's rows does, as those of neighbouring
// elements do whose differences are added up: how far they begin behind one.

#include "tenon/schedule/full.hpp"
#include "tenon/schedule/slice_bounds.hpp"

namespace tenon {

// What a program says of a load in its bits, beside its position.
struct row_slice {
  int group = 0;  // the same of slices of one tensor in the same rows; 0: none
  int phase = 0;  // elements from the vector on in which the first of the group begins

  static constexpr int shift = 54, most_groups = 7;
  constexpr long long packed() const { return static_cast<long long>(group | phase << 3) << shift; }
  static constexpr row_slice unpack(long long bits) {
    auto const all = static_cast<int>(bits >> shift & 255);
    return {all & 7, all >> 3};
  }
  constexpr bool operator==(row_slice const&) const = default;
};

namespace detail {

// Of what leaves nothing but one reduction over the columns, which passes once. Several with states
// of their own were seen to fail a test on a device, and not under the emulator.
class row_slice_finder {
 public:
  constexpr row_slice_finder(graph const& g, iteration_space const& space, schedule const& s)
      : g_(g), space_(space) {
    all_ = constexpr_vector<row_slice>(space.loads.size(), {});
    is_element_ = constexpr_vector<bool>(space.loads.size(), false);
    if (!takes_part(s)) return;
    bool is_any = false;
    for (int k = 0; k < space.loads.size(); ++k)
      is_any = is_any || (is_slice(k) && bounds_of(k).has_part_of_vector(width_));
    if (is_any) find_groups();
  }

  // Of load number k.
  constexpr row_slice of_load(int k) const { return all_[k]; }

 private:
  // Whether the kernels have the program. Finds the vectors' width, which is that of the kernels.
  constexpr bool takes_part(schedule const& s) {
    if (s.chosen != &schedules::full && s.chosen != &schedules::rows) return false;
    if (s.row_phases != 1) return false;
    for (place const where : s.store_places)
      if (where == place::element) return false;
    int widest = 0;
    for (int k = 0; k < space_.instructions.size(); ++k) {
      instruction const& i = space_.instructions[k];
      if (s.places[k] != place::element) continue;
      if (i.op->kind == op_kind::scan || i.op == op_id<ops::index> || i.op == op_id<ops::address> ||
          i.op == op_id<ops::fetch>)
        return false;
      if (i.op != op_id<ops::load>) continue;
      if (!i.operands.empty()) return false;
      is_element_[static_cast<int>(i.bits)] = true;
      widest = size_of(i.type) > widest ? size_of(i.type) : widest;
    }
    columns_ = s.columns;
    width_ = widest > 0 ? 16 / widest : 1;
    return width_ > 1;
  }

  constexpr slice_bounds bounds_of(int k) const { return {g_, space_.loads[k].view}; }
  // Where load k begins along the last axis.
  constexpr long long begin(int k) const { return bounds_of(k).begin(bounds_of(k).last()); }
  // Whether a load is of neighbours along the last axis, which is one of the columns.
  constexpr bool is_slice(int k) const {
    load const& from = space_.loads[k];
    if (!is_element_[k] || from.view == no_view || from.what != reading::element) return false;
    if (!g_[from.view].is<ops::slice>() || !bounds_of(k).is_of_neighbours()) return false;
    int const axis = from.along[bounds_of(k).last()];
    return axis != no_axis && (columns_ >> axis & 1u);
  }
  // Whether two slices have the same rows, and differ in where they begin in these.
  constexpr bool are_alike(int a, int b) const {
    slice_bounds const x = bounds_of(a), y = bounds_of(b);
    bool result = space_.loads[a].along == space_.loads[b].along && x.whole() == y.whole();
    for (int axis = 0; result && axis < x.last(); ++axis) result = x.begin(axis) == y.begin(axis);
    return result;
  }
  // The first that has no group yet begins one. What begins more than a vector behind is of another
  // one.
  constexpr void find_groups() {
    for (int group = 1; group <= row_slice::most_groups; ++group) {
      int first = -1;
      for (int k = 0; k < space_.loads.size(); ++k)
        if (is_slice(k) && all_[k].group == 0 && (first < 0 || begin(k) < begin(first))) first = k;
      if (first < 0) return;
      long long const from = begin(first) / width_ * width_;
      for (int k = 0; k < space_.loads.size(); ++k) {
        if (!is_slice(k) || all_[k].group != 0 || !are_alike(first, k)) continue;
        long long const phase = begin(k) - from;
        if (phase <= width_) all_[k] = {group, static_cast<int>(phase)};
      }
    }
  }

  graph const& g_;
  iteration_space const& space_;
  unsigned columns_ = 0;
  int width_ = 1;
  constexpr_vector<bool> is_element_;
  constexpr_vector<row_slice> all_;
};

}  // namespace detail
}  // namespace tenon
