// SPDX-License-Identifier: Apache-2.0
// Rows of any layout, whose vectors come and go by way of shared memory: the same bits as of whole
// aligned rows, of operands and results of several types at once, and of what all rows share.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

constexpr std::int64_t lengths[] = {1, 3, 17, 64, 65, 129, 257, 513, 545, 1023, 4099, 8703, 20011};
constexpr std::int64_t row_counts[] = {1, 3, 37, 269};
constexpr arrangement layouts[] = {arrangement::misaligned, arrangement::padded,
                                   arrangement::stepped};

template <class Visit> void for_each_shape(Visit const& visit) {
  for (std::int64_t columns : lengths)
    for (std::int64_t rows : row_counts)
      if (rows * columns <= 1 << 17) visit(rows, columns);
}

// x where chosen, else y.
doubles chosen_of(doubles const& which, doubles const& x, doubles const& y) {
  doubles result = x;
  for (std::int64_t i = 0; i < x.size(); ++i) result[i] = which[i] != 0 ? x[i] : y[i];
  return result;
}
doubles shares_of(doubles const& x) {
  doubles result = x;
  std::int64_t const columns = x.extents[1];
  for (std::int64_t i = 0; i < x.size(); i += columns) {
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) sum += std::abs(x[i + j]) + 1;
    for (std::int64_t j = 0; j < columns; ++j) result[i + j] = x[i + j] / sum;
  }
  return result;
}

// Operands of one, two and four bytes, results of two and four: neighbours on their way through
// shared memory do not meet.
TEST(any_layout_rows, types_of_several_sizes) {
  auto const f = tn::compile([](auto which, auto x, auto y) {
    auto chosen = tn::where(which, tn::cast<float>(x), y);
    auto sum = tn::sum(tn::abs(chosen) + 1.0f, tn::axis<1>, tn::keepdim);
    return tn::outputs(tn::cast<tn::bfloat16>(chosen / sum), tn::softmax(chosen, tn::axis<1>));
  });
  for_each_shape([&](std::int64_t rows, std::int64_t columns) {
    auto which = random_array<bool, 2>({rows, columns});
    auto x = random_array<tn::bfloat16, 2>({rows, columns}, arrangement::contiguous, -4, 4);
    auto y = random_array<float, 2>({rows, columns}, arrangement::contiguous, -4, 4);
    array<tn::bfloat16, 2> shares({rows, columns});
    array<float, 2> softmax({rows, columns});
    f.into(shares.view(), softmax.view())(which.view(), x.view(), y.view());
    std::string const what = std::to_string(rows) + " x " + std::to_string(columns);
    doubles const chosen = chosen_of(which.values(), x.values(), y.values());
    check_close(tn::dtype::bf16, shares.result(), shares_of(chosen),
                {.arithmetic = 32 + sum_roundoffs(columns)}, what);
    check_close(tn::dtype::f32, softmax.result(), reference::softmax(chosen, 0b10),
                {.arithmetic = 64 + sum_roundoffs(columns)}, what);
    for (arrangement how : layouts) {
      array<bool, 2> other_which({rows, columns}, how, which.values());
      array<tn::bfloat16, 2> other_x({rows, columns}, how, x.values());
      array<float, 2> other_y({rows, columns}, how, y.values());
      array<tn::bfloat16, 2> other_shares({rows, columns}, arrangement::misaligned);
      array<float, 2> other_softmax({rows, columns}, how);
      f.into(other_shares.view(), other_softmax.view())(other_which.view(), other_x.view(),
                                                        other_y.view());
      EXPECT_EQ(other_shares.bits(), shares.bits()) << what << ", layout " << static_cast<int>(how);
      EXPECT_EQ(other_softmax.bits(), softmax.bits())
          << what << ", layout " << static_cast<int>(how);
    }
  });
}

// Two bytes to a thread, which are less than a word.
TEST(any_layout_rows, bytes_beside_doubles) {
  auto const f = tn::compile(
      [](auto which, auto x) { return tn::softmax(tn::where(which, x, x * 2.0), tn::axis<1>); });
  for_each_shape([&](std::int64_t rows, std::int64_t columns) {
    auto which = random_array<bool, 2>({rows, columns});
    auto x = random_array<double, 2>({rows, columns}, arrangement::contiguous, -4, 4);
    array<double, 2> whole({rows, columns});
    f.into(whole.view())(which.view(), x.view());
    std::string const what = std::to_string(rows) + " x " + std::to_string(columns);
    doubles twice = x.values();
    for (std::int64_t i = 0; i < twice.size(); ++i) twice[i] *= 2;
    check_close(tn::dtype::f64, whole.result(),
                reference::softmax(chosen_of(which.values(), x.values(), twice), 0b10),
                {.arithmetic = 64 + sum_roundoffs(columns)}, what);
    for (arrangement how : layouts) {
      array<bool, 2> other_which({rows, columns}, how, which.values());
      array<double, 2> other({rows, columns}, how, x.values()), again({rows, columns}, how);
      f.into(again.view())(other_which.view(), other.view());
      EXPECT_EQ(again.bits(), whole.bits()) << what << ", layout " << static_cast<int>(how);
    }
  });
}

