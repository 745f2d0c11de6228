// SPDX-License-Identifier: Apache-2.0
// The logarithm of a softmax is that of its sum, and nothing that only looks like one is.
#include "static/support.hpp"

namespace tenon::test {
namespace {

// The node below broadcasts.
constexpr node const& below(graph const& g, node const& n) {
  return n.is<ops::broadcast>() ? below(g, g.operand(n, 0)) : n;
}
// Whether an element of its own is left of which a logarithm is taken: not a sum, or one over it.
template <class... Arguments, class Function> constexpr bool takes_logarithms(Function f) {
  graph const g = optimized<Arguments...>(f);
  for (node const& n : g.nodes) {
    if (!n.is<ops::log>()) continue;
    node const& sum = below(g, g.operand(n, 0));
    if (!sum.is<ops::sum>() &&
        !(sum.is<ops::reciprocal>() && below(g, g.operand(sum, 0)).is<ops::sum>()))
      return true;
  }
  return false;
}

using halves = tensor_argument<dtype::bf16, dyn, dyn>;
constexpr auto entropy = [](auto x) {
  auto p = softmax(x, axis<1>);
  return -sum(p * log(p), axis<1>);
};
static_assert(is(print(optimized<matrix>(entropy)), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = max %0 axes 1 : f32[x0.0]
%2 = broadcast %1 [0] : f32[x0.0, x0.1]
%3 = sub %0 %2 : f32[x0.0, x0.1]
%4 = exp %3 : f32[x0.0, x0.1]
%5 = sum %4 axes 1 : f32[x0.0]
%6 = broadcast %5 [0] : f32[x0.0, x0.1]
%7 = reciprocal %6 : f32[x0.0, x0.1]
%8 = mul %4 %7 : f32[x0.0, x0.1]
%9 = log %7 : f32[x0.0, x0.1]
%10 = add %3 %9 : f32[x0.0, x0.1]
%11 = literal 0 : f32[]
%12 = equal %8 %11 : bool[x0.0, x0.1]
%13 = literal -inf : f32[]
%14 = where %12 %13 %10 : f32[x0.0, x0.1]
%15 = mul %8 %14 : f32[x0.0, x0.1]
%16 = sum %15 axes 1 : f32[x0.0]
%17 = neg %16 : f32[x0.0]
return %17:f32
)"));
static_assert(!takes_logarithms<tensor_argument<dtype::f64, dyn, dyn>>(entropy));
static_assert(!takes_logarithms<f32<8, 8>>(entropy));
static_assert(!takes_logarithms<halves>([](auto x) { return log(softmax(x, axis<0>)); }));
static_assert(!takes_logarithms<tensor_argument<dtype::bf16, dyn>>([](auto x) {
  return log(softmax(x, axis<0>));
}));
static_assert(!takes_logarithms<tensor_argument<dtype::f16, dyn, dyn, dyn>>([](auto x) {
  return log(softmax(2 * x, axis<0, 2>));
}));
static_assert(!takes_logarithms<halves>([](auto x) {
  auto e = exp(x - max(x, axis<1>, keepdim));
  return log(e / sum(e, axis<1>, keepdim));
}));
// Of both of two distributions.
static_assert(!takes_logarithms<halves, halves>([](auto x, auto y) {
  auto p = softmax(x, axis<1>), q = softmax(y, axis<1>);
  return sum(p * (log(p) - log(q)), axis<1>);
}));

// Of f32 only where the shares are for something else, too.
constexpr auto logarithm = [](auto x) { return log(softmax(x, axis<1>)); };
static_assert(takes_logarithms<matrix>(logarithm));
static_assert(!takes_logarithms<halves>(logarithm));
static_assert(!takes_logarithms<matrix>([](auto x) {
  auto p = softmax(x, axis<1>);
  return outputs(p, log(p));
}));

// Another row's maximum, or sum: the exponential may be inf, and the sum 0.
static_assert(takes_logarithms<tensor_argument<dtype::bf16, 8, 8>>([](auto x) {
  auto e = exp(x - max(x, axis<1>));
  return log(e / sum(e, axis<1>, keepdim));
}));
static_assert(takes_logarithms<tensor_argument<dtype::bf16, 8, 8>>([](auto x) {
  auto e = exp(x - max(x, axis<1>, keepdim));
  return log(e / sum(e, axis<1>));
}));
static_assert(takes_logarithms<halves>([](auto x) {
  auto e = exp(x - max(x, axis<1>, keepdim));
  return log(e / sum(e, axis<0>, keepdim));
}));
static_assert(takes_logarithms<halves>([](auto x) {
  auto e = exp(x - min(x, axis<1>, keepdim));
  return log(e / sum(e, axis<1>, keepdim));
}));
static_assert(takes_logarithms<halves>([](auto x) {
  auto e = exp(x);
  return log(e / sum(e, axis<1>, keepdim));
}));
static_assert(takes_logarithms<halves>([](auto x) {
  auto e = exp(x - max(x, axis<1>, keepdim));
  return log(e * sum(e, axis<1>, keepdim));
}));
static_assert(takes_logarithms<halves, halves>([](auto x, auto y) {
  auto e = exp(x - max(y, axis<1>, keepdim));
  return log(e / sum(e, axis<1>, keepdim));
}));
static_assert(takes_logarithms<halves>([](auto x) { return log(softmax(x, axis<1>) + 1e-9f); }));

}  // namespace
}  // namespace tenon::test
