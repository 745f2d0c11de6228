// SPDX-License-Identifier: Apache-2.0
// The laws for every reduction of the table, and the values that are fixed by definition.
// tenon-test: nvcc-host
#include <algorithm>
#include <random>

#include "laws/reduction_laws.hpp"
#include "tenon/ops/chosen_vector.hpp"
#include "tenon/ops/co_moments.hpp"
#include "tenon/ops/tables.hpp"

namespace tenon {
namespace {

double const inf = std::numeric_limits<double>::infinity();
double const nan = std::numeric_limits<double>::quiet_NaN();

template <class Element> void check_table() {
  laws::for_each_op(ops::reduction_table{},
                    [](auto op) { laws::check_reduction<typename decltype(op)::type, Element>(); });
}

TEST(reduction, laws_in_f32) { check_table<float>(); }
TEST(reduction, laws_in_f64) { check_table<double>(); }
TEST(reduction, laws_in_bf16) { check_table<bfloat16>(); }
TEST(reduction, laws_in_i32) { check_table<std::int32_t>(); }
TEST(reduction, laws_in_i64) { check_table<std::int64_t>(); }
TEST(reduction, laws_in_bool) { check_table<bool>(); }

template <class Op, class T> auto reduce(std::vector<T> const& x) {
  return laws::reduce<Op, T>(x.data(), x.data() + x.size());
}

TEST(reduction, of_nothing) {
  EXPECT_EQ(ops::sum::identity<float>(), 0.0f);
  EXPECT_EQ(ops::product::identity<float>(), 1.0f);
  EXPECT_EQ(ops::maximum_of::identity<float>(), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(ops::maximum_of::identity<std::int32_t>(), INT32_MIN);
  EXPECT_EQ(ops::minimum_of::identity<float>(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(ops::minimum_of::identity<std::uint8_t>(), 255);
  EXPECT_FALSE(ops::any_of::identity<bool>());
  EXPECT_TRUE(ops::all_of::identity<bool>());
  EXPECT_TRUE(std::isnan(ops::mean_of::eval(ops::moments::identity<float>())));
  EXPECT_EQ(ops::m2_of::eval(ops::moments::identity<float>()), 0.0f);
  EXPECT_EQ(ops::log_sum_exp_of::eval(ops::log_sum_exp::identity<double>()), -inf);
}

TEST(reduction, sum_of_integers_wraps_in_64_bits) {
  EXPECT_EQ(reduce<ops::sum>(std::vector<std::int64_t>{INT64_MAX, 1}), INT64_MIN);
}

TEST(reduction, maximum_orders_zeros) {
  EXPECT_FALSE(std::signbit(reduce<ops::maximum_of>(std::vector<float>{0.0f, -0.0f})));
  EXPECT_TRUE(std::signbit(reduce<ops::minimum_of>(std::vector<float>{0.0f, -0.0f})));
}

// Element by element and whole vectors at once, in any order of the batches.
template <class Op, class T> void check_chosen(std::vector<T> const& x) {
  constexpr int width = 4, count = 8;
  using state = ops::indexed::state<T>;
  using chosen = ops::chosen_vector<Op, T, width, int>;
  auto take = [&](chosen& c, std::size_t first) {
    T batch[count] = {};
    int const valid = static_cast<int>(std::min<std::size_t>(count, x.size() - first));
    std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(first), valid, batch);
    c.take(batch, valid, [&](int u) { return static_cast<int>(first) / width + u; });
  };
  state expected = Op::template identity<T>();
  for (std::size_t i = 0; i < x.size(); ++i)
    expected = Op::combine(expected, {x[i], 10 + static_cast<long long>(i)});
  chosen forwards, backwards;
  std::size_t const batches = (x.size() + count - 1) / count;
  for (std::size_t k = 0; k < batches; ++k) {
    take(forwards, k * count);
    take(backwards, (batches - 1 - k) * count);
  }
  for (chosen const& c : {forwards, backwards}) {
    state const s = c.state([](int vector, int i) { return 10LL + vector * width + i; });
    EXPECT_EQ(s.index, expected.index);
    if (expected.number == expected.number) {
      EXPECT_EQ(s.number, expected.number);
      EXPECT_EQ(std::signbit(static_cast<double>(s.number)),
                std::signbit(static_cast<double>(expected.number)));
    } else {
      EXPECT_NE(s.number, s.number);
    }
  }
}

TEST(reduction, extremes_of_many_elements_at_once) {
  std::mt19937 generator(11);
  float const values[] = {0.0f,
                          -0.0f,
                          1.0f,
                          -1.0f,
                          static_cast<float>(inf),
                          -static_cast<float>(inf),
                          static_cast<float>(nan)};
  for (int round = 0; round < 2000; ++round) {
    // Of few different numbers, the last of which are NaN and infinities.
    std::uniform_int_distribution<std::size_t> chosen(0, round % 7);
    std::vector<float> x(1 + generator() % 40);
    for (float& value : x) value = values[chosen(generator)];
    check_chosen<ops::arg_maximum>(x);
    check_chosen<ops::arg_minimum>(x);
    std::vector<int> whole(x.size());
    for (int& value : whole) value = static_cast<int>(generator() % 5) - 2;
    whole[generator() % whole.size()] = round % 2 ? INT32_MIN : INT32_MAX;
    check_chosen<ops::arg_maximum>(whole);
    check_chosen<ops::arg_minimum>(whole);
  }
}

TEST(reduction, projections_keep_nan) {
  for (std::vector<double> const& x : {std::vector<double>{1, nan, 2}, std::vector<double>{nan}}) {
    EXPECT_TRUE(std::isnan(ops::mean_of::eval(reduce<ops::moments>(x))));
    EXPECT_TRUE(std::isnan(ops::m2_of::eval(reduce<ops::moments>(x))));
    EXPECT_TRUE(std::isnan(ops::log_sum_exp_of::eval(reduce<ops::log_sum_exp>(x))));
    EXPECT_TRUE(std::isnan(ops::max_part::eval(reduce<ops::log_sum_exp>(x))));
    EXPECT_TRUE(std::isnan(ops::sum_part::eval(reduce<ops::log_sum_exp>(x))));
  }
}

TEST(reduction, log_sum_exp_of_infinities) {
  auto value = [](std::vector<double> x) {
    return ops::log_sum_exp_of::eval(reduce<ops::log_sum_exp>(x));
  };
  EXPECT_EQ(value({-inf, -inf, -inf}), -inf);
  EXPECT_EQ(value({1, inf, -inf}), inf);
  EXPECT_EQ(value({inf, inf}), inf);
  EXPECT_EQ(value({-inf, 3, -inf}), 3);
  EXPECT_NEAR(value({1000, 1000}), 1000 + std::log(2.0), 1e-12);
}

// A state takes in what is larger than all it has, nothing but -inf, and infinity.
TEST(reduction, log_sum_exp_takes_in_many) {
  float const lowest = -static_cast<float>(inf);
  float const none[] = {lowest, lowest, lowest, lowest}, some[] = {1, 2, 3, 5},
              larger[] = {50, 1, lowest, 2}, infinite[] = {1, -lowest, 2, 3};
  auto all = ops::log_sum_exp::identity<float>();
  ops::log_sum_exp::take_many<0>(all, none, 4);
  EXPECT_EQ(ops::log_sum_exp_of::eval(all), lowest);
  ops::log_sum_exp::take_many<2>(all, some, 2);
  EXPECT_NEAR(ops::log_sum_exp_of::eval(all), std::log(std::exp(1.0) + std::exp(2.0)), 1e-6);
  ops::log_sum_exp::take_many<0>(all, some, 4);
  EXPECT_NEAR(all.s, 1 + std::exp(-2.0) + 2 * std::exp(-3.0) + 2 * std::exp(-4.0), 1e-6);
  ops::log_sum_exp::take_many<0>(all, larger, 4);
  EXPECT_NEAR(ops::log_sum_exp_of::eval(all), 50, 1e-5);
  ops::log_sum_exp::take_many<0>(all, infinite, 4);
  ops::log_sum_exp::take_many<0>(all, some, 4);
  EXPECT_EQ(ops::log_sum_exp_of::eval(all), -lowest);
}

// Elements of mean 10^4 and deviation 1: E[x^2] - E[x]^2 would keep no digit of the variance in
// f32.
TEST(reduction, moments_do_not_cancel) {
  std::mt19937 generator(laws::seed);
  std::normal_distribution<double> normal(1e4, 1);
  std::vector<float> x(4096);
  for (float& element : x) element = static_cast<float>(normal(generator));
  double mean = 0, squares = 0;
  for (float element : x) mean += element / static_cast<double>(x.size());
  for (float element : x) squares += (element - mean) * (element - mean);
  auto merged = ops::moments::identity<float>();
  for (std::size_t i = 0; i < x.size(); i += 64) {
    auto part = ops::moments::identity<float>();
    for (std::size_t k = i; k < i + 64; ++k) part = ops::moments::accumulate(part, x[k]);
    merged = ops::moments::combine(merged, part);
  }
  EXPECT_EQ(merged.n, 4096.0f);
  EXPECT_NEAR(merged.mean, mean, 1e-6 * mean);
  EXPECT_NEAR(merged.m2, squares, 1e-4 * squares);
}

// A difference to the mean of an empty state would overflow when squared.
TEST(reduction, moments_of_huge_elements_merge_with_nothing) {
  auto const huge = ops::moments::lift(3e38f), none = ops::moments::identity<float>();
  EXPECT_EQ(ops::moments::combine(none, huge).m2, 0.0f);
  EXPECT_EQ(ops::moments::combine(huge, none).mean, 3e38f);
}

// Of one vector alone nothing may be inside, or all.
TEST(reduction, a_batch_that_is_one_vector_may_be_empty) {
  float const x[] = {1, 2, 3, 5};
  EXPECT_EQ((ops::log_sum_exp::lift_some<4>(x, 0).s), 0.0f);
  EXPECT_EQ((ops::moments::lift_some<4>(x, 0).n), 0.0f);
  EXPECT_EQ((ops::log_sum_exp::lift_some<4>(x, 4).s), ops::log_sum_exp::lift_all(x).s);
  EXPECT_EQ((ops::moments::lift_some<4>(x, 4).m2), ops::moments::lift_all(x).m2);
  EXPECT_EQ((ops::log_sum_exp::lift_some<2>(x, 2).m), 2.0f);
  EXPECT_EQ((ops::moments::lift_some<2>(x, 2).mean), 1.5f);
}

// Of pairs whose first elements lie far from 0, one by one, many at once and in parts.
TEST(reduction, co_moments_do_not_cancel) {
  std::mt19937 generator(laws::seed);
  std::normal_distribution<double> far(1e4, 1), near(0.5, 1);
  constexpr int count = 32, parts = 128;
  ops::paired::state<float> pairs[parts][count];
  double mean = 0, total = 0;
  for (auto& part : pairs)
    for (auto& at : part) {
      at = {static_cast<float>(far(generator)), static_cast<float>(near(generator))};
      mean += at.x / (1.0 * count * parts), total += at.y;
    }
  auto single = ops::co_moments::identity<float>(), many = single;
  for (auto const& part : pairs) {
    auto one = ops::co_moments::identity<float>();
    for (auto const& at : part) one = ops::co_moments::combine(one, ops::co_moments::lift(at));
    single = ops::co_moments::combine(single, one);
    auto const first = ops::co_moments::lift_many(part, count - 5);
    auto rest = ops::co_moments::identity<float>();
    for (int i = count - 5; i < count; ++i)
      rest = ops::co_moments::combine(rest, ops::co_moments::lift(part[i]));
    many = ops::co_moments::combine(many, ops::co_moments::combine(first, rest));
  }
  for (auto const& all : {single, many}) {
    EXPECT_EQ(all.n, 4096.0f);
    EXPECT_NEAR(ops::mean_of::eval(all), mean, 1e-6 * mean);
    // Deviations are those from the mean as it is rounded.
    double product = 0, magnitude = 0;
    for (auto const& part : pairs)
      for (auto const& at : part) {
        double const term = at.y * (static_cast<double>(at.x) - all.mean);
        product += term, magnitude += std::fabs(term);
      }
    EXPECT_NEAR(ops::total_of::eval(all), total, 1e-5 * magnitude);
    EXPECT_NEAR(ops::product_of::eval(all), product, 1e-4 * magnitude);
  }
  auto const none = ops::co_moments::identity<float>();
  EXPECT_EQ(ops::product_of::eval(ops::co_moments::combine(none, many)), many.product);
  EXPECT_TRUE(std::isnan(ops::product_of::eval(
      ops::co_moments::combine(many, ops::co_moments::lift(ops::paired::state<float>{0, NAN})))));
  EXPECT_TRUE(std::isnan(ops::product_of::eval(
      ops::co_moments::combine(many, ops::co_moments::lift(ops::paired::state<float>{NAN, 0})))));
}

}  // namespace
}  // namespace tenon
