// SPDX-License-Identifier: Apache-2.0
// Operands and results that run along another axis than the first result, beside such that do not.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

// The ends and the inside of tiles and vectors.
constexpr extents_of_rank<2> shapes[] = {{0, 5},     {1, 1},     {3, 70},   {70, 3},
                                         {16, 16},   {64, 64},   {63, 65},  {65, 63},
                                         {128, 192}, {257, 131}, {1031, 33}};

template <class T> void check_matrices() {
  auto const f =
      tn::compile([](auto x, auto y, auto bias) { return tn::relu(x + tn::transpose(y)) + bias; });
  for (extents_of_rank<2> const& shape : shapes)
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                            arrangement::transposed, arrangement::reversed}) {
      auto x = random_array<T, 2>(shape, how), y = random_array<T, 2>({shape[1], shape[0]}, how);
      auto bias = random_array<T, 1>({shape[1]});
      array<T, 2> z(shape, how);
      auto target = z.view();
      f.into(target)(x.view(), y.view(), bias.view());
      reference::doubles const a = x.values(), b = y.values(), c = bias.values();
      reference::doubles expected(x.shape());
      for (std::int64_t i = 0; i < shape[0]; ++i)
        for (std::int64_t j = 0; j < shape[1]; ++j) {
          double const sum = a[i * shape[1] + j] + b[j * shape[0] + i];
          expected[i * shape[1] + j] = (sum > 0 ? sum : 0) + c[j];
        }
      check_close(
          tn::dtype_of<T>, z.result(), expected, {.arithmetic = 2, .absolute = 1e-6},
          std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + ", " + to_string(how));
    }
}
TEST(transposed, float_matrices) { check_matrices<float>(); }
TEST(transposed, double_matrices) { check_matrices<double>(); }
TEST(transposed, bfloat16_matrices) { check_matrices<tn::bfloat16>(); }
TEST(transposed, byte_matrices) { check_matrices<std::int8_t>(); }

// A result as it is and transposed, with values of everything beside them.
template <class T, class Narrow>
void check_results(extents_of_rank<2> const& shape, arrangement how) {
  static auto const alone = tn::compile([](auto x, auto y) {
    auto sum = tn::cast<Narrow>(x + tn::transpose(y));
    return tn::outputs(sum, tn::transpose(sum));
  });
  static auto const with_totals = tn::compile([](auto x) {
    auto small = tn::cast<Narrow>(x);
    return tn::outputs(tn::transpose(small), small, tn::max(tn::abs(x)), tn::mean(x));
  });
  auto x = random_array<T, 2>(shape, how), y = random_array<T, 2>({shape[1], shape[0]}, how);
  array<Narrow, 2> plain(shape, how), turned({shape[1], shape[0]}, how);
  array<T, 0> largest({}), mean({});
  reference::doubles const a = x.values(), b = y.values();
  std::string const about =
      std::to_string(shape[0]) + " x " + std::to_string(shape[1]) + ", " + to_string(how);
  auto const check = [&](bool has_other) {
    reference::doubles const p = plain.result(), t = turned.result();
    for (std::int64_t i = 0; i < shape[0]; ++i)
      for (std::int64_t j = 0; j < shape[1]; ++j) {
        T const left = static_cast<T>(a[i * shape[1] + j]),
                right = static_cast<T>(b[j * shape[0] + i]);
        double const expected = as_double(static_cast<Narrow>(has_other ? left + right : left));
        ASSERT_EQ(p[i * shape[1] + j], expected) << about << ": " << i << ", " << j;
        ASSERT_EQ(t[j * shape[0] + i], expected) << about << ": " << i << ", " << j;
      }
  };
  auto plain_view = plain.view();
  auto turned_view = turned.view();
  alone.into(plain_view, turned_view)(x.view(), y.view());
  check(true);
  with_totals.into(turned_view, plain_view, largest.view(), mean.view())(x.view());
  check(false);
  double sum = 0, magnitude = 0, most = 0;
  for (std::int64_t k = 0; k < a.size(); ++k) {
    sum += a[k], magnitude += std::abs(a[k]);
    most = std::max(most, std::abs(a[k]));
  }
  EXPECT_EQ(largest.result()[0], most) << about;
  EXPECT_NEAR(mean.result()[0], sum / static_cast<double>(a.size()),
              4e-6 * magnitude / static_cast<double>(a.size()))
      << about;
}
template <class T, class Narrow> void check_results() {
  for (extents_of_rank<2> const& shape : shapes)
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                            arrangement::transposed, arrangement::reversed})
      if (shape[0] > 0) check_results<T, Narrow>(shape, how);
}
TEST(transposed, float_results) { check_results<float, float>(); }
TEST(transposed, narrower_results) { check_results<float, tn::bfloat16>(); }
TEST(transposed, byte_results) { check_results<float, tn::float8_e4m3>(); }
// Of which a block has several tiles.
TEST(transposed, large_results) {
  check_results<float, float>({1031, 2100}, arrangement::contiguous);
  check_results<float, tn::bfloat16>({2112, 1024}, arrangement::contiguous);
}

