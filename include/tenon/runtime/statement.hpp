// SPDX-License-Identifier: Apache-2.0
#pragma once
// The statement form's evaluation: `z = x * s + y` runs the expression's function form into z.

#include "tenon/runtime/executable.hpp"

namespace tenon {
namespace detail {

// What the checks ask of an assignment; it is checked before the expression is taken apart, so that the user's line is
// near.
template <class Expression>
struct assignment_signature {
  using space = typename common_space<Expression>::type;
  using results = outputs_t<typename result_tensor<space, handle_t<Expression>>::type>;
  static constexpr int output_count = 1;
};

template <class Expression, class... Leaves>
constexpr refusal why_not_one_kernel(type_list<Leaves...>) {
  return lowered<replay<Expression>, argument_t<Leaves>...>::flat.refused;
}

}  // namespace detail

// Found by argument-dependent lookup from the assignment of tensors and views. One launch on the default stream.
template <class Target, class Fn, class... Args>
requires detail::is_array_argument<std::remove_const_t<Target>> auto assign(Target& target, expression<Fn, Args...> const& source) {
  using expression_type = expression<Fn, Args...>;
  if constexpr (detail::check_spaces<expression_type>()) {
    constexpr refusal why = detail::why_not_one_kernel<expression_type>(typename detail::leaves_of<expression_type>::type{});
    if constexpr (!detail::check_outputs<detail::assignment_signature<expression_type>, detail::writable_view<Target>>()) {
    } else if constexpr (detail::check_one_kernel<why>()) {
      executable<detail::replay<expression_type>> run(expression_name{"assignment", {}});
      detail::with_leaves(source, [&](auto const&... leaves) { run.into(target)(leaves...); });
    }
  }
}
// The mistake has been reported where the expression was written.
template <class Target>
requires detail::is_array_argument<std::remove_const_t<Target>> void assign(Target&, refused) {}

}  // namespace tenon
