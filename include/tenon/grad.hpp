// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opt-in: value_and_grad, grad and vjp: a function of tensors becomes the function of its derivatives, one kernel like any other.

#include "tenon/capture/gradient/product.hpp"
#include "tenon/compile.hpp"

namespace tenon {
namespace detail {

template <class Function>
struct function_of {
  using type = Function;
};
template <class Function>
struct function_of<executable<Function>> {
  using type = Function;
};

// A differentiated function. On tensors it is compiled and run; inside of an expression it is a part of it.
template <class Body>
struct differentiated {
  template <class... A>
  constexpr auto operator()(A const&... arguments) const {
    if constexpr ((is_value<A> || ...) || (is_refused<A> || ...))
      return Body{}(arguments...);
    else
      return executable<differentiated>(expression_name{"gradient", {}})(arguments...);
  }
};

template <template <class, class> class Body, class Function, class Wrt>
constexpr auto differentiate(Function, Wrt) {
  using function_type = typename function_of<Function>::type;
  constexpr bool is_captureless = std::is_empty_v<function_type> && std::is_default_constructible_v<function_type>;
  static_assert(is_captureless, "tenon: grad: the lambda captures something; pass it as an argument of the call instead");
  if constexpr (is_captureless)
    return differentiated<Body<function_type, Wrt>>{};
  else
    return refused{};
}

template <class Function, class Wrt>
using value_and_gradient_body = gradient_body<Function, Wrt, true>;
template <class Function, class Wrt>
using gradient_only_body = gradient_body<Function, Wrt, false>;

}  // namespace detail

// auto [loss, dx, dw] = tn::value_and_grad(f)(x, w): the value of a scalar function, and its gradients by the floating arguments
// that have axes, or by those that tn::wrt<0, 2> names. f is captureless, or a compiled expression.
template <class Function, class Wrt = wrt_t<>>
constexpr auto value_and_grad(Function f, Wrt by = {}) {
  return detail::differentiate<detail::value_and_gradient_body>(f, by);
}
// auto dx = tn::grad(f)(x): the gradients alone.
template <class Function, class Wrt = wrt_t<>>
constexpr auto grad(Function f, Wrt by = {}) {
  return detail::differentiate<detail::gradient_only_body>(f, by);
}
// auto [dx, dw] = tn::vjp(f)(x, w, cotangent): the gradients of the sum of f's result times the cotangent, which has its shape;
// of several results one after the other.
template <class Function, class Wrt = wrt_t<>>
constexpr auto vjp(Function f, Wrt by = {}) {
  return detail::differentiate<detail::product_body>(f, by);
}

}  // namespace tenon
