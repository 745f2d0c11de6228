// SPDX-License-Identifier: Apache-2.0
// NaN, infinities, signed zeros, the limits of integers, bool arithmetic and empty tensors, where
// the meaning is fixed.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "run/support/errors.hpp"

namespace {

using reference::doubles;

constexpr double inf = std::numeric_limits<double>::infinity();
double const nan = std::nan("");
constexpr tolerance exact{.arithmetic = 0, .storage = 0};

template <class T, int Rank>
array<T, Rank> array_of(extents_of_rank<Rank> const& extents, std::vector<double> const& values) {
  return {extents, arrangement::contiguous,
          doubles(reference::shape(extents.begin(), extents.end()), values)};
}

// Each place of a long row in turn would hide a lane, a warp or a tail that drops NaN.
TEST(special_values, nan_anywhere_reaches_the_result) {
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::sum(x, tn::axis<1>), tn::max(x, tn::axis<1>), tn::min(x, tn::axis<1>),
                       tn::var(x, tn::axis<1>), tn::logsumexp(x, tn::axis<1>));
  });
  auto const total = tn::compile([](auto x) { return tn::outputs(tn::max(x), tn::min(x)); });
  for (std::int64_t length : {1, 32, 33, 1025, 20011}) {
    std::int64_t const places[] = {0, length / 2, length - 1};
    doubles values = random_doubles<float>({3, length});
    for (int row = 0; row < 3; ++row) values[row * length + places[row]] = nan;
    array<float, 2> x({3, length}, arrangement::contiguous, values);
    doubles const expected({3}, {nan, nan, nan});
    auto const [sum, max, min, var, log_sum_exp] = f(x.view());
    for (doubles const& result :
         {result_of(sum), result_of(max), result_of(min), result_of(var), result_of(log_sum_exp)})
      check_close(tn::dtype::f32, result, expected, exact, std::to_string(length));
    auto const [largest, smallest] = total(x.view());
    check_close(tn::dtype::f32, result_of(largest), doubles({}, {nan}), exact);
    check_close(tn::dtype::f32, result_of(smallest), doubles({}, {nan}), exact);
  }
}

TEST(special_values, nan_in_relu_maximum_clamp_and_where) {
  auto x = array_of<float, 1>({4}, {nan, 1, -1, inf}), y = array_of<float, 1>({4}, {2, nan, 2, 2});
  auto const f = tn::compile([](auto x, auto y) {
    return tn::outputs(tn::relu(x), tn::maximum(x, y), tn::minimum(x, y), tn::clamp(x, -2.0f, 2.0f),
                       tn::where(x < y, x, y), x * 0, x - x);
  });
  auto const [relu, maximum, minimum, clamp, where, times_zero, difference] = f(x.view(), y.view());
  check_close(tn::dtype::f32, result_of(relu), doubles({4}, {nan, 1, 0, inf}), exact, "relu");
  check_close(tn::dtype::f32, result_of(maximum), doubles({4}, {nan, nan, 2, inf}), exact,
              "maximum");
  check_close(tn::dtype::f32, result_of(minimum), doubles({4}, {nan, nan, -1, 2}), exact,
              "minimum");
  check_close(tn::dtype::f32, result_of(clamp), doubles({4}, {nan, 1, -1, 2}), exact, "clamp");
  check_close(tn::dtype::f32, result_of(where), doubles({4}, {2, nan, -1, 2}), exact, "where");
  check_close(tn::dtype::f32, result_of(times_zero), doubles({4}, {nan, 0, 0, nan}), exact,
              "x * 0 is not 0");
  check_close(tn::dtype::f32, result_of(difference), doubles({4}, {nan, 0, 0, nan}), exact,
              "x - x is not 0");
}

