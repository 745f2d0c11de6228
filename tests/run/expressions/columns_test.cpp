// SPDX-License-Identifier: Apache-2.0
// Reductions over the outer axis, where neighbouring rows are neighbours in memory: over one block
// and over several, in one phase and in several, with values per row, per element and in total.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

// The ends and the inside of vectors, tiles of rows and slices of the reduced axis; few positions
// of a thread, and one alone in several tiles; few elements, of which a thread has some of one row.
constexpr extents_of_rank<2> shapes[] = {
    {1, 1},      {3, 33},    {33, 3},   {31, 1000}, {1025, 65}, {5003, 4},   {257, 32},
    {4096, 9},   {70001, 5}, {7, 4099}, {1, 517},   {2, 35},    {600, 31},   {2100, 7},
    {300, 1023}, {4000, 3},  {2, 8192}, {64, 264},  {133, 9},   {1, 600000}, {64, 7},
    {1000, 33},  {64, 1024}, {4096, 3}, {1025, 9},  {5, 13000}, {1000, 500}};
constexpr arrangement layouts[] = {arrangement::contiguous, arrangement::misaligned,
                                   arrangement::padded};

std::string described(extents_of_rank<2> const& e, arrangement how) {
  return std::to_string(e[0]) + " x " + std::to_string(e[1]) + ", " + to_string(how);
}

template <class Check> void for_each_case(Check const& check) {
  for (extents_of_rank<2> const& shape : shapes)
    for (arrangement how : layouts) check(shape, how);
}

template <class T> void check_statistics() {
  auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x * x, tn::axis<0>), tn::max(x, tn::axis<0>)); });
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how) {
    auto x = random_array<T, 2>(shape, how);
    auto const [total, largest] = f(x.view());
    auto const square = [](double v) { return v * v; };
    reference::doubles const squares =
        reference::reduced(reference::elementwise(square, x.values()), 0b01, false, reference::sum);
    // The squares of a half type are sums of its arithmetic type, rounded once at the end.
    check_close(tn::dtype_of<T>, result_of(total), squares,
                {.arithmetic = 2 + sum_roundoffs(shape[0])}, "sum, " + described(shape, how));
    check_close(tn::dtype_of<T>, result_of(largest),
                reference::reduced(x.values(), 0b01, false, reference::max),
                {.arithmetic = 0, .storage = 0}, "max, " + described(shape, how));
  });
}
TEST(columns, statistics_of_float) { check_statistics<float>(); }
TEST(columns, statistics_of_double) { check_statistics<double>(); }
TEST(columns, statistics_of_bfloat16) { check_statistics<tn::bfloat16>(); }

TEST(columns, sums_of_integers_are_exact) {
  auto const f = tn::compile([](auto x) { return tn::sum(x, tn::axis<0>); });
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how) {
    auto x = random_array<std::int32_t, 2>(shape, how);
    auto const total = f(x.view());
    check_close(tn::dtype::i64, result_of(total),
                reference::reduced(x.values(), 0b01, false, reference::sum), {},
                described(shape, how));
  });
}

template <class T> void check_variance() {
  auto const f = tn::compile([](auto x) { return tn::var(x, tn::axis<0>); });
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how) {
    if (shape[0] == 1) return;  // of one element it is NaN
    auto x = random_array<T, 2>(shape, how);
    auto const unbiased = [](reference::elements const& e) { return reference::variance(e, 1); };
    auto const conditioned = [](reference::elements const& e) {
      return reference::conditioned_variance(e, 1);
    };
    auto const variance = f(x.view());
    reference::doubles const scale = reference::reduced(x.values(), 0b01, false, conditioned);
    check_close(
        tn::dtype_of<T>, result_of(variance), reference::reduced(x.values(), 0b01, false, unbiased),
        {.arithmetic = 4 * sum_roundoffs(shape[0]), .scale = &scale}, described(shape, how));
  });
}
TEST(columns, variance_of_float) { check_variance<float>(); }
TEST(columns, variance_of_bfloat16) { check_variance<tn::bfloat16>(); }

// More than one sweep: what fits stays in the shared memory of a block or a cluster, the rest is
// read again.
template <class T> void check_softmax() {
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<0>); });
  auto const check = [&](extents_of_rank<2> const& shape, arrangement how) {
    auto x = random_array<T, 2>(shape, how);
    array<T, 2> z(shape, how);
    auto target = z.view();
    f.into(target)(x.view());
    check_close(tn::dtype_of<T>, z.result(), reference::softmax(x.values(), 0b01),
                {.arithmetic = 16 + sum_roundoffs(shape[0])}, described(shape, how));
  };
  for_each_case(check);
  for (arrangement how : layouts) check({4099, 517}, how);
  check({60000, 40}, arrangement::contiguous);
}
TEST(columns, softmax_of_float) { check_softmax<float>(); }
TEST(columns, softmax_of_bfloat16) { check_softmax<tn::bfloat16>(); }

