// SPDX-License-Identifier: Apache-2.0
// Concatenations, paddings and parts whose boundaries lie within vectors, in tensors of enough rows
// that a thread has several elements, of which the last may be beyond the end.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using bf16 = tn::bfloat16;

template <class T> void check_concatenation(arrangement how) {
  static auto const along_rows =
      tn::compile([](auto x, auto y) { return tn::concat(x, y * 1, tn::axis<1>) * 2; });
  static auto const along_columns =
      tn::compile([](auto x, auto y, auto z) { return tn::concat(x, y, tn::axis<0>) + z; });
  for (std::int64_t rows : {3, 4, 7, 8, 9, 31, 67})
    for (std::int64_t left : {1, 5, 33})
      for (std::int64_t right : {2, 7, 100}) {
        auto x = whole_numbers<T, 2>({rows, left}, how),
             y = whole_numbers<T, 2>({rows, right}, how);
        array<T, 2> both({rows, left + right});
        along_rows.into(both.view())(x.view(), y.view());
        doubles const found = both.result(), a = x.values(), b = y.values();
        doubles expected = found;
        for (std::int64_t r = 0; r < rows; ++r)
          for (std::int64_t c = 0; c < left + right; ++c)
            expected[r * (left + right) + c] =
                2 * (c < left ? a[r * left + c] : b[r * right + c - left]);
        ASSERT_EQ(found.values, expected.values) << rows << ": " << left << " and " << right;

        auto top = whole_numbers<T, 2>({left, rows}, how),
             bottom = whole_numbers<T, 2>({right, rows}, how);
        auto row = whole_numbers<T, 1>({rows});
        array<T, 2> all({left + right, rows});
        along_columns.into(all.view())(top.view(), bottom.view(), row.view());
        doubles const stacked = all.result(), s = top.values(), t = bottom.values(),
                      u = row.values();
        doubles wanted = stacked;
        for (std::int64_t i = 0; i < stacked.size(); ++i)
          wanted[i] = (i < left * rows ? s[i] : t[i - left * rows]) + u[i % rows];
        ASSERT_EQ(stacked.values, wanted.values) << rows << ": " << left << " over " << right;
      }
}
TEST(moved_elements, concatenations_of_float) {
  check_concatenation<float>(arrangement::contiguous);
}
TEST(moved_elements, concatenations_of_bfloat16) {
  check_concatenation<bf16>(arrangement::contiguous);
}
TEST(moved_elements, concatenations_of_bytes) {
  check_concatenation<std::uint8_t>(arrangement::misaligned);
}
TEST(moved_elements, concatenations_of_transposed_doubles) {
  check_concatenation<double>(arrangement::transposed);
}

template <class T> void check_padding() {
  static auto const f = tn::compile([](auto x) {
    auto rows = tn::pad(x, tn::axis<2>, tn::widths<1, 2>, 0);
    return tn::pad(rows, tn::axis<3>, tn::widths<3, 1>, 5);
  });
  static auto const edges =
      tn::compile([](auto x) { return tn::pad(x, tn::axis<3>, tn::widths<2, 2>, tn::reflect); });
  for (extents_of_rank<4> const extents : {extents_of_rank<4>{2, 9, 7, 7},
                                           {3, 1, 5, 9},
                                           {1, 40, 3, 33},
                                           {5, 5, 4, 130},
                                           {1, 1, 3, 3}}) {
    std::int64_t const planes = extents[0] * extents[1], height = extents[2], width = extents[3];
    auto x = whole_numbers<T, 4>(extents);
    array<T, 4> padded({extents[0], extents[1], height + 3, width + 4}),
        mirrored({extents[0], extents[1], height, width + 4});
    f.into(padded.view())(x.view());
    edges.into(mirrored.view())(x.view());
    doubles const found = padded.result(), other = mirrored.result(), a = x.values();
    doubles expected = found, expected_other = other;
    for (std::int64_t p = 0; p < planes; ++p)
      for (std::int64_t c = 0; c < width + 4; ++c) {
        std::int64_t const column = c - 3;
        for (std::int64_t r = 0; r < height + 3; ++r) {
          std::int64_t const row = r - 1;
          bool const is_inside = row >= 0 && row < height;
          expected[(p * (height + 3) + r) * (width + 4) + c] =
              column < 0 || column >= width ? 5
              : is_inside                   ? a[(p * height + row) * width + column]
                                            : 0;
        }
        std::int64_t const from = std::abs(c - 2),
                           place = from < width ? from : 2 * (width - 1) - from;
        for (std::int64_t r = 0; r < height; ++r)
          expected_other[(p * height + r) * (width + 4) + c] = a[(p * height + r) * width + place];
      }
    ASSERT_EQ(found.values, expected.values) << planes << " planes of " << height << " x " << width;
    ASSERT_EQ(other.values, expected_other.values)
        << planes << " planes of " << height << " x " << width;
  }
}
TEST(moved_elements, paddings_of_float) { check_padding<float>(); }
TEST(moved_elements, paddings_of_bfloat16) { check_padding<bf16>(); }

// A part of the result is stored where a position says.
template <class T> void check_parts() {
  static auto const f = tn::compile([](auto x) {
    auto [left, right] = tn::split(x * 2, tn::axis<1>, tn::lengths<3, 6>);
    return tn::outputs(left, right);
  });
  for (std::int64_t rows : {1, 5, 8, 77}) {
    tn::tensor<T, tn::dyn, 9> x(rows);
    doubles values({rows, 9});
    for (std::int64_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i % 31);
    std::vector<T> elements;
    for (double v : values.values) elements.push_back(from_double<T>(v));
    x = tn::tensor<T, tn::dyn, 9>(elements, rows);
    auto const [left, right] = f(x);
    doubles const a = result_of(left), b = result_of(right);
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < 9; ++c)
        ASSERT_EQ(c < 3 ? a[r * 3 + c] : b[r * 6 + c - 3], 2 * values[r * 9 + c])
            << rows << " rows, row " << r << ", column " << c;
  }
}
TEST(moved_elements, parts_of_float) { check_parts<float>(); }
TEST(moved_elements, parts_of_bfloat16) { check_parts<bf16>(); }

}  // namespace
