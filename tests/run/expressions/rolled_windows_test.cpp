// SPDX-License-Identifier: Apache-2.0
// Neighbours around the ends of both axes: what is rolled by literals is read once for all of them,
// if the rows are whole vectors, and one by one if not.
#include <cmath>
#include <initializer_list>
#include <type_traits>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using bf16 = tn::bfloat16;

constexpr extents_of_rank<3> shapes[] = {{2, 7, 64}, {3, 8, 16}, {2, 5, 112}, {1, 3, 63},
                                         {2, 1, 8},  {1, 6, 30}, {70, 4, 32}, {1, 4, 1},
                                         {3, 2, 24}, {1, 1, 4}};

std::int64_t around(std::int64_t i, std::int64_t length) {
  return ((i % length) + length) % length;
}
struct planes {
  doubles all;
  double at(std::int64_t k, std::int64_t down, std::int64_t along) const {
    std::int64_t const rows = all.extents[1], columns = all.extents[2];
    std::int64_t const row = around(k / columns % rows + down, rows),
                       column = around(k % columns + along, columns);
    return all[(k / columns / rows * rows + row) * columns + column];
  }
};
template <int Axis, long long By, class X> constexpr auto rolled(X const& x) {
  return tn::roll(x, tn::axis<Axis>, tn::ct<By>);
}

// Integers wrap.
template <class T> double as(double number) {
  return std::is_integral_v<T> ? static_cast<double>(static_cast<T>(std::llrint(number))) : number;
}

template <class T, class F, class Element>
void expect(F const& f, Element const& element,
            std::initializer_list<arrangement> arrangements = {
                arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                arrangement::repeated, arrangement::transposed, arrangement::stepped}) {
  for (auto const& extents : shapes)
    for (arrangement how : arrangements) {
      auto x = whole_numbers<T, 3>(extents, how);
      planes const all{x.values()};
      doubles const found = result_of(f(x.view()));
      ASSERT_EQ(found.size(), all.all.size());
      for (std::int64_t k = 0; k < found.size(); ++k)
        ASSERT_EQ(found[k], as<T>(element(all, k)))
            << k << " of " << extents[0] << " x " << extents[1] << " x " << extents[2] << ", "
            << to_string(how);
    }
}

template <class T> void expect_nine() {
  static auto const f = tn::compile([](auto x) {
    auto const row = rolled<2, 1>(x) + 2 * x - rolled<2, -1>(x);
    return row + rolled<1, 1>(row) - rolled<1, -1>(row);
  });
  expect<T>(f, [](planes const& x, std::int64_t k) {
    auto const row = [&](std::int64_t down) {
      return x.at(k, down, -1) + 2 * x.at(k, down, 0) - x.at(k, down, 1);
    };
    return row(0) + row(-1) - row(1);
  });
}
TEST(rolled_windows, nine_neighbours_of_float) { expect_nine<float>(); }
TEST(rolled_windows, nine_neighbours_of_double) { expect_nine<double>(); }
TEST(rolled_windows, nine_neighbours_of_bytes) { expect_nine<std::int8_t>(); }
TEST(rolled_windows, nine_neighbours_of_integers) { expect_nine<std::int64_t>(); }

// As many as there are places within reach, and further than rows are long.
template <class T> void expect_far() {
  static auto const f = tn::compile([](auto x) {
    return rolled<2, 7>(x) + rolled<2, -9>(x) * 2 - rolled<2, 20>(x) + rolled<2, -67>(x);
  });
  expect<T>(f, [](planes const& x, std::int64_t k) {
    return x.at(k, 0, -7) + 2 * x.at(k, 0, 9) - x.at(k, 0, -20) + x.at(k, 0, 67);
  });
}
// As far apart as a window may be, in rows that are shorter than that.
template <class T> void expect_far_pair() {
  static auto const f = tn::compile([](auto x) { return rolled<2, 7>(x) + rolled<2, -9>(x) * 2; });
  expect<T>(f, [](planes const& x, std::int64_t k) { return x.at(k, 0, -7) + 2 * x.at(k, 0, 9); });
}
TEST(rolled_windows, far_pair) {
  expect_far_pair<float>();
  expect_far_pair<bf16>();
}
TEST(rolled_windows, far_ones_of_float) { expect_far<float>(); }
TEST(rolled_windows, far_ones_of_bfloat16) { expect_far<bf16>(); }

// What is rolled twice, by a sum around whose ends it is; by what the call says.
TEST(rolled_windows, rolled_again) {
  static auto const twice = tn::compile([](auto x) {
    return rolled<2, 1>(rolled<2, 2>(x)) + rolled<2, -2>(x) * 2 + rolled<2, 2>(x);
  });
  expect<float>(twice, [](planes const& x, std::int64_t k) {
    return x.at(k, 0, -3) + 2 * x.at(k, 0, 2) + x.at(k, 0, -2);
  });
  auto const by = tn::compile([](auto x, auto n) {
    return tn::roll(x, tn::axis<2>, n) + rolled<2, 1>(x) * 2 + rolled<2, -1>(x);
  });
  for (std::int64_t const n : {-70, -1, 0, 5, 64})
    expect<float>([&](auto const& x) { return by(x, n); },
                  [&](planes const& x, std::int64_t k) {
                    return x.at(k, 0, -n) + 2 * x.at(k, 0, -1) + x.at(k, 0, 1);
                  },
                  {arrangement::contiguous});
}

// Parts of what is rolled begin beside the ends.
TEST(rolled_windows, slices) {
  auto const f = tn::compile([](auto x) {
    auto const all = rolled<1, 1>(x) + rolled<1, -1>(x) * 2;
    return tn::slice(all, tn::axis<1>, tn::range<3, -5>);
  });
  for (std::int64_t const width : {24, 40, 72, 73}) {
    auto x = whole_numbers<float, 2>({5, width});
    doubles const a = x.values(), found = result_of(f(x.view()));
    for (std::int64_t k = 0; k < found.size(); ++k) {
      std::int64_t const row = k / (width - 8), column = k % (width - 8) + 3;
      ASSERT_EQ(found[k], a[row * width + around(column - 1, width)] +
                              2 * a[row * width + around(column + 1, width)]);
    }
  }
}

// Lengths that are known while compiling, and a border beside.
TEST(rolled_windows, of_known_lengths) {
  auto const f = tn::compile([](auto x) {
    auto const padded = tn::pad(x, tn::axis<1>, tn::widths<1, 1>, 5);
    return rolled<1, 1>(x) + rolled<1, -1>(x) * 2 +
           tn::slice(padded, tn::axis<1>, tn::range<0, -2>) * 4 +
           tn::slice(padded, tn::axis<1>, tn::range<2, tn::end>) * 8;
  });
  auto x = whole_numbers<float, 2>({6, 64});
  doubles const a = x.values(), found = result_of(f(tn::view<float const, 6, 64>(x.view().data())));
  for (std::int64_t k = 0; k < found.size(); ++k) {
    std::int64_t const row = k / 64 * 64, c = k % 64;
    ASSERT_EQ(found[k], a[row + around(c - 1, 64)] + 2 * a[row + around(c + 1, 64)] +
                            4 * (c > 0 ? a[row + c - 1] : 5) + 8 * (c < 63 ? a[row + c + 1] : 5));
  }
}

}  // namespace
