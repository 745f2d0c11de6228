// SPDX-License-Identifier: Apache-2.0
// Sums over the outer axis of many rows of no whole number of vectors, of which a block has all:
// the values, and the same bits wherever and on how many axes they lie.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

// Two, four and eight positions folded to vectors of eight, in slices of which the last one is not
// full; positions of one axis and of two; few rows, and as many as a block may have.
constexpr extents_of_rank<3> shapes[] = {
    {1 << 18, 1, 33}, {512, 260, 66}, {90000, 8, 12}, {66064, 1, 127}};

std::string described(extents_of_rank<3> const& e, arrangement how) {
  return std::to_string(e[0]) + " x " + std::to_string(e[1]) + " x " + std::to_string(e[2]) + ", " +
         to_string(how);
}

// Sums of fewer positions have another kernel.
template <class T> void check_values(extents_of_rank<3> const& shape) {
  auto const f = tn::compile([](auto x) { return tn::mean(tn::abs(x), tn::axis<0, 1>) * 2; });
  auto x = random_array<T, 3>(shape);
#if defined(__CUDACC__)
  std::string const schedule = tn::explain(f, x.view()).schedule;
  EXPECT_NE(schedule.find("positions folded"), std::string::npos) << schedule;
#endif
  double const count = static_cast<double>(shape[0] * shape[1]);
  auto const share = [&](double v) { return std::fabs(v) * 2 / count; };
  check_close(
      tn::dtype_of<T>, result_of(f(x.view())),
      reference::reduced(reference::elementwise(share, x.values()), 0b011, false, reference::sum),
      {.arithmetic = 4 + sum_roundoffs(shape[0] * shape[1])},
      described(shape, arrangement::contiguous));
}
TEST(folded_columns, values_of_bfloat16) {
  for (extents_of_rank<3> const& shape : shapes) check_values<tn::bfloat16>(shape);
}
TEST(folded_columns, values_of_half) { check_values<tn::half>(shapes[0]); }

template <class T, class Compute>
void check_bits(Compute const& compute, extents_of_rank<3> const& shape) {
  auto x = random_array<T, 3>(shape);
  std::vector<double> const expected = result_of(compute(x.view())).values;
  for (arrangement how : {arrangement::misaligned, arrangement::padded, arrangement::reversed}) {
    array<T, 3> y(shape, how, x.values());
    EXPECT_EQ(result_of(compute(y.view())).values, expected) << described(shape, how);
  }
}
TEST(folded_columns, same_bits_of_any_layout) {
  auto const f = tn::compile([](auto x) { return tn::sum(x, tn::axis<0, 1>); });
  for (extents_of_rank<3> const& shape : shapes) check_bits<tn::bfloat16>(f, shape);
}
// Rows of two axes, which lie together, or with elements between that are nobody's: then a block
// has more vectors than lanes.
TEST(folded_columns, same_bits_of_rows_of_two_axes) {
  auto const f = tn::compile([](auto x) { return tn::max(x * x, tn::axis<0>); });
  auto const g = tn::compile([](auto x) { return tn::sum(x, tn::axis<0>); });
  for (extents_of_rank<3> const& shape : {extents_of_rank<3>{1 << 18, 3, 11}, {88000, 50, 2}}) {
    check_bits<tn::half>(f, shape);
    check_bits<tn::half>(g, shape);
  }
}

// One operand is the same for all rows, another for all positions.
TEST(folded_columns, of_operands_that_repeat) {
  auto const f = tn::compile([](auto x, auto y, auto z) {
    return tn::sum(tn::abs(x * tn::unsqueeze(y, tn::axis<1>) + z), tn::axis<0>);
  });
  extents_of_rank<2> const shape{1 << 18, 33};
  auto x = random_array<tn::bfloat16, 2>(shape);
  auto y = random_array<tn::bfloat16, 1>({shape[0]}), z = random_array<tn::bfloat16, 1>({shape[1]});
  reference::doubles const a = x.values(), b = y.values(), c = z.values();
  std::vector<double> sums(static_cast<std::size_t>(shape[1]));
  for (std::int64_t i = 0; i < shape[0]; ++i)
    for (std::int64_t j = 0; j < shape[1]; ++j)
      sums[static_cast<std::size_t>(j)] += std::fabs(a[i * shape[1] + j] * b[i] + c[j]);
  check_close(tn::dtype::bf16, result_of(f(x.view(), y.view(), z.view())),
              reference::doubles({shape[1]}, sums), {.arithmetic = 4 + sum_roundoffs(shape[0])});
}

TEST(folded_columns, have_the_same_bits_in_every_run) {
  auto const f = tn::compile([](auto x) { return tn::sum(x, tn::axis<0>); });
  auto x = random_array<tn::bfloat16, 2>({1 << 18, 33});
  auto const once = [&] {
    array<tn::bfloat16, 1> total({33});
    auto to = total.view();
    f.into(to)(x.view());
    return total.bits();
  };
  auto const expected = once();
  for (int round = 0; round < 3; ++round) EXPECT_EQ(once(), expected) << round;
}

}  // namespace
