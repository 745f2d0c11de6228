// SPDX-License-Identifier: Apache-2.0
// What is repeated along the last axis, or along parts side by side, is read as it lies; what is
// repeated by few there, along other axes, or taken otherwise, is found.
#include "tenon/passes/split_repeats.hpp"
#include "static/support.hpp"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/operators.hpp"
#include "tenon/capture/repeat.hpp"
#include "tenon/program/lower.hpp"

namespace tenon::test {
namespace {

struct counts {
  int stores = 0, loads = 0, fetches = 0;
  constexpr bool operator==(counts const&) const = default;
};
template <class... Arguments, class Function> constexpr counts counts_of(Function f) {
  lowered_graph const g = lower(graph_of<Arguments...>(f));
  if (g.refused != refusal::none || verify(g.final) != nullptr) return {};
  counts result{g.space.stores.size(), 0, 0};
  for (instruction const& i : g.space.instructions) {
    result.loads += i.op == op_id<ops::load>;
    result.fetches += i.op == op_id<ops::fetch>;
  }
  return result;
}

// Two numbers of each element of x, scaled after they have become one axis, and before.
template <long long Group> struct scaled_pairs {
  template <class X, class S> constexpr auto operator()(X const& x, S const& s) const {
    return flatten(stack(x + 1, x * 2, axis<-1>), axis<1, 2>) *
           repeat_interleave(s, axis<1>, ct<Group>);
  }
};
template <long long Group> struct pairs_of_scaled {
  template <class X, class S> constexpr auto operator()(X const& x, S const& s) const {
    auto each = unsqueeze(repeat_interleave(s, axis<1>, ct<Group / 2>), axis<-1>);
    return flatten(stack(x + 1, x * 2, axis<-1>) * each, axis<1, 2>);
  }
};
static_assert(counts_of<matrix, matrix>(scaled_pairs<128>{}) == counts{2, 2, 0});
static_assert(counts_of<matrix, matrix>(pairs_of_scaled<128>{}) == counts{2, 2, 0});
static_assert(counts_of<f32<dyn, 64>, f32<dyn, 4>>(scaled_pairs<32>{}) == counts{2, 2, 0});
// Groups of other lengths.
static_assert(counts_of<matrix, matrix, matrix>([](auto x, auto s, auto z) {
                return flatten(stack(x, -x, axis<-1>), axis<1, 2>) *
                           repeat_interleave(s, axis<1>, ct<128>) +
                       repeat_interleave(z, axis<1>, ct<32>);
              }) == counts{2, 3, 0});
// A group of an odd length is not as long in both parts.
static_assert(counts_of<matrix, matrix>(scaled_pairs<15>{}).fetches != 0);

// Many for each.
static_assert(counts_of<matrix, matrix>([](auto x, auto s) {
                return x * repeat_interleave(s, axis<1>, ct<32>);
              }) == counts{1, 2, 0});
static_assert(counts_of<matrix, matrix>([](auto x, auto s) {
                return x *
                       repeat_interleave(repeat_interleave(s, axis<0>, ct<128>), axis<1>, ct<128>);
              }) == counts{1, 2, 0});
// Few, or along another axis alone; or something else is found, too.
static_assert(counts_of<matrix, matrix>([](auto x, auto s) {
                return x * repeat_interleave(s, axis<1>, ct<4>);
              }) == counts{1, 1, 1});
static_assert(counts_of<matrix, matrix>([](auto x, auto s) {
                return x * repeat_interleave(s, axis<0>, ct<128>);
              }) == counts{1, 1, 1});
static_assert(counts_of<matrix, matrix>([](auto x, auto s) {
                return roll(x, axis<1>, 1) * repeat_interleave(s, axis<1>, ct<32>);
              }).fetches != 0);

}  // namespace
}  // namespace tenon::test
