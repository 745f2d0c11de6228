// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pointwise operators and reductions by name, a line each.

#include "tenon/capture/function.hpp"
#include "tenon/ops/gradient_control.hpp"
#include "tenon/ops/tables.hpp"

namespace tenon {

namespace detail {

// An operator that says more of its calls: `defaults`, the trailing operands that a call may leave out, or `accepts(dtype)`.
template <class Op>
struct particular_body {
  template <class... A>
  constexpr auto operator()(A const&... operands) const {
    constexpr int missing = Op::arity - static_cast<int>(sizeof...(A));
    if constexpr (missing > 0 && missing <= default_count())
      return completed(std::make_index_sequence<missing>{}, operands...);
    else if constexpr (!are_accepted<A...>())
      return refused{};
    else
      return pointwise_body<Op>{}(operands...);
  }

 private:
  static constexpr int default_count() {
    if constexpr (requires { Op::defaults; })
      return static_cast<int>(sizeof Op::defaults / sizeof Op::defaults[0]);
    else
      return 0;
  }
  template <std::size_t... I, class... A>
  static constexpr auto completed(std::index_sequence<I...>, A const&... operands) {
    return pointwise_body<Op>{}(operands..., Op::defaults[default_count() - sizeof...(I) + I]...);
  }
  template <class... A>
  static constexpr bool are_accepted() {
    if constexpr (requires { Op::accepts(dtype::f32); } && ((is_value<A> || is_weakly_typed<A>) && ...)) {
      constexpr bool accepted = (Op::accepts(typed<A>().type) && ...);
      static_assert(accepted, "tenon: operand: the operator is defined on integers and bool only; cast the operand to one of them first");
      return accepted;
    }
    return true;
  }
};

}  // namespace detail

// What an operator is called by, a user's own too: inline constexpr tn::pointwise<my_op> mine{};
template <class Op>
using pointwise = function<detail::particular_body<Op>>;

namespace detail {

template <class T>
struct cast_body {
  template <dtype From, extent... E>
  constexpr auto operator()(value<From, E...> const& x) const {
    static_assert(is_element_type<T>, "tenon: cast: the type is not an element type; cast to bool, an integer, a float8 or half type, float or double");
    if constexpr (is_element_type<T>)
      return value<dtype_of<T>, E...>{x.owner, build::cast(*x.owner, x.id, dtype_of<T>)};
    else
      return refused{};
  }
};

template <class T>
struct bit_cast_body {
  template <dtype From, extent... E>
  constexpr auto operator()(value<From, E...> const& x) const {
    static_assert(is_readable<From>(), "tenon: bit_cast: the type is bool or has not the size of the operand's; give an element type of its size, as in tn::bit_cast<int>(x) of floats");
    if constexpr (!is_readable<From>())
      return refused{};
    else if constexpr (From == dtype_of<T>)
      return x;
    else
      return pointwise_body<ops::bit_cast<From, dtype_of<T>>>{}(x);
  }

 private:
  template <dtype From>
  static constexpr bool is_readable() {
    if constexpr (is_element_type<T>)
      return size_of(dtype_of<T>) == size_of(From) && dtype_of<T> != dtype::boolean;
    else
      return false;
  }
};

// A reduction that is one node.
template <class Op>
struct plain_reduction {
  template <dtype>
  static constexpr bool check() {
    return true;
  }
  static constexpr dtype result_dtype(dtype d) { return Op::rule.result(d); }
  template <class... Options>
  constexpr int operator()(graph& g, int id, unsigned axes, Options...) const {
    return build::reduce(g, op_id<Op>, id, axes);
  }
};
constexpr int reduced_size(graph& g, int id, unsigned axes) {
  dim_list dims;
  for (int k = 0; k < g[id].rank(); ++k)
    if (axes >> k & 1u) dims.push_back(g[id].dims[k]);
  return build::size(g, dims, g[id].type);
}

struct mean_reduction {
  template <dtype D>
  static constexpr bool check() {
    static_assert(is_floating(D), "tenon: mean: the operand is not floating-point; cast it first, as in tn::mean(tn::cast<float>(x))");
    return is_floating(D);
  }
  static constexpr dtype result_dtype(dtype d) { return d; }
  template <class... Options>
  constexpr int operator()(graph& g, int id, unsigned axes, Options...) const {
    int total = build::reduce(g, op_id<ops::sum>, id, axes);
    return build::pointwise(g, op_id<ops::div>, {{total, reduced_size(g, id, axes)}, 2});
  }
};

// Sum of squared deviations over count - correction, from Chan's merge of (n, mean, M2): never E[x^2] - E[x]^2.
struct variance_reduction {
  template <dtype D>
  static constexpr bool check() {
    static_assert(is_floating(D), "tenon: var: the operand is not floating-point; cast it first, as in tn::var(tn::cast<float>(x))");
    return is_floating(D);
  }
  static constexpr dtype result_dtype(dtype d) { return d; }
  template <class... Options>
  constexpr int operator()(graph& g, int id, unsigned axes, Options... options) const {
    int state = build::reduce(g, op_id<ops::moments>, id, axes);
    int squares = build::project(g, op_id<ops::m2_of>, state);
    int count = reduced_size(g, id, axes);
    int unbiased = correction_of(options...);
    if (unbiased != 0) {
      int difference = build::pointwise(g, op_id<ops::sub>, {{count, build::literal(g, g[id].type, unbiased)}, 2});
      // A count below the correction has no variance: 0/0, as in PyTorch.
      count = build::pointwise(g, op_id<ops::maximum>, {{difference, build::literal(g, g[id].type, 0)}, 2});
    }
    return build::pointwise(g, op_id<ops::div>, {{squares, count}, 2});
  }

