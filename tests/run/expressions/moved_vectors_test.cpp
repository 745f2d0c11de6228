// SPDX-License-Identifier: Apache-2.0
// Parts, concatenations, rolls and rotations whose boundaries are multiples of a vector, and
// nearly.
#include "run/support/arrays.hpp"
#include "run/support/one_launch.hpp"
#include "tenon/nn/rope.hpp"

namespace {

using reference::doubles;

constexpr std::int64_t lengths[] = {8, 16, 24, 64, 12, 7};

// x[i, f(j)] for each column j of `columns`; 0 where f is negative.
template <class Column>
doubles moved(doubles const& x, std::int64_t columns, Column const& column) {
  doubles result({x.extents[0], columns});
  for (std::int64_t i = 0; i < x.extents[0]; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      std::int64_t const from = column(j);
      result[i * columns + j] = from < 0 ? 0.0 : x[i * x.extents[1] + from];
    }
  return result;
}

TEST(moved_vectors, concatenated_along_either_axis) {
  auto const rows = tn::compile(
      [](auto x, auto y, auto z) { return tn::relu(tn::concat(x, y, z, tn::axis<0>)) + 1.0f; });
  auto const columns = tn::compile(
      [](auto x, auto y, auto z) { return tn::relu(tn::concat(x, y, z, tn::axis<1>)) + 1.0f; });
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = random_array<float, 2>({3, n}, how), y = random_array<float, 2>({3, n}, how),
           z = random_array<float, 2>({3, n}, how);
      doubles const parts[] = {x.values(), y.values(), z.values()};
      doubles below({9, n}), beside({3, 3 * n});
      for (std::int64_t p = 0; p < 3; ++p)
        for (std::int64_t i = 0; i < 3; ++i)
          for (std::int64_t j = 0; j < n; ++j) {
            double const expected = std::max(parts[p][i * n + j], 0.0) + 1.0;
            below[(3 * p + i) * n + j] = beside[(3 * i + p) * n + j] = static_cast<float>(expected);
          }
      EXPECT_EQ(result_of(rows(x.view(), y.view(), z.view())).values, below.values) << n;
      EXPECT_EQ(result_of(columns(x.view(), y.view(), z.view())).values, beside.values) << n;
    }
}

// Every second half begins where a vector of floats would have an element.
template <class A, class B> void check_dtypes() {
  auto const f =
      tn::compile([](auto x, auto y) { return tn::cast<float>(tn::concat(x, y, tn::axis<1>)); });
  for (std::int64_t n : lengths)
    for (arrangement of_x : {arrangement::contiguous, arrangement::stepped})
      for (arrangement of_y : {arrangement::contiguous, arrangement::stepped}) {
        auto x = random_array<A, 2>({3, n}, of_x);
        auto y = random_array<B, 2>({3, n}, of_y);
        doubles const a = x.values(), b = y.values();
        doubles expected({3, 2 * n});
        for (std::int64_t i = 0; i < 3; ++i)
          for (std::int64_t j = 0; j < n; ++j)
            expected[2 * i * n + j] = a[i * n + j], expected[(2 * i + 1) * n + j] = b[i * n + j];
        EXPECT_EQ(result_of(f(x.view(), y.view())).values, expected.values) << n;
      }
}
TEST(moved_vectors, concatenated_of_other_dtypes) {
  check_dtypes<float, tn::half>();
  check_dtypes<tn::bfloat16, float>();
  check_dtypes<tn::half, tn::bfloat16>();
}

