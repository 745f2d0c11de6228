// SPDX-License-Identifier: Apache-2.0
// What rows come to, reduced over the rows of each plane, and used again by these rows and their
// elements: global response normalisation, with the channels last and first.
#include <cmath>

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

// Planes, positions, channels: one block and several, one tile and several, the ends of vectors,
// several rounds of planes.
constexpr extents_of_rank<3> shapes[] = {{1, 1, 1},    {2, 7, 33},   {3, 300, 8},  {70, 9, 24},
                                         {5, 257, 96}, {2, 40, 520}, {1, 2000, 3}, {3, 1, 64},
                                         {40, 49, 72}, {2, 1100, 40}};
constexpr arrangement layouts[] = {arrangement::contiguous, arrangement::misaligned,
                                   arrangement::padded, arrangement::transposed,
                                   arrangement::stepped};

template <class Check> void for_each_case(Check const& check) {
  for (extents_of_rank<3> const& shape : shapes)
    for (arrangement how : layouts)
      check(shape, how,
            std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + " x " +
                std::to_string(shape[2]) + ", " + to_string(how));
}

// The norm of each channel by the mean of those of its plane, of [planes, positions, channels] or
// [planes, channels, positions].
struct response {
  doubles norms, means;
};
response response_of(doubles const& x, int channel_axis) {
  std::int64_t const planes = x.extents[0], channels = x.extents[channel_axis],
                     positions = x.extents[3 - channel_axis],
                     step = channel_axis == 2 ? channels : 1,
                     of_channel = channel_axis == 2 ? 1 : positions;
  response all{doubles({planes, channels}), doubles({planes})};
  for (std::int64_t n = 0; n < planes; ++n) {
    double sum = 0;
    for (std::int64_t c = 0; c < channels; ++c) {
      double squares = 0;
      for (std::int64_t p = 0; p < positions; ++p) {
        double const one = x[n * channels * positions + c * of_channel + p * step];
        squares += one * one;
      }
      sum += all.norms[n * channels + c] = std::sqrt(squares);
    }
    all.means[n] = sum / static_cast<double>(channels);
    for (std::int64_t c = 0; c < channels; ++c) all.norms[n * channels + c] /= all.means[n] + 1e-6;
  }
  return all;
}

// With gamma and beta of each channel, what it is changed by, and the mean, as results.
template <class T, int Channels> void check_response_normalised() {
  auto const f = tn::compile([](auto x, auto gamma, auto beta) {
    constexpr auto positions = tn::axis<3 - Channels>;
    constexpr auto channels = tn::axis<Channels>;
    auto const wide = tn::cast<float>(x);
    auto const g = tn::sqrt(tn::sum(wide * wide, positions, tn::keepdim));
    auto const m = tn::mean(g, channels, tn::keepdim);
    auto const n = g / (m + 1e-6f);
    auto const y = gamma * (wide * n) + beta + wide;
    return tn::outputs(tn::cast<T>(y), tn::squeeze(n, positions), tn::squeeze(m, tn::axis<1, 2>));
  });
  for_each_case([&](extents_of_rank<3> shape, arrangement how, std::string const& what) {
    if (Channels == 1) std::swap(shape[1], shape[2]);
    std::int64_t const channels = shape[Channels];
    auto x = random_array<T, 3>(shape, how, -2, 3);
    auto gamma = random_array<T, 1>({channels}), beta = random_array<T, 1>({channels});
    using side = tn::view<T const, tn::dyn, 1>;
    auto const along = [&](auto& weight) {
      if constexpr (Channels == 2)
        return tn::view<T const, tn::dyn>(weight.view());
      else
        return side(weight.data(), channels);
    };
    array<T, 3> y(shape, how);
    array<float, 2> n({shape[0], channels});
    array<float, 1> m({shape[0]});
    f.into(y.view(), n.view(), m.view())(x.view(), along(gamma), along(beta));
    doubles const values = x.values(), w = gamma.values(), b = beta.values();
    response const all = response_of(values, Channels);
    double const roundoffs = 8 + sum_roundoffs(values.size());
    check_close(tn::dtype::f32, n.result(), all.norms, {.arithmetic = roundoffs}, what);
    check_close(tn::dtype::f32, m.result(), all.means, {.arithmetic = roundoffs}, what);
    doubles expected(values.extents), scale(values.extents);
    for (std::int64_t i = 0; i < values.size(); ++i) {
      std::int64_t const plane = i / (shape[1] * shape[2]),
                         c = Channels == 2 ? i % channels : i / shape[2] % channels;
      double const by = values[i] * all.norms[plane * channels + c];
      expected[i] = w[c] * by + b[c] + values[i];
      scale[i] = std::fabs(w[c] * by) + std::fabs(b[c]) + std::fabs(values[i]);
    }
    check_close(tn::dtype_of<T>, y.result(), expected, {.arithmetic = roundoffs, .scale = &scale},
                what);
  });
}
TEST(levels, channels_last_of_float) { check_response_normalised<float, 2>(); }
TEST(levels, channels_last_of_bfloat16) { check_response_normalised<tn::bfloat16, 2>(); }
TEST(levels, channels_first_of_float) { check_response_normalised<float, 1>(); }
TEST(levels, channels_first_of_bfloat16) { check_response_normalised<tn::bfloat16, 1>(); }

