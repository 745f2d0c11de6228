// SPDX-License-Identifier: Apache-2.0
// Results that join equal pieces of what is computed are stored piece by piece; what is copied, or
// whose pieces are not known to be equal, stays whole.
#include "tenon/passes/pieces.hpp"
#include "static/support.hpp"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/padding.hpp"
#include "tenon/grad.hpp"
#include "tenon/nn/activation.hpp"
#include "tenon/program/lower.hpp"

namespace tenon::test {
namespace {

struct counts {
  int stores = 0, reads = 0, casts = 0;
  constexpr bool operator==(counts const&) const = default;
};
// Of what is stored; without stores where that is refused, or the graph is not well formed.
template <class... Arguments, class Function> constexpr counts counts_of(Function f) {
  lowered_graph const g = lower(graph_of<Arguments...>(f));
  if (g.refused != refusal::none || verify(g.final) != nullptr) return {};
  counts result{g.space.stores.size(), 0, 0};
  for (instruction const& i : g.space.instructions) {
    result.reads += i.op == op_id<ops::load> || i.op == op_id<ops::fetch>;
    result.casts += i.op == op_id<ops::cast>;
  }
  return result;
}
template <class... Arguments, class Function> constexpr bool is_whole(Function f) {
  return counts_of<Arguments...>(f).stores == 1;
}

// A rotation by halves: what both halves read is read once.
template <long long Half> struct rotation {
  template <class X, class C, class S>
  constexpr auto operator()(X const& x, C const& c, S const& s) const {
    auto a = slice(x, axis<1>, range<0, Half>), b = slice(x, axis<1>, range<Half, 2 * Half>);
    return concat(a * c - b * s, b * c + a * s, axis<1>);
  }
};
static_assert(counts_of<f32<dyn, 128>, f32<64>, f32<64>>(rotation<64>{}) == counts{2, 4, 0});
// The lengths are known to be equal, whatever they are.
static_assert(counts_of<matrix, matrix, matrix>(rotation<64>{}) == counts{2, 4, 0});
static_assert(counts_of<vector, vector>([](auto t, auto f) {
                auto angle = unsqueeze(t, axis<1>) * f;
                return concat(tenon::sin(angle), tenon::cos(angle), axis<1>);
              }) == counts{2, 2, 0});
// What is not in pieces is read in pieces.
static_assert(counts_of<f32<dyn, 128>, f32<128>, f32<128>>([](auto x, auto c, auto s) {
                auto a = slice(x, axis<1>, range<0, 64>), b = slice(x, axis<1>, range<64, 128>);
                return x * c + concat(-b, a, axis<1>) * s;
              }) == counts{2, 6, 0});
// Along any axis, and more of them.
static_assert(counts_of<matrix, matrix>([](auto x, auto y) {
                return concat(x + y, x - y, -x, axis<0>);
              }) == counts{3, 2, 0});
static_assert(counts_of<f32<dyn, 12>>([](auto x) {
                auto a = slice(x, axis<1>, range<0, 4>), b = slice(x, axis<1>, range<8, 12>);
                return concat(a + b, b, a, axis<1>);
              }).stores == 3);
// Gradients by slices, which are sums with zeros.
static_assert(counts_of<f32<dyn, 128>, f32<dyn, 64>>([](auto x, auto d) {
                return vjp([](auto x) {
                  return silu(slice(x, axis<1>, range<0, 64>)) * slice(x, axis<1>, range<64, 128>);
                })(x, d);
              }) == counts{2, 3, 2});
// A product that is chosen and then added to is rounded first, as where it is chosen.
static_assert(counts_of<matrix, matrix, f32<64>>([](auto x, auto y, auto z) {
                return concat(x * y, x + y, axis<0>) + slice(z, axis<0>, range<0, 1>);
              }) == counts{2, 3, 1});
// Several results of the same pieces.
static_assert(counts_of<matrix, matrix>([](auto x, auto y) {
                return outputs(concat(x + y, x - y, axis<1>), concat(x * y, -x, axis<1>));
              }).stores == 4);
static_assert(counts_of<f32<"N", 8>, f32<"N", 4>>([](auto x, auto y) {
                return outputs(concat(y + 1, y - 1, axis<1>), x * 2);
              }).stores == 2);

// Copies are moved as they are, as are pieces of any lengths.
static_assert(is_whole<matrix, matrix>([](auto x, auto y) { return concat(x, y, axis<1>); }));
static_assert(is_whole<f32<dyn, 64>, f32<dyn, 64>>([](auto x, auto y) {
  return concat(x, y, axis<1>) * 2;
}));
static_assert(is_whole<f32<"N", 8>, f32<"N", 25>>([](auto x, auto y) {
  return concat(x * 2, y * 3, axis<1>);
}));
static_assert(is_whole<matrix, matrix>([](auto x, auto y) {
  return concat(x * 2, slice(y, axis<1>, range<0, 5>) * 3, axis<1>);
}));
static_assert(is_whole<f32<dyn, 4>>([](auto x) {
  auto a = slice(x, axis<1>, range<0, 2>), b = slice(x, axis<1>, range<2, 4>);
  return concat(a - b, a + b, axis<1>);
}));
static_assert(is_whole<f32<dyn, 8>>([](auto x) { return where(iota(x, axis<1>) < 4, x * 2, x); }));
// Rows are reduced as a whole.
static_assert(is_whole<f32<dyn, 128>>([](auto x) {
  auto y = rms_norm(x);
  auto a = slice(y, axis<1>, range<0, 64>), b = slice(y, axis<1>, range<64, 128>);
  return concat(a - b, b + a, axis<1>);
}));

}  // namespace
}  // namespace tenon::test
