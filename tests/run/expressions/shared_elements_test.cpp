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

}  // namespace
