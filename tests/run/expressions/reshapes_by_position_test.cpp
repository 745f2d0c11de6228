// SPDX-License-Identifier: Apache-2.0
// Axes that lie apart are seen as one, or an axis is cut elsewhere: what is read of such a reshape
// lies where its position in row-major order says.
#include <functional>

#include "run/support/arrays.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;

// x[b][h][t][d] as rows of h * d for each b and t.
constexpr std::int64_t batch = 2, heads = 3, times = 5, depth = 4, width = heads * depth;
constexpr auto merged = [](auto x) {
  return tn::reshape(tn::transpose(x, tn::axis<0, 2, 1, 3>), tn::shape<-1, times, width>);
};
array<float, 4> heads_of() { return random_array<float, 4>({batch, heads, times, depth}); }
double merged_at(doubles const& x, std::int64_t row, std::int64_t c) {
  std::int64_t const b = row / times, t = row % times;
  return x[((b * heads + c / depth) * times + t) * depth + c % depth];
}

// Row by row of so many elements: want(row, position).
template <class Tensor>
void expect_rows(Tensor const& found, std::int64_t length,
                 std::function<double(std::int64_t, std::int64_t)> const& want) {
  doubles const values = result_of(found);
  ASSERT_EQ(static_cast<std::int64_t>(values.size()), batch * times * length);
  for (std::int64_t row = 0; row < batch * times; ++row)
    for (std::int64_t i = 0; i < length; ++i)
      EXPECT_NEAR(values[row * length + i], want(row, i), 1e-5) << row << ' ' << i;
}

TEST(reshapes_by_position, cut_turned_and_rolled) {
  auto const cut = tn::compile(
      [](auto x) { return tn::slice(merged(x), tn::axis<2>, tn::range<1, 11, 3>) * 2; });
  auto const turned = tn::compile([](auto x) { return tn::flip(merged(x), tn::axis<2>) * 2; });
  auto const rolled =
      tn::compile([](auto x, auto by) { return tn::roll(merged(x), tn::axis<2>, by); });
  auto x = heads_of();
  doubles const a = x.values();
  expect_rows(cut(x.view()), 4, [&](auto row, auto i) { return 2 * merged_at(a, row, 1 + 3 * i); });
  expect_rows(turned(x.view()), width,
              [&](auto row, auto i) { return 2 * merged_at(a, row, width - 1 - i); });
  for (int by : {0, 1, 7, -5, 29})
    expect_rows(rolled(x.view(), by), width, [&](auto row, auto i) {
      return merged_at(a, row, ((i - by) % width + width) % width);
    });
}

TEST(reshapes_by_position, beside_others) {
  auto const padded =
      tn::compile([](auto x) { return tn::pad(merged(x), tn::axis<2>, tn::widths<1, 3>, 7); });
  auto const joined =
      tn::compile([](auto x, auto y) { return tn::concat(merged(x), y, tn::axis<2>); });
  auto x = heads_of();
  auto y = random_array<float, 3>({batch, times, 2});
  doubles const a = x.values(), b = y.values();
  expect_rows(padded(x.view()), width + 4,
              [&](auto row, auto i) { return i < 1 || i > width ? 7 : merged_at(a, row, i - 1); });
  expect_rows(joined(x.view(), y.view()), width + 2, [&](auto row, auto i) {
    return i < width ? merged_at(a, row, i) : b[row * 2 + i - width];
  });
}

// A negative index counts from the end of what is merged.
TEST(reshapes_by_position, at_an_index) {
  auto const taken =
      tn::compile([](auto x, auto index) { return tn::take(merged(x), index, tn::axis<2>); });
  auto const gathered = tn::compile(
      [](auto x, auto index) { return tn::take_along_axis(merged(x), index, tn::axis<2>); });
  auto x = heads_of();
  doubles const a = x.values();
  auto index = random_array<std::int32_t, 1>({7}, arrangement::contiguous, -width, width - 1);
  auto places =
      random_array<std::int32_t, 3>({batch, times, 3}, arrangement::contiguous, -width, width - 1);
  auto const place = [](double i) {
    return static_cast<std::int64_t>(i < 0 ? i + double(width) : i);
  };
  expect_rows(taken(x.view(), index.view()), 7,
              [&](auto row, auto i) { return merged_at(a, row, place(index.values()[i])); });
  expect_rows(gathered(x.view(), places.view()), 3, [&](auto row, auto i) {
    return merged_at(a, row, place(places.values()[row * 3 + i]));
  });
}

