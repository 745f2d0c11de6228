// SPDX-License-Identifier: Apache-2.0
// Sums, means and extrema of a few tensors before rows are normalised, as partial results of
// several devices are: written out where no one kernel has both reductions.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;

constexpr std::int64_t parts = 8;

// Element `position` of all parts, which have `size` each, combined.
template <class Combine>
double over_parts(doubles const& all, std::int64_t position, std::int64_t size,
                  Combine const& combine) {
  double result = all[position];
  for (std::int64_t k = 1; k < parts; ++k) result = combine(result, all[k * size + position]);
  return result;
}

template <class T> auto parts_of(array<T, 3>& all, std::int64_t rows, std::int64_t columns) {
  auto const view = all.view();
  return tn::view<T const, parts, tn::dyn, tn::dyn>(view.data(), rows, columns);
}

template <class T> class few_rows : public testing::Test {};
using number_types = testing::Types<float, tn::bfloat16>;
TYPED_TEST_SUITE(few_rows, number_types);

TYPED_TEST(few_rows, summed_before_rows_are_normalised) {
  using T = TypeParam;
  static auto const f = tn::compile([](auto p, auto r, auto weight) {
    auto const h = tn::sum(tn::cast<float>(p), tn::axis<0>) + tn::cast<float>(r);
    return tn::outputs(tn::cast<T>(h), tn::cast<T>(tn::rms_norm(h, weight)));
  });
  for (auto const& [rows, n] :
       std::vector<std::pair<std::int64_t, std::int64_t>>{{1, 16}, {5, 33}, {7, 256}, {2, 4096}}) {
    auto p = random_array<T, 3>({parts, rows, n});
    auto r = random_array<T, 2>({rows, n});
    auto weight = random_array<T, 1>({n});
    doubles const given = p.values(), residual = r.values(), w = weight.values();
    doubles sums({rows, n}), scale({rows, n});
    for (std::int64_t i = 0; i < rows * n; ++i)
      sums[i] = residual[i] + over_parts(given, i, rows * n, std::plus<>());
    doubles expected = reference::rms_norm(sums, 0b10, 1e-5);
    for (std::int64_t i = 0; i < rows * n; ++i) {
      scale[i] = 8 + std::fabs(expected[i]);
      expected[i] *= w[i % n];
    }
    array<T, 2> all({rows, n}), norm({rows, n});
    f.into(all.view(), norm.view())(parts_of(p, rows, n), r.view(), weight.view());
    std::string const what = std::to_string(rows) + " x " + std::to_string(n);
    doubles sum_scale = sums;
    for (double& x : sum_scale.values) x = 32 + std::fabs(x);
    check_close(tn::dtype_of<T>, all.result(), sums, {.arithmetic = 16, .scale = &sum_scale},
                "sum, " + what);
    check_close(tn::dtype_of<T>, norm.result(), expected,
                {.arithmetic = 32 + sum_roundoffs(n), .scale = &scale}, "rms norm, " + what);
  }
}

TYPED_TEST(few_rows, largest_before_a_softmax) {
  using T = TypeParam;
  static auto const f =
      tn::compile([](auto p) { return tn::softmax(tn::max(p, tn::axis<0>), tn::axis<1>); });
  std::int64_t const rows = 9, n = 100;
  auto p = random_array<T, 3>({parts, rows, n});
  doubles const given = p.values();
  doubles largest({rows, n});
  for (std::int64_t i = 0; i < rows * n; ++i)
    largest[i] = over_parts(given, i, rows * n, [](double a, double b) { return a > b ? a : b; });
  array<T, 2> out({rows, n});
  f.into(out.view())(parts_of(p, rows, n));
  check_close(tn::dtype_of<T>, out.result(), reference::softmax(largest, 0b10),
              {.arithmetic = 32 + sum_roundoffs(n)}, "softmax");
}

}  // namespace