// Rows of -inf only, of one finite number among -inf, of +inf, and of NaN.
TEST(special_values, softmax_family_of_infinite_rows) {
  for (std::int64_t length : {1, 33, 1025, 20011}) {
    doubles values({4, length});
    for (std::int64_t k = 0; k < length; ++k) {
      values[k] = values[length + k] = -inf;
      values[2 * length + k] = values[3 * length + k] = 0;
    }
    values[length + length / 2] = 2;
    values[2 * length + length - 1] = inf;
    values[3 * length] = nan;
    array<float, 2> x({4, length}, arrangement::contiguous, values);
    auto const f = tn::compile([](auto x) {
      return tn::outputs(tn::softmax(x, tn::axis<1>), tn::log_softmax(x, tn::axis<1>),
                         tn::logsumexp(x, tn::axis<1>), tn::max(x, tn::axis<1>));
    });
    auto const [softmax, log_softmax, log_sum_exp, max] = f(x.view());
    std::string const what = "rows of " + std::to_string(length);
    check_close(tn::dtype::f32, result_of(softmax), reference::softmax(values, 0b10), exact,
                "softmax, " + what);
    check_close(tn::dtype::f32, result_of(log_softmax), reference::log_softmax(values, 0b10), exact,
                "log_softmax, " + what);
    check_close(tn::dtype::f32, result_of(log_sum_exp), doubles({4}, {-inf, 2, inf, nan}), exact,
                "logsumexp, " + what);
    check_close(tn::dtype::f32, result_of(max), doubles({4}, {-inf, 2, inf, nan}), exact,
                "max, " + what);
    EXPECT_TRUE(std::isnan(result_of(softmax)[0])) << "a row of -inf has no softmax";
  }
}

TEST(special_values, sign_of_zero) {
  auto x = array_of<float, 1>({2}, {0.0, -0.0});
  auto const f = tn::compile(
      [](auto x) { return tn::outputs(-x, tn::abs(x), x * 1, x + (-0.0f), tn::sqrt(x)); });
  auto const [negated, magnitude, same, sum, root] = f(x.view());
  auto const signs = [](auto const& tensor) {
    return std::pair(std::signbit(result_of(tensor)[0]), std::signbit(result_of(tensor)[1]));
  };
  EXPECT_EQ(signs(negated), std::pair(true, false));
  EXPECT_EQ(signs(magnitude), std::pair(false, false));
  EXPECT_EQ(signs(same), std::pair(false, true));
  EXPECT_EQ(signs(sum), std::pair(false, true));
  EXPECT_EQ(signs(root), std::pair(false, true));
}

// Where dividends are often 0: of every sign and size, as any other quotient.
template <class Dividend> void check_quotients() {
  auto const f = tn::compile([](auto x, auto y) {
    auto dividend = Dividend{}(x, y);
    return tn::outputs(dividend, dividend / y);
  });
  double const numbers[] = {0,     -0.0,   1,     -3,   0x1p-149, -0x1p-140, 0x1p-126,
                            1e-30, 0x1p96, -1e30, 3e38, inf,      -inf,      nan};
  std::vector<double> first, second;
  for (double x : numbers)
    for (double y : numbers) first.push_back(x), second.push_back(y);
  auto const size = static_cast<std::int64_t>(first.size());
  auto x = array_of<float, 1>({size}, first), y = array_of<float, 1>({size}, second);
  auto const [dividends, quotients] = f(x.view(), y.view());
  doubles const dividend = result_of(dividends), quotient = result_of(quotients);
  for (std::int64_t k = 0; k < size; ++k) {
    double const expected = static_cast<float>(dividend[k]) / static_cast<float>(second[k]);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(quotient[k])) << first[k] << " " << second[k];
    } else {
      EXPECT_EQ(quotient[k], expected) << first[k] << " " << second[k];
      EXPECT_EQ(std::signbit(quotient[k]), std::signbit(expected)) << first[k] << " " << second[k];
    }
  }
}
struct cut_off {
  constexpr auto operator()(auto x, auto) const { return tn::relu(x); }
};
struct masked {
  constexpr auto operator()(auto x, auto y) const { return -tn::where(y > x, 0.0f, x); }
};
struct multiplied {
  constexpr auto operator()(auto x, auto) const { return x * tn::maximum(x, 0.0f); }
};
struct counted {
  constexpr auto operator()(auto x, auto) const { return x * tn::cast<float>(x > 1.0f); }
};
TEST(special_values, quotients_of_zeros) {
  check_quotients<cut_off>();
  check_quotients<masked>();
  check_quotients<multiplied>();
  check_quotients<counted>();
}