// Values of rows alone, and of planes twice: what planes come to is used by a second reduction.
TEST(levels, values_without_elements) {
  auto const f = tn::compile([](auto x) {
    auto const g = tn::max(x, tn::axis<1>, tn::keepdim);
    auto const most = tn::max(g, tn::axis<2>, tn::keepdim);
    auto const share = tn::exp(g - most);
    return tn::squeeze(share / tn::sum(share, tn::axis<2>, tn::keepdim), tn::axis<1>);
  });
  for_each_case([&](extents_of_rank<3> const& shape, arrangement how, std::string const& what) {
    auto x = random_array<float, 3>(shape, how, -2, 3);
    array<float, 2> y({shape[0], shape[2]});
    f.into(y.view())(x.view());
    doubles const most = reference::reduced(x.values(), 0b010, false, reference::max);
    check_close(tn::dtype::f32, y.result(), reference::softmax(most, 0b10),
                {.arithmetic = 16 + sum_roundoffs(shape[2])}, what);
  });
}

// A reduction of elements between two of a plane's rows.
TEST(levels, rows_after_planes) {
  auto const f = tn::compile([](auto x) {
    auto const m = tn::mean(tn::mean(x, tn::axis<1>, tn::keepdim), tn::axis<2>, tn::keepdim);
    auto const d = tn::mean(tn::abs(x - m), tn::axis<1>, tn::keepdim);
    return (x - m) / (tn::mean(d, tn::axis<2>, tn::keepdim) + d);
  });
  for_each_case([&](extents_of_rank<3> const& shape, arrangement how, std::string const& what) {
    auto x = random_array<double, 3>(shape, how, -2, 3);
    array<double, 3> y(shape, how);
    f.into(y.view())(x.view());
    doubles const v = x.values();
    doubles expected(v.extents);
    std::int64_t const positions = shape[1], channels = shape[2], of_plane = positions * channels;
    std::vector<double> d(static_cast<std::size_t>(channels));
    for (std::int64_t n = 0; n < shape[0]; ++n) {
      double mean = 0, all = 0;
      for (std::int64_t i = 0; i < of_plane; ++i) mean += v[n * of_plane + i];
      mean /= static_cast<double>(of_plane);
      for (double& one : d) one = 0;
      for (std::int64_t i = 0; i < of_plane; ++i)
        d[i % channels] += std::fabs(v[n * of_plane + i] - mean) / static_cast<double>(positions);
      for (double one : d) all += one / static_cast<double>(channels);
      for (std::int64_t i = 0; i < of_plane; ++i)
        expected[n * of_plane + i] = (v[n * of_plane + i] - mean) / (all + d[i % channels]);
    }
    doubles scale = expected;
    for (std::int64_t i = 0; i < scale.size(); ++i) scale[i] = 8 + std::fabs(scale[i]);
    if (of_plane > 1)
      check_close(tn::dtype::f64, y.result(), expected,
                  {.arithmetic = sum_roundoffs(of_plane), .scale = &scale}, what);
  });
}

// A plane's bits are those that it has alone, and elements may be changed where they lie.
template <int Channels> void check_planes_alone() {
  auto const f = tn::compile([](auto x) {
    auto const g = tn::sqrt(tn::sum(x * x, tn::axis<3 - Channels>, tn::keepdim));
    return x * (g / (tn::mean(g, tn::axis<Channels>, tn::keepdim) + 1e-6f));
  });
  for (extents_of_rank<3> shape :
       {extents_of_rank<3>{70, 33, 24}, extents_of_rank<3>{5, 257, 96}}) {
    if (Channels == 1) std::swap(shape[1], shape[2]);
    auto x = random_array<float, 3>(shape, arrangement::contiguous, -2, 3);
    std::int64_t const of_plane = shape[1] * shape[2];
    array<float, 3> last({1, shape[1], shape[2]});
    using plane = tn::view<float const, tn::dyn, tn::dyn, tn::dyn>;
    f.into(last.view())(plane(x.data() + (shape[0] - 1) * of_plane, 1, shape[1], shape[2]));
    f.into(x.view())(x.view());
    std::vector<unsigned char> const all = x.bits(), alone = last.bits();
    EXPECT_EQ(std::vector<unsigned char>(all.end() - of_plane * 4, all.end()), alone);
  }
}
TEST(levels, planes_alone_have_the_same_bits) {
  check_planes_alone<2>();
  check_planes_alone<1>();
}

// Without positions or channels every result there is is written all the same.
TEST(levels, of_no_element) {
  auto const f = tn::compile([](auto x) {
    auto const g = tn::sum(x, tn::axis<1>, tn::keepdim);
    auto const m = tn::sum(g, tn::axis<2>, tn::keepdim) + 1.0f;
    return tn::outputs(x * m, tn::squeeze(g / m, tn::axis<1>), tn::squeeze(m, tn::axis<1, 2>));
  });
  for (extents_of_rank<3> const& shape :
       {extents_of_rank<3>{0, 4, 5}, extents_of_rank<3>{3, 0, 5}, extents_of_rank<3>{3, 4, 0}}) {
    auto x = random_array<float, 3>(shape);
    array<float, 3> y(shape);
    array<float, 2> n({shape[0], shape[2]});
    array<float, 1> m({shape[0]});
    f.into(y.view(), n.view(), m.view())(x.view());
    doubles const of_rows = n.result(), of_planes = m.result();
    for (std::int64_t i = 0; i < of_rows.size(); ++i) EXPECT_EQ(of_rows[i], 0);
    for (std::int64_t i = 0; i < of_planes.size(); ++i) EXPECT_EQ(of_planes[i], 1);
  }
}

}  // namespace
