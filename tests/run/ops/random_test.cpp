// SPDX-License-Identifier: Apache-2.0
// Random numbers: Random123's known answers, the distributions, and that only seed, stream and
// position decide.
#include "run/support/arrays.hpp"

namespace {

using tn::detail::philox;
using tn::detail::philox_words;

constexpr bool gives(philox_words counter, std::uint32_t k0, std::uint32_t k1,
                     philox_words expected) {
  philox_words const found = philox(counter, k0, k1);
  for (int i = 0; i < 4; ++i)
    if (found.at[i] != expected.at[i]) return false;
  return true;
}
// kat_vectors of Random123 1.14, philox4x32 of 10 rounds.
static_assert(gives({{0, 0, 0, 0}}, 0, 0, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}));
static_assert(gives({{~0u, ~0u, ~0u, ~0u}}, ~0u, ~0u,
                    {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}));
static_assert(gives({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0,
                    {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}));

constexpr long long seed = 0x123456789abcdefLL;
std::uint32_t word(long long stream, long long position) {
  auto const low = [](long long x) { return static_cast<std::uint32_t>(x); };
  philox_words const w =
      philox({{low(position >> 2), low(position >> 34), low(stream), low(stream >> 32)}}, low(seed),
             low(seed >> 32));
  return w.at[position & 3];
}

TEST(random, numbers_follow_from_seed_stream_and_position) {
  auto const f = tn::compile(
      [](auto x, auto s) { return tn::outputs(tn::rand(x, s), tn::rand(x, s, tn::ct<7>)); });
  auto const views = tn::compile([](auto x, auto s) {
    return tn::transpose(tn::slice(tn::rand(x, s), tn::axis<0>, tn::range<2, 5>));
  });
  auto const rows =
      tn::compile([](auto x, auto s) { return tn::max(tn::rand(x, s), tn::axis<1>); });
  for (std::int64_t columns : {1, 3, 33, 1025})
    for (arrangement how : arrangements) {
      auto x = random_array<float, 2>({7, columns}, how);
      auto const [first, second] = f(x.view(), seed);
      reference::doubles const a = result_of(first), b = result_of(second),
                               part = result_of(views(x.view(), seed)),
                               largest = result_of(rows(x.view(), seed));
      for (std::int64_t k = 0; k < a.size(); ++k) {
        ASSERT_EQ(a[k], (word(0, k) >> 8) * 0x1p-24);
        ASSERT_EQ(b[k], (word(7, k) >> 8) * 0x1p-24);
        std::int64_t const row = k / columns, column = k % columns;
        if (row >= 2 && row < 5) {
          ASSERT_EQ(part[column * 3 + row - 2], a[k]);
        }
        ASSERT_LE(a[k], largest[row]);
      }
    }
}

// Whether neighbours share a call depends on where they lie and on the schedule; their bits do not.
template <class T, class Number> void check_draws(Number number) {
  auto const f = tn::compile([](auto x, auto s) {
    auto drawn = tn::randn(x, s), even = tn::rand(x, s, tn::ct<5>);
    auto of_row = tn::sum(x * 0, tn::axis<1>, tn::keepdim);
    return tn::outputs(drawn + of_row, even + of_row);
  });
  auto const alone = tn::compile([](auto x, auto s) { return tn::randn(x, s); });
  auto const turned = tn::compile([](auto x, auto s) { return tn::transpose(tn::randn(x, s)); });
  auto const reversed =
      tn::compile([](auto x, auto s) { return tn::flip(tn::randn(x, s), tn::axis<1>); });
  auto const behind = tn::compile([](auto x, auto s) {
    return tn::slice(tn::randn(x, s), tn::axis<1>, tn::range<1, tn::end>);
  });
  auto const stepped = tn::compile([](auto x, auto s) {
    return tn::slice(tn::randn(x, s), tn::axis<1>, tn::range<0, tn::end, 2>);
  });
  auto const scanned = tn::compile([](auto x, auto s) {
    return tn::cumsum(tn::randn(x, s), tn::axis<1>) * 0 + tn::randn(x, s);
  });
  auto const sent = tn::compile([](auto x, auto s) {  // a total beside elements
    return tn::randn(x, s) + tn::sum(x * 0);
  });
  auto const parted = tn::compile([](auto x, auto s) {  // of rows that are reduced whole
    auto of_row = tn::sum(x * 0, tn::axis<1>, tn::keepdim);
    return tn::slice(tn::randn(x, s) + of_row, tn::axis<1>, tn::range<1, tn::end>);
  });
  auto const of_blocks = tn::compile([](auto x, auto s) {
    auto drawn = tn::randn(x, s);
    return tn::block_max(drawn, tn::axis<1>, tn::ct<128>) * 0 + drawn;
  });
  for (std::int64_t columns : {1, 3, 4, 5, 8, 33, 64, 1027, 2052})
    for (arrangement how : arrangements) {
      auto x = random_array<T, 2>({6, columns}, how);
      auto const [both, uniform] = f(x.view(), seed);
      reference::doubles const a = result_of(both), b = result_of(uniform),
                               c = result_of(alone(x.view(), seed)),
                               d = result_of(turned(x.view(), seed)),
                               e = result_of(reversed(x.view(), seed)),
                               g = result_of(behind(x.view(), seed)),
                               h = result_of(stepped(x.view(), seed)),
                               i = result_of(scanned(x.view(), seed)),
                               j = result_of(sent(x.view(), seed)),
                               l = result_of(parted(x.view(), seed)),
                               m = result_of(of_blocks(x.view(), seed));
      for (std::int64_t k = 0; k < a.size(); ++k) {
        std::int64_t const row = k / columns, column = k % columns;
        double const expected = static_cast<T>(tn::ops::random_normal::eval(seed, 0, k));
        ASSERT_EQ(a[k], expected) << "of " << columns << " at " << k;
        ASSERT_EQ(b[k], number(k)) << "of " << columns << " at " << k;
        ASSERT_EQ(c[k], expected);
        ASSERT_EQ(d[column * 6 + row], expected);
        ASSERT_EQ(e[row * columns + columns - 1 - column], expected);
        if (column > 0) {
          ASSERT_EQ(g[row * (columns - 1) + column - 1], expected);
          ASSERT_EQ(l[row * (columns - 1) + column - 1], expected);
        }
        if (column % 2 == 0) {
          ASSERT_EQ(h[row * ((columns + 1) / 2) + column / 2], expected);
        }
        ASSERT_EQ(i[k], expected);
        ASSERT_EQ(j[k], expected);
        ASSERT_EQ(m[k], expected);
      }
    }
}
TEST(random, the_same_bits_in_any_layout_and_schedule) {
  auto const word_of = [](std::int64_t k) { return tn::ops::random_bits::eval(seed, 5, k); };
  check_draws<float>([&](std::int64_t k) { return (word_of(k) >> 8) * 0x1p-24; });
  check_draws<tn::half>([&](std::int64_t k) { return (word_of(k) >> 21) * 0x1p-11; });
  check_draws<double>([](std::int64_t k) {
    return static_cast<double>(tn::ops::random_bits_64::eval(seed, 5, k) >> 11) * 0x1p-53;
  });
}

// A call gives what its positions have by themselves.
template <class Op, class T> void check_calls() {
  for (long long call : {0LL, 1LL, 77LL, (1LL << 33) + 5}) {
    T numbers[Op::per_call];
    Op::draw(seed, 3, call, numbers);
    for (int k = 0; k < Op::per_call; ++k)
      EXPECT_EQ(numbers[k], Op::eval(seed, 3, call * Op::per_call + k));
  }
}
TEST(random, a_call_serves_its_positions) {
  check_calls<tn::ops::random_bits, std::uint32_t>();
  check_calls<tn::ops::random_bits_64, std::uint64_t>();
  check_calls<tn::ops::random_normal, float>();
}

struct moments {
  double mean = 0, variance = 0, skewness = 0, kurtosis = 0;
};
moments moments_of(reference::doubles const& x) {
  moments m;
  auto const n = static_cast<double>(x.size());
  for (double value : x.values) m.mean += value / n;
  for (double value : x.values) {
    double const d = value - m.mean;
    m.variance += d * d / n, m.skewness += d * d * d / n, m.kurtosis += d * d * d * d / n;
  }
  return m;
}

TEST(random, distributions) {
  std::int64_t const n = 1 << 20;
  array<float, 1> x({n});
  auto const f = tn::compile(
      [](auto x, auto s) { return tn::outputs(tn::rand(x, s), tn::randn(x, s, tn::ct<1>)); });
  auto const [uniform, normal] = f(x.view(), 42);
  moments const u = moments_of(result_of(uniform)), z = moments_of(result_of(normal));
  double const error =
      6 / std::sqrt(static_cast<double>(n));  // six standard errors, seeds are fixed
  EXPECT_NEAR(u.mean, 0.5, error * 0.29);
  EXPECT_NEAR(u.variance, 1 / 12.0, error * 0.075);
  EXPECT_NEAR(z.mean, 0, error);
  EXPECT_NEAR(z.variance, 1, error * 1.42);
  EXPECT_NEAR(z.skewness, 0, error * 3.9);
  EXPECT_NEAR(z.kurtosis, 3, error * 9.8);
  // Neighbours, which share a call, are not correlated.
  reference::doubles const values = result_of(normal);
  for (int distance : {1, 2, 3, 4}) {
    double sum = 0;
    for (std::int64_t k = 0; k + distance < n; ++k)
      sum += values[k] * values[k + distance] / static_cast<double>(n);
    EXPECT_NEAR(sum, 0, error) << distance;
  }
}

// The same construction in double.
TEST(random, normal_numbers_are_exact_to_float) {
  std::int64_t const n = 100'000;
  array<float, 1> x({n});
  auto const f = tn::compile([](auto x, auto s) { return tn::randn(x, s); });
  reference::doubles const found = result_of(f(x.view(), seed));
  for (std::int64_t k = 0; k < n; ++k) {
    std::int64_t const pair = k & ~1LL;
    double const radius =
        std::sqrt(-2 * std::log((static_cast<double>(word(0, pair)) + 1) * 0x1p-32));
    double const angle = 2 * M_PI * word(0, pair + 1) * 0x1p-32;
    ASSERT_NEAR(found[k], radius * (k & 1 ? std::sin(angle) : std::cos(angle)), 2e-6) << k;
  }
}

TEST(random, dropout_and_bernoulli_have_their_probability) {
  std::int64_t const n = 1 << 18;
  auto const f = tn::compile([](auto x, auto p, auto s) {
    return tn::outputs(tn::dropout(x, p, s), tn::bernoulli(x * 0 + p, s));
  });
  array<float, 1> x({n});
  x.set(reference::doubles({n}, std::vector<double>(static_cast<std::size_t>(n), 3)));
  auto const [kept, ones] = f(x.view(), 0.25f, 7u);
  std::int64_t dropped = 0, drawn = 0;
  reference::doubles const a = result_of(kept), b = result_of(ones);
  for (std::int64_t k = 0; k < n; ++k) {
    ASSERT_TRUE(a[k] == 0 || a[k] == 4);
    dropped += a[k] == 0, drawn += b[k] == 1;
    ASSERT_EQ(a[k] == 0, b[k] == 1);
  }
  EXPECT_NEAR(static_cast<double>(dropped) / static_cast<double>(n), 0.25, 0.005);
}

TEST(random, seeds_of_statements_are_those_of_calls) {
  auto x = random_array<float, 1>({33});
  auto const f = tn::compile([](auto x, auto s) {
    return tn::outputs(tn::rand(x, s), tn::dropout(x, 0.5, s), tn::randn(x, s, tn::ct<1>));
  });
  auto const [uniform, kept, normal] = f(x.view(), 7);
  tn::tensor<float, tn::dyn> z(33);
  z = tn::rand(x.view(), 7);
  EXPECT_EQ(result_of(z).values, result_of(uniform).values);
  z = tn::dropout(x.view(), 0.5, 7);
  EXPECT_EQ(result_of(z).values, result_of(kept).values);
  z = tn::randn(x.view(), 7, tn::ct<1>);
  EXPECT_EQ(result_of(z).values, result_of(normal).values);
}

// A backward pass draws again what the forward pass dropped, in another expression and schedule.
TEST(random, dropout_is_the_same_in_a_backward_pass) {
  auto const forward =
      tn::compile([](auto x, auto s) { return tn::softmax(tn::dropout(x, 0.3f, s), tn::axis<1>); });
  auto const mask = tn::compile([](auto x, auto s) { return tn::dropout(x * 0 + 1, 0.3f, s); });
  auto const backward = tn::compile([](auto y, auto gradient, auto s) {
    auto inner = y * (gradient - tn::sum(y * gradient, tn::axis<1>, tn::keepdim));
    return tn::outputs(tn::dropout(inner, 0.3f, s), inner);
  });
  for (std::int64_t columns : {5, 64, 1027}) {
    auto x = random_array<float, 2>({6, columns}), gradient = random_array<float, 2>({6, columns});
    auto const y = forward(x.view(), 99);
    auto const [dropped, inner] = backward(y, gradient.view(), 99);
    reference::doubles const kept = result_of(mask(x.view(), 99)), a = result_of(dropped),
                             b = result_of(inner);
    for (std::int64_t k = 0; k < a.size(); ++k)
      ASSERT_NEAR(a[k], kept[k] * b[k], 1e-6 * std::abs(b[k])) << k;
  }
}

template <class T> void stay_below_one() {
  array<T, 1> x({100'000});
  auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::max(tn::rand(x, 3)), tn::min(tn::rand(x, 3))); });
  auto const [largest, smallest] = f(x.view());
  EXPECT_LT(result_of(largest)[0], 1);
  EXPECT_GE(result_of(smallest)[0], 0);
}
TEST(random, uniform_numbers_stay_below_one_in_every_type) {
  stay_below_one<tn::half>(), stay_below_one<tn::bfloat16>(), stay_below_one<float>(),
      stay_below_one<double>();
}

}  // namespace
