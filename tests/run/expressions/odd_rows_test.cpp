// SPDX-License-Identifier: Apache-2.0
// Rows whose vectors are not those of memory: of every length around a vector, a warp and a block,
// beginning anywhere, with operands and results of different widths. All numbers are small
// integers, so that every result is exact.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

constexpr std::int64_t lengths[] = {1,   2,   3,   4,    5,    7,    8,    9,    15,   16,   17,
                                    31,  33,  63,  65,   100,  127,  129,  255,  257,  289,  500,
                                    512, 513, 545, 1023, 1024, 1025, 4099, 8703, 8705, 20011};
constexpr arrangement ways[] = {arrangement::contiguous, arrangement::misaligned,
                                arrangement::padded};

template <class T> array<T, 2> integers(extents_of_rank<2> const& extents, arrangement how) {
  array<T, 2> result(extents, how);
  std::uniform_int_distribution<int> number(std::is_same_v<T, bool> ? 0 : -3,
                                            std::is_same_v<T, bool> ? 1 : 3);
  reference::doubles all({extents[0], extents[1]},
                         reference::elements(static_cast<std::size_t>(extents[0] * extents[1])));
  for (std::int64_t i = 0; i < result.size(); ++i) all[i] = number(generator());
  result.set(all);
  return result;
}

template <class X, class Y, class Z> void check_rows() {
  auto const less = tn::compile([](auto x, auto y) {
    auto const both = tn::cast<float>(x) + tn::cast<float>(y);
    return tn::cast<Z>(both - tn::amax(both, tn::axis<1>, tn::keepdim));
  });
  auto const total = tn::compile(
      [](auto x, auto y) { return tn::sum(tn::cast<float>(x) + tn::cast<float>(y), tn::axis<1>); });
  for (std::int64_t columns : lengths)
    for (std::int64_t rows : {1, 3, 37})
      for (arrangement of_x : ways)
        for (arrangement of_z : ways) {
          if (rows * columns > 1 << 17) continue;
          std::string const what = std::to_string(rows) + " x " + std::to_string(columns) + ", " +
                                   to_string(of_x) + " to " + to_string(of_z);
          auto x = integers<X>({rows, columns}, of_x);
          auto y = integers<Y>({rows, columns}, of_z);
          array<Z, 2> z({rows, columns}, of_z);
          array<float, 1> sums({rows}, of_z == arrangement::padded ? arrangement::stepped : of_z);
          less.into(z.view())(x.view(), y.view());
          total.into(sums.view())(x.view(), y.view());
          reference::doubles const of_first = x.values(), of_second = y.values(),
                                   found = z.result(), found_sums = sums.result();
          for (std::int64_t i = 0; i < rows; ++i) {
            double most = -100, sum = 0;
            for (std::int64_t j = i * columns; j < (i + 1) * columns; ++j) {
              most = std::max(most, of_first[j] + of_second[j]);
              sum += of_first[j] + of_second[j];
            }
            ASSERT_EQ(found_sums[i], sum) << what << ", row " << i;
            for (std::int64_t j = i * columns; j < (i + 1) * columns; ++j)
              ASSERT_EQ(found[j], of_first[j] + of_second[j] - most) << what << ", element " << j;
          }
        }
}

TEST(odd_rows, of_float_and_int8_to_bfloat16) { check_rows<float, std::int8_t, tn::bfloat16>(); }
TEST(odd_rows, of_bfloat16_and_bool_to_float) { check_rows<tn::bfloat16, bool, float>(); }
TEST(odd_rows, of_int8) { check_rows<std::int8_t, std::int8_t, std::int8_t>(); }
TEST(odd_rows, of_double_and_bool_to_half) { check_rows<double, bool, tn::half>(); }
TEST(odd_rows, of_half) { check_rows<tn::half, tn::half, tn::half>(); }

