// SPDX-License-Identifier: Apache-2.0
// What a program fetches of one row for neighbours, and by which accesses it is read.
#include "tenon/program/read_windows.hpp"

#include "static/support.hpp"
#include "tenon/capture/padding.hpp"
#include "tenon/capture/pattern.hpp"
#include "tenon/capture/repeat.hpp"
#include "tenon/program/reify.hpp"

namespace tenon::test {
namespace {

using namespace tenon::detail;

// For each group what it has of a row: the number of its reads, of its steps, and its accesses.
template <class Program> constexpr text windows_of() {
  using windows = read_windows<Program>;
  text out;
  if (!windows::is_found) return text("none");
  out << windows::width << " of " << windows::access << ":";
  [&]<int... K>(std::integer_sequence<int, K...>) {
    auto const add = [&](auto index) {
      constexpr int k = decltype(index)::value;
      if constexpr (windows::template is_leader<k>) {
        using window = read_window<Program, k>;
        int reads = 0;
        for (int const leader : windows::all.leaders) reads += leader == k;
        out << " " << reads << " in";
        for (int n = 0; n < window::count; ++n)
          out << " " << window::part_of(n).begin << "+" << window::part_of(n).width;
      }
    };
    (add(std::integral_constant<int, K>{}), ...);
  }
  (typename program_traits<Program>::sequence{});
  return out;
}
template <class... Arguments, class Function> constexpr text windows_in(Function) {
  return windows_of<decltype(to_program<Function, Arguments...>())>();
}
template <int Size, int Step, int Before, int After, class X> constexpr auto along(X const& x) {
  return unfold(pad(x, axis<1>, widths<Before, After>), axis<1>, ct<Size>, ct<Step>);
}

// Every second of three: one element before the vector, if there is a border.
static_assert(windows_in<matrix>([](auto x) { return max(along<3, 2, 1, 1>(x), axis<2>); }) ==
              "4 of 4: 3 in -1+1 0+4 4+4");
using halves = tensor_argument<dtype::bf16, dyn, dyn>;
static_assert(windows_in<halves>([](auto x) { return max(along<3, 2, 1, 1>(x), axis<2>); }) ==
              "4 of 8: 3 in -1+1 0+8");
static_assert(windows_in<halves>([](auto x) { return max(along<5, 1, 3, 1>(x), axis<2>); }) ==
              "8 of 8: 5 in -4+4 0+8 8+1");
static_assert(windows_in<halves>([](auto x) { return max(along<3, 3, 0, 2>(x), axis<2>); }) ==
              "8 of 8: 3 in 0+8 8+8 16+8");
// A weight for each row is one element, as wide as it may be.
using weights = tensor_argument<dtype::f32, dyn>;
static_assert(windows_in<halves, weights>([](auto x, auto w) {
                auto all = pad(x, axis<1>, widths<1, 1>);
                auto sum = slice(all, axis<1>, range<0, -2>) + slice(all, axis<1>, range<2, end>);
                return cast<bfloat16>(sum * unsqueeze(w, axis<1>));
              }) == "8 of 8: 2 in -1+1 0+8 8+1");
// One row of three after another.
static_assert(windows_in<halves>([](auto x) {
                auto all = pad(pad(x, axis<0>, widths<1, 1>), axis<1>, widths<1, 1>);
                return max(unfold(unfold(all, axis<0>, ct<2>, ct<2>), axis<1>, ct<3>, ct<2>),
                           axis<2, 3>);
              }) == "4 of 8: 3 in -1+1 0+8 3 in -1+1 0+8");
// What is rolled by a literal is one row around its ends, in whatever row it is.
template <int Axis, long long By, class X> constexpr auto rolled(X const& x) {
  return roll(x, axis<Axis>, ct<By>);
}
static_assert(windows_in<matrix>([](auto x) { return rolled<1, 1>(x) + rolled<1, -1>(x) - x; }) ==
              "4 of 4: 2 in -1+1 0+4 4+1");
static_assert(windows_in<halves>([](auto x) {
                auto of = [](auto y) { return y + rolled<1, 2>(y) + rolled<1, -1>(y); };
                return of(x) + of(rolled<0, 1>(x)) * 2;
              }) == "8 of 8: 2 in -2+2 0+8 8+1 2 in -2+2 0+8 8+1");
using known = tensor_argument<dtype::f32, 64, 64>;
static_assert(windows_in<known>([](auto x) { return rolled<1, 1>(x) + rolled<1, -1>(x); }) ==
              "4 of 4: 2 in -1+1 0+4 4+1");
// What is padded by elements of its own is one row, too, whichever they are.
template <class X, class Mode> constexpr auto three_of(X const& x, Mode mode) {
  return max(unfold(pad(x, axis<1>, widths<1, 1>, mode), axis<1>, ct<3>, ct<1>), axis<2>);
}
static_assert(windows_in<matrix>([](auto x) { return three_of(x, edge); }) ==
              "4 of 4: 3 in -1+1 0+4 4+1");
static_assert(windows_in<matrix>([](auto x) { return three_of(x, reflect); }) ==
              "4 of 4: 3 in -1+1 0+4 4+1");
static_assert(windows_in<halves>([](auto x) { return three_of(x, tenon::wrap); }) ==
              "8 of 8: 3 in -1+1 0+8 8+1");
// By the end and mirrored is not the same.
static_assert(windows_in<matrix>([](auto x) {
                auto before = [&](auto mode) {
                  return slice(pad(x, axis<1>, widths<1, 0>, mode), axis<1>, range<0, -1>);
                };
                return before(edge) + before(reflect);
              }) == "none");
// Of a shift that a call knows nothing is known.
static_assert(windows_in<matrix, scalar_argument<dtype::i64>>([](auto x, auto by) {
                return roll(x, axis<1>, by) + roll(x, axis<1>, by + 1);
              }) == "none");
// One shifted operand is a vector that begins anywhere, and what has far steps is taken by
// elements.
static_assert(windows_in<matrix>([](auto x) {
                return x + pad(slice(x, axis<1>, range<0, -1>), axis<1>, widths<1, 0>);
              }) == "none");
static_assert(windows_in<matrix>([](auto x) { return max(along<3, 5, 1, 1>(x), axis<2>); }) ==
              "none");
// Nor do elements of other borders belong together, or of other tensors.
static_assert(windows_in<matrix, matrix>([](auto x, auto y) {
                auto before = [](auto const& z, auto with) {
                  return slice(pad(z, axis<1>, widths<1, 0>, with), axis<1>, range<0, -1>);
                };
                auto behind = slice(pad(x, axis<1>, widths<0, 1>, 0), axis<1>, range<1, end>);
                return before(x, 1) + before(y, 0) + behind;
              }) == "none");

}  // namespace
}  // namespace tenon::test
