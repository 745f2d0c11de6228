// SPDX-License-Identifier: Apache-2.0
// Lengths that an operation requires to be equal are written the same way everywhere.
#include "static/support.hpp"

namespace tenon::test {
namespace {

template <class... Arguments, class Function> constexpr text traced(Function f) {
  return print(graph_of<Arguments...>(f));
}
template <class... Arguments, class Function> constexpr text unified(Function f) {
  return print(passes::dead_nodes(passes::unify_dims(graph_of<Arguments...>(f))));
}
constexpr auto add_both = [](auto x, auto y) { return x + y; };

// A broadcast that the handles' types could not see to be none.
static_assert(is(traced<matrix, matrix>(add_both), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = input 1 : f32[x0.0, x0.1]
%2 = broadcast %1 [0 1] : f32[x0.0, x0.1]
%3 = add %0 %2 : f32[x0.0, x0.1]
return %3:f32
)"));
static_assert(is(unified<matrix, matrix>(add_both), R"(
%0 = input 0 : f32[x0.0, x0.1]
%1 = input 1 : f32[x0.0, x0.1]
%2 = add %0 %1 : f32[x0.0, x0.1]
return %2:f32
)"));

// A known length, a name, then the earlier argument.
static_assert(is(unified<vector, f32<8>>(add_both), R"(
%0 = input 0 : f32[8]
%1 = input 1 : f32[8]
%2 = add %0 %1 : f32[8]
return %2:f32
)"));
static_assert(is(unified<vector, f32<"N">>(add_both), R"(
%0 = input 0 : f32[N]
%1 = input 1 : f32[N]
%2 = add %0 %1 : f32[N]
return %2:f32
)"));
static_assert(is(unified<f32<"N">, f32<"N">>(add_both), R"(
%0 = input 0 : f32[N]
%1 = input 1 : f32[N]
%2 = add %0 %1 : f32[N]
return %2:f32
)"));

// Slices that were made before their operands were known to have one length.
static_assert(is(unified<vector, vector>([](auto x, auto y) {
                   auto a = slice(x, axis<0>, range<1>), b = slice(y, axis<0>, range<1>);
                   return outputs(a, b, x + y);
                 }),
                 R"(
%0 = input 0 : f32[x0.0]
%1 = input 1 : f32[x0.0]
%2 = slice %0 [1 _ 1] : f32[x0.0[1:]]
%3 = slice %1 [1 _ 1] : f32[x0.0[1:]]
%4 = add %0 %1 : f32[x0.0]
return %2:f32 %3:f32 %4:f32
)"));
// The same of a length that becomes known.
static_assert(is(unified<vector, f32<8>>([](auto x, auto y) {
                   auto a = slice(x, axis<0>, range<2>);
                   return outputs(a, x + y);
                 }),
                 R"(
%0 = input 0 : f32[8]
%1 = input 1 : f32[8]
%2 = slice %0 [2 _ 1] : f32[6]
%3 = add %0 %1 : f32[8]
return %2:f32 %3:f32
)"));
static_assert(is(unified<matrix, f32<8, 4>>([](auto x, auto y) {
                   auto a = flatten(x);
                   return outputs(a, x + y);
                 }),
                 R"(
%0 = input 0 : f32[8, 4]
%1 = input 1 : f32[8, 4]
%2 = reshape %0 : f32[32]
%3 = add %0 %1 : f32[8, 4]
return %2:f32 %3:f32
)"));
// A size counts what is known.
static_assert(is(unified<vector, f32<8>>([](auto x, auto y) {
                   auto a = mean(x);
                   return outputs(a, x + y);
                 }),
                 R"(
%0 = input 0 : f32[8]
%1 = input 1 : f32[8]
%2 = sum %0 axes 0 : f32[]
%3 = literal 8 : f32[]
%4 = div %2 %3 : f32[]
%5 = add %0 %1 : f32[8]
return %4:f32 %5:f32
)"));

// A reshape's check is a fact: rows of 4 are as many as the vector is long.
static_assert(
    is(unified<vector, matrix>([](auto x, auto y) { return reshape(x, shape<-1, 4>) + y; }), R"(
%0 = input 0 : f32[x0.0]
%1 = input 1 : f32[x1.0, 4]
%2 = reshape %0 : f32[x1.0, 4]
%3 = add %2 %1 : f32[x1.0, 4]
return %3:f32
)"));

}  // namespace
}  // namespace tenon::test
