// SPDX-License-Identifier: Apache-2.0
// What no output needs goes, arguments included; the order of the rest stays.
#include "static/support.hpp"

namespace tenon::test {
namespace {

constexpr auto with_unused = [](auto x, auto y) {
  auto unused = exp(y) + x;
  (void)unused;
  return -x;
};
static_assert(is(print(graph_of<vector, vector>(with_unused)), R"(
%0 = input 0 : f32[x0.0]
%1 = input 1 : f32[x0.0]
%2 = exp %1 : f32[x0.0]
%3 = broadcast %2 [0] : f32[x0.0]
%4 = add %3 %0 : f32[x0.0]
%5 = neg %0 : f32[x0.0]
return %5:f32
)"));
static_assert(is(print(passes::dead_nodes(graph_of<vector, vector>(with_unused))), R"(
%0 = input 0 : f32[x0.0]
%1 = neg %0 : f32[x0.0]
return %1:f32
)"));
static_assert(passes::dead_nodes(graph_of<vector, vector>(with_unused)).inputs.size() == 2);

// An output that is an argument, and one value twice.
static_assert(is(print(passes::dead_nodes(graph_of<vector>([](auto x) { return outputs(x, x); }))),
                 R"(
%0 = input 0 : f32[x0.0]
return %0:f32 %0:f32
)"));

}  // namespace
}  // namespace tenon::test
