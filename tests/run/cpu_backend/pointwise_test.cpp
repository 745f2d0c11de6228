// SPDX-License-Identifier: Apache-2.0
// Pointwise programs on the CPU backend: every element equals the loop, for any extents, strides
// and dtypes.
//
// tenon-test: cpu-only
// tenon-test: optimized
#include "run/cpu_backend/support.hpp"

namespace tenon::cpu_test {
namespace {

constexpr auto add_and_clip = [](auto x, auto y) { return relu((x + y) * 2.0f); };
float reference(float x, float y) { return std::max((x + y) * 2.0f, 0.0f); }

TEST(cpu_pointwise, contiguous_operands_of_all_extents) {
  for (long long n : extents) {
    auto x = random_values(n), y = random_values(n, -2, 2);
    std::vector<float> z(x.size(), 7);
    run<matrix, matrix>("pointwise", add_and_clip,
                        {{},
                         {n},
                         {in_row_major(x.data(), n), in_row_major(y.data(), n)},
                         {in_row_major(z.data(), n)}});
    for (long long i = 0; i < n; ++i) ASSERT_EQ(z[i], reference(x[i], y[i])) << n << " at " << i;
    ASSERT_EQ(z[n], 7) << "wrote past the end of " << n;
  }
}

TEST(cpu_pointwise, transposed_and_reversed_operands) {
  long long const rows = 67, columns = 1031;
  auto x = random_values(rows * columns), y = random_values(rows * columns, -2, 2);
  std::vector<float> z(x.size());
  run<matrix, matrix>(
      "pointwise", add_and_clip,
      {{},
       {rows, columns},
       {{x.data(), {}, {1, rows}}, {y.data() + rows * columns - 1, {}, {-columns, -1}}},
       {{z.data(), {}, {1, rows}}}});
  for (long long i = 0; i < rows; ++i)
    for (long long j = 0; j < columns; ++j)
      ASSERT_EQ(z[i + j * rows],
                reference(x[i + j * rows], y[rows * columns - 1 - i * columns - j]))
          << i << "," << j;
}

TEST(cpu_pointwise, repeated_operands) {
  for (long long columns : {1, 3, 32, 33, 1025}) {
    long long const rows = 41;
    auto x = random_values(rows), y = random_values(columns, -2, 2);
    std::vector<float> z(static_cast<std::size_t>(rows * columns));
    run<matrix, matrix>("pointwise", add_and_clip,
                        {{},
                         {rows, columns},
                         {{x.data(), {}, {1, 0}}, {y.data(), {}, {0, 1}}},
                         {{z.data(), {}, {columns, 1}}}});
    for (long long i = 0; i < rows; ++i)
      for (long long j = 0; j < columns; ++j) ASSERT_EQ(z[i * columns + j], reference(x[i], y[j]));
  }
}

TEST(cpu_pointwise, three_axes_that_do_not_merge) {
  long long const a = 5, b = 7, c = 11;
  auto x = random_values(a * b * c), y = random_values(a * b * c);
  std::vector<float> z(x.size());
  run<matrix, matrix>("pointwise", add_and_clip,
                      {{},
                       {a, b, c},
                       {{x.data(), {}, {1, a * c, a}}, {y.data(), {}, {b * c, c, 1}}},
                       {{z.data(), {}, {c, a * c, 1}}}});
  for (long long i = 0; i < a; ++i)
    for (long long j = 0; j < b; ++j)
      for (long long k = 0; k < c; ++k)
        ASSERT_EQ(z[i * c + j * a * c + k],
                  reference(x[i + j * a * c + k * a], y[(i * b + j) * c + k]));
}

TEST(cpu_pointwise, result_may_replace_an_operand) {
  long long const n = 2050;
  auto x = random_values(n), y = random_values(n, -2, 2), z = x;
  run<matrix, matrix>("pointwise", add_and_clip,
                      {{},
                       {n},
                       {in_row_major(z.data(), n), in_row_major(y.data(), n)},
                       {in_row_major(z.data(), n)}});
  for (long long i = 0; i < n; ++i) ASSERT_EQ(z[i], reference(x[i], y[i]));
}

TEST(cpu_pointwise, half_types_round_once_at_the_store) {
  using half_vector = tensor_argument<dtype::f16, dyn>;
  using bfloat_vector = tensor_argument<dtype::bf16, dyn>;
  long long const n = 1037;
  auto values = random_values(n);
  std::vector<half> h(static_cast<std::size_t>(n)), h_out(h.size());
  std::vector<bfloat16> b(h.size()), b_out(h.size());
  for (long long i = 0; i < n; ++i) h[i] = half(values[i]), b[i] = bfloat16(values[i]);
  auto cube = [](auto x) { return x * x * x; };
  run<half_vector>("pointwise", cube,
                   {{}, {n}, {in_row_major(h.data(), n)}, {in_row_major(h_out.data(), n)}});
  run<bfloat_vector>("pointwise", cube,
                     {{}, {n}, {{b.data(), {}, {1}}}, {{b_out.data(), {}, {1}}}});
  for (long long i = 0; i < n; ++i) {
    float x = h[i], y = b[i];
    ASSERT_EQ(h_out[i].bits, half(x * x * x).bits) << i;
    ASSERT_EQ(b_out[i].bits, bfloat16(y * y * y).bits) << i;
  }
}

TEST(cpu_pointwise, booleans_are_bytes) {
  long long const n = 1025;
  auto x = random_values(n), y = random_values(n, -2, 2);
  std::vector<unsigned char> is_less(static_cast<std::size_t>(n));
  std::vector<float> smaller(is_less.size());
  operand loads[] = {in_row_major(x.data(), n), in_row_major(y.data(), n)};
  run<matrix, matrix>("pointwise", [](auto x, auto y) { return less(x, y); },
                      {{}, {n}, {loads[0], loads[1]}, {in_row_major(is_less.data(), n)}});
  for (long long i = 0; i < n; ++i) ASSERT_EQ(is_less[i], x[i] < y[i] ? 1 : 0);
  using mask = tensor_argument<dtype::boolean, dyn, dyn>;
  run<mask, matrix, matrix>("pointwise", [](auto m, auto x, auto y) { return where(m, x, y); },
                            {{},
                             {n},
                             {in_row_major(is_less.data(), n), loads[0], loads[1]},
                             {in_row_major(smaller.data(), n)}});
  for (long long i = 0; i < n; ++i) ASSERT_EQ(smaller[i], std::min(x[i], y[i]));
}

TEST(cpu_pointwise, scalars_and_operands_of_one_element) {
  long long const n = 100;
  auto x = random_values(n);
  float offset = 0.25f;
  std::vector<float> z(x.size());
  run<vector, scalar_argument<dtype::f32>, tensor_argument<dtype::f32>>(
      "pointwise", [](auto x, auto factor, auto offset) { return x * factor + sqrt(offset); },
      {{}, {n}, {{x.data(), {}, {1}}, {&offset, {}, {}}}, {{z.data(), {}, {1}}}, {}, {word(4.0f)}});
  for (long long i = 0; i < n; ++i) ASSERT_EQ(z[i], x[i] * 4 + 0.5f);
}

TEST(cpu_pointwise, expression_without_axes) {
  float x = 3, z = 0;
  run<tensor_argument<dtype::f32>>("pointwise", [](auto x) { return x * x + 1.0f; },
                                   {{}, {}, {{&x, {}, {}}}, {{&z, {}, {}}}});
  EXPECT_EQ(z, 10);
}

}  // namespace
}  // namespace tenon::cpu_test
