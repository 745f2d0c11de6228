// SPDX-License-Identifier: Apache-2.0
// A few channels, known while compiling, that become the last axis of a result, alone or as pairs
// of pixels: each is read along another axis, and what lies beside each other is stored together.
#include "run/support/arrays.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

constexpr arrangement all[] = {arrangement::contiguous, arrangement::misaligned,
                               arrangement::transposed, arrangement::stepped,
                               arrangement::reversed,   arrangement::padded};

// The same elements with Channels as axis 1.
template <int Channels, class T> auto with_channels(array<T, 4>& x) {
  using result = tn::view<T, tn::dyn, Channels, tn::dyn, tn::dyn>;
  auto const view = x.view();
  return result::with_strides(view.data(), view.extents(), view.strides());
}

template <class T, int Channels> void check_channels() {
  auto const moved = tn::compile([](auto x) { return tn::transpose(x, tn::axis<0, 2, 3, 1>); });
  auto const shifted = tn::compile([](auto x, auto mean) {
    return tn::cast<float>(tn::transpose(x, tn::axis<0, 2, 3, 1>)) * 2 - mean;
  });
  auto mean = whole_numbers<float, 1>({Channels});
  tn::view<float, Channels> const means(mean.data());
  doubles const m = mean.values();
  for (std::int64_t width : {1, 5, 8, 16, 33, 64, 200})
    for (arrangement how : all) {
      auto x = whole_numbers<T, 4>({2, Channels, 3, width}, how);
      auto const view = with_channels<Channels>(x);
      doubles const a = x.values(), found = result_of(moved(view)),
                    numbers = result_of(shifted(view, means));
      for (std::int64_t i = 0; i < 2; ++i)
        for (std::int64_t p = 0; p < 3 * width; ++p)
          for (int c = 0; c < Channels; ++c) {
            std::int64_t const at = (i * 3 * width + p) * Channels + c;
            double const of = a[(i * Channels + c) * 3 * width + p];
            ASSERT_EQ(found[at], of) << width << " " << to_string(how) << " at " << at;
            ASSERT_EQ(numbers[at], 2 * of - m[c]) << width << " " << to_string(how) << " at " << at;
          }
    }
}

TEST(channels_last, two_of_half) { check_channels<tn::bfloat16, 2>(); }
TEST(channels_last, three_of_bytes) { check_channels<std::uint8_t, 3>(); }
TEST(channels_last, three_of_float) { check_channels<float, 3>(); }
TEST(channels_last, four_of_half) { check_channels<tn::bfloat16, 4>(); }
TEST(channels_last, four_of_double) { check_channels<double, 4>(); }
TEST(channels_last, more_than_an_access_has) { check_channels<float, 5>(); }

// Of each pixel 2 x 2, whose columns are the last axis but one.
TEST(channels_last, pixels_are_shuffled) {
  auto const f =
      tn::compile([](auto x) { return tn::transpose(x, tn::axis<0, 3, 1, 4, 2>); }, "shuffle");
  for (std::int64_t width : {1, 4, 7, 32, 100}) {
    auto x = whole_numbers<tn::bfloat16, 5>({3, 2, 2, 5, width});
    auto const view = tn::view<tn::bfloat16, tn::dyn, 2, 2, tn::dyn, tn::dyn>::with_extents(
        x.data(), {3, 2, 2, 5, width});
    doubles const a = x.values(), found = result_of(f(view));
    for (std::int64_t i = 0; i < 3; ++i)
      for (std::int64_t h = 0; h < 5; ++h)
        for (int r = 0; r < 2; ++r)
          for (std::int64_t w = 0; w < width; ++w)
            for (int s = 0; s < 2; ++s)
              ASSERT_EQ(found[(((i * 5 + h) * 2 + r) * width + w) * 2 + s],
                        a[(((i * 2 + r) * 2 + s) * 5 + h) * width + w])
                  << width;
    array<tn::bfloat16, 5> result({3, 5, 2, width, 2});
    tn::view<tn::bfloat16, tn::dyn, tn::dyn, 2, tn::dyn, 2> const into(result.data(), 3, 5, width);
    expect_one_launch([&](tn::stream on) { f.on(on).into(into)(view); });
    ASSERT_EQ(result.result().values, found.values) << width;
  }
}

}  // namespace
