// SPDX-License-Identifier: Apache-2.0
#pragma once
// The compiled form of an expression as values: what a call needs, restored from a constant, and all of it for reports.

#include "tenon/core/config.hpp"
#include "tenon/program/reify.hpp"

TENON_ONCE_BEGIN
namespace tenon {

// The final graph, the operands of the space and the axis groups.
template <class Function, class... Arguments>
description describe_call() {
  return detail::restored(detail::lowered<Function, Arguments...>::chosen::about);
}

// Everything, by running the passes again: for reports, which also show what the lambda wrote.
template <class Function, class... Arguments>
description const& describe_expression() {
  static description const made = [] {
    description d;
    lowered_graph lowered = lower(trace<Function, Arguments...>());
    d.traced = lowered.traced;
    d.final = lowered.final;
    d.space = lowered.space;
    d.plan = lowered.plan;
    return d;
  }();
  return made;
}

}  // namespace tenon
TENON_ONCE_END
