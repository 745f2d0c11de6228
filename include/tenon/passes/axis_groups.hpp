// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which consecutive operand axes a reshape merges or splits into which consecutive result axes.

#include "tenon/ir/graph.hpp"

namespace tenon::passes {

// Operand axes [from, from_end) hold the same elements as result axes [to, to_end).
struct axis_group {
  int from, from_end, to, to_end;
};

// @post the groups cover all axes of both, in order; each is as small as the known dims allow
constexpr static_vector<axis_group, max_rank + 1> reshape_groups(dim_table const& table,
                                                                 dim_list const& from,
                                                                 dim_list const& to) {
  dim_table scratch = table;
  auto at = [&](dim_list const& dims, int i) { return table.representative(dims[i]); };
  static_vector<axis_group, max_rank + 1> result;
  int i = 0, j = 0;
  while (i < from.size() || j < to.size()) {
    axis_group group{i, i, j, j};
    // The shortest pair of prefixes with equal products; if there is none, everything that is left.
    bool found = false;
    dim left = unit_dim;
    for (int a = i; a < from.size() && !found; ++a) {
      left = scratch.product(left, at(from, a));
      dim right = unit_dim;
      for (int b = j; b < to.size() && !found; ++b) {
        right = scratch.product(right, at(to, b));
        if (left != right) continue;
        found = true;
        group.from_end = a + 1, group.to_end = b + 1;
      }
    }
    // An axis of extent 1 that only one side has is a group of its own.
    if (!found) {
      bool is_from_unit = i < from.size() && at(from, i) == unit_dim;
      bool is_to_unit = j < to.size() && at(to, j) == unit_dim;
      if (is_from_unit)
        group.from_end = i + 1;
      else if (is_to_unit)
        group.to_end = j + 1;
      else
        group.from_end = from.size(), group.to_end = to.size();
      // Only lengths of 0 leave axes on one side: [0, n] to [0].
      bool is_one_sided = group.from == group.from_end || group.to == group.to_end;
      if (is_one_sided && !is_from_unit && !is_to_unit && !result.empty()) {
        group.from = result.items[result.size() - 1].from,
        group.to = result.items[result.size() - 1].to;
        result.erase(result.size() - 1);
      }
    }
    i = group.from_end, j = group.to_end;
    result.push_back(group);
  }
  return result;
}

}  // namespace tenon::passes
