// SPDX-License-Identifier: Apache-2.0
// Several results that are parts or other views of one computation, in one launch: heads of two
// tensors normalised and rotated, numbers quantised with their transpose or with a scale for each
// block of columns, a divergence with its gradient.
#include "run/support/arrays.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

// The rotation of halves, of query and key heads, and of such heads normalised.
void check_rotated(std::int64_t batch, std::int64_t length, std::int64_t size) {
  constexpr std::int64_t query_heads = 4, key_heads = 2;
  static auto const f = tn::compile([](auto q, auto k, auto c, auto s) {
    auto turned = tn::rope(tn::concat(q, k, tn::axis<2>), tn::unsqueeze(c, tn::axis<1>),
                           tn::unsqueeze(s, tn::axis<1>));
    auto [of_q, of_k] = tn::split(turned, tn::axis<2>, tn::lengths<4, 2>);
    return tn::outputs(of_q, of_k);
  });
  std::int64_t const half = size / 2;
  auto q = random_array<float, 4>({batch, length, query_heads, size});
  auto k = random_array<float, 4>({batch, length, key_heads, size});
  auto c = random_array<float, 2>({length, half}), s = random_array<float, 2>({length, half});
  array<float, 4> q_out({batch, length, query_heads, size}),
      k_out({batch, length, key_heads, size});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(q_out.view(), k_out.view())(q.view(), k.view(), c.view(), s.view());
  });
  auto const check = [&](doubles const& x, doubles const& result, std::int64_t heads) {
    doubles const cosines = c.values(), sines = s.values();
    for (std::int64_t row = 0; row < x.size() / size; ++row)
      for (std::int64_t d = 0; d < half; ++d) {
        double const a = x[row * size + d], b = x[row * size + half + d];
        std::int64_t const angle = row / heads % length * half + d;
        EXPECT_NEAR(result[row * size + d], a * cosines[angle] - b * sines[angle], 1e-5) << row;
        EXPECT_NEAR(result[row * size + half + d], b * cosines[angle] + a * sines[angle], 1e-5)
            << row;
      }
  };
  check(q.values(), q_out.result(), query_heads);
  check(k.values(), k_out.result(), key_heads);
}

