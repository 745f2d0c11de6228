// SPDX-License-Identifier: Apache-2.0
// What follows from operands of some rows alone.
#include "tenon/program/shared_values.hpp"

#include "static/support.hpp"
#include "tenon/capture/indexing.hpp"
#include "tenon/nn/softmax.hpp"
#include "tenon/program/reify.hpp"

namespace tenon::test {
namespace {

using tokens = tensor_argument<dtype::f32, dyn, dyn, dyn>;
using lengths = tensor_argument<dtype::i32, dyn>;

// An instruction's letter, of those that rows and elements have: capital where it is shared.
template <class... Arguments, class Function> constexpr text shared_of(Function) {
  using program = decltype(to_program<Function, Arguments...>());
  text out;
  for (int k = 0; k < program_traits<program>::size; ++k) {
    instruction_facts const& i = program_traits<program>::all[k];
    if (i.is_store || i.where == place::launch) continue;
    bool const is_shared = detail::shared_values<program>::all.at[k];
    out << (i.is_load        ? (is_shared ? "L" : "l")
            : i.is_reduction ? (is_shared ? "R" : "r")
            : i.is_position  ? (is_shared ? "P" : "p")
                             : (is_shared ? "C" : "c"));
  }
  return out;
}

// Scores and tokens, the largest score, a difference, an exponential, their sum, its inverse, the
// product with a token, the sum of these, and that times the inverse.
static_assert(shared_of<matrix, tokens>([](auto s, auto x) {
                return sum(unsqueeze(softmax(s, axis<1>), axis<2>) * x, axis<1>);
              }) == "LlRCCRCcrc");
// Lengths of the batch and one element of each row.
static_assert(shared_of<lengths, tokens>([](auto l, auto x) {
                auto const until = unsqueeze(unsqueeze(l, axis<1>), axis<2>);
                return sum(where(iota(x, axis<1>) < until, x, 0.0f), axis<1>);
              }) == "LlPCCcr");
static_assert(shared_of<matrix, tokens>([](auto w, auto x) { return sum(x, axis<1>) + w; }) ==
              "llrc");
// Nothing is where rows have one axis; columns' weights are everybody's.
static_assert(shared_of<matrix, vector>([](auto x, auto w) {
                return sum(x * unsqueeze(w, axis<1>), axis<0>);
              }) == "lLcr");

}  // namespace
}  // namespace tenon::test
