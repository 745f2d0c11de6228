// SPDX-License-Identifier: Apache-2.0
// Windows of what is padded by elements of its own, the ends, mirrored or from the other end:
// neighbours in a row that are read once for all of them, if the rows are whole vectors.
#include <algorithm>

#include "run/support/arrays.hpp"

namespace {

using reference::doubles;
using bf16 = tn::bfloat16;

constexpr extents_of_rank<3> shapes[] = {{2, 7, 64}, {3, 8, 32},  {2, 5, 112}, {1, 3, 63},
                                         {2, 1, 8},  {1, 6, 30},  {70, 4, 32}, {1, 4, 1},
                                         {3, 2, 24}, {1, 40, 48}, {1, 1, 4}};

std::int64_t place(std::int64_t i, std::int64_t length, tn::edge_t) {
  return i < 0 ? 0 : i < length ? i : length - 1;
}
std::int64_t place(std::int64_t i, std::int64_t length, tn::wrap_t) {
  return ((i % length) + length) % length;
}
std::int64_t place(std::int64_t i, std::int64_t length, tn::reflect_t) {
  if (length == 1) return 0;
  std::int64_t const rest = place(i, 2 * (length - 1), tn::wrap);
  return rest < length ? rest : 2 * (length - 1) - rest;
}

// Sums of Height x Width neighbours, every Step-th, with weights that tell them apart, of what has
// so many elements more on each side.
template <class Mode, class T, int Height, int Width, int Step> void expect_windows() {
  constexpr int above = Height / 2, left = Width / 2;
  static auto const f = tn::compile([](auto x) {
    auto const tall = tn::pad(x, tn::axis<1>, tn::widths<above, above>, Mode{});
    auto const wide = tn::pad(tall, tn::axis<2>, tn::widths<left, left>, Mode{});
    auto const rows = tn::unfold(wide, tn::axis<1>, tn::ct<Height>, tn::ct<Step>);
    auto const all = tn::unfold(rows, tn::axis<2>, tn::ct<Width>, tn::ct<Step>);
    return tn::sum(all * (1 + tn::iota(all, tn::axis<3>) + Height * tn::iota(all, tn::axis<4>)),
                   tn::axis<3, 4>);
  });
  for (auto const& extents : shapes)
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                            arrangement::transposed}) {
      auto x = whole_numbers<T, 3>(extents, how);
      doubles const a = x.values(), found = result_of(f(x.view()));
      std::int64_t const height = extents[1], width = extents[2], rows = (height - 1) / Step + 1,
                         columns = (width - 1) / Step + 1;
      ASSERT_EQ(found.size(), extents[0] * rows * columns);
      for (std::int64_t k = 0; k < found.size(); ++k) {
        double sum = 0;
        for (int i = 0; i < Height; ++i)
          for (int j = 0; j < Width; ++j) {
            std::int64_t const row = place(k / columns % rows * Step + i - above, height, Mode{}),
                               column = place(k % columns * Step + j - left, width, Mode{});
            sum += (1 + i + Height * j) * a[(k / columns / rows * height + row) * width + column];
          }
        ASSERT_EQ(found[k], static_cast<double>(static_cast<T>(static_cast<float>(sum))))
            << k << " of " << extents[0] << " x " << height << " x " << width << ", "
            << to_string(how);
      }
    }
}
template <class Mode> void expect_all() {
  expect_windows<Mode, float, 3, 3, 1>();
  expect_windows<Mode, float, 1, 7, 1>();
  expect_windows<Mode, bf16, 3, 5, 1>();
  expect_windows<Mode, bf16, 3, 3, 2>();
}
TEST(mirrored_windows, of_ends) { expect_all<tn::edge_t>(); }
TEST(mirrored_windows, of_mirrored_elements) { expect_all<tn::reflect_t>(); }
TEST(mirrored_windows, of_the_other_end) { expect_all<tn::wrap_t>(); }

// The least number that a half type has is rounded, as the results are.
TEST(mirrored_windows, beside_a_number_that_is_rounded) {
  static auto const f = tn::compile([](auto x) {
    auto const tall = tn::pad(x, tn::axis<1>, tn::widths<1, 0>, -3e38f);
    auto const wide = tn::pad(tall, tn::axis<2>, tn::widths<2, 0>, -3e38f);
    return tn::max(tn::unfold(tn::unfold(wide, tn::axis<1>, tn::ct<2>, tn::ct<2>), tn::axis<2>,
                              tn::ct<2>, tn::ct<2>),
                   tn::axis<3, 4>);
  });
  for (std::int64_t const width : {16, 64, 30}) {
    auto x = whole_numbers<bf16, 3>({3, 5, width});
    doubles const a = x.values(), found = result_of(f(x.view()));
    std::int64_t const columns = width / 2 + 1;
    ASSERT_EQ(found.size(), 9 * columns);
    for (std::int64_t k = 0; k < found.size(); ++k) {
      std::int64_t const plane = k / columns / 3, row = k / columns % 3 * 2 - 1,
                         column = k % columns * 2 - 2;
      double best = static_cast<float>(bf16(-3e38f));
      for (std::int64_t i = row; i < row + 2; ++i)
        for (std::int64_t j = column; j < column + 2; ++j)
          if (i >= 0 && j >= 0) best = std::max(best, a[(plane * 5 + i) * width + j]);
      ASSERT_EQ(found[k], best) << k << " of " << width;
    }
  }
}

}  // namespace