// Few columns of more positions than a cluster keeps: one block would read them all in each phase.
TEST(columns, softmax_of_few_is_shared_by_many_blocks) {
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<0>); });
  auto x = random_array<float, 2>({300000, 3});
  array<float, 2> z({300000, 3});
  f.into(z.view())(x.view());
  check_close(tn::dtype::f32, z.result(), reference::softmax(x.values(), 0b01),
              {.arithmetic = 16 + sum_roundoffs(300000)});
  std::string const schedule = tn::explain(f, x.view()).schedule;
  EXPECT_EQ(schedule.find("neighbouring threads on neighbouring rows, read again in each phase"),
            std::string::npos)
      << schedule;
}

// A bias for every reduced position, a scale for every row, and a total of the rows' values.
TEST(columns, weighted_total) {
  auto const f = tn::compile([](auto x, auto bias, auto scale) {
    return tn::max(tn::sum(tn::abs(x + tn::unsqueeze(bias, tn::axis<1>)), tn::axis<0>) * scale);
  });
  for_each_case([&](extents_of_rank<2> const& shape, arrangement how) {
    auto x = random_array<float, 2>(shape, how);
    auto bias = random_array<float, 1>({shape[0]}), scale = random_array<float, 1>({shape[1]});
    double largest = -INFINITY;
    reference::doubles const a = x.values(), b = bias.values(), s = scale.values();
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      double total = 0;
      for (std::int64_t i = 0; i < shape[0]; ++i) total += std::fabs(a[i * shape[1] + j] + b[i]);
      largest = std::max(largest, total * s[j]);
    }
    auto const result = f(x.view(), bias.view(), scale.view());
    check_close(tn::dtype::f32, result_of(result), reference::doubles({}, {largest}),
                {.arithmetic = 4 + sum_roundoffs(shape[0])}, described(shape, how));
  });
}

// The reduced axes are one where the operand is contiguous, and several where rows end with
// elements that belong to nobody: the bits are the same, of few elements and of many.
template <class T> void check_axes_in_any_layout() {
  auto const f = tn::compile([](auto x) { return tn::sum(x * x, tn::axis<0, 1>); });
  for (extents_of_rank<3> const& shape :
       {extents_of_rank<3>{7, 9, 5}, {40, 25, 33}, {3, 3, 1024}, {90, 70, 40}, {50, 20, 300}}) {
    auto x = random_array<T, 3>(shape);
    reference::doubles const values = x.values();
    auto const square = [](double v) { return v * v; };
    array<T, 1> expected({shape[2]});
    auto to = expected.view();
    f.into(to)(x.view());
    check_close(
        tn::dtype_of<T>, expected.result(),
        reference::reduced(reference::elementwise(square, values), 0b011, false, reference::sum),
        {.arithmetic = 2 + sum_roundoffs(shape[0] * shape[1])});
    for (arrangement how : {arrangement::misaligned, arrangement::padded}) {
      array<T, 3> y(shape, how, values);
      array<T, 1> sums({shape[2]});
      auto also = sums.view();
      f.into(also)(y.view());
      EXPECT_EQ(sums.bits(), expected.bits()) << shape[0] << ", " << to_string(how);
    }
  }
}
TEST(columns, axes_of_float_in_any_layout) { check_axes_in_any_layout<float>(); }
TEST(columns, axes_of_double_in_any_layout) { check_axes_in_any_layout<double>(); }
TEST(columns, axes_of_half_in_any_layout) { check_axes_in_any_layout<tn::half>(); }

TEST(columns, of_no_element) {
  auto const f = tn::compile([](auto x) { return tn::sum(x, tn::axis<0>); });
  array<float, 2> none({0, 37}), nowhere({37, 0});
  reference::doubles const zeros({37});
  auto const empty = f(none.view()), nothing = f(nowhere.view());
  check_close(tn::dtype::f32, result_of(empty), zeros);
  EXPECT_EQ(result_of(nothing).size(), 0);
}

TEST(columns, have_the_same_bits_in_every_run) {
  auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x, tn::axis<0>), tn::var(x, tn::axis<0>)); });
  for (extents_of_rank<2> const& shape : {extents_of_rank<2>{20011, 33}, {301, 4099}}) {
    auto x = random_array<float, 2>(shape);
    auto const once = [&] {
      array<float, 1> total({shape[1]}), variance({shape[1]});
      auto a = total.view(), b = variance.view();
      f.into(a, b)(x.view());
      return std::pair(total.bits(), variance.bits());
    };
    auto const expected = once();
    for (int round = 0; round < 5; ++round) EXPECT_EQ(once(), expected) << shape[0];
  }
}

}  // namespace
