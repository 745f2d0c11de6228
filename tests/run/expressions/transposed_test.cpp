// SPDX-License-Identifier: Apache-2.0
// Operands that run along another axis than the result, beside operands that do not.
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

}  // namespace
