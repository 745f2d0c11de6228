// SPDX-License-Identifier: Apache-2.0
#pragma once
// The statement form's evaluation: `z = x * s + y` runs the expression's function form into z.

#include "tenon/runtime/executable.hpp"

namespace tenon {

// Found by argument-dependent lookup from the assignment of tensors and views. One launch on the default stream.
template <class Space, class T, extent... E, class Fn, class... Args>
void assign(basic_view<Space, T, E...> const& target, expression<Fn, Args...> const& source) {
  using function = detail::replay<expression<Fn, Args...>>;
  executable<function> run(expression_name{"assignment", {}});
  detail::with_leaves(source, [&](auto const&... leaves) { run.into(target)(leaves...); });
}

}  // namespace tenon
