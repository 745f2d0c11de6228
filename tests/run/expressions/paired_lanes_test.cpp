// SPDX-License-Identifier: Apache-2.0
// Many rows of half types, of which a thread has what two lanes have of few: against plain loops,
// and with the same bits.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

struct rows_of {
  std::int64_t rows, columns;
};
// Lanes of a quarter, half a warp, one and two; the last vector of the last lanes there or not.
constexpr rows_of shapes[] = {{65539, 136}, {4100, 272},  {4097, 384},  {2049, 640},
                              {2050, 768},  {1027, 1096}, {1030, 1280}, {1025, 1536}};

constexpr auto normalized = tn::compile(
    [](auto x, auto weight, auto bias) { return tn::layer_norm(x, weight, bias, tn::axis<1>); });
constexpr auto shares = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
// Sums, products and extrema beside each other, of which some need the others.
template <class T>
constexpr auto mixed = tn::compile([](auto x, auto weight) {
  auto const y = tn::cast<float>(x);
  auto const largest = tn::max(y * weight, tn::axis<1>, tn::keepdim);
  auto const norm = tn::sum(y * y, tn::axis<1>, tn::keepdim);
  auto const away = tn::sum(tn::abs(y - largest), tn::axis<1>, tn::keepdim);
  return tn::cast<T>(y * weight + largest + norm / away);
});

template <class T> void check(rows_of const& shape) {
  auto const [rows, n] = shape;
  std::string const what = std::to_string(rows) + " x " + std::to_string(n);
  auto x = random_array<T, 2>({rows, n}, arrangement::contiguous, -4, 4);
  auto weight = random_array<T, 1>({n}), bias = random_array<T, 1>({n});
  doubles const given = x.values(), w = weight.values(), b = bias.values();
  double const roundoffs = 32 + sum_roundoffs(n);
  std::int64_t const size = rows * n;

  doubles expected = reference::layer_norm(given, 0b10, 1e-5), scale = expected;
  for (std::int64_t i = 0; i < size; ++i) {
    scale[i] = 8 + std::fabs(expected[i]);
    expected[i] = expected[i] * w[i % n] + b[i % n];
  }
  array<T, 2> norm({rows, n}), share({rows, n});
  normalized.into(norm.view())(x.view(), weight.view(), bias.view());
  check_close(tn::dtype_of<T>, norm.result(), expected, {.arithmetic = roundoffs, .scale = &scale},
              "layer norm, " + what);
  shares.into(share.view())(x.view());
  check_close(tn::dtype_of<T>, share.result(), reference::softmax(given, 0b10),
              {.arithmetic = roundoffs}, "softmax, " + what);

  for (std::int64_t r = 0; r < rows; ++r) {
    double largest = -1e9, sum = 0, away = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      largest = std::max(largest, given[r * n + i] * w[i]);
      sum += given[r * n + i] * given[r * n + i];
    }
    for (std::int64_t i = 0; i < n; ++i) away += std::fabs(given[r * n + i] - largest);
    for (std::int64_t i = 0; i < n; ++i) {
      expected[r * n + i] = given[r * n + i] * w[i] + largest + sum / away;
      scale[r * n + i] = 32 + sum / away;
    }
  }
  array<T, 2> all({rows, n});
  mixed<T>.into(all.view())(x.view(), weight.view());
  check_close(tn::dtype_of<T>, all.result(), expected, {.arithmetic = roundoffs, .scale = &scale},
              "mixed, " + what);

  // The last rows, so few that each lane has a thread.
  std::int64_t const few = 3;
  reference::elements const of_last(given.values.end() - few * n, given.values.end());
  array<T, 2> last({few, n}, arrangement::contiguous, doubles({few, n}, of_last));
  auto const expect_same = [&](auto const& f, auto const& many, char const* name, auto&... shared) {
    using result = std::remove_cvref_t<decltype(many)>;
    result alone({few, n});
    f.into(alone.view())(last.view(), shared.view()...);
    auto const bits = many.bits(), of_few = alone.bits();
    EXPECT_TRUE(std::equal(of_few.begin(), of_few.end(), bits.end() - of_few.size()))
        << name << ", " << what;
  };
  expect_same(normalized, norm, "layer norm", weight, bias);
  expect_same(shares, share, "softmax");
  expect_same(mixed<T>, all, "mixed", weight);
}

// Results that are scaled and shifted by what the rows of an image share.
TEST(paired_lanes, of_images) {
  using T = tn::bfloat16;
  static auto const modulated = tn::compile([](auto x, auto scale, auto shift) {
    auto const norm = tn::layer_norm(tn::cast<float>(x), tn::axis<2>);
    return tn::cast<T>(norm * (1 + tn::unsqueeze(scale, tn::axis<1>)) +
                       tn::unsqueeze(shift, tn::axis<1>));
  });
  std::int64_t const images = 3, rows = 700, n = 1152;
  auto x = random_array<T, 3>({images, rows, n}), few = random_array<T, 3>({images, 2, n});
  auto scale = random_array<T, 2>({images, n}), shift = random_array<T, 2>({images, n});
  auto const check = [&](auto& x, std::int64_t rows) {
    array<T, 3> out({images, rows, n});
    modulated.into(out.view())(x.view(), scale.view(), shift.view());
    doubles const a = scale.values(), b = shift.values();
    doubles expected = reference::layer_norm(x.values(), 0b100, 1e-5), size = expected;
    for (std::int64_t i = 0; i < expected.size(); ++i) {
      std::int64_t const at = i / n / rows * n + i % n;
      size[i] = 8 + 2 * std::fabs(expected[i]);
      expected[i] = expected[i] * (1 + a[at]) + b[at];
    }
    check_close(tn::dtype_of<T>, out.result(), expected,
                {.arithmetic = 24 + sum_roundoffs(n), .scale = &size},
                std::to_string(rows) + " rows");
  };
  check(x, rows);
  check(few, 2);
}
// Fewer rows have a thread for each lane: one warp more than they have otherwise.
TEST(paired_lanes, are_those_of_many_rows) {
  if constexpr (std::is_same_v<tn::default_space, tn::cuda>) {
    auto const how = [](std::int64_t rows) {
      auto x = random_array<tn::bfloat16, 2>({rows, 1152});
      return tn::explain(shares, x.view()).text();
    };
    std::string const few = how(512), many = how(1024);
    EXPECT_NE(few.find("row in registers of several warps"), std::string::npos) << few;
    EXPECT_NE(many.find("row in registers of a warp or less"), std::string::npos) << many;
  }
}
TEST(paired_lanes, bf16) {
  for (rows_of const& shape : shapes) check<tn::bfloat16>(shape);
}
TEST(paired_lanes, f16) {
  for (rows_of const& shape : {rows_of{2049, 640}, rows_of{1027, 1152}}) check<tn::half>(shape);
}

}  // namespace
