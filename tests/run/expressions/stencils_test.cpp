// SPDX-License-Identifier: Apache-2.0
// Slices of one operand that overlap, along the last axis, along another one and along both: at any
// alignment and of any length.

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

constexpr std::int64_t lengths[] = {0, 1, 2, 7, 8, 31, 33, 191, 192, 200, 256, 257, 391, 1000};

// Whole numbers, of which sums are exact in float.
template <class T, int Rank>
array<T, Rank> numbers(extents_of_rank<Rank> const& extents, arrangement how, double most) {
  reference::shape const shape(extents.begin(), extents.end());
  return {extents, how, random_doubles<std::int8_t>(shape, -most, most)};
}
template <class T> double rounded(double v) { return as_double(from_double<T>(v)); }

constexpr auto three = [](auto x) {
  return tn::slice(x, tn::axis<1>, tn::range<0, -2>) -
         2 * tn::slice(x, tn::axis<1>, tn::range<1, -1>) +
         tn::slice(x, tn::axis<1>, tn::range<2, tn::end>);
};
constexpr auto wide = [](auto x, auto scale) {
  return tn::slice(x, tn::axis<1>, tn::range<0, -5>) * scale -
         tn::slice(x, tn::axis<1>, tn::range<5, tn::end>);
};
constexpr auto cross = [](auto x, auto y) {
  auto const part = [&](auto rows, auto columns) {
    return tn::slice(tn::slice(x, tn::axis<0>, rows), tn::axis<1>, columns);
  };
  return part(tn::range<0, -2>, tn::range<1, -1>) + part(tn::range<2, tn::end>, tn::range<1, -1>) +
         part(tn::range<1, -1>, tn::range<0, -2>) -
         3 * part(tn::range<1, -1>, tn::range<2, tn::end>) + y;
};
// Weights of each column, which do not vary along the axis. Rows of whole vectors, at least 24 of
// them, share their loads.
constexpr auto taps = [](auto x, auto w) {
  auto const weight = [&](auto rows) { return tn::slice(w, tn::axis<0>, rows); };
  return tn::slice(x, tn::axis<1>, tn::range<0, -2>) * weight(tn::range<0, 1>) +
         tn::slice(x, tn::axis<1>, tn::range<1, -1>) * weight(tn::range<1, 2>) +
         tn::slice(x, tn::axis<1>, tn::range<2, tn::end>) * weight(tn::range<2, 3>);
};

// Results are written by rows of any alignment too.
template <class T> void check_three() {
  static auto const f = tn::compile(three);
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements)
      for (arrangement to :
           {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
        auto x = numbers<T, 2>({5, n + 2}, how, 8);
        array<T, 2> y({5, n}, to);
        doubles const a = x.values();
        f.into(y.view())(x.view());
        doubles const found = y.result();
        for (std::int64_t r = 0; r < 5; ++r)
          for (std::int64_t c = 0; c < n; ++c) {
            std::int64_t const at = r * (n + 2) + c;
            ASSERT_EQ(found[r * n + c], rounded<T>(a[at] - 2 * a[at + 1] + a[at + 2]))
                << n << to_string(how) << to_string(to) << r << ", " << c;
          }
      }
}
TEST(stencils, along_rows) { check_three<float>(); }
TEST(stencils, along_rows_of_halves) { check_three<tn::bfloat16>(); }
TEST(stencils, along_rows_of_bytes) { check_three<std::int8_t>(); }
TEST(stencils, along_rows_of_doubles) { check_three<double>(); }

template <class T> void check_wide() {
  static auto const f = tn::compile(wide);
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = numbers<T, 2>({4, n + 5}, how, 8);
      auto scale = numbers<std::int8_t, 1>({n}, arrangement::contiguous, 3);
      doubles const a = x.values(), s = scale.values();
      doubles const found = result_of(f(x.view(), scale.view()));
      for (std::int64_t r = 0; r < 4; ++r)
        for (std::int64_t c = 0; c < n; ++c) {
          std::int64_t const at = r * (n + 5) + c;
          ASSERT_EQ(found[r * n + c], rounded<T>(a[at] * s[c] - a[at + 5]))
              << n << to_string(how) << r << ", " << c;
        }
    }
}
TEST(stencils, far_along_rows) {
  check_wide<std::int32_t>();
  check_wide<std::int16_t>();
}

template <class T> void check_cross() {
  static auto const f = tn::compile(cross);
  for (std::int64_t n : lengths)
    for (std::int64_t rows : {1, 9, 21})
      for (arrangement how : arrangements) {
        auto x = numbers<T, 2>({rows + 2, n + 2}, how, 8);
        auto y = numbers<T, 2>({rows, n}, arrangement::misaligned, 8);
        doubles const a = x.values(), b = y.values();
        doubles const found = result_of(f(x.view(), y.view()));
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t c = 0; c < n; ++c) {
            std::int64_t const w = n + 2, at = (r + 1) * w + c + 1;
            ASSERT_EQ(found[r * n + c],
                      rounded<T>(a[at - w] + a[at + w] + a[at - 1] - 3 * a[at + 1] + b[r * n + c]))
                << n << to_string(how) << r << ", " << c;
          }
      }
}
TEST(stencils, of_images) { check_cross<std::int32_t>(); }
TEST(stencils, of_images_of_shorts) { check_cross<std::int16_t>(); }

template <class T> void check_taps() {
  static auto const f = tn::compile(taps);
  for (std::int64_t n : {0, 1, 8, 96, 100, 192, 200, 512, 776})
    for (std::int64_t rows : {1, 4, 37})
      for (arrangement how : arrangements) {
        auto x = numbers<T, 3>({2, rows + 2, n}, how, 8);
        auto w = numbers<T, 2>({3, n}, arrangement::contiguous, 3);
        doubles const a = x.values(), b = w.values();
        tn::view<T const, 3, tn::dyn> const weights(w.view().data(), n);
        doubles const found = result_of(f(x.view(), weights));
        for (std::int64_t k = 0; k < 2; ++k)
          for (std::int64_t r = 0; r < rows; ++r)
            for (std::int64_t c = 0; c < n; ++c) {
              double sum = 0;
              for (int t = 0; t < 3; ++t) sum += a[(k * (rows + 2) + r + t) * n + c] * b[t * n + c];
              ASSERT_EQ(found[(k * rows + r) * n + c], rounded<T>(sum))
                  << n << to_string(how) << k << ", " << r << ", " << c;
            }
      }
}
TEST(stencils, loads_are_shared) {
  auto x = numbers<std::int16_t, 3>({2, 9, 192}, arrangement::contiguous, 8);
  auto w = numbers<std::int16_t, 2>({3, 192}, arrangement::contiguous, 3);
  tn::view<std::int16_t const, 3, tn::dyn> const weights(w.view().data(), 192);
  static auto const f = tn::compile(taps);
  std::string const text = tn::explain(f, x.view(), weights).text();
  if constexpr (std::is_same_v<tn::default_space, tn::cuda>)
    EXPECT_NE(text.find("overlapping slices"), std::string::npos) << text;
}
TEST(stencils, along_an_outer_axis) { check_taps<std::int32_t>(); }
TEST(stencils, along_an_outer_axis_of_shorts) { check_taps<std::int16_t>(); }

}  // namespace