TEST(moved_vectors, padded_sliced_and_reversed) {
  auto const padded =
      tn::compile([](auto x) { return tn::pad(x, tn::axis<1>, tn::widths<8, 16>, 0); });
  auto const repeated = tn::compile([](auto x, auto y) {
    auto both = tn::concat(tn::slice(x, tn::axis<1>, tn::range<4, 8>), x, tn::axis<1>);
    return both + tn::unsqueeze(y, tn::axis<1>);
  });
  auto const flipped =
      tn::compile([](auto x) { return tn::concat(tn::flip(x, tn::axis<1>), x, tn::axis<1>); });
  for (std::int64_t n : lengths) {
    if (n < 8) continue;
    for (arrangement how : arrangements) {
      auto x = random_array<tn::half, 2>({5, n}, how);
      auto column = random_array<tn::half, 1>({5}, how);
      doubles const a = x.values(), c = column.values();
      EXPECT_EQ(result_of(padded(x.view())).values,
                moved(a, n + 24, [&](auto j) { return j < 8 || j >= n + 8 ? -1 : j - 8; }).values);
      doubles sums = moved(a, n + 4, [&](auto j) { return j < 4 ? j + 4 : j - 4; });
      for (std::int64_t k = 0; k < sums.size(); ++k)
        sums[k] = static_cast<float>(tn::half(static_cast<float>(sums[k] + c[k / (n + 4)])));
      EXPECT_EQ(result_of(repeated(x.view(), column.view())).values, sums.values) << n;
      EXPECT_EQ(result_of(flipped(x.view())).values,
                moved(a, 2 * n, [&](auto j) { return j < n ? n - 1 - j : j - n; }).values);
    }
  }
}

// Rows again and again, or each several times, whose indices are quotients and remainders; ends
// that are mirrored, repeated or wrapped round.
TEST(moved_vectors, repeated_and_continued_along_either_axis) {
  auto const each =
      tn::compile([](auto x) { return tn::repeat_interleave(x, tn::axis<0>, tn::ct<3>); });
  auto const tiled = tn::compile([](auto x) { return tn::tile(x, tn::shape<2, 3>); });
  auto const mirrored =
      tn::compile([](auto x) { return tn::pad(x, tn::axis<0>, tn::widths<2, 1>, tn::reflect); });
  auto const ends =
      tn::compile([](auto x) { return tn::pad(x, tn::axis<0>, tn::widths<2, 3>, tn::edge); });
  auto const wrapped =
      tn::compile([](auto x) { return tn::pad(x, tn::axis<1>, tn::widths<8, 16>, tn::wrap); });
  auto const modulo = [](std::int64_t a, std::int64_t b) { return (a % b + b) % b; };
  // x[row(i), column(j)] of a result of so many rows and columns.
  auto const expected = [](doubles const& x, std::int64_t rows, std::int64_t columns, auto row,
                           auto column) {
    doubles result({rows, columns});
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        result[i * columns + j] = x[row(i) * x.extents[1] + column(j)];
    return result.values;
  };
  auto const itself = [](std::int64_t k) { return k; };
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = random_array<tn::half, 2>({5, n}, how);
      doubles const a = x.values();
      EXPECT_EQ(result_of(each(x.view())).values,
                expected(
                    a, 15, n, [](auto i) { return i / 3; }, itself))
          << n;
      EXPECT_EQ(result_of(tiled(x.view())).values,
                expected(
                    a, 10, 3 * n, [](auto i) { return i % 5; }, [&](auto j) { return j % n; }))
          << n;
      EXPECT_EQ(result_of(mirrored(x.view())).values,
                expected(
                    a, 8, n, [](auto i) { return i < 2   ? 2 - i
                                                 : i < 7 ? i - 2
                                                         : 3; }, itself))
          << n;
      EXPECT_EQ(result_of(ends(x.view())).values,
                expected(
                    a, 10, n, [](auto i) { return i < 2   ? 0
                                                  : i < 7 ? i - 2
                                                          : 4; }, itself))
          << n;
      EXPECT_EQ(result_of(wrapped(x.view())).values,
                expected(a, 5, n + 24, itself, [&](auto j) { return modulo(j - 8, n); }))
          << n;
    }
}