TEST(special_values, integers_wrap) {
  std::int32_t const low = std::numeric_limits<std::int32_t>::min(),
                     high = std::numeric_limits<std::int32_t>::max();
  auto x = array_of<std::int32_t, 1>({3}, {double(low), double(high), 65537});
  auto const total = tn::compile([](auto x) { return tn::sum(x); });
  auto const pointwise =
      tn::compile([](auto x) { return tn::outputs(x + 1, x - 1, x * x, -x, tn::abs(x)); });
  auto const [next, previous, square, negated, magnitude] = pointwise(x.view());
  check_close(tn::dtype::i32, result_of(next), doubles({3}, {low + 1.0, double(low), 65538}), exact,
              "x + 1");
  check_close(tn::dtype::i32, result_of(previous), doubles({3}, {double(high), high - 1.0, 65536}),
              exact, "x - 1");
  check_close(tn::dtype::i32, result_of(square), doubles({3}, {0, 1, 131073}), exact, "x * x");
  check_close(tn::dtype::i32, result_of(negated),
              doubles({3}, {double(low), -double(high), -65537}), exact, "-x");
  check_close(tn::dtype::i32, result_of(magnitude),
              doubles({3}, {double(low), double(high), 65537}), exact, "abs");
  check_close(tn::dtype::i64, result_of(total(x.view())), doubles({}, {65536}), exact,
              "a sum is int64");
}

TEST(special_values, bool_arithmetic_is_logic) {
  auto x = array_of<bool, 1>({4}, {0, 0, 1, 1}), y = array_of<bool, 1>({4}, {0, 1, 0, 1});
  auto const f =
      tn::compile([](auto x, auto y) { return tn::outputs(x + y, x * y, x != y, !x && y); });
  auto const [sum, product, differs, implied] = f(x.view(), y.view());
  check_close(tn::dtype::boolean, result_of(sum), doubles({4}, {0, 1, 1, 1}), exact, "+");
  check_close(tn::dtype::boolean, result_of(product), doubles({4}, {0, 0, 0, 1}), exact, "*");
  check_close(tn::dtype::boolean, result_of(differs), doubles({4}, {0, 1, 1, 0}), exact, "!=");
  check_close(tn::dtype::boolean, result_of(implied), doubles({4}, {0, 1, 0, 0}), exact, "&&");
}

constexpr auto defined_on_empty = [](auto x, auto along) {
  return tn::outputs(tn::sum(x, along), tn::prod(x, along), tn::any(x, along), tn::all(x, along),
                     tn::mean(x, along), tn::var(x, along), tn::logsumexp(x, along));
};
void check_filled(auto const& tensor, reference::shape const& shape, double value) {
  doubles expected(shape);
  for (double& v : expected.values) v = value;
  check_close(tn::dtype_of<typename std::remove_cvref_t<decltype(tensor)>::element_type>,
              result_of(tensor), expected, exact, std::to_string(value));
}
void check_of_nothing(auto const& results, reference::shape const& shape) {
  auto const& [sum, prod, any, all, mean, var, log_sum_exp] = results;
  check_filled(sum, shape, 0), check_filled(prod, shape, 1), check_filled(any, shape, 0),
      check_filled(all, shape, 1);
  check_filled(mean, shape, nan), check_filled(var, shape, nan),
      check_filled(log_sum_exp, shape, -inf);
}

