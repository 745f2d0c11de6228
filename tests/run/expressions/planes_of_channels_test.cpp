// SPDX-License-Identifier: Apache-2.0
// Few channels of pixels that become planes: what lies together in an argument is read together,
// from either end of a row, and written plane by plane.

#include "run/support/arrays.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

// Rows of whole vectors of any type, of some, and of none.
constexpr std::int64_t lengths[] = {1, 7, 8, 33, 64, 80};

// A view whose last axis has a length that programs know.
template <int Last, class T, int Rank> auto with_channels(array<T, Rank>& all) {
  return [&]<int... K>(std::integer_sequence<int, K...>) {
    return tn::view<T, (static_cast<void>(K), tn::dyn)..., tn::extent(Last)>(all.view());
  }
  (std::make_integer_sequence<int, Rank - 1>{});
}

template <class T, int Channels> void check_planes(arrangement how = arrangement::contiguous) {
  static auto const f = tn::compile([](auto x) { return tn::transpose(x, tn::axis<0, 3, 1, 2>); });
  static auto const from_the_end = tn::compile(
      [](auto x) { return tn::flip(tn::transpose(x, tn::axis<0, 3, 1, 2>), tn::axis<3>); });
  constexpr std::int64_t images = 2, height = 3;
  for (std::int64_t n : lengths) {
    auto x = random_array<T, 4>({images, height, n, Channels}, how);
    doubles const a = x.values();
    doubles expected({images, Channels, height, n}), backward({images, Channels, height, n});
    for (std::int64_t k = 0; k < expected.size(); ++k) {
      std::int64_t const j = k % n, row = k / n % height, c = k / n / height % Channels,
                         first = (k / n / height / Channels * height + row) * n;
      expected[k] = a[(first + j) * Channels + c];
      backward[k] = a[(first + n - 1 - j) * Channels + c];
    }
    array<T, 4> out({images, Channels, height, n});
    expect_one_launch(
        [&](tn::stream on) { f.on(on).into(out.view())(with_channels<Channels>(x)); });
    EXPECT_EQ(out.result().values, expected.values) << n << " " << to_string(how);
    from_the_end.into(out.view())(with_channels<Channels>(x));
    EXPECT_EQ(out.result().values, backward.values) << n << " " << to_string(how);
  }
}
TEST(planes_of_channels, of_bytes) {
  check_planes<std::uint8_t, 2>(), check_planes<std::uint8_t, 3>(), check_planes<std::uint8_t, 4>();
}
TEST(planes_of_channels, of_half_types) {
  check_planes<tn::bfloat16, 2>(), check_planes<tn::half, 3>(), check_planes<tn::bfloat16, 4>();
}
TEST(planes_of_channels, of_f32) {
  check_planes<float, 2>(), check_planes<float, 3>(), check_planes<float, 4>();
}
TEST(planes_of_channels, of_f64) { check_planes<double, 3>(); }
TEST(planes_of_channels, of_any_layout) {
  for (arrangement how : arrangements) check_planes<std::uint8_t, 3>(how);
}

// A part of every image, from its right to its left, less a mean of each channel.
TEST(planes_of_channels, cut_turned_around_and_normalised) {
  auto const f = tn::compile([](auto x, auto mean) {
    auto const part =
        tn::slice(tn::slice(x, tn::axis<1>, tn::range<2, 6>), tn::axis<2>, tn::range<16, 80>);
    auto const planes = tn::cast<float>(tn::transpose(part, tn::axis<0, 3, 1, 2>));
    return tn::cast<tn::bfloat16>(tn::flip(planes, tn::axis<3>) * 0.25f -
                                  tn::reshape(mean, tn::shape<1, 3, 1, 1>));
  });
  for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
    auto x = random_array<std::uint8_t, 4>({2, 7, 96, 3}, how, 0, 255);
    auto mean = random_array<float, 1>({3});
    doubles const a = x.values(), m = mean.values(), result = result_of(f(x.view(), mean.view()));
    ASSERT_EQ(result.size(), 2 * 3 * 4 * 64);
    for (std::int64_t k = 0; k < result.size(); ++k) {
      std::int64_t const j = k % 64, row = k / 64 % 4, c = k / 256 % 3, image = k / 768;
      float const number =
          static_cast<float>(a[((image * 7 + row + 2) * 96 + 79 - j) * 3 + c] * 0.25 - m[c]);
      ASSERT_EQ(result[k], as_double(from_double<tn::bfloat16>(number))) << k;
    }
    if (!std::is_same_v<tn::default_space, tn::cpu> && how == arrangement::contiguous) {
      std::string const schedule = tn::explain(f, x.view(), mean.view()).schedule;
      EXPECT_NE(schedule.find("is moved together"), std::string::npos) << schedule;
    }
  }
}

// Pixels of 2 x 2 whose places become planes.
TEST(planes_of_channels, pixels_of_several) {
  auto const f = tn::compile([](auto x) { return tn::transpose(x, tn::axis<0, 2, 4, 1, 3>); });
  constexpr std::int64_t images = 3, height = 4;
  for (std::int64_t n : lengths) {
    auto x = random_array<tn::bfloat16, 5>({images, height, 2, n, 2});
    doubles const a = x.values();
    auto const result = result_of(f(with_channels<2>(x)));
    for (std::int64_t k = 0; k < result.size(); ++k) {
      std::int64_t const j = k % n, row = k / n % height, right = k / n / height % 2,
                         below = k / n / height / 2 % 2, image = k / n / height / 4;
      ASSERT_EQ(result[k], a[(((image * height + row) * 2 + below) * n + j) * 2 + right]);
    }
  }
}

// Three of a pixel that are read, but make one.
TEST(planes_of_channels, grey_of_colours) {
  auto const f = tn::compile([](auto x) {
    auto const channel = [&](auto at) { return tn::cast<float>(tn::slice(x, tn::axis<2>, at)); };
    return channel(tn::range<0, 1>) + channel(tn::range<1, 2>) * 2 + channel(tn::range<2, 3>) * 4;
  });
  for (std::int64_t n : lengths) {
    auto x = random_array<std::uint8_t, 3>({5, n, 3}, arrangement::contiguous, 0, 255);
    doubles const a = x.values(), result = result_of(f(with_channels<3>(x)));
    for (std::int64_t k = 0; k < result.size(); ++k)
      ASSERT_EQ(result[k], a[3 * k] + 2 * a[3 * k + 1] + 4 * a[3 * k + 2]);
  }
}

}  // namespace
