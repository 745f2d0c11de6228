// SPDX-License-Identifier: Apache-2.0
// Reverse mode: the graphs of gradients as text, and that they are one kernel.
#include "static/support.hpp"
#include "tenon/capture/gradient/product.hpp"
#include "tenon/nn/label_loss.hpp"

using namespace tenon;
using namespace tenon::test;
using labels = tensor_argument<dtype::i64, dyn>;

template <class Function, class Wrt = wrt_t<>>
constexpr auto value_and_gradient(Function, Wrt = {}) {
  return detail::gradient_body<Function, Wrt, true>{};
}
template <class Function, class Wrt = wrt_t<>>
constexpr auto gradient(Function, Wrt = {}) {
  return detail::gradient_body<Function, Wrt, false>{};
}
template <class Function, class Wrt = wrt_t<>>
constexpr auto product(Function, Wrt = {}) {
  return detail::product_body<Function, Wrt>{};
}

inline constexpr auto mse = [](auto x, auto y) { return mean(square(x - y)); };

// The seed of 1 is gone, and nothing was added to nothing.
static_assert(is(print(optimized<matrix, matrix>(value_and_gradient(mse, wrt<0>))), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = input 1 : f32[x0.0, x0.1]
%2 = sub %0 %1 : f32[x0.0, x0.1]
%3 = square %2 : f32[x0.0, x0.1]
%4 = sum %3 axes 0 1 : f32[]
%5 = size [x0.0 x0.1] : f32[]
%6 = div %4 %5 : f32[]
%7 = literal 2 : f32[]
%8 = literal 1 : f32[]
%9 = div %8 %5 : f32[]
%10 = mul %9 %7 : f32[]
%11 = mul %2 %10 : f32[x0.0, x0.1]
return %6:f32 %11:f32
)"));

// What is repeated is summed, over the axes along which it was.
inline constexpr auto biased = [](auto x, auto bias) { return x * bias; };
static_assert(is(print(optimized<matrix, vector, matrix>(product(biased))), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = input 1 : f32[x0.1]
%2 = input 2 : f32[x0.0, x0.1]
%3 = broadcast %1 [1] : f32[x0.0, x0.1]
%4 = mul %2 %3 : f32[x0.0, x0.1]
%5 = mul %0 %2 : f32[x0.0, x0.1]
%6 = sum %5 axes 0 : f32[x0.1]
return %4:f32 %6:f32
)"));

// The sum of one number over all elements is a multiple of it.
static_assert(is(print(optimized<matrix, vector>(gradient([](auto x, auto bias) { return sum(x + bias); }, wrt<1>))), R"(
%0 = size [x0.0] : f32[]
%1 = broadcast %0 [] : f32[x0.1]
return %1:f32
)"));

// A function of one argument twice has two gradients, and one of what an argument was made of none of that.
static_assert(is(print(optimized<vector>([](auto x) {
  return gradient([](auto a, auto b) { return sum(a * square(b)); })(x, x);
})), R"(
%0 = input 0 : f32[x0.0]
%1 = square %0 : f32[x0.0]
%2 = literal 2 : f32[]
%3 = mul %0 %2 : f32[x0.0]
%4 = mul %0 %3 : f32[x0.0]
return %1:f32 %4:f32
)"));

// A constant exponent costs no condition.
static_assert(is(print(optimized<vector>(gradient([](auto x) { return sum(tenon::pow(x, 3)); }))), R"(
%0 = input 0 : f32[x0.0]
%1 = literal 3 : f32[]
%2 = square %0 : f32[x0.0]
%3 = mul %2 %1 : f32[x0.0]
return %3:f32
)"));

// The maximum of a softmax is a constant.
static_assert(is(print(optimized<matrix, matrix>(product([](auto x) { return softmax(x, axis<1>); }))), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = input 1 : f32[x0.0, x0.1]
%2 = max %0 axes 1 : f32[x0.0]
%3 = broadcast %2 [0] : f32[x0.0, x0.1]
%4 = sub %0 %3 : f32[x0.0, x0.1]
%5 = exp %4 : f32[x0.0, x0.1]
%6 = sum %5 axes 1 : f32[x0.0]
%7 = broadcast %6 [0] : f32[x0.0, x0.1]
%8 = reciprocal %7 : f32[x0.0, x0.1]
%9 = mul %1 %8 : f32[x0.0, x0.1]
%10 = mul %1 %5 : f32[x0.0, x0.1]
%11 = sum %10 axes 1 : f32[x0.0]
%12 = broadcast %11 [0] : f32[x0.0, x0.1]
%13 = neg %12 : f32[x0.0, x0.1]
%14 = mul %8 %13 : f32[x0.0, x0.1]
%15 = mul %8 %14 : f32[x0.0, x0.1]
%16 = add %9 %15 : f32[x0.0, x0.1]
%17 = mul %5 %16 : f32[x0.0, x0.1]
return %17:f32
)"));

// One kernel each, and of layer normalisation the family that sums along both axes at once.
inline constexpr auto normalized_rows = [](auto x, auto weight, auto bias) { return layer_norm(x, weight, bias, axis<1>); };
static_assert(is(schedule_of<matrix, vector, vector, matrix>(product(normalized_rows)),
                 "mixed [x0.0] x [x0.1], 1 phase, stores element column column"));
static_assert(is(schedule_of<matrix, matrix>(value_and_gradient(mse)),
                 "full [] x [x0.0 x0.1], 1 phase, stores row element element"));

static_assert(stays_well_formed<matrix, vector, vector, matrix>(product(normalized_rows)));
static_assert(stays_well_formed<matrix, matrix>(value_and_gradient(mse)));
