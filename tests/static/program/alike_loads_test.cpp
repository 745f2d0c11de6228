// SPDX-License-Identifier: Apache-2.0
// Loads of slices that have the same places, from where each of them begins.
#include "static/support.hpp"
#include "tenon/capture/pattern.hpp"
#include "tenon/program/evaluate.hpp"
#include "tenon/program/reify.hpp"

namespace tenon::test {
namespace {

// The group of every load.
template <class... Arguments, class Function> constexpr text groups_of(Function) {
  using program = decltype(to_program<Function, Arguments...>());
  text out;
  for (instruction_facts const& i : program_traits<program>::all)
    if (i.is_load) out << (out.empty() ? "" : " ") << i.alike;
  return out;
}
template <int Size, int Step, class X> constexpr auto windows(X const& x) {
  return max(unfold(x, axis<1>, ct<Size>, ct<Step>), axis<2>);
}

static_assert(groups_of<matrix>([](auto x) { return windows<6, 1>(x); }) == "1 1 1 1 1 1");
static_assert(groups_of<matrix>([](auto x) { return windows<6, 4>(x) + 1; }) == "1 1 1 1 1 1");
static_assert(groups_of<matrix>([](auto x) { return windows<5, 1>(x); }) == "0 0 0 0 0");
// Other tensors, and other steps, are of other groups.
static_assert(groups_of<f32<4, 16>, f32<4, 11>>([](auto x, auto y) {
                return windows<6, 1>(x) + y;
              }) == "0 1 1 1 1 1 1");
static_assert(groups_of<f32<4, 16>, f32<4, 26>>([](auto x, auto y) {
                return windows<6, 1>(x) + windows<6, 2>(y);
              }) == "1 1 1 1 1 1 2 2 2 2 2 2");
// Two axes.
static_assert(groups_of<matrix>([](auto x) {
                return max(unfold(unfold(x, axis<0>, ct<2>, ct<2>), axis<1>, ct<3>, ct<1>),
                           axis<2, 3>);
              }) == "1 1 1 1 1 1");

}  // namespace
}  // namespace tenon::test
