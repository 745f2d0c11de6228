// SPDX-License-Identifier: Apache-2.0
// An entropy is a member of one state, with the maximum and the sum beside it, and nothing that
// only looks like one is.
#include "static/support.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr int states(Function f) {
  int result = 0;
  for (node const& n : optimized<Arguments...>(f).nodes) result += n.is<ops::sum_of_logarithms>();
  return result;
}
template <class... Arguments, class Function> constexpr int reductions(Function f) {
  int result = 0;
  for (node const& n : optimized<Arguments...>(f).nodes) result += n.is(op_kind::reduction);
  return result;
}

constexpr auto entropy = [](auto x) {
  auto l = log_softmax(x, axis<1>);
  return -sum(exp(l) * l, axis<1>);
};
static_assert(is(print(optimized<matrix>(entropy)), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = sum_of_logarithms %0 axes 1 : f32[x0.0]
%2 = mean_logarithm_of %1 : f32[x0.0]
%3 = neg %2 : f32[x0.0]
return %3:f32
)"));
static_assert(reductions<tensor_argument<dtype::bf16, dyn, dyn>>(entropy) == 1);
static_assert(reductions<matrix>([](auto x) {
                return sum(log_softmax(x, axis<1>) * softmax(x, axis<1>), axis<1>);
              }) == 1);
static_assert(reductions<cube>([](auto x) {
                auto l = log_softmax(x, axis<0>);
                return sum(l * exp(l), axis<0>);
              }) == 1);
// What else the logarithms are for has the state's sum; shares have a sum of their own.
static_assert(reductions<matrix>([](auto x) {
                auto l = log_softmax(x, axis<1>);
                return outputs(l, sum(exp(l) * l, axis<1>));
              }) == 1);
static_assert(reductions<matrix>([](auto x) {
                auto p = softmax(x, axis<1>);
                return outputs(p, sum(p * log_softmax(x, axis<1>), axis<1>));
              }) == 2);

static_assert(states<tensor_argument<dtype::f64, dyn, dyn>>(entropy) == 0);
static_assert(states<matrix>([](auto x) {  // over other axes
                auto l = log_softmax(x, axis<1>);
                return sum(exp(l) * l, axis<0>);
              }) == 0);
static_assert(states<matrix, matrix>([](auto x, auto y) {  // of two rows
                return sum(softmax(y, axis<1>) * log_softmax(x, axis<1>), axis<1>);
              }) == 0);
static_assert(states<matrix>([](auto x) {  // a cross entropy of another temperature
                return sum(softmax(2 * x, axis<1>) * log_softmax(x, axis<1>), axis<1>);
              }) == 0);
static_assert(states<f32<8, 8>>([](auto x) {  // the maximum of columns
                auto d = x - max(x, axis<0>, keepdim);
                auto l = d - log(sum(exp(d), axis<1>, keepdim));
                return sum(exp(l) * l, axis<1>);
              }) == 0);

}  // namespace
}  // namespace tenon::test
