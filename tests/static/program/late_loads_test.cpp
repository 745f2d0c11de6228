// SPDX-License-Identifier: Apache-2.0
// Loads that no reduction of their rows needs, and that vary along some of the rows' axes alone.
#include "static/support.hpp"
#include "tenon/capture/movement.hpp"
#include "tenon/nn/normalization.hpp"
#include "tenon/nn/softmax.hpp"
#include "tenon/program/evaluate.hpp"
#include "tenon/program/reify.hpp"

namespace tenon::test {
namespace {

using rows = tensor_argument<dtype::f32, dyn, dyn, dyn>;
using some = tensor_argument<dtype::f32, dyn, dyn>;

// The late ones, by number.
template <class... Arguments, class Function> constexpr text late_of(Function) {
  using program = decltype(to_program<Function, Arguments...>());
  text out;
  for (instruction_facts const& i : program_traits<program>::all)
    if (i.is_late) out << (out.empty() ? "" : " ") << i.bits;
  return out;
}

// Of a batch, and of positions; not where they are reduced, all rows share them, or each has its
// own.
static_assert(late_of<rows, some, some>([](auto x, auto scale, auto shift) {
                return layer_norm(x, axis<2>) * (1 + unsqueeze(scale, axis<1>)) +
                       unsqueeze(shift, axis<1>);
              }) == "1 2");
static_assert(late_of<rows, some>([](auto x, auto p) { return layer_norm(x, axis<2>) + p; }) ==
              "1");
static_assert(late_of<rows, some>([](auto x, auto p) { return softmax(x + p, axis<2>); }) == "");
static_assert(late_of<rows, rows>([](auto x, auto y) { return layer_norm(x, axis<2>) + y; }) == "");
static_assert(late_of<rows, tensor_argument<dtype::f32, dyn>>([](auto x, auto w) {
                return layer_norm(x, axis<2>) * w;
              }) == "");
static_assert(late_of<rows, some>([](auto x, auto p) { return sum(x * p, axis<2>); }) == "");

}  // namespace
}  // namespace tenon::test
