// SPDX-License-Identifier: Apache-2.0
// Operands of which neighbouring elements, or neighbouring rows, have the same element: a bias for
// each channel of images, weighted sums along other axes than the last.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

template <class T>
void check_channels(std::array<std::int64_t, 4> const& shape,
                    arrangement how = arrangement::contiguous) {
  static auto const f = tn::compile([](auto x, auto scale, auto shift) {
    auto const of_channels = [](auto v) {
      return tn::unsqueeze(tn::unsqueeze(v, tn::axis<1>), tn::axis<2>);
    };
    return tn::relu(x * of_channels(scale) + of_channels(shift));
  });
  auto x = random_array<T, 4>(shape, how);
  auto scale = random_array<T, 1>({shape[1]}), shift = random_array<T, 1>({shape[1]});
  array<T, 4> out(shape, how);
  f.into(out.view())(x.view(), scale.view(), shift.view());
  doubles expected = x.values(), size = expected;
  doubles const scales = scale.values(), shifts = shift.values();
  std::int64_t const image = shape[2] * shape[3];
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    std::int64_t const c = i / image % shape[1];
    double const product = expected[i] * scales[c], sum = product + shifts[c];
    size[i] = std::fabs(product) + std::fabs(shifts[c]);
    expected[i] = std::fmax(0, sum);
  }
  check_close(tn::dtype_of<T>, out.result(), expected, {.arithmetic = 4, .scale = &size},
              "channels");
}

TEST(shared_elements, of_channels) {
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                          arrangement::transposed}) {
    check_channels<float>({3, 5, 4, 8}, how);
    check_channels<float>({1, 12, 16, 16}, how);
    check_channels<tn::bfloat16>({3, 5, 4, 8}, how);
    check_channels<tn::bfloat16>({2, 300, 32, 32}, how);
    check_channels<tn::bfloat16>({2, 7, 5, 3}, how);
    check_channels<float>({4, 9, 1, 1}, how);
  }
}

// [batch, length, width] by [batch, length], and all by [length].
template <class T>
void check_weighted(std::int64_t batch, std::int64_t length, std::int64_t width,
                    arrangement how = arrangement::contiguous) {
  static auto const f = tn::compile([](auto x, auto each, auto all) {
    return tn::outputs(tn::sum(x * tn::unsqueeze(each, tn::axis<2>), tn::axis<1>),
                       tn::sum(x * tn::unsqueeze(all, tn::axis<1>), tn::axis<1>));
  });
  static auto const pooled = tn::compile([](auto x, auto each) {
    auto const weights = tn::unsqueeze(each, tn::axis<2>);
    return tn::sum(x * weights, tn::axis<1>) / tn::sum(tn::abs(weights), tn::axis<1>);
  });
  auto x = random_array<T, 3>({batch, length, width}, how);
  auto each = random_array<T, 2>({batch, length});
  auto all = random_array<T, 1>({length});
  auto const [by_each, by_all] = f(x.view(), each.view(), all.view());
  auto const mean = pooled(x.view(), each.view());
  doubles const values = x.values(), w = each.values(), v = all.values();
  doubles a({batch, width}), b({batch, width}), c({batch, width}), size_a({batch, width}),
      size_b({batch, width}), size_c({batch, width});
  for (std::int64_t n = 0; n < batch; ++n)
    for (std::int64_t d = 0; d < width; ++d) {
      double total = 0;
      std::int64_t const i = n * width + d;
      for (std::int64_t t = 0; t < length; ++t) {
        double const e = values[(n * length + t) * width + d];
        a[i] += e * w[n * length + t], size_a[i] += std::fabs(e * w[n * length + t]);
        b[i] += e * v[t], size_b[i] += std::fabs(e * v[t]);
        total += std::fabs(w[n * length + t]);
      }
      c[i] = a[i] / total, size_c[i] = size_a[i] / total;
    }
  auto const allowed = [&](doubles const& size) {
    return tolerance{.arithmetic = 4 + sum_roundoffs(length), .scale = &size};
  };
  check_close(tn::dtype_of<T>, result_of(by_each), a, allowed(size_a),
              "each with weights of its own");
  check_close(tn::dtype_of<T>, result_of(by_all), b, allowed(size_b), "all with the same weights");
  check_close(tn::dtype_of<T>, result_of(mean), c, allowed(size_c), "pooled");
}

