// SPDX-License-Identifier: Apache-2.0
// Weighted sums of an element's neighbours: slices of one tensor along two axes or three, each of
// which begins elsewhere.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using bf16 = tn::bfloat16;

// A neighbour, counted from the first one along each axis, and how often it is taken.
struct tap {
  int plane, row, column, weight;
};
// As a type, for lambdas.
template <int Plane, int Row, int Column, int Weight> struct neighbour {
  static constexpr tap at{Plane, Row, Column, Weight};
};

// Of all but the last `Reach` positions along an axis, those from `Begin` on.
template <int Begin, int Reach, class X, class Axis> constexpr auto part(X x, Axis axis) {
  if constexpr (Reach == 0)
    return x;
  else if constexpr (Begin == Reach)
    return tn::slice(x, axis, tn::range<Begin, tn::end>);
  else
    return tn::slice(x, axis, tn::range<Begin, Begin - Reach>);
}

template <class... Neighbours> struct stencil {
  static constexpr tap all[sizeof...(Neighbours)] = {Neighbours::at...};
  static constexpr int reach(int tap::*axis) {
    int result = 0;
    for (tap const& one : all)
      if (one.*axis > result) result = one.*axis;
    return result;
  }
  static constexpr int planes = reach(&tap::plane), rows = reach(&tap::row),
                       columns = reach(&tap::column);

  // What is of the neighbour at (Plane, Row, Column), by slices in one order or another.
  template <class N> static constexpr auto of(auto x) {
    constexpr tap t = N::at;
    if constexpr (t.weight % 2 == 0)
      return part<t.column, columns>(
          part<t.row, rows>(part<t.plane, planes>(x, tn::axis<0>), tn::axis<1>), tn::axis<2>);
    else
      return part<t.plane, planes>(
          part<t.row, rows>(part<t.column, columns>(x, tn::axis<2>), tn::axis<1>), tn::axis<0>);
  }
  static constexpr auto sum(auto x) { return (... + (of<Neighbours>(x) * Neighbours::at.weight)); }
  static extents_of_rank<3> extents(extents_of_rank<3> const& x) {
    return {x[0] - planes, x[1] - rows, x[2] - columns};
  }
  // Element k of the sums.
  static double at(doubles const& x, std::int64_t k) {
    std::int64_t const rows_of_x = x.extents[1], columns_of_x = x.extents[2],
                       width = columns_of_x - columns, height = rows_of_x - rows;
    double result = 0;
    for (tap const& t : all)
      result +=
          t.weight * x[((k / width / height + t.plane) * rows_of_x + k / width % height + t.row) *
                           columns_of_x +
                       k % width + t.column];
    return result;
  }
};

using five = stencil<neighbour<0, 0, 1, 1>, neighbour<0, 1, 0, 2>, neighbour<0, 1, 2, 3>,
                     neighbour<0, 2, 1, 2>, neighbour<0, 1, 1, -4>>;
using corners = stencil<neighbour<0, 0, 0, 1>, neighbour<0, 0, 2, 2>, neighbour<0, 2, 0, 3>,
                        neighbour<0, 2, 2, 4>, neighbour<0, 0, 1, 5>, neighbour<0, 2, 0, 2>>;
using gradient = stencil<neighbour<0, 0, 0, -3>, neighbour<0, 1, 0, 1>, neighbour<0, 0, 1, 2>>;
using around = stencil<neighbour<0, 1, 1, 1>, neighbour<2, 1, 1, 2>, neighbour<1, 0, 1, 3>,
                       neighbour<1, 2, 1, 1>, neighbour<1, 1, 0, 2>, neighbour<1, 1, 2, 3>,
                       neighbour<1, 1, 1, -6>>;
// Along the outermost axis alone, beside the last; and wider than vectors.
using of_planes = stencil<neighbour<0, 0, 0, 1>, neighbour<1, 0, 0, 2>, neighbour<3, 0, 1, 3>,
                          neighbour<1, 0, 2, 4>>;
using wide = stencil<neighbour<0, 0, 0, 1>, neighbour<0, 1, 0, 2>, neighbour<0, 2, 9, 3>,
                     neighbour<0, 0, 1, 1>>;
using long_one = stencil<neighbour<0, 0, 3, 1>, neighbour<0, 7, 3, 2>, neighbour<0, 3, 0, 3>,
                         neighbour<0, 4, 7, 1>, neighbour<0, 7, 7, 2>>;

// More than a thread has of many rows.
template <int... K>
auto every(std::integer_sequence<int, K...>) -> stencil<neighbour<0, K / 7, K % 7, K % 3 + 1>...>;
using many = decltype(every(std::make_integer_sequence<int, 35>{}));

constexpr extents_of_rank<3> shapes[] = {{4, 8, 8},   {5, 11, 33}, {6, 9, 70},   {13, 23, 16},
                                         {4, 90, 12}, {4, 36, 68}, {5, 17, 300}, {1, 9, 24},
                                         {9, 8, 264}, {3, 2, 9}};

