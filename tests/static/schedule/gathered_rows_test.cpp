// SPDX-License-Identifier: Apache-2.0
// Which rows are gathered: loads from a place that the row has found, instead of fetches.
#include "tenon/schedule/gathered_rows.hpp"

#include "static/support.hpp"
#include "tenon/capture/arg_reduction.hpp"
#include "tenon/capture/concat.hpp"
#include "tenon/capture/indexing.hpp"
#include "tenon/program/lower.hpp"

namespace tenon::test {
namespace {

using indices = tensor_argument<dtype::i32, dyn>;

struct kinds {
  int gathered = 0, fetched = 0, addresses = 0;
  constexpr bool operator==(kinds const&) const = default;
};
// @post every instruction has a place and a phase, none earlier than those of its operands
template <class... Arguments, class Function> constexpr kinds lowered_kinds(Function) {
  lowered_graph const all = lower(trace<Function, Arguments...>());
  kinds result;
  for (int k = 0; k < all.space.instructions.size(); ++k) {
    instruction const& i = all.space.instructions[k];
    for (int operand : i.operands)
      if (operand < 0 || operand >= k || all.plan.phases[operand] > all.plan.phases[k]) return {-1};
    result.gathered += i.op == op_id<ops::load> && !i.operands.empty();
    result.fetched += i.op == op_id<ops::fetch>;
    result.addresses += i.op == op_id<ops::address>;
  }
  return all.plan.places.size() == all.space.instructions.size() ? result : kinds{-1};
}

constexpr auto normalised = [](auto t, auto i) {
  auto rows = embedding(t, i);
  return rows / sum(rows, axis<-1>, keepdim);
};
static_assert(lowered_kinds<matrix, indices>(normalised) == kinds{1, 0, 0});
static_assert(lowered_kinds<matrix, tensor_argument<dtype::i64, dyn, dyn>>(normalised) ==
              kinds{1, 0, 0});
static_assert(lowered_kinds<matrix, matrix>([](auto x, auto y) {
                auto rows = concat(x, y, axis<0>);
                return rows / sum(rows, axis<-1>, keepdim);
              }) == kinds{2, 0, 0});

// One element of each row has an address still.
static_assert(lowered_kinds<matrix, indices, indices>([](auto t, auto i, auto labels) {
                auto rows = embedding(t, i);
                auto picked = take_along_axis(rows, unsqueeze(labels, axis<1>), axis<1>);
                return rows - sum(rows, axis<-1>, keepdim) * picked;
              }) == kinds{1, 1, 1});
// An index that is known after a sweep, or is another one for each element, comes too late.
static_assert(lowered_kinds<matrix, matrix>([](auto t, auto x) {
                auto rows = embedding(t, argmax(x, axis<1>)) + x;
                return rows / sum(rows, axis<-1>, keepdim);
              }) == kinds{0, 1, 1});
static_assert(lowered_kinds<matrix, tensor_argument<dtype::i32, dyn, dyn>>([](auto t, auto i) {
                return sum(embedding(t, i), axis<1>);
              }) == kinds{0, 1, 1});
// Pointwise expressions have no rows.
static_assert(lowered_kinds<matrix, indices>([](auto t, auto i) { return embedding(t, i); }) ==
              kinds{0, 1, 1});

}  // namespace
}  // namespace tenon::test