// A state of several numbers takes in many elements at once, and weights are misaligned, too.
template <class T> void check_weighted() {
  auto const f = tn::compile(
      [](auto x, auto weight) { return tn::layer_norm(x, weight, weight, tn::axis<-1>); });
  for_each_shape([&](std::int64_t rows, std::int64_t columns) {
    auto x = random_array<T, 2>({rows, columns}, arrangement::contiguous, -4, 4);
    auto weight = random_array<T, 1>({columns});
    array<T, 2> whole({rows, columns});
    f.into(whole.view())(x.view(), weight.view());
    for (arrangement how : layouts)
      for (arrangement result : {arrangement::contiguous, arrangement::misaligned}) {
        array<T, 2> other({rows, columns}, how, x.values()), again({rows, columns}, result);
        array<T, 1> other_weight({columns}, arrangement::misaligned, weight.values());
        f.into(again.view())(other.view(), other_weight.view());
        EXPECT_EQ(again.bits(), whole.bits())
            << rows << " x " << columns << ", layout " << static_cast<int>(how);
      }
  });
}
TEST(any_layout_rows, weighted_f32) { check_weighted<float>(); }
TEST(any_layout_rows, weighted_bf16) { check_weighted<tn::bfloat16>(); }

// Columns of two axes, which follow each other in memory or not, and weights that are strided or
// repeated along them.
template <class T> void check_columns_of_two_axes() {
  auto const f = tn::compile([](auto x, auto weight) {
    constexpr auto along = tn::axis<1, 2>;
    auto centre = tn::mean(x, along, tn::keepdim);
    auto variance = tn::var(x, along, tn::keepdim, tn::correction<0>);
    return (x - centre) * tn::rsqrt(variance + 1e-5f) * tn::cast<float>(weight);
  });
  for (auto [height, width] : {std::array<std::int64_t, 2>{5, 7}, {17, 19}, {17, 61}, {67, 129}}) {
    auto x = random_array<T, 3>({5, height, width}, arrangement::contiguous, -4, 4);
    auto weight = random_array<T, 2>({height, width});
    array<float, 3> whole({5, height, width});
    f.into(whole.view())(x.view(), weight.view());
    std::string const what = std::to_string(height) + " x " + std::to_string(width);
    for (arrangement how : layouts)
      for (arrangement of_weight :
           {arrangement::contiguous, arrangement::stepped, arrangement::transposed}) {
        array<T, 3> other({5, height, width}, how, x.values());
        array<T, 2> other_weight({height, width}, of_weight, weight.values());
        array<float, 3> again({5, height, width}, how);
        f.into(again.view())(other.view(), other_weight.view());
        EXPECT_EQ(again.bits(), whole.bits())
            << what << ", " << to_string(how) << ", weight " << to_string(of_weight);
      }
    auto column = random_array<T, 1>({height});
    doubles const of_column = column.values();
    doubles repeated = weight.values();
    for (std::int64_t i = 0; i < height * width; ++i) repeated[i] = of_column[i / width];
    weight.set(repeated);
    array<float, 3> expected({5, height, width}), found({5, height, width});
    f.into(expected.view())(x.view(), weight.view());
    f.into(found.view())(x.view(),
                         dyn_view<T, 2>::with_strides(column.data(), {height, width}, {1, 0}));
    EXPECT_EQ(found.bits(), expected.bits()) << what << ", one column of weights";
  }
}
TEST(any_layout_rows, columns_of_two_axes_f32) { check_columns_of_two_axes<float>(); }
TEST(any_layout_rows, columns_of_two_axes_bf16) { check_columns_of_two_axes<tn::bfloat16>(); }

// The only row is what all rows share, and of a thread's width.
TEST(any_layout_rows, one_row_of_few_elements) {
  auto const f = tn::compile([](auto x, auto y) {
    auto variance = tn::var(y, tn::axis<0>, tn::keepdim);
    return tn::mean(tn::maximum(variance, tn::where(x == y, y, x)), tn::axis<0>);
  });
  for (std::int64_t size : {2, 7, 9, 31, 65}) {
    auto x = random_array<std::uint8_t, 1>({size}, arrangement::misaligned);
    auto y = random_array<float, 1>({size}, arrangement::misaligned, -4, 4);
    doubles const xs = x.values(), ys = y.values();
    double const variance = reference::variance(ys.values, 1);
    doubles expected({}, {0});
    for (std::int64_t i = 0; i < size; ++i)
      expected.values[0] += std::max(variance, xs[i]) / static_cast<double>(size);
    check_close(tn::dtype::f32, result_of(f(x.view(), y.view())), expected,
                {.arithmetic = 4 * sum_roundoffs(size)}, std::to_string(size));
  }
}

}  // namespace
