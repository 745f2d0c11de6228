// SPDX-License-Identifier: Apache-2.0
// Means and variances of windows, whose elements are read one by one.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

// offset: what all elements have in common, which a variance does not have.
template <int Size, int Step, class T>
void check(std::int64_t length, double offset, arrangement how) {
  auto const f = tn::compile([](auto x) {
    auto const all = tn::unfold(tn::cast<float>(x), tn::axis<1>, tn::ct<Size>, tn::ct<Step>);
    auto const [variance, mean] = tn::var_mean(all, tn::axis<2>);
    return tn::outputs(mean, variance, tn::sqrt(tn::var(all, tn::axis<2>, tn::correction<0>)));
  });
  auto x = random_array<T, 2>({3, length}, how);
  doubles a = x.values();
  for (std::int64_t k = 0; k < a.size(); ++k) a[k] += offset;
  x.set(a);
  a = x.values();
  auto const [mean, variance, deviation] = f(x.view());
  std::int64_t const windows = length < Size ? 0 : (length - Size) / Step + 1;
  doubles means({3, windows}), variances({3, windows}), deviations({3, windows});
  for (std::int64_t k = 0; k < means.size(); ++k) {
    double const* const first = a.values.data() + k / windows * length + k % windows * Step;
    double m2 = 0;
    for (int i = 0; i < Size; ++i) means[k] += first[i] / Size;
    for (int i = 0; i < Size; ++i) m2 += (first[i] - means[k]) * (first[i] - means[k]);
    variances[k] = m2 / (Size - 1);
    deviations[k] = std::sqrt(m2 / Size);
  }
  std::string const what = std::to_string(length) + ", " + to_string(how);
  doubles const scale = reference::elementwise([](double r) { return std::fabs(r) + 2; }, means);
  check_close(tn::dtype::f32, result_of(mean), means, {.arithmetic = 8, .scale = &scale}, what);
  check_close(tn::dtype::f32, result_of(variance), variances, {.arithmetic = 32}, what);
  check_close(tn::dtype::f32, result_of(deviation), deviations, {.arithmetic = 32}, what);
}

TEST(rolling_moments, of_windows_along_rows) {
  for (std::int64_t length : {1, 3, 16, 31, 64, 257, 1000})
    for (arrangement how : arrangements) {
      check<16, 1, float>(length, 0, how);
      check<3, 1, float>(length, 1000, how);
      check<4, 2, tn::bfloat16>(length, 0, how);
      check<5, 5, float>(length, -50, how);
    }
}

// More than sixteen elements are reduced as rows are.
TEST(rolling_moments, of_longer_windows) {
  for (std::int64_t length : {17, 100}) check<17, 1, float>(length, 3, arrangement::contiguous);
}

TEST(rolling_moments, of_large_numbers) {
  auto const f = tn::compile([](auto x) {
    return tn::var(tn::unfold(x, tn::axis<0>, tn::ct<8>, tn::ct<1>), tn::axis<1>);
  });
  auto x = random_array<float, 1>({40});
  doubles a = x.values();
  for (std::int64_t k = 0; k < a.size(); ++k) a[k] = 3e38;
  x.set(a);
  doubles const found = result_of(f(x.view()));
  for (std::int64_t k = 0; k < found.size(); ++k) EXPECT_EQ(found[k], 0) << k;
}

}  // namespace