TEST(transposed, two_operands_of_other_orders_in_a_cube) {
  auto const f = tn::compile([](auto x, auto y, auto z) {
    return x + tn::transpose(y, tn::axis<0, 2, 1>) * tn::transpose(z, tn::axis<2, 1, 0>);
  });
  for (extents_of_rank<3> const& e :
       {extents_of_rank<3>{5, 33, 70}, {2, 64, 64}, {37, 3, 65}, {1, 129, 1}}) {
    auto x = random_array<float, 3>(e), y = random_array<float, 3>({e[0], e[2], e[1]}),
         z = random_array<float, 3>({e[2], e[1], e[0]});
    array<float, 3> result(e);
    auto target = result.view();
    f.into(target)(x.view(), y.view(), z.view());
    reference::doubles const a = x.values(), b = y.values(), c = z.values();
    reference::doubles expected(x.shape());
    for (std::int64_t i = 0; i < e[0]; ++i)
      for (std::int64_t j = 0; j < e[1]; ++j)
        for (std::int64_t k = 0; k < e[2]; ++k)
          expected[(i * e[1] + j) * e[2] + k] =
              a[(i * e[1] + j) * e[2] + k] +
              b[(i * e[2] + k) * e[1] + j] * c[(k * e[1] + j) * e[0] + i];
    check_close(tn::dtype::f32, result.result(), expected, {.arithmetic = 2, .absolute = 4e-6});
  }
}

// Two bytes are a vector: less than a word of shared memory.
TEST(transposed, bytes_beside_doubles) {
  auto const f = tn::compile([](auto x, auto y) { return x + tn::transpose(y); });
  for (extents_of_rank<2> const& shape : shapes) {
    auto x = random_array<double, 2>(shape);
    auto y = random_array<std::int8_t, 2>({shape[1], shape[0]});
    array<double, 2> z(shape);
    auto target = z.view();
    f.into(target)(x.view(), y.view());
    reference::doubles const a = x.values(), b = y.values(), result = z.result();
    for (std::int64_t i = 0; i < shape[0]; ++i)
      for (std::int64_t j = 0; j < shape[1]; ++j)
        ASSERT_EQ(result[i * shape[1] + j], a[i * shape[1] + j] + b[j * shape[0] + i])
            << shape[0] << " x " << shape[1] << ": " << i << ", " << j;
  }
}

// Quarter turns, and slices of what is transposed: an operand is read from its ends, or from its
// midst.
template <class T> void check_turns() {
  auto const left = tn::compile([](auto x) { return tn::flip(tn::transpose(x), tn::axis<0>); });
  auto const right =
      tn::compile([](auto x, auto y) { return tn::flip(tn::transpose(x), tn::axis<1>) + y; });
  auto const beside = tn::compile([](auto x, auto y) {
    return tn::transpose(x) + tn::flip(y, tn::axis<1>) + tn::flip(y, tn::axis<0>);
  });
  auto const inside = tn::compile([](auto x) {
    return tn::slice(tn::slice(tn::transpose(x), tn::axis<0>, tn::range<1, tn::end>), tn::axis<1>,
                     tn::range<0, -1>);
  });
  for (extents_of_rank<2> const& shape : shapes)
    for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                            arrangement::reversed}) {
      std::int64_t const n = shape[0], m = shape[1];
      if (n == 0) continue;
      auto x = random_array<T, 2>(shape, how), y = random_array<T, 2>({m, n}, how);
      array<T, 2> z({m, n}, how), w({m - 1, n - 1});
      reference::doubles const a = x.values(), b = y.values();
      auto const check = [&](auto const& f, auto& result, auto const& element, auto... operands) {
        f.into(result.view())(operands...);
        reference::doubles expected(result.shape());
        std::int64_t const width = result.extents()[1];
        for (std::int64_t i = 0; i < result.extents()[0]; ++i)
          for (std::int64_t j = 0; j < width; ++j) expected[i * width + j] = element(i, j);
        check_close(tn::dtype_of<T>, result.result(), expected, {.arithmetic = 4, .absolute = 4e-6},
                    std::to_string(n) + " x " + std::to_string(m) + ", " + to_string(how));
      };
      check(
          left, z, [&](auto i, auto j) { return a[j * m + m - 1 - i]; }, x.view());
      check(
          right, z, [&](auto i, auto j) { return a[(n - 1 - j) * m + i] + b[i * n + j]; }, x.view(),
          y.view());
      check(
          beside, z,
          [&](auto i, auto j) {
            return a[j * m + i] + b[i * n + n - 1 - j] + b[(m - 1 - i) * n + j];
          },
          x.view(), y.view());
      check(
          inside, w, [&](auto i, auto j) { return a[j * m + i + 1]; }, x.view());
    }
}
TEST(transposed, turned_by_a_quarter_and_sliced) {
  check_turns<float>();
  check_turns<tn::bfloat16>();
  check_turns<double>();
}
TEST(transposed, bytes_turned_by_a_quarter) { check_turns<std::int8_t>(); }

// A plan that is kept has the shared memory that it was made with, whatever the plans made since
// take: what a kernel may have is said once for all of its plans.
TEST(transposed, plans_take_turns) {
  auto const f =
      tn::compile([](auto x, auto y, auto z) { return x + tn::transpose(y) + tn::transpose(z); });
  auto const call = [&](arrangement of_y) {
    auto x = random_array<tn::bfloat16, 2>({130, 140}),
         y = random_array<tn::bfloat16, 2>({140, 130}, of_y),
         z = random_array<tn::bfloat16, 2>({140, 130});
    reference::doubles expected = x.values(), scale(x.shape());
    reference::doubles const b = y.values(), c = z.values();
    for (std::int64_t i = 0; i < expected.size(); ++i) {
      std::int64_t const other = i % 140 * 130 + i / 140;
      scale[i] = std::fabs(expected[i]) + std::fabs(b[other]) + std::fabs(c[other]);
      expected[i] += b[other] + c[other];
    }
    check_close(tn::dtype::bf16, result_of(f(x.view(), y.view(), z.view())), expected,
                {.arithmetic = 2, .scale = &scale});
  };
  // Two operands are turned, or one.
  for (int round = 0; round < 2; ++round)
    call(arrangement::contiguous), call(arrangement::transposed);
}

}  // namespace
