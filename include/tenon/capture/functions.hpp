// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pointwise operators and reductions by name, a line each.

#include "tenon/capture/function.hpp"
#include "tenon/ops/tables.hpp"

namespace tenon {

// What an operator is called by, a user's own too: inline constexpr tn::pointwise<my_op> mine{};
template <class Op>
using pointwise = function<detail::pointwise_body<Op>>;

namespace detail {

template <dtype D>
struct cast_body {
  template <dtype From, extent... E>
  constexpr auto operator()(value<From, E...> const& x) const {
    return value<D, E...>{x.owner, build::cast(*x.owner, x.id, D)};
  }
};

// A reduction that is one node.
template <class Op>
struct plain_reduction {
  static constexpr bool accepts(dtype) { return true; }
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
  static constexpr bool accepts(dtype d) { return is_floating(d); }
  static constexpr dtype result_dtype(dtype d) { return d; }
  template <class... Options>
  constexpr int operator()(graph& g, int id, unsigned axes, Options...) const {
    int total = build::reduce(g, op_id<ops::sum>, id, axes);
    return build::pointwise(g, op_id<ops::div>, {{total, reduced_size(g, id, axes)}, 2});
  }
};

// Sum of squared deviations over count - correction, from Chan's merge of (n, mean, M2): never E[x^2] - E[x]^2.
struct variance_reduction {
  static constexpr bool accepts(dtype d) { return is_floating(d); }
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
inline constexpr pointwise<ops::exp> exp{};
inline constexpr pointwise<ops::exp2> exp2{};
inline constexpr pointwise<ops::log> log{};
inline constexpr pointwise<ops::log1p> log1p{};
inline constexpr pointwise<ops::sin> sin{};
inline constexpr pointwise<ops::cos> cos{};
inline constexpr pointwise<ops::tanh> tanh{};
inline constexpr pointwise<ops::erf> erf{};
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

// Converts to element type T; to a half type it rounds, and that rounding is kept.
template <class T>
inline constexpr function<detail::cast_body<dtype_of<T>>> cast{};

inline constexpr reduction<ops::sum> sum{};
inline constexpr reduction<ops::product> prod{};
inline constexpr reduction<ops::maximum_of> max{};
inline constexpr reduction<ops::minimum_of> min{};
inline constexpr reduction<ops::any_of> any{};
inline constexpr reduction<ops::all_of> all{};
inline constexpr function<detail::reduction_body<detail::mean_reduction>> mean{};
inline constexpr function<detail::reduction_body<detail::variance_reduction>> var{};
inline constexpr function<detail::reduction_body<detail::log_sum_exp_reduction>> logsumexp{};
namespace detail {
inline constexpr function<reduction_body<centre_reduction>> centre{};
}

}  // namespace tenon