// A thread has five vectors of such a row, which are stored in pairs; of what rows share there is
// no sixth.
TEST(odd_rows, weights_beside_five_vectors_of_a_thread) {
  auto const norm =
      tn::compile([](auto x, auto weight) { return tn::rms_norm(x, weight, tn::axis<1>); });
  for (std::int64_t columns : {16387, 20011})
    for (std::int64_t rows : {1, 5}) {
      auto x = random_array<float, 2>({rows, columns});
      auto weight = random_array<float, 1>({columns});
      reference::doubles const of_x = x.values(), of_weight = weight.values();
      reference::doubles expected({rows, columns}, reference::elements(of_x.size()));
      for (std::int64_t i = 0; i < rows; ++i) {
        double squares = 0;
        for (std::int64_t j = 0; j < columns; ++j)
          squares += of_x[i * columns + j] * of_x[i * columns + j];
        double const scale = 1 / std::sqrt(squares / static_cast<double>(columns) + 1e-5);
        for (std::int64_t j = 0; j < columns; ++j)
          expected[i * columns + j] = of_x[i * columns + j] * scale * of_weight[j];
      }
      // Half of the sum's error, and that of the root and of two products.
      check_close(tn::dtype::f32, result_of(norm(x.view(), weight.view())), expected,
                  {.arithmetic = sum_roundoffs(columns) / 2 + 4});
    }
}

// The last vector of a row is a part of one, of the row and of its weights, wherever they begin.
// Who has which element follows from the length, so that bits are the same in all arrangements.
TEST(odd_rows, halves_and_their_weights) {
  auto const norm = tn::compile([](auto x, auto w) { return tn::layer_norm(x, w, w); });
  auto const share = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  for (std::int64_t columns : {769, 897, 1000, 1023, 2047, 8191, 8193, 16383})
    for (std::int64_t rows : {1, 3}) {
      auto const of_x = random_array<tn::bfloat16, 2>({rows, columns}).values();
      auto const of_w = random_array<tn::bfloat16, 1>({columns}).values();
      reference::doubles expected({rows, columns}, reference::elements(of_x.size())),
          shares = expected;
      for (std::int64_t i = 0; i < rows; ++i) {
        double sum = 0, squares = 0, powers = 0;
        auto const at = [&](std::int64_t j) { return of_x[i * columns + j]; };
        for (std::int64_t j = 0; j < columns; ++j) sum += at(j), powers += std::exp(at(j));
        double const mean = sum / static_cast<double>(columns);
        for (std::int64_t j = 0; j < columns; ++j) squares += (at(j) - mean) * (at(j) - mean);
        double const scale = 1 / std::sqrt(squares / static_cast<double>(columns) + 1e-5);
        for (std::int64_t j = 0; j < columns; ++j) {
          expected[i * columns + j] = (at(j) - mean) * scale * of_w[j] + of_w[j];
          shares[i * columns + j] = std::exp(at(j)) / powers;
        }
      }
      std::vector<double> norms, softmaxes;
      for (arrangement how : {arrangement::contiguous, arrangement::misaligned, arrangement::padded,
                              arrangement::stepped}) {
        array<tn::bfloat16, 2> x({rows, columns}, how, of_x), z({rows, columns}, how),
            y({rows, columns}, how);
        array<tn::bfloat16, 1> w({columns},
                                 how == arrangement::padded ? arrangement::misaligned : how, of_w);
        norm.into(z.view())(x.view(), w.view());
        share.into(y.view())(x.view());
        if (norms.empty()) {
          norms = z.result().values, softmaxes = y.result().values;
          check_close(tn::dtype::bf16, z.result(), expected,
                      {.arithmetic = sum_roundoffs(columns) + 8, .absolute = 1e-5});
          check_close(tn::dtype::bf16, y.result(), shares,
                      {.arithmetic = sum_roundoffs(columns) + 32});
        }
        EXPECT_EQ(z.result().values, norms) << columns << ", " << to_string(how);
        EXPECT_EQ(y.result().values, softmaxes) << columns << ", " << to_string(how);
      }
    }
}

}  // namespace