// RMS norm with a weight of its own for query and key heads before that.
template <class T>
void check_heads(std::int64_t batch, std::int64_t length, std::int64_t size,
                 arrangement how = arrangement::contiguous) {
  constexpr std::int64_t query_heads = 4, key_heads = 2;
  static auto const f = tn::compile([](auto q, auto k, auto wq, auto wk, auto c, auto s) {
    auto heads = tn::cast<float>(tn::concat(q, k, tn::axis<2>));
    auto mean = tn::mean(heads * heads, tn::axis<-1>, tn::keepdim);
    auto weight = tn::where(tn::iota(heads, tn::axis<2>) < 4, wq, wk);
    auto turned = tn::rope(heads * tn::rsqrt(mean + 1e-6f) * weight, tn::unsqueeze(c, tn::axis<1>),
                           tn::unsqueeze(s, tn::axis<1>));
    auto [of_q, of_k] = tn::split(tn::cast<T>(turned), tn::axis<2>, tn::lengths<4, 2>);
    return tn::outputs(of_q, of_k, mean);
  });
  std::int64_t const half = size / 2;
  auto q = random_array<T, 4>({batch, length, query_heads, size}, how);
  auto k = random_array<T, 4>({batch, length, key_heads, size});
  auto wq = random_array<T, 1>({size}), wk = random_array<T, 1>({size});
  auto c = random_array<float, 2>({length, half}), s = random_array<float, 2>({length, half});
  array<T, 4> q_out({batch, length, query_heads, size}), k_out({batch, length, key_heads, size});
  array<float, 4> means({batch, length, query_heads + key_heads, 1});
  // Of sums of products as large as their results, and of a half type's last digit.
  double const close = sizeof(T) < 4 ? 1.0 / 128 : 1e-5;
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(q_out.view(), k_out.view(), means.view())(q.view(), k.view(), wq.view(),
                                                            wk.view(), c.view(), s.view());
  });
  auto const check = [&](doubles const& x, doubles const& w, doubles const& result,
                         std::int64_t heads, std::int64_t first_head) {
    doubles const cosines = c.values(), sines = s.values(), squared = means.result();
    for (std::int64_t row = 0; row < x.size() / size; ++row) {
      std::int64_t const t = row / heads % length;
      double squares = 0;
      for (std::int64_t d = 0; d < size; ++d) squares += x[row * size + d] * x[row * size + d];
      double const mean = squares / static_cast<double>(size), scale = 1 / std::sqrt(mean + 1e-6);
      std::int64_t const head = row / heads * (query_heads + key_heads) + row % heads + first_head;
      EXPECT_NEAR(squared[head], mean, 1e-5 * mean) << row;
      for (std::int64_t d = 0; d < half; ++d) {
        double const a = x[row * size + d] * scale * w[d],
                     b = x[row * size + half + d] * scale * w[half + d];
        double const cosine = cosines[t * half + d], sine = sines[t * half + d];
        double const of_cosine = std::abs(a * cosine) + std::abs(b * sine),
                     of_sine = std::abs(b * cosine) + std::abs(a * sine);
        EXPECT_NEAR(result[row * size + d], a * cosine - b * sine, close * of_cosine)
            << row << ", " << d;
        EXPECT_NEAR(result[row * size + half + d], b * cosine + a * sine, close * of_sine)
            << row << ", " << d;
      }
    }
  };
  check(q.values(), wq.values(), q_out.result(), query_heads, 0);
  check(k.values(), wk.values(), k_out.result(), key_heads, query_heads);
}

void check_quantized(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x) {
    auto small = tn::cast<std::int8_t>(tn::round(x * 16.0f));
    return tn::outputs(small, tn::transpose(small), tn::max(tn::abs(x)));
  });
  auto x = random_array<float, 2>({rows, columns});
  array<std::int8_t, 2> plain({rows, columns}), turned({columns, rows});
  array<float, 0> largest({});
  expect_one_launch(
      [&](tn::stream on) { f.on(on).into(plain.view(), turned.view(), largest.view())(x.view()); });
  doubles const a = x.values(), p = plain.result(), t = turned.result();
  double expected = 0;
  for (std::int64_t k = 0; k < a.size(); ++k) {
    expected = std::max(expected, std::abs(a[k]));
    EXPECT_EQ(p[k], std::nearbyint(a[k] * 16)) << k;
    EXPECT_EQ(t[k % columns * rows + k / columns], p[k]) << k;
  }
  EXPECT_EQ(largest.result()[0], expected);
}

// RMS norm, of which every 32 columns share a scale: numbers and scales against those that follow
// from the normalised row in double precision.
void check_block_quantized(std::int64_t rows, std::int64_t columns) {
  using quantized = tn::float8_e4m3;
  static auto const f = tn::compile([](auto x, auto w) {
    auto y = tn::rms_norm(x, w, tn::axis<-1>, 1e-6);
    auto largest = tn::block_max(tn::abs(y), tn::axis<-1>, tn::ct<32>);
    auto scale = 448.0f / tn::maximum(largest, 1e-12f);
    return tn::outputs(tn::cast<quantized>(y * scale),
                       tn::slice(1.0f / scale, tn::axis<-1>, tn::range<0, tn::end, 32>));
  });
  auto x = random_array<float, 2>({rows, columns});
  auto w = random_array<float, 1>({columns});
  array<quantized, 2> out({rows, columns});
  array<float, 2> factors({rows, columns / 32});
  expect_one_launch(
      [&](tn::stream on) { f.on(on).into(out.view(), factors.view())(x.view(), w.view()); });
  doubles const a = x.values(), b = w.values(), numbers = out.result(), scales = factors.result();
  for (std::int64_t row = 0; row < rows; ++row) {
    double squares = 0;
    for (std::int64_t j = 0; j < columns; ++j) squares += a[row * columns + j] * a[row * columns + j];
    double const norm = 1 / std::sqrt(squares / static_cast<double>(columns) + 1e-6);
    for (std::int64_t block = 0; block < columns / 32; ++block) {
      double largest = 0;
      for (std::int64_t j = block * 32; j < block * 32 + 32; ++j)
        largest = std::max(largest, std::abs(a[row * columns + j] * norm * b[j]));
      double const scale = scales[row * (columns / 32) + block];
      EXPECT_NEAR(scale, largest / 448, 1e-5 * largest / 448) << row << ", " << block;
      // Three bits of a number of e4m3, whose smallest step is 2^-9.
      for (std::int64_t j = block * 32; j < block * 32 + 32; ++j) {
        double const expected = a[row * columns + j] * norm * b[j] / scale;
        EXPECT_NEAR(numbers[row * columns + j], expected, std::abs(expected) / 15.9 + 0x1p-10 + 1e-4)
            << row << ", " << j;
      }
    }
  }
}

