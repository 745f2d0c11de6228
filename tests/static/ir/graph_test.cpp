// SPDX-License-Identifier: Apache-2.0
// Interning: equal nodes are one node, however often and in whatever way they are built.
#include "static/support.hpp"

namespace tenon::test {
namespace {

static_assert(graph_of<f32<4>, f32<4>>([](auto x, auto y) { return (x + y) * (x + y); }).size() ==
              4);

static_assert(optimized<f32<4>>([](auto x) {
                return exp(x) + x * 2 + x * 2.0 + 2.0f * x;
              }).size() == 7);

// 20 doublings are 20 additions, not 2^20.
constexpr auto doublings = [](auto x) {
  auto y = x;
  for (int i = 0; i < 20; ++i) y = y + y;
  return y;
};
static_assert(graph_of<vector>(doublings).size() == 21);

// What differs in one respect only is another node.
constexpr int distinct_nodes() {
  graph g;
  g.inputs.push_back(graph_input{dtype::f32, {{g.dims.constant(3), g.dims.constant(4)}, 2}, false});
  int x = build::input(g, 0);
  build::reduce(g, op_id<ops::sum>, x, 1);
  build::reduce(g, op_id<ops::sum>, x, 2);
  build::reduce(g, op_id<ops::maximum_of>, x, 1);
  build::cast(g, x, dtype::f16);
  build::cast(g, x, dtype::bf16);
  build::slice(g, x, {{0, 2, 1, 0, 2, 1}, 6});
  build::slice(g, x, {{1, 3, 1, 0, 2, 1}, 6});
  build::literal(g, dtype::f32, 0.0);
  build::literal(g, dtype::f32, -0.0);
  build::literal(g, dtype::f64, 0.0);
  build::literal(g, dtype::i32, 0.0);
  int before = g.size();
  build::slice(g, x, {{1, 3, 1, 0, 2, 1}, 6});
  build::reduce(g, op_id<ops::sum>, x, 2);
  return g.size() == before ? g.size() : -1;
}
static_assert(distinct_nodes() == 12);

// The table of ids grows past its first size.
constexpr bool finds_all_of_many() {
  graph g;
  for (int k = 0; k < 300; ++k)
    if (build::literal(g, dtype::f32, k) != k) return false;
  for (int k = 0; k < 300; ++k)
    if (build::literal(g, dtype::f32, k) != k) return false;
  return true;
}
static_assert(finds_all_of_many());

}  // namespace
}  // namespace tenon::test
