// SPDX-License-Identifier: Apache-2.0
// Results that differ in the length of one axis, in one launch: heads of queries and keys, rotated,
// normalised by weights of their own, beside values that nothing is done with.
#include "run/support/arrays.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

constexpr long long query_heads = 4, key_heads = 2;
template <long long Heads, class T> auto heads(array<T, 4>& x) {
  auto const v = x.view();
  return tn::view<T, tn::dyn, tn::dyn, Heads, tn::dyn>(x.data(), v.extent(0), v.extent(1),
                                                       v.extent(3));
}

struct tables {
  std::int64_t length, half;
  array<float, 2> cosines = random_array<float, 2>({length, half}),
                  sines = random_array<float, 2>({length, half});
};

// Of [batch, length, heads, 2 * half]: the pair (a, b) of each angle, scaled by `scale(row, d)`.
void check_rotated(doubles const& x, doubles const& result, std::int64_t count, tables const& t,
                   double close, auto const& scale) {
  std::int64_t const size = 2 * t.half;
  doubles const cosines = t.cosines.values(), sines = t.sines.values();
  for (std::int64_t row = 0; row < x.size() / size; ++row)
    for (std::int64_t d = 0; d < t.half; ++d) {
      double const a = x[row * size + d] * scale(row, d),
                   b = x[row * size + t.half + d] * scale(row, t.half + d);
      std::int64_t const angle = row / count % t.length * t.half + d;
      double const of_cosine = std::abs(a * cosines[angle]) + std::abs(b * sines[angle]),
                   of_sine = std::abs(b * cosines[angle]) + std::abs(a * sines[angle]);
      EXPECT_NEAR(result[row * size + d], a * cosines[angle] - b * sines[angle], close * of_cosine);
      EXPECT_NEAR(result[row * size + t.half + d], b * cosines[angle] + a * sines[angle],
                  close * of_sine);
    }
}
constexpr auto by_one = [](std::int64_t, std::int64_t) { return 1.0; };

template <class T> void check_rope(std::int64_t batch, std::int64_t length, std::int64_t size) {
  static auto const f = tn::compile([](auto q, auto k, auto c, auto s) {
    auto cosines = tn::unsqueeze(c, tn::axis<1>), sines = tn::unsqueeze(s, tn::axis<1>);
    return tn::outputs(tn::cast<T>(tn::rope(tn::cast<float>(q), cosines, sines)),
                       tn::cast<T>(tn::rope(tn::cast<float>(k), cosines, sines)));
  });
  tables t{length, size / 2};
  auto q = random_array<T, 4>({batch, length, query_heads, size});
  auto k = random_array<T, 4>({batch, length, key_heads, size});
  array<T, 4> q_out({batch, length, query_heads, size}), k_out({batch, length, key_heads, size});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(heads<query_heads>(q_out), heads<key_heads>(k_out))(
        heads<query_heads>(q), heads<key_heads>(k), t.cosines.view(), t.sines.view());
  });
  double const close = sizeof(T) < 4 ? 1.0 / 256 : 1e-6;
  check_rotated(q.values(), q_out.result(), query_heads, t, close, by_one);
  check_rotated(k.values(), k_out.result(), key_heads, t, close, by_one);
}

template <class T>
void check_normalised(std::int64_t batch, std::int64_t length, std::int64_t size) {
  static auto const f = tn::compile([](auto q, auto k, auto wq, auto wk, auto c, auto s) {
    auto const turned = [&](auto x, auto w) {
      auto normal = tn::rms_norm(tn::cast<float>(x), w, tn::axis<-1>, 1e-6);
      return tn::cast<T>(
          tn::rope(normal, tn::unsqueeze(c, tn::axis<1>), tn::unsqueeze(s, tn::axis<1>)));
    };
    return tn::outputs(turned(q, wq), turned(k, wk));
  });
  tables t{length, size / 2};
  auto q = random_array<T, 4>({batch, length, query_heads, size});
  auto k = random_array<T, 4>({batch, length, key_heads, size});
  auto wq = random_array<T, 1>({size}), wk = random_array<T, 1>({size});
  array<T, 4> q_out({batch, length, query_heads, size}), k_out({batch, length, key_heads, size});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(heads<query_heads>(q_out), heads<key_heads>(k_out))(
        heads<query_heads>(q), heads<key_heads>(k), wq.view(), wk.view(), t.cosines.view(),
        t.sines.view());
  });
  double const close = sizeof(T) < 4 ? 1.0 / 128 : 1e-5;
  auto const check = [&](array<T, 4> const& x, array<T, 1> const& w, array<T, 4> const& result,
                         std::int64_t count) {
    doubles const values = x.values(), weights = w.values();
    check_rotated(values, result.result(), count, t, close, [&](std::int64_t row, std::int64_t d) {
      double squares = 0;
      for (std::int64_t j = 0; j < size; ++j)
        squares += values[row * size + j] * values[row * size + j];
      return weights[d] / std::sqrt(squares / static_cast<double>(size) + 1e-6);
    });
  };
  check(q, wq, q_out, query_heads);
  check(k, wk, k_out, key_heads);
}

TEST(one_launch, heads_of_queries_and_keys) {
  check_rope<float>(2, 5, 64);
  check_rope<tn::bfloat16>(3, 7, 128);
  check_rope<tn::half>(1, 2, 6);
}
TEST(one_launch, heads_normalised_by_weights_of_their_own) {
  check_normalised<float>(2, 5, 64);
  check_normalised<tn::bfloat16>(1, 9, 128);
}

// Three results, of which one is something else.
TEST(one_launch, results_of_several_lengths) {
  static auto const f = tn::compile(
      [](auto q, auto k, auto v) { return tn::outputs(tn::exp(q) * 2, tn::exp(k) * 2, v - 1); });
  auto q = random_array<float, 2>({4, 33}), k = random_array<float, 2>({3, 33}),
       v = random_array<float, 2>({5, 33});
  using four_rows = tn::view<float, 4, tn::dyn>;
  using three_rows = tn::view<float, 3, tn::dyn>;
  array<float, 2> a({4, 33}), b({3, 33}), c({5, 33});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(four_rows(a.data(), 33), three_rows(b.data(), 33), c.view())(
        four_rows(q.data(), 33), three_rows(k.data(), 33), v.view());
  });
  doubles const of_q = a.result(), of_k = b.result(), of_v = c.result();
  for (std::int64_t i = 0; i < 4 * 33; ++i)
    EXPECT_NEAR(of_q[i], 2 * std::exp(q.values()[i]), 1e-6 * of_q[i]);
  for (std::int64_t i = 0; i < 3 * 33; ++i)
    EXPECT_NEAR(of_k[i], 2 * std::exp(k.values()[i]), 1e-6 * of_k[i]);
  for (std::int64_t i = 0; i < 5 * 33; ++i)
    EXPECT_EQ(of_v[i], static_cast<float>(v.values()[i]) - 1.0f);
}

}  // namespace
