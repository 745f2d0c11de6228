// SPDX-License-Identifier: Apache-2.0
// Pointwise expressions of rows that are no whole number of vectors, with operands that are
// repeated in each row, along it, or along some of the axes.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using bf16 = tn::bfloat16;

constexpr std::int64_t lengths[] = {1,  2,  3,   5,   7,   9,   15,  31,
                                    33, 49, 100, 196, 255, 511, 513, 1001};

// A number for each column, and one for each row.
template <class X, class Y, class Z> void check_rows(arrangement how) {
  static auto const f = tn::compile([](auto x, auto of_columns, auto of_rows) {
    return x * 2 + of_columns + tn::unsqueeze(of_rows, tn::axis<-1>);
  });
  for (std::int64_t length : lengths)
    for (std::int64_t rows : {1, 4, 13, 64}) {
      auto x = whole_numbers<X, 2>({rows, length}, how);
      auto of_columns = whole_numbers<Y, 1>({length}), of_rows = whole_numbers<Y, 1>({rows});
      array<Z, 2> z({rows, length}, arrangement::contiguous);
      f.into(z.view())(x.view(), of_columns.view(), of_rows.view());
      doubles const found = z.result(), a = x.values(), b = of_columns.values(),
                    c = of_rows.values();
      doubles expected = found;
      for (std::int64_t i = 0; i < found.size(); ++i)
        expected[i] = a[i] * 2 + b[i % length] + c[i / length];
      ASSERT_EQ(found.values, expected.values)
          << rows << " rows of " << length << ", " << to_string(how);
    }
}
TEST(short_rows, of_float) { check_rows<float, float, float>(arrangement::contiguous); }
TEST(short_rows, of_bfloat16) { check_rows<bf16, bf16, bf16>(arrangement::contiguous); }
TEST(short_rows, of_bytes_and_float) {
  check_rows<std::uint8_t, float, float>(arrangement::contiguous);
}
TEST(short_rows, of_bfloat16_and_double) {
  check_rows<bf16, double, double>(arrangement::contiguous);
}
TEST(short_rows, of_misaligned_floats) { check_rows<float, float, float>(arrangement::misaligned); }
TEST(short_rows, of_misaligned_bfloat16) { check_rows<bf16, bf16, bf16>(arrangement::misaligned); }
TEST(short_rows, of_transposed_bfloat16) { check_rows<bf16, bf16, bf16>(arrangement::transposed); }
TEST(short_rows, of_every_other_float) { check_rows<float, float, float>(arrangement::stepped); }

// Of two operands one lies another way.
template <class T> void check_mixed_layouts(arrangement how) {
  static auto const f =
      tn::compile([](auto x, auto y, auto of_columns) { return x * 2 + y + of_columns; });
  for (std::int64_t length : lengths)
    for (std::int64_t rows : {1, 8, 24}) {
      auto x = whole_numbers<T, 2>({rows, length}), y = whole_numbers<T, 2>({rows, length}, how);
      auto of_columns = whole_numbers<T, 1>({length});
      array<T, 2> z({rows, length});
      f.into(z.view())(x.view(), y.view(), of_columns.view());
      doubles const found = z.result(), a = x.values(), b = y.values(), c = of_columns.values();
      doubles expected = found;
      for (std::int64_t i = 0; i < found.size(); ++i) expected[i] = a[i] * 2 + b[i] + c[i % length];
      ASSERT_EQ(found.values, expected.values)
          << rows << " rows of " << length << ", " << to_string(how);
    }
}
TEST(short_rows, one_transposed) { check_mixed_layouts<bf16>(arrangement::transposed); }
TEST(short_rows, one_misaligned) { check_mixed_layouts<bf16>(arrangement::misaligned); }
TEST(short_rows, one_of_every_other_element) { check_mixed_layouts<float>(arrangement::stepped); }

// A number for each channel, of images of a few pixels, and one for each pixel of all channels.
template <class T> void check_images() {
  static auto const f = tn::compile([](auto x, auto of_channels, auto of_pixels) {
    return x + tn::unsqueeze(tn::unsqueeze(of_channels, tn::axis<-1>), tn::axis<-1>) * 2 +
           of_pixels;
  });
  static auto const g = tn::compile([](auto x, auto of_channels) {
    return x - tn::unsqueeze(tn::unsqueeze(of_channels, tn::axis<-1>), tn::axis<-1>);
  });
  for (extents_of_rank<4> const extents : {extents_of_rank<4>{2, 8, 7, 7},
                                           {3, 16, 1, 5},
                                           {1, 5, 14, 14},
                                           {4, 3, 2, 2},
                                           {2, 64, 3, 3},
                                           {1, 1, 31, 31},
                                           {5, 24, 1, 1}}) {
    std::int64_t const pixels = extents[2] * extents[3], channels = extents[1];
    auto x = whole_numbers<T, 4>(extents);
    auto of_channels = whole_numbers<T, 1>({channels});
    auto of_pixels = whole_numbers<T, 2>({extents[2], extents[3]});
    array<T, 4> z(extents), w(extents);
    f.into(z.view())(x.view(), of_channels.view(), of_pixels.view());
    g.into(w.view())(x.view(), of_channels.view());
    doubles const found = z.result(), rest = w.result(), a = x.values(), b = of_channels.values(),
                  c = of_pixels.values();
    doubles expected = found, expected_rest = rest;
    for (std::int64_t i = 0; i < found.size(); ++i) {
      double const of_channel = b[i / pixels % channels];
      expected[i] = a[i] + of_channel * 2 + c[i % pixels];
      expected_rest[i] = a[i] - of_channel;
    }
    ASSERT_EQ(found.values, expected.values) << channels << " channels of " << pixels;
    ASSERT_EQ(rest.values, expected_rest.values) << channels << " channels of " << pixels;
  }
}
TEST(short_rows, images_of_float) { check_images<float>(); }
TEST(short_rows, images_of_bfloat16) { check_images<bf16>(); }

}  // namespace