TEST(shared_elements, of_rows) {
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
    check_weighted<float>(3, 50, 64, how);
    check_weighted<float>(1, 700, 33, how);
    check_weighted<float>(5, 2, 512, how);
    check_weighted<tn::bfloat16>(3, 50, 64, how);
    check_weighted<tn::bfloat16>(2, 513, 768, how);
    check_weighted<tn::bfloat16>(2, 1, 16, how);
  }
}

// Along the channels of images, with a weight and a bias for each.
template <class T>
void check_normalised(std::array<std::int64_t, 3> const& shape,
                      arrangement how = arrangement::contiguous) {
  static auto const f = tn::compile([](auto x, auto w, auto b) {
    auto const mean = tn::mean(x, tn::axis<1>, tn::keepdim);
    auto const variance = tn::mean(tn::square(tn::abs(x - mean)), tn::axis<1>, tn::keepdim);
    return (x - mean) * tn::rsqrt(variance + 1e-5f) * tn::unsqueeze(w, tn::axis<1>) +
           tn::unsqueeze(b, tn::axis<1>);
  });
  auto x = random_array<T, 3>(shape, how);
  auto w = random_array<T, 1>({shape[1]}), b = random_array<T, 1>({shape[1]});
  array<T, 3> out(shape, how);
  f.into(out.view())(x.view(), w.view(), b.view());
  doubles expected = reference::layer_norm(x.values(), 0b010, 1e-5), size = expected;
  doubles const weights = w.values(), biases = b.values();
  for (std::int64_t i = 0; i < expected.size(); ++i) {
    std::int64_t const c = i / shape[2] % shape[1];
    size[i] = std::fabs(expected[i] * weights[c]) + std::fabs(biases[c]) + 4;
    expected[i] = expected[i] * weights[c] + biases[c];
  }
  check_close(tn::dtype_of<T>, out.result(), expected,
              {.arithmetic = 16 + sum_roundoffs(shape[1]), .scale = &size}, "along channels");
}
TEST(shared_elements, of_positions) {
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
    check_normalised<float>({2, 96, 64}, how);
    check_normalised<float>({1, 33, 77}, how);
    check_normalised<tn::bfloat16>({2, 320, 256}, how);
    check_normalised<tn::bfloat16>({3, 700, 40}, how);
  }
}

// Where the greatest element of each of neighbouring rows is.
template <class T>
void check_positions(std::array<std::int64_t, 3> const& shape,
                     arrangement how = arrangement::contiguous) {
  static auto const f = tn::compile([](auto x) {
    auto [most, where] = tn::max_with_index(x, tn::axis<1>);
    return tn::outputs(most, where, tn::argmin(x, tn::axis<1>),
                       tn::sum(x * tn::cast<float>(tn::iota(x, tn::axis<1>)), tn::axis<1>));
  });
  static auto const alone = tn::compile([](auto x) { return tn::argmax(x, tn::axis<1>); });
  auto x = random_array<T, 3>(shape, how);
  auto const [most, where, least, sums] = f(x.view());
  doubles const values = x.values(), a = result_of(most), b = result_of(where),
                c = result_of(least), d = result_of(sums), e = result_of(alone(x.view()));
  for (std::int64_t n = 0; n < shape[0]; ++n)
    for (std::int64_t k = 0; k < shape[2]; ++k) {
      auto const at = [&](std::int64_t j) { return values[(n * shape[1] + j) * shape[2] + k]; };
      std::int64_t high = 0, low = 0, i = n * shape[2] + k;
      double sum = 0, size = 0;
      for (std::int64_t j = 0; j < shape[1]; ++j) {
        if (at(j) > at(high)) high = j;
        if (at(j) < at(low)) low = j;
        sum += at(j) * static_cast<double>(j), size += std::fabs(at(j) * static_cast<double>(j));
      }
      EXPECT_EQ(a[i], at(high));
      EXPECT_EQ(b[i], high);
      EXPECT_EQ(e[i], high);
      EXPECT_EQ(c[i], low);
      EXPECT_NEAR(d[i], sum, (sizeof(T) < 4 ? 1.0 / 256 : 1e-5) * (size + 1));
    }
}
TEST(shared_elements, know_their_positions) {
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                          arrangement::reversed}) {
    check_positions<float>({2, 21, 64}, how);
    check_positions<float>({1, 1000, 33}, how);
    check_positions<float>({5, 3, 7}, how);
    check_positions<tn::bfloat16>({2, 21, 64}, how);
    check_positions<tn::bfloat16>({1, 3000, 129}, how);
  }
}

}  // namespace
