// SPDX-License-Identifier: Apache-2.0
#pragma once
// The compiled form of an expression as values, for the run time and the reports: the same passes, run once per process.
//
// The kernels are instantiated from a constant; this is what the constant was made from. Keeping it as values costs a
// translation unit nothing, where constants of the whole graph would have to be emitted into it.

#include "tenon/program/reify.hpp"

namespace tenon {

struct description {
  graph traced;  // as the lambda wrote it
  graph final;   // after the passes
  iteration_space space;
  schedule plan;
};

template <class Function, class... Arguments>
description const& describe_expression() {
  static description const made = [] {
    description d;
    d.traced = trace<Function, Arguments...>();
    d.final = passes::run(d.traced);
    d.space = make_iteration_space(d.final);
    d.plan = select(d.space);
    return d;
  }();
  return made;
}

}  // namespace tenon
