// SPDX-License-Identifier: Apache-2.0
#pragma once
// Positions along the innermost axis of the results that go on in steps, as those of windows do:
// which one is the first, and how far it is to the next.

#include "tenon/ops/source.hpp"
#include "tenon/schedule/slice_bounds.hpp"

namespace tenon {

// What a program says of such positions in the bits of their load, beside its own position.
struct stepped_position {
  int step = 0;  // 0: nothing is known
  int begin = 0;

  static constexpr int shift = 40, most_steps = 15, most_begin = 63;
  static constexpr long long mask = ((1ll << 10) - 1) << shift;
  constexpr long long packed() const { return static_cast<long long>(step | begin << 4) << shift; }
  static constexpr stepped_position unpack(long long bits) {
    auto const all = static_cast<int>((bits & mask) >> shift);
    return {all & 15, all >> 4};
  }
  constexpr bool operator==(stepped_position const&) const = default;
};

namespace detail {

// Of a load of positions. @pre `innermost` is the results' innermost axis
constexpr stepped_position stepped_position_of(graph const& g, load const& from, int innermost) {
  if (from.view == no_view || from.what != reading::position || g[from.view].rank() != 1) return {};
  slice_bounds const bounds(g, from.view);
  if (innermost == no_axis || from.along[0] != innermost || !g[bounds.whole()].is<ops::index>())
    return {};
  long long const step = bounds.step(0), begin = bounds.begin(0);
  bool const is_held = step >= 1 && step <= stepped_position::most_steps && begin >= 0 &&
                       begin <= stepped_position::most_begin;
  return is_held ? stepped_position{static_cast<int>(step), static_cast<int>(begin)}
                 : stepped_position{};
}

}  // namespace detail
}  // namespace tenon