template <class T, class Stencil, std::size_t Count>
void expect_sums(extents_of_rank<3> const (&of)[Count], arrangement how, arrangement of_result) {
  static auto const f = tn::compile([](auto x) { return Stencil::sum(x); });
  for (auto const& extents : of) {
    if (Stencil::planes > extents[0] || Stencil::rows > extents[1] || Stencil::columns > extents[2])
      continue;
    auto x = whole_numbers<T, 3>(extents, how);
    array<T, 3> z(Stencil::extents(extents), of_result);
    f.into(z.view())(x.view());
    doubles const a = x.values(), found = z.result();
    for (std::int64_t k = 0; k < found.size(); ++k)
      ASSERT_EQ(found[k], as_double(from_double<T>(Stencil::at(a, k))))
          << k << " of " << extents[0] << " x " << extents[1] << " x " << extents[2] << ", "
          << to_string(how) << " to " << to_string(of_result);
  }
}
template <class T, class Stencil> void expect_all() {
  for (arrangement how : arrangements)
    expect_sums<T, Stencil>(shapes, how, arrangement::contiguous);
  expect_sums<T, Stencil>(shapes, arrangement::contiguous, arrangement::misaligned);
  expect_sums<T, Stencil>(shapes, arrangement::contiguous, arrangement::padded);
  expect_sums<T, Stencil>(shapes, arrangement::transposed, arrangement::transposed);
}
TEST(stencils, five_neighbours) {
  expect_all<float, five>();
  expect_all<bf16, five>();
}
TEST(stencils, corners) {
  expect_all<float, corners>();
  expect_all<std::int8_t, corners>();
}
TEST(stencils, gradient) {
  expect_all<double, gradient>();
  expect_all<bf16, gradient>();
}
TEST(stencils, around_in_space) {
  expect_all<float, around>();
  expect_all<bf16, around>();
}

// Of so many blocks that threads have several planes one after the other, the last of them not
// all; along one axis or the other, of several tiles and strips.
constexpr extents_of_rank<3> large[] = {
    {2119, 5, 72}, {5, 2117, 72}, {13, 1420, 72}, {710, 7, 140}};
template <class T, class Stencil> void expect_plane_by_plane() {
  expect_sums<T, Stencil>(large, arrangement::contiguous, arrangement::contiguous);
  expect_sums<T, Stencil>(large, arrangement::padded, arrangement::misaligned);
  expect_sums<T, Stencil>(large, arrangement::transposed, arrangement::contiguous);
}
template <int... K>
auto cube(std::integer_sequence<int, K...>)
    -> stencil<neighbour<K / 9, K / 3 % 3, K % 3, K % 5 + 1>...>;
using all_around = decltype(cube(std::make_integer_sequence<int, 27>{}));
using far_around = stencil<neighbour<0, 2, 2, 1>, neighbour<1, 2, 2, 2>, neighbour<3, 2, 2, 3>,
                           neighbour<4, 2, 2, 1>, neighbour<2, 0, 2, 2>, neighbour<2, 1, 2, 3>,
                           neighbour<2, 3, 2, 1>, neighbour<2, 4, 2, 2>, neighbour<2, 2, 0, 3>,
                           neighbour<2, 2, 1, 1>, neighbour<2, 2, 3, 2>, neighbour<2, 2, 4, 3>,
                           neighbour<2, 2, 2, -5>>;
// Two planes, none of which begins where the other does.
using leaning = stencil<neighbour<0, 1, 0, 1>, neighbour<0, 2, 1, 2>, neighbour<0, 1, 1, 3>,
                        neighbour<2, 0, 2, 1>, neighbour<2, 1, 2, 2>, neighbour<2, 1, 3, -3>>;
TEST(stencils, around_in_space_plane_by_plane) {
  expect_plane_by_plane<float, around>();
  expect_plane_by_plane<bf16, around>();
}
TEST(stencils, all_around_plane_by_plane) {
  expect_plane_by_plane<float, all_around>();
  expect_plane_by_plane<bf16, all_around>();
}
TEST(stencils, far_around_plane_by_plane) {
  expect_plane_by_plane<float, far_around>();
  expect_plane_by_plane<double, far_around>();
}
TEST(stencils, leaning_plane_by_plane) {
  expect_plane_by_plane<float, leaning>();
  expect_plane_by_plane<bf16, leaning>();
}
TEST(stencils, of_planes) { expect_all<float, of_planes>(); }
TEST(stencils, wide) { expect_all<float, wide>(); }
TEST(stencils, many) {
  expect_all<float, many>();
  expect_all<bf16, many>();
}
TEST(stencils, long_one) { expect_all<float, long_one>(); }

// What else an element may need: another tensor at its place, one element of a row and one of a
// column; and two results.
TEST(stencils, beside_others) {
  auto const f = tn::compile([](auto x, auto scale, auto rows, auto columns) {
    auto const sums = five::sum(x) * scale;
    auto const all = sums + tn::unsqueeze(rows, tn::axis<1>);
    return tn::outputs(all + columns, sums * 2);
  });
  for (auto const& extents : shapes)
    for (arrangement how : arrangements) {
      auto const smaller = five::extents(extents);
      auto x = whole_numbers<float, 3>(extents), scale = whole_numbers<float, 3>(smaller, how);
      auto rows = whole_numbers<float, 2>({smaller[0], smaller[2]});
      auto columns = whole_numbers<float, 1>({smaller[2]});
      auto const [sums, twice] = f(x.view(), scale.view(), rows.view(), columns.view());
      doubles const a = x.values(), b = scale.values(), r = rows.values(), c = columns.values(),
                    found = result_of(sums), found_twice = result_of(twice);
      for (std::int64_t k = 0; k < found.size(); ++k) {
        std::int64_t const column = k % smaller[2], plane = k / smaller[2] / smaller[1];
        double const sum = five::at(a, k) * b[k];
        ASSERT_EQ(found[k], sum + r[plane * smaller[2] + column] + c[column]) << k;
        ASSERT_EQ(found_twice[k], sum * 2) << k;
      }
    }
}

}  // namespace