TEST(special_values, reductions_of_nothing) {
  tn::tensor<float, tn::dyn, tn::dyn> no_columns(3, 0), no_rows(0, 3);
  auto const rows = tn::compile([](auto x) { return defined_on_empty(x, tn::axis<1>); });
  auto const all = tn::compile([](auto x) { return defined_on_empty(x, tn::axis<0, 1>); });
  check_of_nothing(rows(no_columns), {3});
  check_of_nothing(rows(no_rows), {0});
  check_of_nothing(all(no_columns), {});
  check_of_nothing(all(no_rows), {});
}

TEST(special_values, maximum_of_an_empty_axis_is_refused) {
  tn::tensor<float, tn::dyn, tn::dyn> no_columns(3, 0), no_rows(0, 3);
  auto const max = tn::compile([](auto x) { return tn::max(x, tn::axis<1>); }, "rowwise");
  auto const min = tn::compile([](auto x) { return tn::exp(tn::min(x)); }, "total");
  EXPECT_ERROR(max(no_columns),
               "tenon: max: the operand is empty along the reduced axes, shape [3, 0]; reduce at "
               "least one element; a sum, product, any or all of "
               "nothing is defined (expression rowwise)");
  EXPECT_ERROR(min(no_rows),
               "tenon: min: the operand is empty along the reduced axes, shape [0, 3]; reduce at "
               "least one element; a sum, product, any or all of "
               "nothing is defined (expression total)");
  EXPECT_EQ(result_of(max(no_rows)).extents, reference::shape{0}) << "no row has an empty maximum";
}

TEST(special_values, softmax_of_an_empty_axis_is_empty) {
  tn::tensor<float, tn::dyn, tn::dyn> no_columns(3, 0);
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); });
  EXPECT_EQ(result_of(f(no_columns)).extents, (reference::shape{3, 0}));
}

TEST(special_values, variance_of_too_few_is_nan) {
  auto x = array_of<float, 2>({2, 1}, {5, inf});
  auto const f = tn::compile([](auto x) {
    return tn::outputs(tn::var(x, tn::axis<1>), tn::var(x, tn::axis<1>, tn::correction<0>),
                       tn::var(x, tn::axis<1>, tn::correction<2>));
  });
  auto const [sample, population, more] = f(x.view());
  check_close(tn::dtype::f32, result_of(sample), doubles({2}, {nan, nan}), exact, "correction 1");
  check_close(tn::dtype::f32, result_of(population), doubles({2}, {0, nan}), exact, "correction 0");
  check_close(tn::dtype::f32, result_of(more), doubles({2}, {nan, nan}), exact, "correction 2");
}

// E[x^2] - E[x]^2 would lose every digit of the spread.
TEST(special_values, variance_far_from_zero) {
  doubles values({2, 4099});
  for (std::int64_t k = 0; k < values.size(); ++k) values[k] = 1e4 + k % 2;
  array<float, 2> x({2, 4099}, arrangement::contiguous, values);
  auto const f = tn::compile([](auto x) { return tn::var(x, tn::axis<1>, tn::correction<0>); });
  doubles const expected = reference::reduced(
      values, 0b10, false, [](reference::elements const& e) { return reference::variance(e, 0); });
  check_close(tn::dtype::f32, result_of(f(x.view())), expected,
              {.arithmetic = 0, .absolute = 1e-3});
}

// A product and itself are not rounded apart.
TEST(special_values, a_product_less_itself) {
  auto const f = tn::compile([](auto x, auto y) {
    auto const product = (x + y) * x;
    return tn::outputs(product - product, product + product - 2 * product);
  });
  auto x = random_array<float, 1>({1000}), y = random_array<float, 1>({1000});
  auto const [difference, rest] = f(x.view(), y.view());
  for (double zero : result_of(difference).values) ASSERT_EQ(zero, 0);
  for (double zero : result_of(rest).values) ASSERT_EQ(zero, 0);
}

}  // namespace
