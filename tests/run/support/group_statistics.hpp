// SPDX-License-Identifier: Apache-2.0
#pragma once
// Statistics of groups of neighbouring columns by plain loops, and what is normalized by them
// against these.
#include <cmath>

#include "run/support/arrays.hpp"

// Of images x positions x groups x columns of a group.
struct statistics {
  std::vector<double> mean, variance;
  std::int64_t group_of(std::int64_t i) const { return i / image * groups + i / columns % groups; }

  statistics(reference::doubles const& x, extents_of_rank<4> const& shape)
      : groups(shape[2]), columns(shape[3]), image(shape[1] * groups * columns) {
    std::int64_t const count = shape[0] * image;
    auto const of_group = static_cast<double>(shape[1] * columns);
    mean.resize(shape[0] * groups), variance.resize(shape[0] * groups);
    for (std::int64_t i = 0; i < count; ++i) mean[group_of(i)] += x[i] / of_group;
    for (std::int64_t i = 0; i < count; ++i) {
      double const d = x[i] - mean[group_of(i)];
      variance[group_of(i)] += d * d / of_group;
    }
  }

 private:
  std::int64_t groups, columns, image;
};

inline double silu(double x) { return x / (1 + std::exp(-x)); }

// What the variance is the mean of: what is found together with the mean, and what waits for it.
constexpr auto by_squares = [](auto d) { return d * d; };
constexpr auto by_magnitudes = [](auto d) { return tn::abs(d) * tn::abs(d); };

// As it is written by hand, and what the reductions come to beside the elements.
template <class T, class Squared>
void expect_normalized(Squared, extents_of_rank<4> const& shape, double within,
                       std::initializer_list<arrangement> layouts = {arrangement::contiguous}) {
  auto const f = tn::compile([](auto x, auto scale, auto shift) {
    auto const mean = tn::mean(x, tn::axis<1, 3>, tn::keepdim);
    auto const d = x - mean;
    auto const variance = tn::mean(Squared{}(d), tn::axis<1, 3>, tn::keepdim);
    return tn::outputs(tn::silu(d * tn::rsqrt(variance + 1e-5f) * scale + shift), mean, variance);
  });
  auto scale = random_array<T, 2>({shape[2], shape[3]}),
       shift = random_array<T, 2>({shape[2], shape[3]});
  reference::doubles const s = scale.values(), b = shift.values();
  reference::doubles values({shape[0], shape[1], shape[2], shape[3]});
  std::vector<unsigned char> bits;
  for (arrangement how : layouts) {
    auto x = random_array<T, 4>(shape, how, -2, 3);
    if (how == *layouts.begin()) values = x.values();
    x.set(values);
    array<T, 4> y(shape, how);
    array<T, 4> mean({shape[0], 1, shape[2], 1}), variance({shape[0], 1, shape[2], 1});
    f.into(y.view(), mean.view(), variance.view())(x.view(), scale.view(), shift.view());
    statistics const all(values, shape);
    reference::doubles const found = y.result(), m = mean.result(), v = variance.result();
    for (std::size_t g = 0; g < all.mean.size(); ++g) {
      ASSERT_NEAR(m[g], all.mean[g], within) << to_string(how) << " " << g;
      ASSERT_NEAR(v[g], all.variance[g], within * 4) << to_string(how) << " " << g;
    }
    std::int64_t const count = shape[0] * shape[1] * shape[2] * shape[3];
    for (std::int64_t i = 0; i < count; ++i) {
      std::int64_t const g = all.group_of(i), c = i % (shape[2] * shape[3]);
      double const one = (values[i] - all.mean[g]) / std::sqrt(all.variance[g] + 1e-5);
      ASSERT_NEAR(found[i], silu(one * s[c] + b[c]), within * 8) << to_string(how) << " " << i;
    }
    if (how == *layouts.begin()) bits = y.bits();
    if (how == arrangement::misaligned) {
      EXPECT_EQ(y.bits(), bits) << "other bits where they are " << to_string(how);
    }
  }
}
