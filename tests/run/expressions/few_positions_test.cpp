// SPDX-License-Identifier: Apache-2.0
// Few positions of very many rows that are neighbours in memory, along one axis and along two: one
// thread has all of a row's. What is stored is as wide as what is read, wider and narrower.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

// Batches, positions and columns: full vectors of full blocks and not, and fewer rows than it
// takes.
constexpr extents_of_rank<3> shapes[] = {
    {34, 2, 8192}, {35, 3, 8200}, {270, 5, 1032}, {1, 4, 280008}, {7, 3, 4096}};

// Weighted sums, the largest, and the sum of squares in another type, of values that are exact.
template <class T, class Wide> void expect_all() {
  auto const f = tn::compile([](auto x, auto weights) {
    auto const weighted = tn::cast<Wide>(x) * tn::unsqueeze(weights, tn::axis<2>);
    return tn::outputs(tn::cast<T>(tn::sum(weighted, tn::axis<1>)), tn::max(x, tn::axis<1>),
                       tn::sum(tn::cast<Wide>(x) * tn::cast<Wide>(x), tn::axis<1>));
  });
  for (extents_of_rank<3> const& e : shapes) {
    auto x = whole_numbers<T, 3>(e, arrangement::contiguous);
    auto weights = whole_numbers<Wide, 2>({e[0], e[1]}, arrangement::contiguous);
    auto const [sums, largest, squares] = f(x.view(), weights.view());
    doubles const a = x.values(), w = weights.values(), sum = result_of(sums),
                  most = result_of(largest), square = result_of(squares);
    for (std::int64_t i = 0; i < e[0]; ++i)
      for (std::int64_t k = 0; k < e[2]; ++k) {
        double expected = 0, expected_most = a[i * e[1] * e[2] + k], expected_square = 0;
        for (std::int64_t j = 0; j < e[1]; ++j) {
          double const one = a[(i * e[1] + j) * e[2] + k];
          expected += w[i * e[1] + j] * one, expected_square += one * one;
          expected_most = std::max(expected_most, one);
        }
        std::int64_t const at = i * e[2] + k;
        ASSERT_EQ(sum[at], as_double(from_double<T>(expected))) << i << ", " << k << " of " << e[2];
        ASSERT_EQ(most[at], expected_most) << i << ", " << k << " of " << e[2];
        ASSERT_EQ(square[at], expected_square) << i << ", " << k << " of " << e[2];
      }
  }
}
TEST(few_positions, bfloat16) { expect_all<tn::bfloat16, float>(); }
TEST(few_positions, single) { expect_all<float, double>(); }

// What belongs to a row is read beside it; a state of several numbers; no whole vectors.
TEST(few_positions, of_rows) {
  auto const f =
      tn::compile([](auto x, auto shift) { return tn::logsumexp(x, tn::axis<1>) + shift; });
  for (extents_of_rank<3> const& e : {extents_of_rank<3>{34, 2, 8192}, {35, 3, 8199}}) {
    auto x = random_array<float, 3>(e, arrangement::contiguous, -2, 2);
    auto shift = random_array<float, 2>({e[0], e[2]}, arrangement::contiguous, -2, 2);
    doubles const a = x.values(), s = shift.values(), found = result_of(f(x.view(), shift.view()));
    for (std::int64_t i = 0; i < e[0]; ++i)
      for (std::int64_t k = 0; k < e[2]; ++k) {
        double sum = 0;
        for (std::int64_t j = 0; j < e[1]; ++j) sum += std::exp(a[(i * e[1] + j) * e[2] + k]);
        ASSERT_NEAR(found[i * e[2] + k], std::log(sum) + s[i * e[2] + k], 1e-5) << i << ", " << k;
      }
  }
}

}  // namespace
