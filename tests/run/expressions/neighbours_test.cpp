// SPDX-License-Identifier: Apache-2.0
// Operands whose elements lie between each other, as the even and the odd columns do, and results
// that are stored so: against plain loops, at every alignment, in rows of whole vectors and others.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
constexpr std::int64_t lengths[] = {1, 2, 5, 8, 16, 24, 33, 64, 128, 1000};

template <class T> double rounded(double v) { return as_double(from_double<T>(v)); }

// Columns 0, Step, ... of x and those behind each of them.
template <int Step, class X, class K> constexpr auto every(X const& x, K) {
  return tn::slice(x, tn::axis<1>, tn::range<K::value, tn::end, Step>);
}
template <int Begin> using at_column = std::integral_constant<int, Begin>;

template <class T> void check_columns() {
  static auto const pairs = tn::compile(
      [](auto x) { return every<2>(x, at_column<0>{}) - every<2>(x, at_column<1>{}) * 2; });
  static auto const backward = tn::compile(
      [](auto x) { return every<2>(x, at_column<1>{}) - every<2>(x, at_column<0>{}) * 2; });
  static auto const threes = tn::compile([](auto x) {
    return every<3>(x, at_column<0>{}) - every<3>(x, at_column<1>{}) * 2 +
           every<3>(x, at_column<2>{}) * 4;
  });
  static auto const three_of_four = tn::compile([](auto x) {
    return every<4>(x, at_column<0>{}) - every<4>(x, at_column<1>{}) * 2 +
           every<4>(x, at_column<2>{}) * 4;
  });
  static auto const fours = tn::compile([](auto x) {
    return every<4>(x, at_column<0>{}) - every<4>(x, at_column<1>{}) * 2 +
           every<4>(x, at_column<2>{}) * 4 - every<4>(x, at_column<3>{});
  });
  static auto const fives = tn::compile([](auto x) {
    return every<5>(x, at_column<0>{}) - every<5>(x, at_column<1>{}) * 2 +
           every<5>(x, at_column<2>{}) * 4 - every<5>(x, at_column<3>{}) +
           every<5>(x, at_column<4>{}) * 3;
  });
  auto const check = [&](auto const& f, int step, std::initializer_list<double> weights,
                         std::int64_t n, arrangement how) {
    auto x = random_array<T, 2>({6, step * n}, how, -4, 4);
    doubles const a = x.values();
    doubles expected({6, n});
    for (std::int64_t k = 0; k < 6 * n; ++k) {
      double sum = 0;
      int i = 0;
      for (double const w : weights) sum += w * a[k * step + i++];
      expected[k] = rounded<T>(sum);
    }
    ASSERT_EQ(result_of(f(x.view())).values, expected.values)
        << step << " x " << n << to_string(how);
  };
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      check(pairs, 2, {1, -2}, n, how);
      check(backward, 2, {-2, 1}, n, how);
      check(threes, 3, {1, -2, 4}, n, how);
      check(three_of_four, 4, {1, -2, 4}, n, how);
      check(fours, 4, {1, -2, 4, -1}, n, how);
      check(fives, 5, {1, -2, 4, -1, 3}, n, how);
    }
}
// Sums of a few halves are exact in float, and rounded once.
TEST(neighbours, every_few_columns) { check_columns<std::int32_t>(); }
TEST(neighbours, every_few_columns_of_halves) { check_columns<tn::bfloat16>(); }
TEST(neighbours, every_few_columns_of_bytes) { check_columns<std::int8_t>(); }

// Two by two to two by eight elements of an image.
template <class T, int Across> void check_windows() {
  static auto const f = tn::compile([](auto x) {
    return tn::amax(tn::reshape(x, tn::shape<3, 4, 2, 16, Across>), tn::axis<2, 4>);
  });
  auto x = random_array<T, 3>({3, 8, 16 * Across}, arrangement::contiguous, -4, 4);
  doubles const a = x.values();
  tn::view<T const, 3, 8, 16 * Across> const image(x.view().data());
  doubles const found = result_of(f(image));
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t r = 0; r < 4; ++r)
      for (std::int64_t c = 0; c < 16; ++c) {
        double greatest = -1e9;
        for (std::int64_t y = 0; y < 2; ++y)
          for (std::int64_t z = 0; z < Across; ++z)
            greatest = std::max(greatest, a[(i * 8 + 2 * r + y) * 16 * Across + c * Across + z]);
        ASSERT_EQ(found[(i * 4 + r) * 16 + c], greatest) << i << ", " << r << ", " << c;
      }
}
TEST(neighbours, windows_of_images) {
  check_windows<float, 2>();
  check_windows<tn::bfloat16, 2>();
  check_windows<tn::bfloat16, 4>();
  check_windows<tn::bfloat16, 6>();
  check_windows<tn::bfloat16, 8>();
  check_windows<std::int8_t, 4>();
}