// Of probabilities: sum of t * (log(t) - log_softmax(x)), and its gradient of x.
void check_divergence(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x, auto t) {
    auto loss = tn::kl_div_loss(tn::log_softmax(x, tn::axis<1>), t, tn::sum);
    auto total = tn::sum(t, tn::axis<1>, tn::keepdim);
    return tn::outputs(loss, tn::softmax(x, tn::axis<1>) * total - t);
  });
  auto x = random_array<float, 2>({rows, columns});
  auto t = random_array<float, 2>({rows, columns}, arrangement::contiguous, 0, 1);
  array<float, 0> loss({});
  array<float, 2> gradient({rows, columns});
  expect_one_launch(
      [&](tn::stream on) { f.on(on).into(loss.view(), gradient.view())(x.view(), t.view()); });
  doubles const a = x.values(), b = t.values(), g = gradient.result();
  double expected = 0, magnitude = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    double sum = 0, total = 0;
    for (std::int64_t j = 0; j < columns; ++j) {
      sum += std::exp(a[row * columns + j]);
      total += b[row * columns + j];
    }
    for (std::int64_t j = 0; j < columns; ++j) {
      std::int64_t const k = row * columns + j;
      double const log_p = a[k] - std::log(sum);
      double const term = b[k] == 0 ? 0 : b[k] * (std::log(b[k]) - log_p);
      expected += term, magnitude += std::abs(term);
      EXPECT_NEAR(g[k], std::exp(log_p) * total - b[k], 2e-6 * (1 + total)) << k;
    }
  }
  EXPECT_NEAR(loss.result()[0], expected, 1e-5 * magnitude);
}

TEST(one_launch, rotated_heads) {
  check_rotated(1, 1, 2), check_rotated(2, 3, 32), check_rotated(2, 7, 128);
}
TEST(one_launch, normalised_and_rotated_heads) {
  for (std::int64_t size : {2, 6, 8, 16, 24, 32, 64, 128, 256, 264}) {
    check_heads<float>(1, 1, size), check_heads<tn::bfloat16>(2, 7, size);
    check_heads<float>(3, 5, size, arrangement::misaligned);
  }
  check_heads<float>(8, 300, 64), check_heads<tn::bfloat16>(8, 300, 128);  // several rows a thread
}
TEST(one_launch, quantised_with_its_transpose) {
  check_quantized(1, 1), check_quantized(31, 33), check_quantized(128, 257);
}
TEST(one_launch, normalised_and_quantised_by_blocks) {
  check_block_quantized(1, 32), check_block_quantized(33, 256), check_block_quantized(5, 4096);
}
TEST(one_launch, divergence_and_gradient) {
  check_divergence(1, 33), check_divergence(5, 1025), check_divergence(4, 70001), check_divergence(2, 1 << 20);
}

}  // namespace