// Rows of six of the twelve that are merged of three times four.
TEST(reshapes_by_position, reduced_in_other_parts) {
  auto const f = tn::compile([](auto x) {
    return tn::softmax(tn::reshape(merged(x), tn::shape<-1, times, 2, 6>), tn::axis<-1>);
  });
  auto const scanned = tn::compile([](auto x) { return tn::cumsum(merged(x), tn::axis<2>); });
  auto x = heads_of();
  doubles const a = x.values();
  expect_rows(f(x.view()), width, [&](auto row, auto i) {
    double total = 0;
    for (std::int64_t j = i / 6 * 6; j < i / 6 * 6 + 6; ++j)
      total += std::exp(merged_at(a, row, j));
    return std::exp(merged_at(a, row, i)) / total;
  });
  expect_rows(scanned(x.view()), width, [&](auto row, auto i) {
    double total = 0;
    for (std::int64_t j = 0; j <= i; ++j) total += merged_at(a, row, j);
    return total;
  });
}

// Windows that become an image again, which is rolled back.
TEST(reshapes_by_position, windows_of_an_image) {
  constexpr std::int64_t side = 4, images = 2, across = 3, channels = 5, size = side * across;
  auto const f = tn::compile([](auto x) {
    auto const split = tn::reshape(x, tn::shape<-1, across, across, side, side, channels>);
    auto const image = tn::reshape(tn::transpose(split, tn::axis<0, 1, 3, 2, 4, 5>),
                                   tn::shape<-1, size, size, channels>);
    return tn::roll(tn::roll(image, tn::axis<1>, 2), tn::axis<2>, 2);
  });
  auto x = random_array<float, 3>({images * across * across, side * side, channels});
  doubles const a = x.values(), found = result_of(f(x.view()));
  for (std::int64_t b = 0, at = 0; b < images; ++b)
    for (std::int64_t i = 0; i < size; ++i)
      for (std::int64_t j = 0; j < size; ++j)
        for (std::int64_t c = 0; c < channels; ++c) {
          std::int64_t const row = (i - 2 + size) % size, column = (j - 2 + size) % size;
          std::int64_t const window = (b * across + row / side) * across + column / side;
          EXPECT_EQ(found[at++],
                    a[(window * side * side + row % side * side + column % side) * channels + c]);
        }
}

// Sums of a part of what is merged, of operands that repeat and of sums.
TEST(reshapes_by_position, of_what_is_computed) {
  auto const repeated = tn::compile(
      [](auto a, auto b) { return tn::sum(tn::reshape(a + b, tn::shape<8, 512>), tn::axis<1>); });
  auto const reduced = tn::compile([](auto x) {
    return tn::sum(tn::reshape(tn::sum(x, tn::axis<1>), tn::shape<-1, 8>), tn::axis<0>);
  });
  tn::tensor<float, 64, 1> column;
  tn::tensor<float, 64> row;
  auto p = random_array<float, 1>({64}), q = random_array<float, 1>({64});
  tn::copy(column.view(), tn::view<float const, 64, 1>(p.view().data()));
  tn::copy(row.view(), tn::view<float const, 64>(q.view().data()));
  doubles const sums = result_of(repeated(column, row));
  for (std::int64_t i = 0; i < 8; ++i) {
    double total = 0;
    for (std::int64_t j = 512 * i; j < 512 * i + 512; ++j)
      total += p.values()[j / 64] + q.values()[j % 64];
    EXPECT_NEAR(sums[i], total, 1e-3);
  }
  auto x = random_array<float, 3>({6, 7, 20});
  doubles const found = result_of(reduced(x.view()));
  for (std::int64_t k = 0; k < 8; ++k) {
    double total = 0;
    for (std::int64_t at = k; at < 6 * 20; at += 8)
      for (std::int64_t j = 0; j < 7; ++j) total += x.values()[(at / 20 * 7 + j) * 20 + at % 20];
    EXPECT_NEAR(found[k], total, 1e-4);
  }
}

// Lengths that only the call knows, of a part of each row.
TEST(reshapes_by_position, of_run_time_lengths) {
  auto const f = tn::compile([](auto x) {
    auto const part = tn::slice(x, tn::axis<1>, tn::range<1, tn::end>);
    return tn::roll(tn::reshape(part, tn::shape<-1, 4>), tn::axis<0>, 1);
  });
  for (std::int64_t rows : {0, 1, 4, 37})
    for (std::int64_t columns : {5, 9, 33}) {
      auto x = random_array<float, 2>({rows, columns});
      doubles const a = x.values(), found = result_of(f(x.view()));
      std::int64_t const count = rows * (columns - 1);
      ASSERT_EQ(static_cast<std::int64_t>(found.size()), count);
      for (std::int64_t i = 0; i < count; ++i) {
        std::int64_t const from = (i - 4 + count) % count;
        EXPECT_EQ(found[i], a[from / (columns - 1) * columns + 1 + from % (columns - 1)]);
      }
    }
}

TEST(reshapes_by_position, in_one_launch) {
  auto const f = tn::compile([](auto x) { return tn::flip(merged(x), tn::axis<2>); });
  auto x = heads_of();
  tn::tensor<float, tn::dyn, times, width> result(batch);
  expect_one_launch([&](auto const& on) { f.on(on).into(result)(x.view()); });
}

}  // namespace