// Pairs are rotated: what is read and what is written lie between each other.
template <class T> void check_rotation() {
  static auto const f = tn::compile([](auto x, auto c, auto s) {
    auto real = every<2>(x, at_column<0>{}), imaginary = every<2>(x, at_column<1>{});
    return tn::flatten(tn::stack(real * c - imaginary * s, real * s + imaginary * c, tn::axis<-1>),
                       tn::axis<1, 2>);
  });
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = random_array<T, 2>({6, 2 * n}, how, -4, 4);
      auto c = random_array<std::int8_t, 1>({n}, arrangement::contiguous, -3, 3),
           s = random_array<std::int8_t, 1>({n}, arrangement::contiguous, -3, 3);
      doubles const a = x.values(), by = c.values(), across = s.values();
      doubles expected({6, 2 * n});
      for (std::int64_t k = 0; k < 6 * n; ++k) {
        double const p = a[2 * k], q = a[2 * k + 1], cosine = by[k % n], sine = across[k % n];
        expected[2 * k] = rounded<T>(p * cosine - q * sine);
        expected[2 * k + 1] = rounded<T>(p * sine + q * cosine);
      }
      ASSERT_EQ(result_of(f(x.view(), c.view(), s.view())).values, expected.values)
          << n << to_string(how);
    }
}
TEST(neighbours, rotated_pairs) {
  check_rotation<std::int32_t>();
  check_rotation<tn::half>();
}

// Fours of 16 bytes or more, with their product's parts: of quaternions.
template <class T> void check_fours() {
  static auto const f = tn::compile([](auto a, auto b) {
    auto const part = [](auto x, auto range) { return tn::slice(x, tn::axis<1>, range); };
    auto const w = part(a, tn::range<0, 1>), x = part(a, tn::range<1, 2>),
               y = part(a, tn::range<2, 3>), z = part(a, tn::range<3, 4>);
    auto const p = part(b, tn::range<0, 1>), q = part(b, tn::range<1, 2>),
               r = part(b, tn::range<2, 3>), s = part(b, tn::range<3, 4>);
    return tn::concat(w * p - x * q - y * r - z * s, w * q + x * p + y * s - z * r,
                      w * r - x * s + y * p + z * q, w * s + x * r - y * q + z * p, tn::axis<1>);
  });
  auto const fours = []<class U>(U* first, std::int64_t n) {
    return tn::view<U, tn::dyn, 4>::with_extents(first, {n, 4});
  };
  for (std::int64_t n : {1, 2, 30, 31, 64, 600, 1026})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
      auto a = whole_numbers<T, 2>({n, 4}, how), b = whole_numbers<T, 2>({n, 4});
      array<T, 2> result({n, 4});
      f.into(fours(result.view().data(), n))(fours(a.view().data(), n), fours(b.view().data(), n));
      doubles const l = a.values(), m = b.values(), found = result.result();
      for (std::int64_t k = 0; k < 4 * n; k += 4) {
        double const w = l[k], x = l[k + 1], y = l[k + 2], z = l[k + 3], p = m[k], q = m[k + 1],
                     r = m[k + 2], s = m[k + 3];
        ASSERT_EQ(found[k], w * p - x * q - y * r - z * s) << n << to_string(how);
        ASSERT_EQ(found[k + 1], w * q + x * p + y * s - z * r) << n << to_string(how);
        ASSERT_EQ(found[k + 2], w * r - x * s + y * p + z * q) << n << to_string(how);
        ASSERT_EQ(found[k + 3], w * s + x * r - y * q + z * p) << n << to_string(how);
      }
    }
}
TEST(neighbours, fours_of_single_precision) { check_fours<float>(); }
TEST(neighbours, fours_of_double_precision) { check_fours<double>(); }

}  // namespace
