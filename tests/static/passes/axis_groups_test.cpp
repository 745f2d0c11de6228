// SPDX-License-Identifier: Apache-2.0
// Which axes a reshape merges and splits.
#include "static/support.hpp"

namespace tenon::test {
namespace {

// The lengths that the reshapes below are made of.
struct lengths {
  dim_table table;
  dim n = table.of_input(0, 0, extent()), m = table.of_input(0, 1, extent());
  dim two = table.constant(2), three = table.constant(3), six = table.constant(6),
      zero = table.constant(0);
  dim nm = table.product(n, m);
};

// "0-1:0 1:1": operand axes 0 and 1 are result axis 0, ...
constexpr text groups(lengths const& l, dim_list const& from, dim_list const& to) {
  text out;
  for (auto g : passes::reshape_groups(l.table, from, to)) {
    auto range = [&](int begin, int end) {
      for (int axis = begin; axis < end; ++axis) out << axis;
    };
    if (out.view().size()) out << ' ';
    range(g.from, g.from_end);
    out << ':';
    range(g.to, g.to_end);
  }
  return out;
}
constexpr lengths l() { return {}; }

static_assert(groups(l(), {{l().n, l().m}, 2}, {{l().n, l().m}, 2}) == "0:0 1:1");
static_assert(groups(l(), {{l().n, l().m}, 2}, {{l().nm}, 1}) == "01:0");
static_assert(groups(l(), {{l().n, l().m, l().six}, 3}, {{l().nm, l().two, l().three}, 3}) ==
              "01:0 2:12");
static_assert(groups(l(), {{l().two, l().three}, 2}, {{l().three, l().two}, 2}) == "01:01");
static_assert(groups(l(), {{l().n, l().m}, 2}, {{l().m, l().n}, 2}) == "01:01");
static_assert(groups(l(), {{l().n}, 1}, {{unit_dim, l().n, unit_dim}, 3}) == "0:01 :2");
static_assert(groups(l(), {{unit_dim, l().n, unit_dim}, 3}, {{l().n}, 1}) == "01:0 2:");
static_assert(groups(l(), {{unit_dim, unit_dim}, 2}, {}) == "0: 1:");
static_assert(groups(l(), {}, {{unit_dim}, 1}) == ":0");
static_assert(groups(l(), {{l().zero, l().n}, 2}, {{l().n, l().zero}, 2}) == "01:01");
static_assert(groups(l(), {{l().n, l().zero}, 2}, {{l().zero}, 1}) == "01:0");

}  // namespace
}  // namespace tenon::test
