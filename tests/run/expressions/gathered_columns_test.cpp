// SPDX-License-Identifier: Apache-2.0
// Sums of rows of a table, whose indices neighbouring columns share: by vectors of columns where
// they are whole, element by element where they are not.

// What is outside is missing, rather than the end of the program, on a device.
#define TENON_CHECK_INDICES 0

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

constexpr std::int64_t table_rows = 23;

struct bag_shape {
  std::int64_t bags, length, width;
};
constexpr bag_shape shapes[] = {{1, 1, 8},   {3, 5, 1},     {4, 7, 33},   {5, 32, 64},
                                {2, 33, 40}, {1, 1000, 16}, {70, 3, 128}, {2, 0, 8},
                                {0, 4, 8},   {600, 1, 24},  {9, 17, 36}};

std::int64_t wrapped(double index) {
  return static_cast<std::int64_t>(index < 0 ? index + static_cast<double>(table_rows) : index);
}

template <class T, class I> void check_bags() {
  static auto const sums =
      tn::compile([](auto t, auto i) { return tn::sum(tn::embedding(t, i), tn::axis<1>); });
  static auto const weighted = tn::compile([](auto t, auto i, auto w) {
    return tn::sum(tn::embedding(t, i) * tn::unsqueeze(w, tn::axis<2>), tn::axis<1>) * 2.0f;
  });
  static auto const largest =
      tn::compile([](auto t, auto i) { return tn::max(tn::embedding(t, i), tn::axis<1>); });
  for (auto [bags, length, width] : shapes)
    for (arrangement how : arrangements) {
      auto table = random_array<T, 2>({table_rows, width}, how);
      auto index = random_array<I, 2>({bags, length}, arrangement::contiguous,
                                      -static_cast<double>(table_rows), table_rows);
      auto w = random_array<T, 2>({bags, length},
                                  how == arrangement::repeated ? how : arrangement::contiguous);
      doubles const t = table.values(), at = index.values(), scales = w.values();
      doubles sum({bags, width}), scaled({bags, width}), most({bags, width}), size({bags, width});
      for (std::int64_t k = 0; k < sum.size(); ++k) {
        most[k] = -std::numeric_limits<double>::infinity();
        for (std::int64_t j = 0; j < length; ++j) {
          std::int64_t const from = k / width * length + j;
          double const x = t[wrapped(at[from]) * width + k % width];
          sum[k] += x, scaled[k] += 2 * x * scales[from], size[k] += 8 * std::abs(x) + 1;
          most[k] = std::max(most[k], x);
        }
      }
      std::string const what = std::to_string(bags) + " x " + std::to_string(length) + " x " +
                               std::to_string(width) + " " + to_string(how);
      // Products of a half type are rounded to it.
      double const product = tn::is_half(tn::dtype_of<T>) ? 0x1p17 : 4;
      check_close(tn::dtype_of<T>, result_of(sums(table.view(), index.view())), sum,
                  {.arithmetic = sum_roundoffs(length), .scale = &size}, what);
      check_close(tn::dtype_of<T>, result_of(weighted(table.view(), index.view(), w.view())),
                  scaled, {.arithmetic = sum_roundoffs(length) + product, .scale = &size}, what);
      if (length > 0) {
        EXPECT_EQ(result_of(largest(table.view(), index.view())).values, most.values) << what;
      }
    }
}
TEST(gathered_columns, bags_f32) { check_bags<float, int>(); }
TEST(gathered_columns, bags_bf16) { check_bags<tn::bfloat16, std::int64_t>(); }
TEST(gathered_columns, bags_f64) { check_bags<double, std::int64_t>(); }

// On a device what is outside is missing, in its bag alone.
TEST(gathered_columns, rows_outside_are_missing) {
  if (std::is_same_v<tn::default_space, tn::cpu>) GTEST_SKIP() << "the CPU backend throws";
  auto const f =
      tn::compile([](auto t, auto i) { return tn::sum(tn::embedding(t, i), tn::axis<1>); });
  std::vector<std::int64_t> const at{0, 22, -23, 5, 23, 1, 2, -24, 3, 1ll << 32, 1, 1};
  tn::tensor<std::int64_t, tn::dyn, tn::dyn> index(at, 6, 2);
  for (std::int64_t width : {8, 33}) {
    auto table = random_array<float, 2>({table_rows, width});
    doubles const result = result_of(f(table.view(), index));
    for (std::int64_t k = 0; k < result.size(); ++k) {
      std::int64_t const bag = k / width;
      EXPECT_EQ(std::isnan(result[k]), bag == 2 || bag == 3 || bag == 4) << width << ", " << k;
    }
  }
}

}  // namespace
