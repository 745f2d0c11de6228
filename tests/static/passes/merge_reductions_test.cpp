// SPDX-License-Identifier: Apache-2.0
// A reduction of a reduction is one reduction where both are the same monoid.
#include "static/support.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr text merged(Function f) {
  return print(
      passes::dead_nodes(passes::merge_reductions(before<Arguments...>("merge_reductions", f))));
}
template <class... Arguments, class Function> constexpr bool stays(Function f) {
  graph const g = passes::dead_nodes(before<Arguments...>("merge_reductions", f));
  return print(passes::merge_reductions(g)) == print(g);
}

static_assert(is(merged<matrix>([](auto x) { return sum(sum(x, axis<1>)); }), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = sum %0 axes 0 1 : f32[]
return %1:f32
)"));
static_assert(
    is(merged<tesseract>([](auto x) { return max(max(max(x, axis<1>), axis<2>), axis<0>); }), R"(
%0 = input 0 : f32[x0.0, x0.1, x0.2, x0.3]
%1 = max %0 axes 0 1 3 : f32[x0.2]
return %1:f32
)"));
static_assert(is(
    merged<tensor_argument<dtype::i32, dyn, dyn>>([](auto x) { return sum(sum(x, axis<0>)); }), R"(
%0 = input 0 : i32[x0.0, x0.1]
%1 = cast %0 : i64[x0.0, x0.1]
%2 = sum %1 axes 0 1 : i64[]
return %2:i64
)"));
static_assert(is(merged<tensor_argument<dtype::boolean, dyn, dyn>>([](auto x) {
                   return all(all(x, axis<0>));
                 }),
                 R"(
%0 = input 0 : bool[x0.0, x0.1]
%1 = all %0 axes 0 1 : bool[]
return %1:bool
)"));
// The inner one is a result, too.
static_assert(
    is(merged<matrix>([](auto x) { return outputs(sum(x, axis<1>), sum(sum(x, axis<1>))); }), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = sum %0 axes 1 : f32[x0.0]
%2 = sum %0 axes 0 1 : f32[]
return %1:f32 %2:f32
)"));

static_assert(stays<matrix>([](auto x) { return sum(max(x, axis<1>)); }));
static_assert(stays<matrix>([](auto x) { return max(min(x, axis<1>)); }));
static_assert(stays<matrix>([](auto x) { return sum(relu(sum(x, axis<1>))); }));
static_assert(stays<matrix>([](auto x) { return sum(cast<double>(sum(x, axis<1>))); }));
static_assert(stays<matrix>([](auto x) { return var(var(x, axis<1>)); }));
static_assert(stays<matrix>([](auto x) { return mean(mean(x, axis<1>)); }));

}  // namespace
}  // namespace tenon::test
