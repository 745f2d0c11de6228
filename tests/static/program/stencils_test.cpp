// SPDX-License-Identifier: Apache-2.0
// Loads of neighbours: their groups, and their places in these.
#include "static/support.hpp"
#include "tenon/capture/pattern.hpp"
#include "tenon/program/evaluate.hpp"
#include "tenon/program/reify.hpp"

namespace tenon::test {
namespace {

// Group, row and column of every load.
template <class... Arguments, class Function> constexpr text places_of(Function) {
  using program = decltype(to_program<Function, Arguments...>());
  text out;
  for (instruction_facts const& i : program_traits<program>::all)
    if (i.is_load)
      out << (out.empty() ? "" : " ") << i.stencil.group << i.stencil.row << i.stencil.column;
  return out;
}
// Set, plane and first row of every load's group.
template <class... Arguments, class Function> constexpr text planes_of(Function) {
  using program = decltype(to_program<Function, Arguments...>());
  text out;
  for (instruction_facts const& i : program_traits<program>::all)
    if (i.is_load) out << (out.empty() ? "" : " ") << i.plane.set << i.plane.plane << i.plane.row;
  return out;
}
template <int Row, int Column, int Rows, int Columns> constexpr auto part(auto x) {
  return slice(slice(x, axis<0>, range<Row, Row - Rows>), axis<1>, range<Column, Column - Columns>);
}
// Three of a matrix, in its first two rows, from column `First` on.
template <int First> constexpr auto corner(auto x) {
  return part<0, First, 3, 9>(x) + part<1, First, 3, 9>(x) * 2 + part<0, First + 1, 3, 9>(x);
}

static_assert(places_of<matrix>([](auto x) { return corner<0>(x); }) == "100 110 101");
// Counted from the vector of four elements in which they begin.
static_assert(places_of<matrix>([](auto x) { return corner<3>(x); }) == "103 113 104");
static_assert(places_of<matrix>([](auto x) { return corner<4>(x); }) == "100 110 101");
// In either order of slices, and whatever the first row is.
static_assert(places_of<matrix>([](auto x) {
                return part<1, 0, 3, 3>(x) + part<2, 0, 3, 3>(x) * 2 +
                       slice(slice(x, axis<1>, range<1, -2>), axis<0>, range<1, -2>);
              }) == "100 110 101");
// Neighbours in one row alone, or two of them, are no stencil; nor are those in steps, nor those of
// a matrix that is reduced.
static_assert(places_of<matrix>([](auto x) {
                return part<0, 0, 3, 3>(x) + part<0, 1, 3, 3>(x) * 2 + part<0, 2, 3, 3>(x);
              }) == "000 000 000");
static_assert(places_of<matrix>([](auto x) { return part<0, 0, 3, 3>(x) + part<1, 0, 3, 3>(x); }) ==
              "000 000");
static_assert(places_of<matrix>([](auto x) {
                return max(unfold(unfold(x, axis<0>, ct<2>, ct<2>), axis<1>, ct<2>, ct<2>),
                           axis<2, 3>);
              }) == "000 000 000 000");
static_assert(places_of<matrix>([](auto x) { return sum(corner<0>(x)); }) == "000 000 000");
// Too far from each other.
static_assert(places_of<f32<20, 40>>([](auto x) {
                return part<0, 0, 9, 3>(x) + part<8, 0, 9, 3>(x) * 2 + part<0, 1, 9, 3>(x);
              }) == "000 000 000");
// Others beside a stencil have groups of one place, so that it is known where they begin.
static_assert(places_of<f32<8, 12>, f32<8, 12>, f32<3>>([](auto x, auto y, auto z) {
                return corner<0>(x) * part<1, 2, 3, 9>(y) + z;
              }) == "000 100 110 101 202");
// Along that axis along which more is shared.
static_assert(places_of<cube>([](auto x) {
                auto const windows =
                    unfold(unfold(x, axis<0>, ct<2>, ct<1>), axis<1>, ct<3>, ct<1>);
                return max(windows, axis<3, 4>);
              }) == "100 110 120 200 210 220");

// Of three axes: rows are along the inner of two that share as much.
template <int Begin, int Reach>
constexpr auto cut = range<Begin, Begin == Reach ? end : Begin - Reach>;
template <int Plane, int Row, int Column, int Planes = 2, int Columns = 2>
constexpr auto around(auto x) {
  auto const plane = slice(x, axis<0>, cut<Plane, Planes>);
  return slice(slice(plane, axis<1>, cut<Row, 2>), axis<2>, cut<Column, Columns>);
}
constexpr auto seven = [](auto x) {
  return around<0, 1, 1>(x) + around<2, 1, 1>(x) + around<1, 0, 1>(x) + around<1, 2, 1>(x) +
         around<1, 1, 0>(x) + around<1, 1, 2>(x) - 6 * around<1, 1, 1>(x);
};
static_assert(places_of<f32<9, 9, 9>>(seven) == "101 201 301 321 310 312 311");
static_assert(planes_of<f32<9, 9, 9>>(seven) == "101 121 110 110 110 110 110");
// What is no group of several planes has none; nor have planes whose columns begin in other
// vectors, or those that are too far from each other.
static_assert(planes_of<f32<9, 9, 9>, f32<7, 7, 7>>([](auto x, auto y) { return seven(x) * y; }) ==
              "000 101 121 110 110 110 110 110");
static_assert(planes_of<matrix>([](auto x) { return corner<0>(x); }) == "000 000 000");
template <int Plane, int Column> constexpr auto three_of(auto x) {
  return around<Plane, 0, Column, 12, 12>(x) * around<Plane, 1, Column, 12, 12>(x) -
         around<Plane, 2, Column, 12, 12>(x);
}
static_assert(planes_of<f32<20, 20, 20>>([](auto x) {
                return three_of<0, 0>(x) + three_of<7, 0>(x);
              }) == "100 100 100 170 170 170");
static_assert(planes_of<f32<20, 20, 20>>([](auto x) {
                return three_of<0, 0>(x) + three_of<8, 0>(x);
              }) == "000 000 000 000 000 000");
static_assert(planes_of<f32<20, 20, 20>>([](auto x) {
                return three_of<0, 0>(x) + three_of<1, 4>(x);
              }) == "000 000 000 000 000 000");

}  // namespace
}  // namespace tenon::test
