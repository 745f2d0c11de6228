// SPDX-License-Identifier: Apache-2.0
// Loads of slices that begin or end in the midst of vectors, and what programs say of them.
#include "static/support.hpp"
#include "tenon/program/evaluate.hpp"
#include "tenon/program/reify.hpp"

namespace tenon::test {
namespace {

// Group and phase of every load.
template <class... Arguments, class Function> constexpr text slices_of(Function) {
  using program = decltype(to_program<Function, Arguments...>());
  text out;
  for (instruction_facts const& i : program_traits<program>::all)
    if (i.is_load)
      out << (out.empty() ? "" : " ") << i.bits << ':' << i.slice.group << '+' << i.slice.phase;
  return out;
}
template <int Begin, int End, class X> constexpr auto part(X const& x) {
  if constexpr (End == 0)
    return slice(x, axis<1>, range<Begin, tenon::end>);
  else
    return slice(x, axis<1>, range<Begin, End>);
}
using halves = tensor_argument<dtype::bf16, dyn, dyn>;

constexpr auto steps = [](auto x) { return sum(part<1, 0>(x) - part<0, -1>(x)); };
static_assert(slices_of<matrix>(steps) == "0:1+1 1:1+0");
static_assert(slices_of<halves>(steps) == "0:1+1 1:1+0");
static_assert(slices_of<matrix>([](auto x) {
                return sum(part<1, 0>(x) - part<0, -1>(x), axis<1>);
              }) == "0:1+1 1:1+0");
static_assert(slices_of<matrix>([](auto x) { return max(part<1, 0>(x)); }) == "0:1+1");
static_assert(slices_of<matrix>([](auto x) { return max(part<0, -1>(x)); }) == "0:1+0");

// Begins are counted from a vector; more than one vector apart they are no more of one group.
static_assert(slices_of<matrix>([](auto x) { return sum(part<6, 0>(x) * part<5, -1>(x)); }) ==
              "0:1+2 1:1+1");
static_assert(slices_of<matrix>([](auto x) { return sum(part<0, -5>(x) * part<5, 0>(x)); }) ==
              "0:1+0 1:2+1");
static_assert(slices_of<halves>([](auto x) { return sum(part<0, -5>(x) * part<5, 0>(x)); }) ==
              "0:1+0 1:1+5");
// Parts of parts are of the whole tensor; other tensors and rows have groups of their own.
static_assert(slices_of<matrix>([](auto x) {
                return sum(part<1, -1>(part<1, -1>(x)) + part<3, -1>(x));
              }) == "0:1+2 1:1+3");
static_assert(slices_of<matrix, matrix>([](auto x, auto y) {
                return sum(part<1, 0>(x) * part<0, -1>(y));
              }) == "0:2+1 1:1+0");
static_assert(slices_of<matrix>([](auto x) {
                auto const upper = slice(x, axis<0>, range<0, -1>),
                           lower = slice(x, axis<0>, range<1, tenon::end>);
                return sum(part<1, 0>(upper) - part<1, 0>(lower));
              }) == "0:1+1 1:2+1");

// Whole vectors, other steps, beginnings that depend on the length, and what is along another axis
// say nothing; nor do those of which elements are stored, or asked where they are.
static_assert(slices_of<matrix>([](auto x) { return sum(part<0, -4>(x) * part<4, 0>(x)); }) ==
              "0:0+0 1:0+0");
static_assert(slices_of<matrix>([](auto x) {
                return sum(slice(x, axis<0>, range<1>) - slice(x, axis<0>, range<0, -1>));
              }) == "0:0+0 1:0+0");
static_assert(slices_of<matrix>([](auto x) {
                return sum(slice(x, axis<1>, range<1, tenon::end, 2>), axis<1>);
              }) == "0:0+0");
static_assert(slices_of<matrix>([](auto x) { return sum(part<-5, -1>(x), axis<1>); }) == "0:0+0");
static_assert(slices_of<matrix>([](auto x) { return part<1, 0>(x) - part<0, -1>(x); }) ==
              "0:0+0 1:0+0");
// Of several reductions, too.
static_assert(slices_of<matrix>([](auto x) {
                auto const d = part<1, 0>(x) - part<0, -1>(x);
                return outputs(sum(d), var(d));
              }) == "0:1+1 1:1+0");
static_assert(slices_of<matrix>([](auto x) { return softmax(part<1, 0>(x), axis<1>); }) == "0:0+0");

}  // namespace
}  // namespace tenon::test
