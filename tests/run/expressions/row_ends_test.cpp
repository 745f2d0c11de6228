// SPDX-License-Identifier: Apache-2.0
// Pointwise expressions whose rows begin and end anywhere: parts of others, beside each other, with
// results and operands that are aligned to different elements.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

template <class Value>
doubles grid(std::int64_t rows, std::int64_t columns, Value const& value) {
  doubles result(reference::shape{rows, columns});
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c) result[r * columns + c] = value(r, c);
  return result;
}

constexpr std::int64_t row_counts[] = {1, 2, 5, 70}, lengths[] = {3, 4, 9, 15, 16, 17, 33, 64, 257};

// Of whole numbers, so that every dtype has the sums exactly.
template <class T> void check_neighbours() {
  static auto const f = tn::compile([](auto x) {
    auto const left = tn::slice(x, tn::axis<1>, tn::range<0, -2>),
               own = tn::slice(x, tn::axis<1>, tn::range<1, -1>),
               right = tn::slice(x, tn::axis<1>, tn::range<2>);
    return tn::outputs(left + own * 2 + right, left - right);
  });
  for (arrangement how : writable_arrangements)
    for (std::int64_t rows : row_counts)
      for (std::int64_t length : lengths) {
        array<T, 2> x({rows, length}, how, grid(rows, length, [](auto r, auto c) {
                        return static_cast<double>((r * 7 + c * 3) % 11);
                      }));
        doubles const v = x.values();
        std::int64_t const inner = length - 2;
        array<T, 2> sums({rows, inner}, arrangement::misaligned), differences({rows, inner}, how);
        f.into(sums.view(), differences.view())(x.view());
        auto const at = [&](auto r, auto c) { return v[r * length + c]; };
        EXPECT_EQ(sums.result().values, grid(rows, inner, [&](auto r, auto c) {
                                          return at(r, c) + 2 * at(r, c + 1) + at(r, c + 2);
                                        }).values)
            << rows << " x " << length << ", " << to_string(how);
        EXPECT_EQ(differences.result().values,
                  grid(rows, inner, [&](auto r, auto c) { return at(r, c) - at(r, c + 2); }).values)
            << rows << " x " << length << ", " << to_string(how);
      }
}
TEST(row_ends, neighbours_of_float) { check_neighbours<float>(); }
TEST(row_ends, neighbours_of_bfloat16) { check_neighbours<tn::bfloat16>(); }
TEST(row_ends, neighbours_of_double) { check_neighbours<double>(); }
TEST(row_ends, neighbours_of_int8) { check_neighbours<std::int8_t>(); }

// Bytes and halves beside wide results have vectors of less than a word.
TEST(row_ends, narrow_operands) {
  static auto const f = tn::compile([](auto x, auto y, auto z) { return z + x * y; });
  for (arrangement how : arrangements)
    for (std::int64_t rows : row_counts)
      for (std::int64_t length : lengths) {
        auto x = random_array<std::int8_t, 2>({rows, length}, how);
        auto y = random_array<tn::half, 2>({rows, length}, arrangement::misaligned, 0, 1);
        auto z = random_array<double, 1>({length});
        array<double, 2> out({rows, length}, arrangement::misaligned);
        f.into(out.view())(x.view(), y.view(), z.view());
        doubles const a = x.values(), b = y.values(), c = z.values(), found = out.result();
        for (std::int64_t i = 0; i < found.size(); ++i)
          // A small whole number times a half is exact in the arithmetic of halves, but for its
          // rounding to one.
          EXPECT_NEAR(found[i], c[i % length] + a[i] * b[i], 0x1p-9) << i;
      }
}

// Rows of few elements, whose operands repeat along some axes alone.
template <class T> void check_few(extents_of_rank<3> const& e, extents_of_rank<3> const& kept) {
  static auto const f = tn::compile([](auto x, auto y) { return x * 2 - y; });
  for (arrangement how : writable_arrangements) {
    auto x = random_array<std::int32_t, 3>(e, how);
    auto y = random_array<std::int32_t, 3>(kept);
    doubles const a = x.values(), b = y.values();
    array<T, 3> first(e, how, a);
    array<T, 3> second(kept, arrangement::contiguous, b), out(e, how);
    auto strides = extents_of_rank<3>{};
    std::int64_t step = 1;
    for (int k = 2; k >= 0; --k) strides[k] = kept[k] == 1 ? 0 : step, step *= kept[k];
    auto const repeated = dyn_view<T, 3>::with_strides(second.data(), e, strides);
    f.into(out.view())(first.view(), repeated);
    doubles expected = a;
    for (std::int64_t i = 0; i < a.size(); ++i) {
      std::int64_t const at[3] = {i / (e[1] * e[2]), i / e[2] % e[1], i % e[2]};
      expected[i] = 2 * a[i] - b[at[0] * strides[0] + at[1] * strides[1] + at[2] * strides[2]];
    }
    EXPECT_EQ(out.result().values, expected.values)
        << e[0] << " x " << e[1] << " x " << e[2] << ", " << to_string(how);
  }
}
template <class T> void check_all_few() {
  for (std::int64_t n : {1, 2, 5, 257})
    for (std::int64_t m : {2, 3, 7})
      for (std::int64_t length : {2, 3, 5, 7, 31}) {
        check_few<T>({n, m, length}, {1, 1, length});
        check_few<T>({n, m, length}, {n, 1, length});
        check_few<T>({n, m, length}, {1, m, 1});
        check_few<T>({n, m, length}, {n, 1, 1});
      }
}
TEST(row_ends, few_elements_of_float) { check_all_few<float>(); }
TEST(row_ends, few_elements_of_half) { check_all_few<tn::half>(); }

// A random number, or a position, is that of its element wherever the vectors begin.
TEST(row_ends, positions) {
  static auto const f = tn::compile([](auto x, auto seed) {
    return tn::outputs(tn::rand(x, seed), x + tn::cast<float>(tn::iota(x, tn::axis<1>)),
                       tn::tril(x));
  });
  for (std::int64_t rows : row_counts)
    for (std::int64_t length : lengths) {
      auto x = random_array<float, 2>({rows, length}, arrangement::misaligned);
      array<float, 2> numbers({rows, length}), sums({rows, length}), lower({rows, length});
      f.into(numbers.view(), sums.view(), lower.view())(x.view(), std::int64_t{7});
      doubles const expected = numbers.result(), v = x.values();
      for (arrangement how : {arrangement::misaligned, arrangement::padded, arrangement::stepped}) {
        array<float, 2> a({rows, length}, how), b({rows, length}, arrangement::misaligned),
            c({rows, length}, how);
        f.into(a.view(), b.view(), c.view())(x.view(), std::int64_t{7});
        EXPECT_EQ(a.result().values, expected.values) << to_string(how);
        EXPECT_EQ(b.result().values, grid(rows, length, [&](auto r, auto k) {
                                       return static_cast<float>(v[r * length + k]) +
                                              static_cast<float>(k);
                                     }).values)
            << to_string(how);
        EXPECT_EQ(c.result().values, grid(rows, length, [&](auto r, auto k) {
                                       return k <= r ? v[r * length + k] : 0.0;
                                     }).values)
            << to_string(how);
      }
    }
}

}  // namespace
