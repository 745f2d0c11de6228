// SPDX-License-Identifier: Apache-2.0
// Nodes as the operators build them: weak literals, casts, broadcasts, slices and sizes.
#include "static/support.hpp"

namespace tenon::test {
namespace {

template <dtype D> using typed = tensor_argument<D, dyn>;
template <dtype D> using typed_point = tensor_argument<D>;

// The dtype of the one result.
template <class... Arguments, class Function> constexpr dtype result(Function f) {
  return graph_of<Arguments...>(f).outputs[0].type;
}
constexpr dtype b = dtype::boolean, u8 = dtype::u8, i32 = dtype::i32, i64 = dtype::i64,
                f16 = dtype::f16, bf16 = dtype::bf16, single = dtype::f32, f64 = dtype::f64;
constexpr auto add_both = [](auto x, auto y) { return x + y; };

// Literals are weakly typed.
static_assert(result<typed<f16>>([](auto x) { return x * 2.0; }) == f16);
static_assert(result<typed<f64>>([](auto x) { return x * 2.0f; }) == f64);
static_assert(result<typed<i32>>([](auto x) { return x * 2.5; }) == single);
static_assert(result<typed<i32>>([](auto x) { return x * 2; }) == i32);
static_assert(result<typed<u8>>([](auto x) { return x + 1000; }) == u8);
static_assert(result<typed<b>>([](auto x) { return x + 1; }) == i64);
static_assert(result<typed<b>>([](auto x) { return x * 0.5; }) == single);
static_assert(result<typed<b>>([](auto x) { return x && true; }) == b);
static_assert(result<scalar_argument<f16>>([](auto s) { return s * 2.0; }) == f16);
// A tensor decides over a scalar of its category.
static_assert(result<typed<f16>, scalar_argument<single>>(add_both) == f16);
static_assert(result<typed<f16>, typed_point<f64>>(add_both) == f16);
static_assert(result<typed<i32>, scalar_argument<single>>(add_both) == single);
static_assert(result<typed<f16>, typed<bf16>>(add_both) == single);
// Divisions and functions of integers are float; comparisons are bool; sums of integers are i64.
static_assert(result<typed<i32>>([](auto x) { return x / 2; }) == single);
static_assert(result<typed<b>>([](auto x) { return exp(x); }) == single);
static_assert(result<typed<f16>, typed<i32>>([](auto x, auto y) { return x < y; }) == b);
static_assert(result<typed<i32>>([](auto x) { return sum(x); }) == i64);
static_assert(result<typed<f16>>([](auto x) { return sum(x); }) == f16);
static_assert(result<typed<b>>([](auto x) { return max(x); }) == b);
static_assert(result<typed<b>, typed<f16>>([](auto c, auto x) { return where(c, x, 1.0); }) == f16);

// Half types are computed in float: no conversion between them and float but those that the user
// wrote.
static_assert(is(print(graph_of<typed<f16>>([](auto x) {
                   return cast<float>(cast<bfloat16>(x * 2.0) + 1);
                 })),
                 R"(
%0 = input 0 : f16[x0.0]
%1 = literal 2 : f32[]
%2 = mul %0 %1 : f16[x0.0]
%3 = cast %2 : bf16[x0.0]
%4 = literal 1 : i64[]
%5 = literal 1 : f32[]
%6 = add %3 %5 : bf16[x0.0]
%7 = cast %6 : f32[x0.0]
return %7:f32
)"));
static_assert(is(print(graph_of<f32<4>, tensor_argument<dtype::f16, 4>>(add_both)), R"(
%0 = input 0 : f32[4]
%1 = input 1 : f16[4]
%2 = add %0 %1 : f32[4]
return %2:f32
)"));
static_assert(is(print(graph_of<f32<4>, tensor_argument<dtype::i32, 4>>(add_both)), R"(
%0 = input 0 : f32[4]
%1 = input 1 : i32[4]
%2 = cast %1 : f32[4]
%3 = add %0 %2 : f32[4]
return %3:f32
)"));
static_assert(graph_of<vector>([](auto x) { return cast<float>(x); }).size() == 1);

// Broadcasting aligns the last axes; a rank of 0 needs none.
static_assert(is(print(graph_of<f32<8, 4>, f32<4>, f32<8, 1>, point>(
                     [](auto x, auto v, auto c, auto p) { return x + v + c + p; })),
                 R"(
%0 = input 0 : f32[8, 4]
%1 = input 1 : f32[4]
%2 = input 2 : f32[8, 1]
%3 = input 3 : f32[]
%4 = broadcast %1 [1] : f32[8, 4]
%5 = add %0 %4 : f32[8, 4]
%6 = broadcast %2 [0 1] : f32[8, 4]
%7 = add %5 %6 : f32[8, 4]
%8 = add %7 %3 : f32[8, 4]
return %8:f32
)"));
static_assert(is(print(graph_of<f32<8, 1>, f32<1, 4>>(add_both)), R"(
%0 = input 0 : f32[8, 1]
%1 = input 1 : f32[1, 4]
%2 = broadcast %0 [0 1] : f32[8, 4]
%3 = broadcast %1 [0 1] : f32[8, 4]
%4 = add %2 %3 : f32[8, 4]
return %4:f32
)"));

// Lengths that are required to be equal are checked once each.
static_assert(graph_of<matrix, matrix>([](auto x, auto y) { return x + y + x; }).checks.size() ==
              2);
static_assert(graph_of<f32<"N", 4>, f32<"N", 4>>(add_both).checks.size() == 0);
static_assert(graph_of<matrix, f32<dyn, 1>>(add_both).checks.size() == 1);

// A slice of everything is its operand.
static_assert(graph_of<f32<8>>([](auto x) { return slice(x, axis<0>, range<-8, 100>); }).size() ==
              1);
static_assert(graph_of<vector>([](auto x) { return slice(x, axis<0>, range<0>); }).size() == 1);
static_assert(graph_of<vector>([](auto x) { return slice(x, axis<0>, range<0, 8>); }).size() == 2);
static_assert(graph_of<f32<1>>([](auto x) {
                return slice(x, axis<0>, range<end, end, -1>);
              }).size() == 1);
static_assert(graph_of<f32<8>>([](auto x) {
                return slice(x, axis<0>, range<end, end, -1>);
              }).size() == 2);

// A mean divides by what is known of its count.
static_assert(is(print(graph_of<f32<dyn, 3, dyn, 5>>([](auto x) { return mean(x); })), R"(
%0 = input 0 : f32[x0.0, 3, x0.2, 5]
%1 = sum %0 axes 0 1 2 3 : f32[]
%2 = size [x0.0 x0.2 15] : f32[]
%3 = div %1 %2 : f32[]
return %3:f32
)"));
static_assert(is(print(graph_of<f32<dyn, 3>>([](auto x) { return mean(x, axis<1>); })), R"(
%0 = input 0 : f32[x0.0, 3]
%1 = sum %0 axes 1 : f32[x0.0]
%2 = literal 3 : f32[]
%3 = div %1 %2 : f32[x0.0]
return %3:f32
)"));
static_assert(is(print(graph_of<f32<dyn, 0>>([](auto x) { return mean(x, axis<1>); })), R"(
%0 = input 0 : f32[x0.0, 0]
%1 = sum %0 axes 1 : f32[x0.0]
%2 = literal 0 : f32[]
%3 = div %1 %2 : f32[x0.0]
return %3:f32
)"));
// The count of as many axes as there can be.
static_assert(graph_of<f32<dyn, dyn, dyn, dyn, dyn, dyn, dyn, dyn>>([](auto x) {
                return mean(x);
              }).size() == 4);

}  // namespace
}  // namespace tenon::test
