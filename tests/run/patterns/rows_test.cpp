// SPDX-License-Identifier: Apache-2.0
// Row by row, or column by column, in one launch: softmax of few long rows and of columns, entropy,
// group normalisation with an activation, a sum of operands with its normalisation, a part of a
// softmax.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/one_launch.hpp"

namespace {

using reference::doubles;
using reference::elementwise;
using reference::reduced;

template <class T, int Axis> void check_softmax(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<Axis>); });
  auto x = random_array<T, 2>({rows, columns});
  array<T, 2> out({rows, columns});
  expect_one_launch([&](tn::stream on) { f.on(on).into(out.view())(x.view()); });
  check_close(tn::dtype_of<T>, out.result(), reference::softmax(x.values(), 1u << Axis),
              {.arithmetic = 16 + sum_roundoffs(Axis ? columns : rows)}, "softmax");
}

void check_entropy(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x) {
    auto log_p = tn::log_softmax(x, tn::axis<-1>);
    return -tn::sum(tn::exp(log_p) * log_p, tn::axis<-1>);
  });
  auto x = random_array<float, 2>({rows, columns});
  array<float, 1> out({rows});
  expect_one_launch([&](tn::stream on) { f.on(on).into(out.view())(x.view()); });
  doubles const log_p = reference::log_softmax(x.values(), 0b10);
  doubles const terms = elementwise([](double l) { return -std::exp(l) * l; }, log_p);
  check_close(tn::dtype::f32, out.result(), reduced(terms, 0b10, false, reference::sum),
              {.arithmetic = 16 + sum_roundoffs(columns)}, "entropy");
}

// Of 32 groups of two channels each.
void check_group_norm_silu(std::int64_t samples, std::int64_t length) {
  static auto const f = tn::compile([](auto x) { return tn::silu(tn::group_norm(x, tn::ct<32>)); });
  auto x = random_array<float, 3>({samples, 64, length / 2});
  array<float, 3> out({samples, 64, length / 2});
  expect_one_launch([&](tn::stream on) { f.on(on).into(out.view())(x.view()); });
  doubles groups = x.values();
  groups.extents = {samples, 32, length};
  doubles normal = reference::layer_norm(groups, 0b100, 1e-5);
  normal.extents = x.values().extents;
  doubles const scale = elementwise([](double v) { return std::fabs(v) + 4; }, normal);
  check_close(tn::dtype::f32, out.result(), elementwise(reference::silu, normal),
              {.arithmetic = 16 + sum_roundoffs(length), .scale = &scale}, "group norm, silu");
}

void check_residual_layer_norm(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x, auto residual, auto bias, auto w) {
    auto h = x + bias + residual;
    return tn::outputs(h, tn::layer_norm(h) * w);
  });
  auto x = random_array<float, 2>({rows, columns}),
       residual = random_array<float, 2>({rows, columns});
  auto bias = random_array<float, 1>({columns}), w = random_array<float, 1>({columns});
  array<float, 2> sum({rows, columns}), normal({rows, columns});
  expect_one_launch([&](tn::stream on) {
    f.on(on).into(sum.view(), normal.view())(x.view(), residual.view(), bias.view(), w.view());
  });
  doubles const h = elementwise([](double a, double b, double c) { return a + b + c; }, x.values(),
                                bias.values(), residual.values());
  doubles const h_scale = elementwise(
      [](double a, double b, double c) { return std::fabs(a) + std::fabs(b) + std::fabs(c); },
      x.values(), bias.values(), residual.values());
  check_close(tn::dtype::f32, sum.result(), h, {.arithmetic = 2, .scale = &h_scale}, "sum");
  doubles const expected =
      elementwise(std::multiplies<>(), reference::layer_norm(h, 0b10, 1e-5), w.values());
  doubles const scale = elementwise([](double v) { return std::fabs(v) + 12; }, expected);
  check_close(tn::dtype::f32, normal.result(), expected,
              {.arithmetic = 16 + sum_roundoffs(columns), .scale = &scale}, "layer norm");
}

// As where the last column is the one that takes what the others do not.
template <class T> void check_softmax_but_last(std::int64_t rows, std::int64_t columns) {
  static auto const f = tn::compile([](auto x) {
    return tn::slice(tn::softmax(x, tn::axis<-1>), tn::axis<-1>, tn::range<0, -1>);
  });
  auto x = random_array<T, 2>({rows, columns});
  array<T, 2> out({rows, columns - 1});
  expect_one_launch([&](tn::stream on) { f.on(on).into(out.view())(x.view()); });
  doubles const all = reference::softmax(x.values(), 0b10);
  doubles expected({rows, columns - 1});
  for (std::int64_t i = 0; i < expected.size(); ++i)
    expected[i] = all[i / (columns - 1) * columns + i % (columns - 1)];
  check_close(tn::dtype_of<T>, out.result(), expected, {.arithmetic = 16 + sum_roundoffs(columns)},
              "softmax but its last column");
}

TEST(one_launch, softmax_of_few_long_rows) {
  check_softmax<float, 1>(4, 1 << 20);
  check_softmax<float, 1>(3, 100003);
  check_softmax<tn::bfloat16, 1>(2, 262144);
  // More than a device works on at a time.
  check_softmax<float, 1>(45, 300000);
}
TEST(one_launch, softmax_of_columns) {
  check_softmax<float, 0>(512, 1000);
  check_softmax<float, 0>(70001, 3);
  check_softmax<tn::bfloat16, 0>(4096, 33);
}
TEST(one_launch, softmax_but_its_last_column) {
  check_softmax_but_last<float>(1000, 513);
  check_softmax_but_last<float>(7, 2);
  check_softmax_but_last<tn::bfloat16>(33, 4097);
}
TEST(one_launch, entropy) {
  check_entropy(1, 32768);
  check_entropy(33, 1000);
}
TEST(one_launch, group_norm_and_silu) {
  check_group_norm_silu(2, 40960);
  check_group_norm_silu(3, 78);
}
TEST(one_launch, residual_and_layer_norm) {
  check_residual_layer_norm(33, 4096);
  check_residual_layer_norm(1000, 77);
}

}  // namespace
