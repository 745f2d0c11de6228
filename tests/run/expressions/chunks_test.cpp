// SPDX-License-Identifier: Apache-2.0
// Equal parts of an axis whose length the call knows: against plain loops, along every axis, of any
// layout, reduced, and back.
#include <cmath>

#include "run/support/arrays.hpp"
#include "tenon/grad.hpp"
#include "tenon/nn/activation.hpp"

namespace {

using reference::doubles;

TEST(chunks, along_every_axis) {
  auto const columns = tn::compile([](auto x) {
    auto [a, b, c] = tn::chunk(x, tn::axis<1>, tn::ct<3>);
    return a * b - c;
  });
  auto const rows = tn::compile([](auto x) {
    auto [a, b] = tn::chunk(x + 1, tn::axis<0>, tn::ct<2>);
    return b - 2 * a;
  });
  for (std::int64_t n : {0, 1, 2, 7, 8, 64, 100})
    for (arrangement how : arrangements) {
      auto x = random_array<std::int32_t, 2>({5, 3 * n}, how, -4, 4);
      auto y = random_array<std::int32_t, 2>({6, n}, how, -4, 4);
      doubles const a = x.values(), b = y.values(), of_columns = result_of(columns(x.view())),
                    of_rows = result_of(rows(y.view()));
      ASSERT_EQ(of_columns.size(), 5 * n);
      ASSERT_EQ(of_rows.size(), 3 * n);
      for (std::int64_t i = 0; i < 5; ++i)
        for (std::int64_t j = 0; j < n; ++j) {
          auto const at = [&](std::int64_t k) { return a[(i * 3 + k) * n + j]; };
          ASSERT_EQ(of_columns[i * n + j], at(0) * at(1) - at(2)) << n << to_string(how);
        }
      for (std::int64_t i = 0; i < 3 * n; ++i)
        ASSERT_EQ(of_rows[i], b[3 * n + i] + 1 - 2 * (b[i] + 1)) << n << to_string(how);
    }
  auto five = random_array<std::int32_t, 2>({5, 5});
  EXPECT_THROW(columns(five.view()), tn::error);
  EXPECT_THROW(rows(five.view()), tn::error);
}

// A gate of one half times the other, by the root mean square of the row.
TEST(chunks, gates_of_rows) {
  auto const f = tn::compile([](auto x) {
    auto [a, b] = tn::chunk(tn::cast<float>(x), tn::axis<1>, tn::ct<2>);
    auto y = tn::silu(a) * b;
    return y * tn::rsqrt(tn::mean(tn::square(y), tn::axis<1>, tn::keepdim) + 1e-6f);
  });
  for (std::int64_t n : {1, 8, 33, 128, 1024})
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned}) {
      auto x = random_array<tn::bfloat16, 2>({7, 2 * n}, how, -2, 2);
      doubles const a = x.values(), found = result_of(f(x.view()));
      for (std::int64_t i = 0; i < 7; ++i) {
        std::vector<double> y;
        double squares = 0;
        for (std::int64_t j = 0; j < n; ++j) {
          double const gate = a[2 * i * n + j];
          y.push_back(gate / (1 + std::exp(-gate)) * a[(2 * i + 1) * n + j]);
          squares += y.back() * y.back();
        }
        for (std::int64_t j = 0; j < n; ++j) {
          double const root = std::sqrt(squares / static_cast<double>(n) + 1e-6);
          ASSERT_NEAR(found[i * n + j], y[static_cast<std::size_t>(j)] / root, 1e-5)
              << n << to_string(how) << i << ", " << j;
        }
      }
    }
}

TEST(chunks, gradients) {
  auto const f = tn::compile(tn::grad([](auto x) {
    auto [a, b] = tn::chunk(x, tn::axis<1>, tn::ct<2>);
    return tn::sum(a * a * b);
  }));
  auto x = random_array<float, 2>({5, 24});
  doubles const a = x.values(), found = result_of(f(x.view()));
  for (std::int64_t i = 0; i < 5; ++i)
    for (std::int64_t j = 0; j < 12; ++j) {
      float const first = static_cast<float>(a[i * 24 + j]),
                  second = static_cast<float>(a[i * 24 + 12 + j]);
      ASSERT_NEAR(found[i * 24 + j], 2 * first * second, 1e-5) << i << ", " << j;
      ASSERT_NEAR(found[i * 24 + 12 + j], first * first, 1e-5) << i << ", " << j;
    }
}

}  // namespace