// Two results of one launch, each a part of what is computed.
// Each element so many times along the rows, in part of another operand's vectors, twice over, and
// with a border, which begins in the midst of a vector or at one.
template <class T, int Times> void check_repeated_elements() {
  static auto const alone =
      tn::compile([](auto x) { return tn::repeat_interleave(x, tn::axis<1>, tn::ct<Times>); });
  static auto const along_both = tn::compile([](auto x, auto y) {
    auto const rows = tn::repeat_interleave(x, tn::axis<0>, tn::ct<2>);
    return tn::repeat_interleave(rows, tn::axis<1>, tn::ct<Times>) + y;
  });
  static auto const twice = tn::compile([](auto x) {
    return tn::repeat_interleave(tn::repeat_interleave(x, tn::axis<1>, tn::ct<Times>), tn::axis<1>,
                                 tn::ct<2>);
  });
  static auto const beside = tn::compile([](auto x, auto y) {
    return tn::concat(tn::repeat_interleave(x, tn::axis<1>, tn::ct<Times>), y, tn::axis<1>);
  });
  static auto const padded = tn::compile([](auto x) {
    return tn::pad(tn::repeat_interleave(x, tn::axis<1>, tn::ct<Times>), tn::axis<1>,
                   tn::widths<8, 16>, 3);
  });
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = random_array<T, 2>({3, n}, how, -9, 9);
      auto y = random_array<T, 2>({6, Times * n}, how, -9, 9), z = random_array<T, 2>({3, 16}, how);
      doubles const a = x.values(), b = y.values(), c = z.values();
      std::int64_t const all = Times * n;
      doubles const once = moved(a, all, [](std::int64_t j) { return j / Times; });
      EXPECT_EQ(result_of(alone(x.view())).values, once.values) << n << to_string(how);
      EXPECT_EQ(result_of(twice(x.view())).values,
                moved(a, 2 * all, [](std::int64_t j) { return j / (2 * Times); }).values)
          << n << to_string(how);
      doubles const sums = result_of(along_both(x.view(), y.view())),
                    joined = result_of(beside(x.view(), z.view())),
                    wide = result_of(padded(x.view()));
      for (std::int64_t i = 0; i < 6; ++i)
        for (std::int64_t j = 0; j < all; ++j)
          ASSERT_EQ(sums[i * all + j],
                    as_double(from_double<T>(once[i / 2 * all + j] + b[i * all + j])))
              << n << to_string(how);
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < all + 16; ++j)
          ASSERT_EQ(joined[i * (all + 16) + j], j < all ? once[i * all + j] : c[i * 16 + j - all])
              << n << to_string(how);
      for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t j = 0; j < all + 24; ++j)
          ASSERT_EQ(wide[i * (all + 24) + j], j < 8 || j >= all + 8 ? 3 : once[i * all + j - 8])
              << n << to_string(how);
    }
}
TEST(moved_vectors, elements_are_repeated_along_rows) {
  check_repeated_elements<tn::bfloat16, 2>();
  check_repeated_elements<tn::bfloat16, 4>();
  check_repeated_elements<tn::bfloat16, 3>();
  check_repeated_elements<tn::bfloat16, 8>();
  check_repeated_elements<float, 2>();
  check_repeated_elements<float, 16>();
  check_repeated_elements<std::int8_t, 2>();
}

TEST(moved_vectors, parts_into_outputs_of_any_layout) {
  auto const f = tn::compile([](auto x, auto y) {
    auto both = tn::concat(x, y, tn::axis<1>) * 2.0f;
    auto [first, second] = tn::split(both, tn::axis<1>, tn::lengths<2, 3>);
    return tn::outputs(first, second);
  });
  for (std::int64_t n : lengths)
    for (arrangement how : writable_arrangements) {
      auto x = random_array<float, 3>({4, 2, n}), y = random_array<float, 3>({4, 3, n});
      auto first = random_array<float, 3>({4, 2, n}, how),
           second = random_array<float, 3>({4, 3, n}, how);
      doubles a = x.values(), b = y.values();
      for (double& v : a.values) v *= 2;
      for (double& v : b.values) v *= 2;
      expect_one_launch(
          [&](tn::stream on) { f.on(on).into(first.view(), second.view())(x.view(), y.view()); });
      EXPECT_EQ(first.result().values, a.values) << n << " " << to_string(how);
      EXPECT_EQ(second.result().values, b.values) << n << " " << to_string(how);
    }
}

