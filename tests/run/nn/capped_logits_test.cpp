// SPDX-License-Identifier: Apache-2.0
// Losses and log-sum-exps of capped logits against double: types x lengths x layouts x what stands
// there. An exponent, and so a result, may be off by 2^-22 of the cap.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using limits = std::numeric_limits<double>;

constexpr auto capped = [](auto x) { return 30.0f * tn::tanh(tn::cast<float>(x) * (1.0f / 30)); };
double reference_of(double x) { return 30 * std::tanh(x * static_cast<double>(1.0f / 30)); }

template <class T>
void check(std::int64_t rows, std::int64_t columns, arrangement how, double scale) {
  static auto const sums =
      tn::compile([](auto x) { return tn::logsumexp(capped(x), tn::axis<1>); });
  static auto const losses =
      tn::compile([](auto x, auto l) { return tn::cross_entropy(capped(x), l, tn::none); });
  std::string const what = std::to_string(rows) + " x " + std::to_string(columns) + " " +
                           to_string(how) + " up to " + std::to_string(scale);
  array<T, 2> x({rows, columns}, how);
  doubles given =
      random_array<double, 2>({rows, columns}, arrangement::contiguous, -scale, scale).values();
  for (std::int64_t j = 0; j < columns; ++j) {
    if (rows > 1) given[columns + j] = j % 2 ? limits::infinity() : -limits::infinity();
    if (rows > 2 && j == columns / 2) given[2 * columns + j] = limits::quiet_NaN();
    if (rows > 3) given[3 * columns + j] = j == columns / 3 ? scale : -scale;
    if (rows > 4) given[4 * columns + j] = j % 2 ? 0.0 : -0.0;
  }
  x.set(given);
  array<std::int64_t, 1> labels({rows});
  doubles chosen({rows});
  for (std::int64_t i = 0; i < rows; ++i) chosen[i] = static_cast<double>(i * 7 % columns);
  labels.set(chosen);
  doubles const elements = x.values(), of_rows = result_of(sums(x.view())),
                of_labels = result_of(losses(x.view(), labels.view()));
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j)
      sum += std::exp(reference_of(elements[i * columns + j]) - 30);
    double const expected = 30 + std::log(sum),
                 loss = expected -
                        reference_of(elements[i * columns + static_cast<std::int64_t>(chosen[i])]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(of_rows[i]) && std::isnan(of_labels[i])) << what << " row " << i;
      continue;
    }
    EXPECT_NEAR(of_rows[i], expected, 30 * 0x1p-21) << what << " row " << i;
    EXPECT_NEAR(of_labels[i], loss, 30 * 0x1p-20) << what << " loss of row " << i;
  }
}

template <class T> void check_all() {
  for (std::int64_t columns : {1, 2, 31, 33, 100, 1000, 4096, 20001})
    for (double scale : {0.5, 20.0, 900.0}) check<T>(7, columns, arrangement::contiguous, scale);
  for (arrangement how : arrangements) check<T>(1, 257, how, 40);
}

TEST(capped_logits, of_f32) { check_all<float>(); }
TEST(capped_logits, of_bf16) { check_all<tn::bfloat16>(); }

}  // namespace
