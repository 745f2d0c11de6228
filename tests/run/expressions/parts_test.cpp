// SPDX-License-Identifier: Apache-2.0
// Results that are parts of what one kernel computes: a softmax without some of its columns, the
// parts of a split, a part of a scan.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

constexpr std::int64_t lengths[] = {1, 2, 5, 31, 33, 129, 513, 1025, 4099};

// Columns start, start + step, ... of a matrix, `count` of them.
doubles columns_of(doubles const& x, std::int64_t start, std::int64_t step, std::int64_t count) {
  std::int64_t const rows = x.extents[0], columns = x.extents[1];
  doubles result({rows, count});
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < count; ++j)
      result[i * count + j] = x[i * columns + start + j * step];
  return result;
}

// The largest difference, relative to numbers above 1; of arrays of different sizes there is none.
double difference(doubles const& a, doubles const& b) {
  if (a.extents != b.extents) return std::numeric_limits<double>::infinity();
  double result = 0;
  for (std::int64_t k = 0; k < a.size(); ++k) {
    double const by = std::abs(a[k] - b[k]) / std::max(1.0, std::abs(b[k]));
    result = by <= result ? result : by;
  }
  return result;
}

// The attention sink: a last column that takes part in the softmax and is not stored.
TEST(parts, softmax_without_its_last_column) {
  auto const whole = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  auto const part = tn::compile(
      [](auto x) { return tn::slice(tn::softmax(x, tn::axis<1>), tn::axis<1>, tn::range<0, -1>); });
  auto const third = tn::compile([](auto x) {
    return tn::exp(tn::slice(tn::softmax(x, tn::axis<1>), tn::axis<1>, tn::range<1, tn::end, 3>)) *
           2.0f;
  });
  auto const reversed = tn::compile([](auto x) {
    return tn::slice(tn::softmax(x, tn::axis<1>), tn::axis<1>, tn::range<-1, 0, -1>);
  });
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = random_array<float, 2>({5, n}, how);
      doubles const all = result_of(whole(x.view()));
      EXPECT_LE(difference(result_of(part(x.view())), columns_of(all, 0, 1, n - 1)), 1e-6) << n;
      doubles strided = columns_of(all, 1, 3, n < 2 ? 0 : (n + 1) / 3);
      for (double& v : strided.values) v = 2 * std::exp(v);
      EXPECT_LE(difference(result_of(third(x.view())), strided), 1e-5) << n;
      EXPECT_LE(difference(result_of(reversed(x.view())), columns_of(all, n - 1, -1, n - 1)), 1e-6)
          << n;
    }
}

TEST(parts, transposed) {
  auto const whole = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  auto const f = tn::compile([](auto x) {
    auto part = tn::slice(tn::softmax(x, tn::axis<1>), tn::axis<1>, tn::range<1, tn::end, 2>);
    return tn::outputs(tn::transpose(part), tn::transpose(part * 2) + 1);
  });
  for (std::int64_t n : lengths)
    for (arrangement how : arrangements) {
      auto x = random_array<float, 2>({5, n}, how);
      doubles const part = columns_of(result_of(whole(x.view())), 1, 2, n / 2);
      doubles turned({n / 2, 5}), computed({n / 2, 5});
      for (std::int64_t k = 0; k < part.size(); ++k) {
        std::int64_t const to = k % (n / 2) * 5 + k / (n / 2);
        turned[to] = part[k], computed[to] = 2 * part[k] + 1;
      }
      auto const [a, b] = f(x.view());
      EXPECT_LE(difference(result_of(a), turned), 1e-6) << n;
      EXPECT_LE(difference(result_of(b), computed), 1e-6) << n;
    }
}

TEST(parts, both_parts_of_a_split_in_one_launch) {
  auto const f = tn::compile([](auto x) {
    auto [a, b] = tn::split(tn::softmax(x, tn::axis<1>), tn::axis<1>, tn::lengths<3, 8>);
    return tn::outputs(a, b);
  });
  auto const whole = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  auto x = random_array<float, 2>({37, 11});
  tn::tensor<float, tn::dyn, tn::dyn> a(37, 3), b(37, 8);
  expect_one_launch([&](tn::stream on) { f.on(on).into(a, b)(x.view()); });
  doubles const all = result_of(whole(x.view()));
  EXPECT_LE(difference(result_of(a), columns_of(all, 0, 1, 3)), 1e-6);
  EXPECT_LE(difference(result_of(b), columns_of(all, 3, 1, 8)), 1e-6);
}

// Query and key heads side by side, rotated together and stored apart.
TEST(parts, rotated_heads_of_two_tensors) {
  auto const together = tn::compile([](auto q, auto k, auto c, auto s) {
    auto turned = tn::rope(tn::concat(q, k, tn::axis<2>), tn::unsqueeze(c, tn::axis<1>),
                           tn::unsqueeze(s, tn::axis<1>));
    auto [of_q, of_k] = tn::split(turned, tn::axis<2>, tn::lengths<8, 2>);
    return tn::outputs(of_q, of_k);
  });
  auto q = random_array<float, 4>({2, 5, 8, 32}), k = random_array<float, 4>({2, 5, 2, 32});
  auto c = random_array<float, 2>({5, 16}), s = random_array<float, 2>({5, 16});
  tn::tensor<float, tn::dyn, tn::dyn, tn::dyn, tn::dyn> a(2, 5, 8, 32), b(2, 5, 2, 32);
  expect_one_launch(
      [&](tn::stream on) { together.on(on).into(a, b)(q.view(), k.view(), c.view(), s.view()); });
  doubles const cosines = c.values(), sines = s.values();
  auto const check = [&](doubles const& result, doubles const& x) {
    doubles expected(x.extents), size(x.extents);
    for (std::int64_t k = 0; k < x.size(); ++k) {
      std::int64_t const i = k % 32, pair = k / (32 * x.extents[2]) % 5 * 16 + i % 16;
      double const straight = x[k] * cosines[pair],
                   turned = x[i < 16 ? k + 16 : k - 16] * sines[pair];
      expected[k] = i < 16 ? straight - turned : straight + turned;
      size[k] = std::fabs(straight) + std::fabs(turned);
    }
    check_close(tn::dtype::f32, result, expected, {.scale = &size});
  };
  check(result_of(a), q.values());
  check(result_of(b), k.values());
}

TEST(parts, a_part_of_a_running_sum) {
  auto const f = tn::compile([](auto x) {
    return tn::slice(tn::cumsum(x, tn::axis<1>, tn::reversed), tn::axis<1>, tn::range<2, -2>);
  });
  auto x = random_array<double, 2>({3, 700});
  doubles sums = x.values();
  for (std::int64_t i = 0; i < 3; ++i)
    for (std::int64_t j = 698; j >= 0; --j) sums[i * 700 + j] += sums[i * 700 + j + 1];
  EXPECT_LE(difference(result_of(f(x.view())), columns_of(sums, 2, 1, 696)), 1e-12);
}

}  // namespace
