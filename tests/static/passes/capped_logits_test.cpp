// SPDX-License-Identifier: Apache-2.0
// The log-sum-exp of capped logits is a sum, where nothing else needs their elements.
#include "static/support.hpp"
#include "tenon/capture/indexing.hpp"
#include "tenon/nn/label_loss.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr bool is_sum(Function f) {
  bool result = false;
  for (node const& n : optimized<Arguments...>(f).nodes) {
    if (n.is<ops::log_sum_exp>()) return false;
    result = result || n.is<ops::capped_exp>();
  }
  return result;
}
constexpr auto capped = [](auto x) { return 30 * tanh(x * (1.0f / 30)); };

static_assert(is(print(optimized<matrix>([](auto x) { return logsumexp(capped(x), axis<1>); })), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = literal 30 : f32[]
%2 = literal 0.033333335 : f32[]
%3 = capped_exp %0 %2 %1 : f32[x0.0, x0.1]
%4 = sum %3 axes 1 : f32[x0.0]
%5 = log %4 : f32[x0.0]
%6 = add %1 %5 : f32[x0.0]
return %6:f32
)"));
using labels = tensor_argument<dtype::i64, dyn>;
static_assert(is_sum<matrix, labels>([](auto x, auto l) { return cross_entropy(capped(x), l); }));
static_assert(is_sum<tensor_argument<dtype::bf16, dyn, dyn>, labels>([](auto x, auto l) {
  return cross_entropy(capped(cast<float>(x)), l);
}));
static_assert(is_sum<matrix>([](auto x) { return logsumexp(tanh(x) * 12, axis<0>); }));

static_assert(!is_sum<tensor_argument<dtype::bf16, dyn, dyn>>([](auto x) {
  return logsumexp(capped(x), axis<1>);
}));
static_assert(!is_sum<tensor_argument<dtype::f64, dyn, dyn>>([](auto x) {
  return logsumexp(capped(x), axis<1>);
}));
static_assert(!is_sum<matrix>([](auto x) { return logsumexp(50 * tanh(x), axis<1>); }));
static_assert(!is_sum<matrix>([](auto x) { return logsumexp(-30 * tanh(x), axis<1>); }));
static_assert(!is_sum<matrix>([](auto x) {
  auto y = capped(x);
  return outputs(y, logsumexp(y, axis<1>));
}));
static_assert(!is_sum<matrix>([](auto x) {
  auto t = tanh(x);
  return outputs(sum(t, axis<1>), logsumexp(30 * t, axis<1>));
}));

}  // namespace
}  // namespace tenon::test
