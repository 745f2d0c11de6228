// SPDX-License-Identifier: Apache-2.0
#pragma once
// The mean of what an index sends to each place: a sum of updates over their number, in one sweep.

#include "tenon/capture/operators.hpp"
#include "tenon/capture/pattern.hpp"
#include "tenon/capture/scatter.hpp"

namespace tenon {

// scatter_mean(base, axis, index, updates): the mean of the base's element and the updates for it,
// called as scatter_add is.
inline constexpr function scatter_mean{[](auto base, auto along, auto index, auto updates) {
  auto const count = scatter_add(ones_like(base), along, index, ones_like(updates));
  return scatter_add(base, along, index, updates) / count;
}};

}  // namespace tenon