 private:
  static constexpr int correction_of() { return 1; }
  template <int Correction, class... Rest>
  static constexpr int correction_of(correction_t<Correction>, Rest...) {
    return Correction;
  }
  template <class First, class... Rest>
  static constexpr int correction_of(First, Rest... rest) {
    return correction_of(rest...);
  }
};

// The members of a state, for composites that need more than one statistic of one pass.
struct centre_reduction : mean_reduction {
  template <class... Options>
  constexpr int operator()(graph& g, int id, unsigned axes, Options...) const {
    return build::project(g, op_id<ops::mean_of>, build::reduce(g, op_id<ops::moments>, id, axes));
  }
};
struct log_sum_exp_reduction : mean_reduction {
  template <dtype D>
  static constexpr bool check() {
    static_assert(is_floating(D), "tenon: logsumexp: the operand is not floating-point; cast it first, as in tn::logsumexp(tn::cast<float>(x))");
    return is_floating(D);
  }
  template <class... Options>
  constexpr int operator()(graph& g, int id, unsigned axes, Options...) const {
    return build::project(g, op_id<ops::log_sum_exp_of>, build::reduce(g, op_id<ops::log_sum_exp>, id, axes));
  }
};

}  // namespace detail

// The same for a reduction that is one node: inline constexpr tn::reduction<my_monoid> mine{};
template <class Op>
using reduction = function<detail::reduction_body<detail::plain_reduction<Op>>>;

inline constexpr pointwise<ops::add> add{};
inline constexpr pointwise<ops::sub> sub{};
inline constexpr pointwise<ops::mul> mul{};
inline constexpr pointwise<ops::div> div{};
inline constexpr pointwise<ops::neg> neg{};
inline constexpr pointwise<ops::abs> abs{};
inline constexpr pointwise<ops::square> square{};
inline constexpr pointwise<ops::sqrt> sqrt{};
inline constexpr pointwise<ops::rsqrt> rsqrt{};
inline constexpr pointwise<ops::reciprocal> reciprocal{};
inline constexpr pointwise<ops::floor> floor{};
inline constexpr pointwise<ops::ceil> ceil{};
inline constexpr pointwise<ops::trunc> trunc{};
inline constexpr pointwise<ops::round> round{};
inline constexpr pointwise<ops::frac> frac{};
inline constexpr pointwise<ops::sign> sign{};
inline constexpr pointwise<ops::fmod> fmod{};
inline constexpr pointwise<ops::remainder> remainder{};
inline constexpr pointwise<ops::floor_divide> floor_divide{};
inline constexpr pointwise<ops::bitwise_and> bitwise_and{};
inline constexpr pointwise<ops::bitwise_or> bitwise_or{};
inline constexpr pointwise<ops::bitwise_xor> bitwise_xor{};
inline constexpr pointwise<ops::bitwise_not> bitwise_not{};
inline constexpr pointwise<ops::shift_left> shift_left{};
inline constexpr pointwise<ops::shift_right> shift_right{};
inline constexpr pointwise<ops::isnan> isnan{};
inline constexpr pointwise<ops::isinf> isinf{};
inline constexpr pointwise<ops::isfinite> isfinite{};
inline constexpr pointwise<ops::copysign> copysign{};
inline constexpr pointwise<ops::nextafter> nextafter{};
inline constexpr pointwise<ops::exp> exp{};
inline constexpr pointwise<ops::exp2> exp2{};
inline constexpr pointwise<ops::exp10> exp10{};
inline constexpr pointwise<ops::expm1> expm1{};
inline constexpr pointwise<ops::log> log{};
inline constexpr pointwise<ops::log2> log2{};
inline constexpr pointwise<ops::log10> log10{};
inline constexpr pointwise<ops::log1p> log1p{};
inline constexpr pointwise<ops::cbrt> cbrt{};
inline constexpr pointwise<ops::hypot> hypot{};
inline constexpr pointwise<ops::logaddexp> logaddexp{};
inline constexpr pointwise<ops::sin> sin{};
inline constexpr pointwise<ops::cos> cos{};
inline constexpr pointwise<ops::tan> tan{};
inline constexpr pointwise<ops::asin> asin{};
inline constexpr pointwise<ops::acos> acos{};
inline constexpr pointwise<ops::atan> atan{};
inline constexpr pointwise<ops::atan2> atan2{};
inline constexpr pointwise<ops::sinh> sinh{};
inline constexpr pointwise<ops::cosh> cosh{};
inline constexpr pointwise<ops::tanh> tanh{};
inline constexpr pointwise<ops::asinh> asinh{};
inline constexpr pointwise<ops::acosh> acosh{};
inline constexpr pointwise<ops::atanh> atanh{};
inline constexpr pointwise<ops::erf> erf{};
inline constexpr pointwise<ops::erfc> erfc{};
inline constexpr pointwise<ops::pow> pow{};
inline constexpr pointwise<ops::fma> fma{};
inline constexpr pointwise<ops::maximum> maximum{};
inline constexpr pointwise<ops::minimum> minimum{};
inline constexpr pointwise<ops::clamp> clamp{};
inline constexpr pointwise<ops::where> where{};
inline constexpr pointwise<ops::equal> equal{};
inline constexpr pointwise<ops::not_equal> not_equal{};
inline constexpr pointwise<ops::less> less{};
inline constexpr pointwise<ops::less_equal> less_equal{};
inline constexpr pointwise<ops::greater> greater{};
inline constexpr pointwise<ops::greater_equal> greater_equal{};
inline constexpr pointwise<ops::logical_and> logical_and{};
inline constexpr pointwise<ops::logical_or> logical_or{};
inline constexpr pointwise<ops::logical_xor> logical_xor{};
inline constexpr pointwise<ops::logical_not> logical_not{};
inline constexpr pointwise<ops::sigmoid> sigmoid{};
inline constexpr pointwise<ops::relu> relu{};
inline constexpr pointwise<ops::silu> silu{};
inline constexpr pointwise<ops::gelu> gelu{};
inline constexpr pointwise<ops::gelu_tanh> gelu_tanh{};
inline constexpr pointwise<ops::softplus> softplus{};
inline constexpr pointwise<ops::leaky_relu> leaky_relu{};
inline constexpr pointwise<ops::threshold> threshold{};
inline constexpr pointwise<ops::softshrink> softshrink{};
inline constexpr pointwise<ops::hardshrink> hardshrink{};
inline constexpr pointwise<ops::hardsigmoid> hardsigmoid{};
inline constexpr pointwise<ops::hardswish> hardswish{};
inline constexpr pointwise<ops::softsign> softsign{};
inline constexpr pointwise<ops::elu> elu{};
inline constexpr pointwise<ops::selu> selu{};
inline constexpr pointwise<ops::mish> mish{};
inline constexpr pointwise<ops::logsigmoid> logsigmoid{};
inline constexpr pointwise<ops::tanhshrink> tanhshrink{};

// Converts to element type T; to a half type it rounds, and that rounding is kept.
template <class T>
inline constexpr function<detail::cast_body<T>> cast{};
// The bits of x read as element type T of the same size.
template <class T>
inline constexpr function<detail::bit_cast_body<T>> bit_cast{};

inline constexpr pointwise<ops::stop_gradient> stop_gradient{};        // x, of which tn::grad takes no notice
inline constexpr pointwise<ops::with_gradient_of> with_gradient_of{};  // (x, y): x, with the gradient of y
inline constexpr reduction<ops::sum> sum{};
inline constexpr reduction<ops::product> prod{};
inline constexpr reduction<ops::maximum_of> max{};
inline constexpr reduction<ops::minimum_of> min{};
inline constexpr reduction<ops::maximum_of> amax{};  // PyTorch's names of the two
inline constexpr reduction<ops::minimum_of> amin{};
inline constexpr reduction<ops::any_of> any{};
inline constexpr reduction<ops::all_of> all{};
inline constexpr function<detail::reduction_body<detail::mean_reduction>> mean{};
inline constexpr function<detail::reduction_body<detail::variance_reduction>> var{};
inline constexpr function<detail::reduction_body<detail::log_sum_exp_reduction>> logsumexp{};
namespace detail {
inline constexpr function<reduction_body<centre_reduction>> centre{};
}

}  // namespace tenon
