// SPDX-License-Identifier: Apache-2.0
// Every reduction on every dtype, over short, odd, long and empty axes, in one kernel with many
// outputs.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::elements;

constexpr std::int64_t lengths[] = {1, 2, 31, 32, 33, 1023, 1024, 1025, 4099, 20011};

// Elements near 1 keep a product of many in range; then rows of special kinds.
template <class T> reference::doubles near_one(reference::shape const& extents) {
  reference::doubles x = random_doubles<T>(extents, 0.9, 1.1);
  if constexpr (!tn::is_floating(tn::dtype_of<T>))
    for (double& value : x.values) value = std::is_same_v<T, bool> || generator()() % 8 ? 1 : -1;
  std::int64_t const columns = extents[1];
  for (std::int64_t k = 0; k < columns; ++k) x[k] = 0;
  if (columns > 0) x[columns + columns / 2] = 0;
  return x;
}

template <class T, class Tensor, class Reduce>
void check(char const* what, Tensor const& result, reference::doubles const& x,
           Reduce const& reduce, double roundoffs, auto const& scale_of) {
  constexpr tn::dtype type = tn::dtype_of<typename Tensor::element_type>;
  reference::doubles const scale = reference::reduced(x, 0b10, false, scale_of);
  check_close(type, result_of(result), reference::reduced(x, 0b10, false, reduce),
              {.arithmetic = roundoffs, .scale = &scale},
              std::string(what) + " of " + std::string(tn::name(tn::dtype_of<T>)) + " over " +
                  std::to_string(x.extents[1]));
}

// Rounding of a product of n factors; exact where nothing is rounded.
double largest_magnitude(elements const& e) {
  return e.empty() ? 0 : std::max(std::fabs(reference::max(e)), std::fabs(reference::min(e)));
}

template <class T> void check_floating(std::int64_t columns) {
  array<T, 2> x({5, columns}, arrangement::contiguous, near_one<T>({5, columns}));
  auto const f = tn::compile([](auto x) {
    constexpr auto along = tn::axis<1>;
    return tn::outputs(tn::sum(x, along), tn::mean(x, along), tn::max(x, along), tn::min(x, along),
                       tn::prod(x, along), tn::var(x, along), tn::var(x, along, tn::correction<0>),
                       tn::any(x, along), tn::all(x, along), tn::logsumexp(x, along));
  });
  auto const [sum, mean, max, min, prod, sample_var, var, any, all, log_sum_exp] = f(x.view());
  reference::doubles const values = x.values();
  double const n = static_cast<double>(columns), roundoffs = sum_roundoffs(columns);
  check<T>("sum", sum, values, reference::sum, roundoffs, reference::sum_of_magnitudes);
  check<T>("mean", mean, values, reference::mean, roundoffs + 1,
           [n](elements const& e) { return reference::sum_of_magnitudes(e) / n; });
  check<T>("max", max, values, reference::max, 0, reference::max);
  check<T>("min", min, values, reference::min, 0, reference::min);
  check<T>("prod", prod, values, reference::product, n, reference::product);
  // The deviations are differences of the elements to a rounded mean.
  auto const conditioned = [](int correction) {
    return [correction](elements const& e) {
      double const variance = reference::variance(e, correction);
      return variance + largest_magnitude(e) * std::sqrt(variance);
    };
  };
  check<T>(
      "var", sample_var, values, [](elements const& e) { return reference::variance(e, 1); },
      2 * roundoffs, conditioned(1));
  check<T>(
      "var, correction 0", var, values, [](elements const& e) { return reference::variance(e, 0); },
      2 * roundoffs, conditioned(0));
  check<T>("any", any, values, reference::any, 0, reference::any);
  check<T>("all", all, values, reference::all, 0, reference::all);
  check<T>("logsumexp", log_sum_exp, values, reference::log_sum_exp, 1,
           [&](elements const& e) { return std::fabs(reference::log_sum_exp(e)) + roundoffs; });
}

template <class T> void check_integral(std::int64_t columns) {
  array<T, 2> x({5, columns}, arrangement::contiguous, near_one<T>({5, columns}));
  auto const f = tn::compile([](auto x) {
    constexpr auto along = tn::axis<1>;
    return tn::outputs(tn::sum(x, along), tn::max(x, along), tn::min(x, along), tn::prod(x, along),
                       tn::any(x, along), tn::all(x, along));
  });
  auto const [sum, max, min, prod, any, all] = f(x.view());
  static_assert(std::is_same_v<typename decltype(sum)::element_type, std::int64_t>,
                "a sum of integers or bool is int64");
  static_assert(std::is_same_v<typename decltype(prod)::element_type, std::int64_t>);
  static_assert(std::is_same_v<typename decltype(max)::element_type, T>);
  static_assert(std::is_same_v<typename decltype(any)::element_type, bool>);
  reference::doubles const values = x.values();
  check<T>("sum", sum, values, reference::sum, 0, reference::sum);
  check<T>("max", max, values, reference::max, 0, reference::max);
  check<T>("min", min, values, reference::min, 0, reference::min);
  check<T>("prod", prod, values, reference::product, 0, reference::product);
  check<T>("any", any, values, reference::any, 0, reference::any);
  check<T>("all", all, values, reference::all, 0, reference::all);
}

TEST(reduction_operators, of_float) {
  for (std::int64_t n : lengths) check_floating<float>(n);
}
TEST(reduction_operators, of_double) {
  for (std::int64_t n : lengths) check_floating<double>(n);
}
TEST(reduction_operators, of_half) {
  for (std::int64_t n : lengths) check_floating<tn::half>(n);
}
TEST(reduction_operators, of_bfloat16) {
  for (std::int64_t n : lengths) check_floating<tn::bfloat16>(n);
}
TEST(reduction_operators, of_int32) {
  for (std::int64_t n : lengths) check_integral<std::int32_t>(n);
}
TEST(reduction_operators, of_int64) {
  for (std::int64_t n : lengths) check_integral<std::int64_t>(n);
}
TEST(reduction_operators, of_bool) {
  for (std::int64_t n : lengths) check_integral<bool>(n);
}

}  // namespace