// Six axes, none of which goes on in another: windows of what is rolled along both axes.
template <int Channels> void expect_rolled_windows() {
  constexpr int images = 3, side = 6, size = 3, all = side * size;
  auto const apart = tn::compile([](auto x) {
    auto const rolled = tn::roll(tn::roll(x, tn::axis<1>, tn::ct<-2>), tn::axis<2>, tn::ct<-2>);
    auto const split = tn::reshape(rolled, tn::shape<images, side, size, side, size, Channels>);
    return tn::transpose(split, tn::axis<0, 1, 3, 2, 4, 5>);
  });
  auto x = random_array<float, 4>({images, all, all, Channels});
  doubles const a = x.values();
  doubles const found =
      result_of(apart(tn::view<float const, images, all, all, Channels>(x.view().data())));
  for (std::int64_t k = 0; k < a.size(); ++k) {
    std::int64_t const channel = k % Channels, column = k / Channels % size,
                       row = k / Channels / size % size,
                       of_columns = k / Channels / size / size % side,
                       of_rows = k / Channels / size / size / side % side,
                       image = k / Channels / all / all, r = (of_rows * size + row + 2) % all,
                       c = (of_columns * size + column + 2) % all;
    ASSERT_EQ(found[k], a[((image * all + r) * all + c) * Channels + channel]) << k;
  }
}
TEST(moved_vectors, windows_of_six_axes) {
  expect_rolled_windows<8>();
  expect_rolled_windows<7>();
}

// Query and key heads turned by one table, in one launch.
TEST(moved_vectors, heads_are_rotated) {
  auto const f = tn::compile([](auto q, auto k, auto cosines, auto sines) {
    auto heads = tn::cast<float>(tn::concat(q, k, tn::axis<2>));
    auto turned =
        tn::rope(heads, tn::unsqueeze(cosines, tn::axis<1>), tn::unsqueeze(sines, tn::axis<1>));
    auto [of_q, of_k] = tn::split(tn::cast<tn::bfloat16>(turned), tn::axis<2>, tn::lengths<4, 2>);
    return tn::outputs(of_q, of_k);
  });
  using heads = tn::tensor<tn::bfloat16, tn::dyn, tn::dyn, tn::dyn, tn::dyn>;
  for (std::int64_t batch : {1, 3, 4})
    for (std::int64_t size : {16, 32, 128, 24, 6}) {
      // The last one is enough for threads that have several vectors.
      std::int64_t const steps = batch == 4 && size == 128 ? 1500 : 5;
      auto q = random_array<tn::bfloat16, 4>({batch, steps, 4, size});
      auto k = random_array<tn::bfloat16, 4>({batch, steps, 2, size});
      auto c = random_array<float, 2>({steps, size / 2}),
           s = random_array<float, 2>({steps, size / 2});
      heads of_q(batch, steps, 4, size), of_k(batch, steps, 2, size);
      expect_one_launch([&](tn::stream on) {
        f.on(on).into(of_q, of_k)(q.view(), k.view(), c.view(), s.view());
      });
      doubles const cosines = c.values(), sines = s.values();
      auto check = [&](doubles const& x, doubles const& turned, std::int64_t count) {
        for (std::int64_t at = 0; at < x.size(); ++at) {
          std::int64_t const i = at % size, half = size / 2, angle = i % half;
          std::int64_t const row = at / size / count % steps * half + angle;
          double const other = i < half ? -x[at + half] : x[at - half];
          double const expected = x[at] * cosines[row] + other * sines[row];
          double const scale = std::abs(x[at] * cosines[row]) + std::abs(other * sines[row]);
          ASSERT_NEAR(turned[at], expected, std::abs(expected) / 256 + scale * 2e-7)
              << batch << ", " << size << ", " << at;
        }
      };
      check(q.values(), result_of(of_q), 4);
      check(k.values(), result_of(of_k), 2);
    }
}

}  // namespace
