// SPDX-License-Identifier: Apache-2.0
// A reduction over an axis that is read in equal parts is one of the parts combined; what is not
// read in such parts, or has one kernel as it is, stays as it is.
#include "tenon/passes/sliced_reductions.hpp"
#include "static/support.hpp"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/capture/pattern.hpp"
#include "tenon/program/lower.hpp"

namespace tenon::test {
namespace {

struct counts {
  int axes = 0, loads = 0, fetches = 0;
  constexpr bool operator==(counts const&) const = default;
};
// Of an expression of rows; nothing where it is refused.
template <class... Arguments, class Function> constexpr counts counts_of(Function f) {
  lowered_graph const g = lower(graph_of<Arguments...>(f));
  if (g.refused != refusal::none || verify(g.final) != nullptr) return {};
  counts result{g.space.axes.size(), 0, 0};
  for (instruction const& i : g.space.instructions) {
    result.loads += i.op == op_id<ops::load>;
    result.fetches += i.op == op_id<ops::fetch>;
  }
  return result;
}

// By the largest of the row.
template <class X> constexpr auto scaled(X const& x) {
  return x / tenon::max(abs(x), axis<1>, keepdim);
}
inline constexpr auto in_turn = [](auto x) {
  auto y = scaled(x);
  return slice(y, axis<1>, range<0, end, 2>) - slice(y, axis<1>, range<1, end, 2>);
};
inline constexpr auto in_halves = [](auto x) {
  auto [low, high] = split(scaled(x), axis<1>, lengths<64, 64>);
  return low - high;
};
static_assert(counts_of<matrix>(in_turn) == counts{2, 2, 0});
static_assert(counts_of<matrix>(in_halves) == counts{2, 2, 0});
// A last axis of two, before and after the reduction.
static_assert(counts_of<f32<dyn, 128>>([](auto x) {
                auto y = reshape(scaled(x), shape<-1, 64, 2>);
                return outputs(tenon::select(y, axis<2>, ct<0>) * tenon::select(y, axis<2>, ct<1>),
                               sum(x, axis<1>));
              }) == counts{2, 2, 0});
static_assert(counts_of<f32<dyn, 128>>([](auto x) {
                auto y = reshape(scaled(x), shape<-1, 2, 64>);
                return tenon::select(y, axis<1>, ct<0>) * tenon::select(y, axis<1>, ct<1>);
              }) == counts{2, 2, 0});
// Of any length.
static_assert(counts_of<matrix>([](auto x) {
                auto [low, high] = chunk(scaled(x), axis<1>, ct<2>);
                return low - high;
              }) == counts{2, 2, 0});
// Two of four parts beside a sum of all.
static_assert(counts_of<f32<dyn, 128>>([](auto x) {
                return slice(x, axis<1>, range<32, 64>) * slice(x, axis<1>, range<64, 96>) /
                       sum(x, axis<1>, keepdim);
              }) == counts{2, 4, 0});

// Parts that are not equal; what is no combination of elements.
static_assert(counts_of<f32<dyn, 128>>([](auto x) {
                return slice(scaled(x), axis<1>, range<0, 60>) * slice(x, axis<1>, range<68, 128>);
              }) == counts{});
static_assert(counts_of<f32<dyn, 128>>([](auto x) {
                return slice(x, axis<1>, range<0, 64>) * slice(x, axis<1>, range<64, 128>) *
                       var(x, axis<1>, keepdim);
              }) == counts{});

}  // namespace
}  // namespace tenon::test
