// SPDX-License-Identifier: Apache-2.0
#pragma once
// The pointwise operators and reductions by name, a line each.

#include "tenon/capture/function.hpp"
#include "tenon/ops/tables.hpp"

namespace tenon {
namespace detail {

template <class Op>
using pointwise = function<pointwise_body<Op>>;

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
template <class Op>
using reduction = function<reduction_body<plain_reduction<Op>>>;

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

inline constexpr detail::pointwise<ops::add> add{};
inline constexpr detail::pointwise<ops::sub> sub{};
inline constexpr detail::pointwise<ops::mul> mul{};
inline constexpr detail::pointwise<ops::div> div{};
inline constexpr detail::pointwise<ops::neg> neg{};
inline constexpr detail::pointwise<ops::abs> abs{};
inline constexpr detail::pointwise<ops::square> square{};
inline constexpr detail::pointwise<ops::sqrt> sqrt{};
inline constexpr detail::pointwise<ops::rsqrt> rsqrt{};
inline constexpr detail::pointwise<ops::reciprocal> reciprocal{};
inline constexpr detail::pointwise<ops::exp> exp{};
inline constexpr detail::pointwise<ops::exp2> exp2{};
inline constexpr detail::pointwise<ops::log> log{};
inline constexpr detail::pointwise<ops::log1p> log1p{};
inline constexpr detail::pointwise<ops::sin> sin{};
inline constexpr detail::pointwise<ops::cos> cos{};
inline constexpr detail::pointwise<ops::tanh> tanh{};
inline constexpr detail::pointwise<ops::erf> erf{};
inline constexpr detail::pointwise<ops::pow> pow{};
inline constexpr detail::pointwise<ops::fma> fma{};
inline constexpr detail::pointwise<ops::maximum> maximum{};
inline constexpr detail::pointwise<ops::minimum> minimum{};
inline constexpr detail::pointwise<ops::clamp> clamp{};
inline constexpr detail::pointwise<ops::where> where{};
inline constexpr detail::pointwise<ops::equal> equal{};
inline constexpr detail::pointwise<ops::not_equal> not_equal{};
inline constexpr detail::pointwise<ops::less> less{};
inline constexpr detail::pointwise<ops::less_equal> less_equal{};
inline constexpr detail::pointwise<ops::greater> greater{};
inline constexpr detail::pointwise<ops::greater_equal> greater_equal{};
inline constexpr detail::pointwise<ops::logical_and> logical_and{};
inline constexpr detail::pointwise<ops::logical_or> logical_or{};
inline constexpr detail::pointwise<ops::logical_xor> logical_xor{};
inline constexpr detail::pointwise<ops::logical_not> logical_not{};
inline constexpr detail::pointwise<ops::sigmoid> sigmoid{};
inline constexpr detail::pointwise<ops::relu> relu{};
inline constexpr detail::pointwise<ops::silu> silu{};
inline constexpr detail::pointwise<ops::gelu> gelu{};
inline constexpr detail::pointwise<ops::gelu_tanh> gelu_tanh{};
inline constexpr detail::pointwise<ops::softplus> softplus{};

// Converts to element type T; to a half type it rounds, and that rounding is kept.
template <class T>
inline constexpr function<detail::cast_body<dtype_of<T>>> cast{};

inline constexpr detail::reduction<ops::sum> sum{};
inline constexpr detail::reduction<ops::product> prod{};
inline constexpr detail::reduction<ops::maximum_of> max{};
inline constexpr detail::reduction<ops::minimum_of> min{};
inline constexpr detail::reduction<ops::any_of> any{};
inline constexpr detail::reduction<ops::all_of> all{};
inline constexpr function<detail::reduction_body<detail::mean_reduction>> mean{};
inline constexpr function<detail::reduction_body<detail::variance_reduction>> var{};
inline constexpr function<detail::reduction_body<detail::log_sum_exp_reduction>> logsumexp{};
namespace detail {
inline constexpr function<reduction_body<centre_reduction>> centre{};
}

}  // namespace tenon
