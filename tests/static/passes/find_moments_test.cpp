// SPDX-License-Identifier: Apache-2.0
// Means and variances that are written out are members of one state.
#include "static/support.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr text found(Function f) {
  return print(passes::dead_nodes(passes::find_moments(before<Arguments...>("find_moments", f))));
}
template <class... Arguments, class Function> constexpr bool stays(Function f) {
  graph const g = before<Arguments...>("find_moments", f);
  return print(passes::find_moments(g)) == print(g);
}

static_assert(is(found<matrix>([](auto x) {
                   auto const deviation = x - mean(x, axis<1>, keepdim);
                   return mean(deviation * deviation, axis<1>);
                 }),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = size [x0.1] : f32[]
%2 = moments %0 axes 1 : f32[x0.0]
%3 = m2_of %2 : f32[x0.0]
%4 = div %3 %1 : f32[x0.0]
return %4:f32
)"));
// Beside a variance, and of a number of elements that is known; the mean itself stays a sum, which
// is infinite where an element is.
static_assert(is(found<f32<dyn, 4>>([](auto x) {
                   auto const average = mean(x, axis<1>, keepdim);
                   return outputs(average, x - average, var(x, axis<1>, correction<0>));
                 }),
                 R"(
%0 = input 0 : f32[x0.0, 4]
%1 = sum %0 axes 1 : f32[x0.0]
%2 = literal 4 : f32[]
%3 = div %1 %2 : f32[x0.0]
%4 = broadcast %3 [0] : f32[x0.0, 1]
%5 = moments %0 axes 1 : f32[x0.0]
%6 = mean_of %5 : f32[x0.0]
%7 = broadcast %6 [0] : f32[x0.0, 1]
%8 = broadcast %7 [0 1] : f32[x0.0, 4]
%9 = sub %0 %8 : f32[x0.0, 4]
%10 = m2_of %5 : f32[x0.0]
%11 = div %10 %2 : f32[x0.0]
return %4:f32 %9:f32 %11:f32
)"));

// However it is written, it is what layer_norm is.
constexpr auto as_library = [](auto x) { return layer_norm(x); };
template <class Function> constexpr bool is_layer_norm(Function f) {
  return print(optimized<matrix>(f)) == print(optimized<matrix>(as_library));
}
static_assert(is_layer_norm([](auto x) {
  auto const deviation = x - mean(x, axis<1>, keepdim);
  return deviation * rsqrt(mean(square(deviation), axis<1>, keepdim) + 1e-5);
}));
static_assert(is_layer_norm([](auto x) {
  auto const average = mean(x, axis<1>, keepdim);
  return (x - average) * rsqrt(mean(pow(average - x, 2), axis<1>, keepdim) + 1e-5);
}));
static_assert(is_layer_norm([](auto x) {
  auto const average = unsqueeze(mean(x, axis<1>), axis<1>);
  return (x - average) * rsqrt(var(x, axis<1>, correction<0>, keepdim) + 1e-5);
}));
// Along several axes, of which none is the last.
static_assert(is(found<cube>([](auto x) {
                   auto const deviation = x - mean(x, axis<0, 1>, keepdim);
                   return sum(deviation * deviation, axis<0, 1>);
                 }),
                 R"(
%0 = input 0 : f32[x0.0, x0.1, x0.2]
%1 = moments %0 axes 0 1 : f32[x0.2]
%2 = m2_of %1 : f32[x0.2]
return %2:f32
)"));

// Other axes, other elements, another count, another power, a mean of something else.
static_assert(stays<matrix>([](auto x) {
  auto const deviation = x - mean(x, axis<1>, keepdim);
  return sum(deviation * deviation, axis<0>);
}));
static_assert(stays<matrix>([](auto x) {
  auto const deviation = x - mean(x);
  return sum(deviation * deviation, axis<1>);
}));
static_assert(stays<matrix>([](auto x) {
  auto const deviation = x - sum(x, axis<1>, keepdim) / 3.0f;
  return sum(deviation * deviation, axis<1>);
}));
static_assert(stays<matrix, matrix>([](auto x, auto y) {
  auto const deviation = x - mean(y, axis<1>, keepdim);
  return sum(deviation * deviation, axis<1>);
}));
static_assert(stays<matrix>([](auto x) {
  return sum(pow(x - mean(x, axis<1>, keepdim), 3), axis<1>);
}));
static_assert(stays<f32<4, 4>>([](auto x) {
  auto const deviation = x - mean(x, axis<1>);  // of column k the mean of row k
  return sum(deviation * deviation, axis<1>);
}));
static_assert(stays<matrix>([](auto x) { return outputs(mean(x, axis<1>), var(x, axis<1>)); }));
static_assert(stays<matrix>([](auto x) {
  return x - mean(x, axis<0>) + var(x, axis<1>, keepdim);
}));
static_assert(stays<matrix>([](auto x) { return mean(x, axis<1>); }));

}  // namespace
}  // namespace tenon::test
