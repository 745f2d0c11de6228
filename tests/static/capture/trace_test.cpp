// SPDX-License-Identifier: Apache-2.0
// What a lambda may be: loops, build-time constants, several results, run-time scalars, and the
// statement form.
#include "static/support.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr text traced(Function f) {
  return print(optimized<Arguments...>(f));
}
template <class... A, class... B, class F, class G>
constexpr bool are_same(type_list<A...>, F f, type_list<B...>, G g) {
  return traced<A...>(f) == traced<B...>(g);
}

// A loop is unrolled; a build-time constant chooses the branch and is a literal.
static_assert(traced<vector>([](auto x) {
                auto y = x;
                for (int i = 0; i < 3; ++i) y = y * x;
                return y;
              }) == traced<vector>([](auto x) { return x * x * x * x; }));
constexpr auto chosen = [](auto x, auto is_smooth) {
  if constexpr (is_smooth)
    return sigmoid(x);
  else
    return tanh(x);
};
static_assert(are_same(type_list<vector, ct_t<true>>(), chosen, type_list<vector>(),
                       [](auto x) { return sigmoid(x); }));
static_assert(are_same(type_list<vector, ct_t<false>>(), chosen, type_list<vector>(),
                       [](auto x) { return tanh(x); }));
static_assert(are_same(
    type_list<vector, ct_t<3>>(), [](auto x, auto n) { return x * n; }, type_list<vector>(),
    [](auto x) { return x * 3; }));
static_assert(traced<vector>([](auto x) { return x * ct<2>; }) ==
              traced<vector>([](auto x) { return 2 * x; }));

// A build-time constant is no argument of the graph; a scalar is.
static_assert(graph_of<ct_t<1>, vector, scalar>([](auto, auto x, auto s) {
                return x * s;
              }).inputs.size() == 2);
static_assert(graph_of<vector, scalar>([](auto x, auto s) { return x * s; }).inputs[1].is_scalar);

// Several results, among them an argument, the same value twice and one that needs no argument's
// elements.
static_assert(is(traced<matrix, scalar>([](auto x, auto s) {
                   return outputs(x, sum(x, axis<0>), s * 2, x);
                 }),
                 R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = scalar 1 : f32[]
%2 = sum %0 axes 0 : f32[x0.1]
%3 = literal 2 : f32[]
%4 = mul %1 %3 : f32[]
return %0:f32 %2:f32 %4:f32 %0:f32
)"));
static_assert(graph_of<vector>([](auto x) { return outputs(x); }).outputs.size() == 1);

// An argument that is not used keeps its place.
static_assert(is(traced<vector, vector, vector>([](auto, auto y, auto) { return y; }), R"(
%0 = input 1 : f32[x1.0]
return %0:f32
)"));

// The functions of the library work on handles inside a user's own function.
constexpr function swish{[](auto x, auto beta) { return x * sigmoid(beta * x); }};
static_assert(traced<vector>([](auto x) { return swish(x, 1.5f); }) ==
              traced<vector>([](auto x) { return x * sigmoid(1.5f * x); }));

// The statement form replays to the same graph as the function form.
template <class Expression, class... Arguments> constexpr text replayed() {
  return print(passes::run(trace<detail::replay<Expression>, Arguments...>()));
}
using view = basic_view<cpu, float, dyn, dyn>;
using statement = decltype(softmax(std::declval<view>() * 2.0f + std::declval<view>(), axis<-1>));
static_assert(is_expression<statement> && detail::leaf_count<statement> == 3,
              "two views and a number");
static_assert(replayed<statement, matrix, scalar, matrix>() ==
              traced<matrix, scalar, matrix>([](auto x, auto s, auto y) {
                return softmax(x * s + y, axis<-1>);
              }));

}  // namespace
}  // namespace tenon::test
