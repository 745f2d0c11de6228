// SPDX-License-Identifier: Apache-2.0
// Rows of a cluster or of a block that begin anywhere and have any length: the bits of rows whose
// elements are at a stride, and nothing written beside them.
#include "run/support/arrays.hpp"

namespace {

// Rows that end with a warp's run, a vector before or after it, in the midst of a vector, and with
// the last run of a block.
constexpr std::int64_t lengths[] = {16384, 16388, 16385, 17279, 17280,
                                    17281, 20011, 32768, 33023, 50257};
// Elements in front of the first row of operand and result, and between rows.
struct place {
  int of_x, of_result, gap;
};
constexpr place places[] = {{0, 0, 0}, {1, 1, 0}, {3, 0, 1}, {0, 2, 3}, {2, 5, 0}, {7, 6, 9}};

template <class T>
auto rows_of(array<T, 1>& all, std::int64_t rows, std::int64_t length, int first,
             std::int64_t stride, std::int64_t step = 1) {
  return dyn_view<T, 2>::with_strides(all.data() + first, {rows, length}, {stride, step});
}

// The rows' elements, from `first` on; what lies beside them is as it was.
template <class T>
std::vector<unsigned char> bits_of(array<T, 1> const& all, std::int64_t rows, std::int64_t length,
                                   int first, std::int64_t stride, std::string const& what) {
  std::vector<unsigned char> const found = all.bits();
  std::vector<unsigned char> result, beside = found;
  for (std::int64_t row = 0; row < rows; ++row) {
    std::ptrdiff_t const begin = (first + row * stride) * static_cast<std::ptrdiff_t>(sizeof(T)),
                         end = begin + length * static_cast<std::ptrdiff_t>(sizeof(T));
    result.insert(result.end(), found.begin() + begin, found.begin() + end);
    std::fill(beside.begin() + begin, beside.begin() + end, 0xFF);
  }
  EXPECT_EQ(beside, std::vector<unsigned char>(found.size(), 0xFF)) << "beside the rows, " << what;
  return result;
}

template <class T, class Compute> void check(Compute const& compute) {
  for (std::int64_t length : lengths) {
    std::int64_t const rows = 3;
    auto const values = random_array<T, 1>({rows * length}).values();
    auto const run = [&](int of_x, int of_result, std::int64_t stride, std::int64_t step,
                         std::int64_t count) {
      reference::doubles spread(
          {of_x + rows * stride * step},
          reference::elements(static_cast<std::size_t>(of_x + rows * stride * step)));
      for (std::int64_t i = 0; i < rows * length; ++i)
        spread[of_x + (i / length * stride + i % length) * step] = values[i];
      array<T, 1> x({of_x + rows * stride * step}, arrangement::contiguous, spread),
          result({of_result + rows * stride}),
          weight({length + 1}, arrangement::misaligned, reference::doubles({length + 1}, [&] {
                   return std::vector<double>(values.values.begin(),
                                              values.values.begin() + length + 1);
                 }()));
      compute(rows_of(x, count, length, of_x, stride * step, step),
              rows_of(result, count, length, of_result, stride),
              dyn_view<T, 1>::with_strides(weight.data() + of_x % 2, {length}, {1}));
      return bits_of(result, count, length, of_result, stride,
                     std::to_string(length) + " columns from " + std::to_string(of_x) + " to " +
                         std::to_string(of_result));
    };
    // The weights begin at one place or another.
    std::vector<unsigned char> expected[2];
    for (int odd : {0, 1}) expected[odd] = run(odd, 0, length, 2, rows);
    for (place const& p : places) {
      auto const& of_weight = expected[p.of_x % 2];
      EXPECT_EQ(run(p.of_x, p.of_result, length + p.gap, 1, rows), of_weight)
          << length << " columns from " << p.of_x << " to " << p.of_result;
      EXPECT_EQ(run(p.of_x, p.of_result, length + p.gap, 1, 1),
                std::vector<unsigned char>(
                    of_weight.begin(),
                    of_weight.begin() + static_cast<std::ptrdiff_t>(length * sizeof(T))))
          << "one row of " << length << " columns from " << p.of_x << " to " << p.of_result;
    }
  }
}

template <class T> void check_softmax() {
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  check<T>([&](auto x, auto result, auto) { f.into(result)(x); });
}
TEST(settled_rows, softmax_of_float) { check_softmax<float>(); }
TEST(settled_rows, softmax_of_bfloat16) { check_softmax<tn::bfloat16>(); }

template <class T> void check_layer_norm() {
  auto const f = tn::compile([](auto x, auto w) { return tn::layer_norm(x, w, w); });
  check<T>([&](auto x, auto result, auto weight) { f.into(result)(x, weight); });
}
TEST(settled_rows, layer_norm_of_float) { check_layer_norm<float>(); }
TEST(settled_rows, layer_norm_of_half) { check_layer_norm<tn::half>(); }

// Two operands that begin at different places of their vectors, and two results.
TEST(settled_rows, of_two_operands) {
  auto const f = tn::compile([](auto x, auto y, auto w) {
    auto const sum = x + y;
    return tn::outputs(sum, tn::rms_norm(sum, w));
  });
  for (std::int64_t length : {16385, 20011, 32768}) {
    auto x = random_array<float, 2>({2, length}), y = random_array<float, 2>({2, length});
    auto const run = [&](arrangement of_x, arrangement of_y) {
      array<float, 2> first({2, length}, of_x, x.values()), second({2, length}, of_y, y.values()),
          sum({2, length}, of_y), normal({2, length}, of_x);
      auto a = sum.view(), b = normal.view();
      f.into(a, b)(first.view(), second.view(),
                   dyn_view<float, 1>::with_extents(y.data(), {length}));
      EXPECT_EQ(sum.result().values.size(), normal.result().values.size());
      auto result = sum.bits();
      auto const other = normal.bits();
      result.insert(result.end(), other.begin(), other.end());
      return result;
    };
    using how = arrangement;
    auto const expected = run(how::stepped, how::stepped);
    EXPECT_EQ(run(how::misaligned, how::contiguous), expected) << length;
    EXPECT_EQ(run(how::contiguous, how::misaligned), expected) << length;
    EXPECT_EQ(run(how::misaligned, how::padded), expected) << length;
  }
}

}  // namespace
