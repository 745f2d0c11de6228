// SPDX-License-Identifier: Apache-2.0
// Numbers that are chosen instead of elements of a half type are rounded first, where nothing but
// rounding is left to be done with them.
#include "static/support.hpp"

#include "tenon/capture/padding.hpp"
#include "tenon/capture/pattern.hpp"

namespace tenon::test {
namespace {

// The literals of the type that choices are made in, after simplify.
template <class... Arguments, class Function> constexpr text chosen(Function f) {
  graph const g = passes::dead_nodes(passes::simplify(before<Arguments...>("simplify", f)));
  text out;
  for (node const& n : g.nodes)
    if (n.is<ops::literal>() && is_floating(n.type)) out << literal_number(n.type, n.bits) << " ";
  return out;
}
using bfloats = tensor_argument<dtype::bf16, dyn, dyn>;
using halves = tensor_argument<dtype::f16, dyn, dyn>;

constexpr double rounded = static_cast<double>(static_cast<float>(bfloat16(-3e38f)));
static_assert(rounded != -3e38);
constexpr text written() {
  text out;
  out << -3e38 << " ";
  return out;
}
constexpr text as_memory_has_it() {
  text out;
  out << rounded << " ";
  return out;
}
constexpr auto bordered = [](auto x) { return pad(x, axis<1>, widths<1, 1>, -3e38); };
constexpr auto windows = [](auto x) { return unfold(bordered(x), axis<1>, ct<3>, ct<2>); };
constexpr auto greatest = [](auto x) { return tenon::max(windows(x), axis<2>); };

static_assert(chosen<bfloats>(bordered) == as_memory_has_it());
static_assert(chosen<bfloats>(greatest) == as_memory_has_it());
static_assert(chosen<bfloats>([](auto x) {
                return transpose(maximum(greatest(x), greatest(transpose(x))), axis<1, 0>);
              }) == as_memory_has_it());
// Of f16 it is beyond the largest number, as the result would be.
static_assert(chosen<halves>(greatest) == "-inf ");
// A cast to the type of the elements rounds, too; another type does not.
static_assert(chosen<bfloats>([](auto x) { return cast<bfloat16>(cast<float>(greatest(x))); }) ==
              as_memory_has_it());
static_assert(chosen<bfloats>([](auto x) { return cast<float>(greatest(x)); }) == written());
// Arithmetic and comparisons are with the number that was written.
static_assert(chosen<bfloats>([](auto x) { return sum(windows(x), axis<2>); }) == written());
static_assert(chosen<bfloats>([](auto x) { return greatest(x) == 0; }) != as_memory_has_it());
static_assert(chosen<bfloats>([](auto x) {
                return outputs(greatest(x), sum(windows(x), axis<2>));
              }) == written());
static_assert(chosen<matrix>(greatest) == written());

}  // namespace
}  // namespace tenon::test
