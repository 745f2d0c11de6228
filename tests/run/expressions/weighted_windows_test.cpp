// SPDX-License-Identifier: Apache-2.0
// Windows with a border, each element of which has a weight for every channel, as those of
// depthwise convolutions have: images of channels, channels of images, and signals.
#include <utility>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using bf16 = tn::bfloat16;

template <int Axis, int Size>
constexpr auto bordered =
    [](auto x) { return tn::pad(x, tn::axis<Axis>, tn::widths<Size / 2, Size / 2>, 0); };
template <int Axis, int Size, int At>
constexpr auto tap = [](auto x) {
  return tn::slice(x, tn::axis<Axis>, tn::range < At, At == Size - 1 ? tn::end : At - (Size - 1) >);
};

// Sums of weighted elements of Height x Width neighbours along axes Rows and Rows + 1; with the
// channels in front of them, or behind.
template <int Height, int Width, bool IsLast> struct convolution {
  static constexpr int rows = IsLast ? 1 : 2;

  template <int At, class X, class W> static constexpr auto product(X x, W w) {
    constexpr int row = At / Width, column = At % Width;
    auto const element = tn::cast<float>(tap<rows + 1, Width, column>(tap<rows, Height, row>(x)));
    if constexpr (IsLast) {
      return element *
             tn::select(tn::select(w, tn::axis<0>, tn::ct<row>), tn::axis<0>, tn::ct<column>);
    } else {
      auto const weight =
          tn::select(tn::select(w, tn::axis<2>, tn::ct<column>), tn::axis<1>, tn::ct<row>);
      return element * tn::unsqueeze(tn::unsqueeze(weight, tn::axis<1>), tn::axis<2>);
    }
  }
  template <class X, class W> static constexpr auto of(X x, W w) {
    auto const all = bordered<rows + 1, Width>(bordered<rows, Height>(x));
    return [&]<int... At>(std::integer_sequence<int, At...>) { return (product<At>(all, w) + ...); }
    (std::make_integer_sequence<int, Height * Width>{});
  }
  static double expected(doubles const& x, doubles const& w, std::int64_t k) {
    auto const& e = x.extents;
    std::int64_t const inner = e[3], middle = e[2], d = k % inner, c = k / inner % middle,
                       b = k / inner / middle % e[1], a = k / inner / middle / e[1];
    std::int64_t const channel = IsLast ? d : b, row = IsLast ? b : c, column = IsLast ? c : d;
    std::int64_t const height = e[rows], width = e[rows + 1], channels = e[IsLast ? 3 : 1];
    double sum = 0;
    for (int i = 0; i < Height; ++i)
      for (int j = 0; j < Width; ++j) {
        std::int64_t const r = row + i - Height / 2, s = column + j - Width / 2;
        if (r < 0 || r >= height || s < 0 || s >= width) continue;
        double const weight =
            w[IsLast ? (i * Width + j) * channels + channel : (channel * Height + i) * Width + j];
        sum += weight * x[IsLast ? ((a * height + r) * width + s) * channels + channel
                                 : ((a * channels + channel) * height + r) * width + s];
      }
    return sum;
  }
};

template <int Height, int Width, bool IsLast, class T> void expect_sums() {
  using sums = convolution<Height, Width, IsLast>;
  static auto const f = tn::compile([](auto x, auto w) { return sums::of(x, w); });
  constexpr extents_of_rank<4> shapes[] = {{2, 3, 7, 64}, {3, 2, 9, 16}, {16, 5, 4, 8},
                                           {1, 4, 6, 13}, {2, 4, 1, 32}, {2, 5, 16, 1}};
  for (auto const& extents : shapes)
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                            arrangement::transposed}) {
      auto x = whole_numbers<T, 4>(extents, how);
      std::int64_t const channels = extents[IsLast ? 3 : 1];
      auto w = whole_numbers<float, 3>(IsLast ? extents_of_rank<3>{Height, Width, channels}
                                              : extents_of_rank<3>{channels, Height, Width});
      doubles const a = x.values(), b = w.values(), found = result_of(f(x.view(), w.view()));
      for (std::int64_t k = 0; k < a.size(); ++k)
        ASSERT_EQ(found[k], sums::expected(a, b, k))
            << k << " of " << extents[0] << " x " << extents[1] << " x " << extents[2] << " x "
            << extents[3] << ", " << to_string(how);
    }
}
TEST(weighted_windows, of_images) {
  expect_sums<3, 3, false, bf16>();
  expect_sums<3, 3, false, float>();
}
TEST(weighted_windows, of_wide_images) { expect_sums<1, 5, false, bf16>(); }
TEST(weighted_windows, of_channels_of_images) { expect_sums<3, 3, true, bf16>(); }

// The weights are other ones in the next row, and what is added is a vector of wider elements.
TEST(weighted_windows, of_signals) {
  static auto const f = tn::compile([](auto x, auto w, auto y) {
    auto const all = bordered<2, 3>(x);
    auto const weight = [&](auto at) {
      return tn::unsqueeze(tn::select(w, tn::axis<1>, at), tn::axis<1>);
    };
    return tap<2, 3, 0>(all) * weight(tn::ct<0>) + tap<2, 3, 1>(all) * weight(tn::ct<1>) +
           tap<2, 3, 2>(all) * weight(tn::ct<2>) + y;
  });
  for (std::int64_t length : {8, 64, 65}) {
    std::int64_t const channels = 11;
    auto x = whole_numbers<bf16, 3>({3, channels, length});
    auto w = whole_numbers<float, 2>({channels, 3});
    auto y = whole_numbers<float, 1>({length});
    doubles const a = x.values(), b = w.values(), c = y.values(),
                  found = result_of(f(x.view(), w.view(), y.view()));
    for (std::int64_t k = 0; k < a.size(); ++k) {
      std::int64_t const column = k % length, channel = k / length % channels;
      double sum = c[column];
      for (int i = 0; i < 3; ++i)
        if (column + i >= 1 && column + i <= length) sum += a[k + i - 1] * b[channel * 3 + i];
      ASSERT_EQ(found[k], sum) << k << " of " << length;
    }
  }
}

}  // namespace
