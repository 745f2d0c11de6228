// SPDX-License-Identifier: Apache-2.0
// Values over all rows that rows and elements use again, several of them in sequence.
#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace {

using reference::doubles;
using reference::elementwise;
using reference::reduced;

// The row sums, the largest of them, the mean distance of the rows to it, and what elements and
// rows become by these two.
struct sent_back {
  template <class X> constexpr auto operator()(X x) const {
    auto rows = tn::sum(x * x, tn::axis<1>, tn::keepdim);
    auto largest = tn::max(rows);
    auto spread = tn::sum(largest - rows) + 1;
    auto elements = (x + largest) / spread;
    return tn::outputs(elements, rows - largest, tn::sum(elements, tn::axis<1>, tn::keepdim),
                       spread);
  }
};

template <class T>
void check_shape(extents_of_rank<2> const& extents, arrangement how = arrangement::contiguous) {
  constexpr tn::dtype type = tn::dtype_of<T>;
  auto x = random_array<T, 2>(extents, how);
  doubles const values = x.values();
  doubles const squares = elementwise([](double v) { return v * v; }, values);
  doubles const rows = reduced(squares, 0b10, true, reference::sum);
  double const largest = reference::max(rows.values);
  double spread = 1;
  for (double row : rows.values) spread += largest - row;
  auto const scaled = [&](double v) { return (v + largest) / spread; };
  doubles const elements = elementwise(scaled, values);
  doubles const magnitudes =
      elementwise([&](double v) { return (std::fabs(v) + largest) / spread; }, values);

  auto const f = tn::compile(sent_back{});
  auto const [a, b, c, d] = f(x.view());
  std::string const what = " of " + std::to_string(extents[0]) + " x " +
                           std::to_string(extents[1]) + ", " + to_string(how);
  // The differences from the largest row are off by units of it, the spread by as many for each
  // row.
  double const roundoffs = 16 + 4 * (sum_roundoffs(extents[1]) + sum_roundoffs(extents[0]));
  double const per_spread = 1 + static_cast<double>(extents[0]) * largest / spread;
  check_close(type, result_of(a), elements,
              {.arithmetic = roundoffs * per_spread, .scale = &magnitudes}, "elements" + what);
  doubles const row_scale = elementwise([&](double r) { return r + largest; }, rows);
  check_close(type, result_of(b), elementwise([&](double r) { return r - largest; }, rows),
              {.arithmetic = roundoffs, .scale = &row_scale}, "rows" + what);
  doubles const sums_scale = reduced(magnitudes, 0b10, true, reference::sum);
  check_close(type, result_of(c), reduced(elements, 0b10, true, reference::sum),
              {.arithmetic = roundoffs * per_spread, .scale = &sums_scale},
              "row sums of elements" + what);
  check_close(type, result_of(d), doubles({}, {spread}), {.arithmetic = roundoffs * per_spread},
              "spread" + what);
}

template <class T> void check_type() {
  for (std::int64_t length : {1, 31, 32, 33, 1023, 1025, 4099}) check_shape<T>({37, length});
  for (std::int64_t rows : {1, 2, 65, 263, 265, 1031}) check_shape<T>({rows, 100});
  check_shape<T>({3, 70001});
  for (arrangement how : writable_arrangements) check_shape<T>({67, 129}, how);
}

TEST(totals_sent_back, of_float) { check_type<float>(); }
TEST(totals_sent_back, of_double) { check_type<double>(); }
TEST(totals_sent_back, of_bfloat16) { check_type<tn::bfloat16>(); }

TEST(totals_sent_back, two_in_sequence) {
  auto const f = tn::compile([](auto x) {
    auto lengths = tn::sqrt(tn::sum(x * x, tn::axis<1>));
    auto centred = lengths - tn::mean(lengths);
    return centred / tn::sqrt(tn::mean(tn::abs(centred) * tn::abs(centred)));
  });
  for (std::int64_t rows : {2, 33, 1025, 5003}) {
    auto x = random_array<float, 2>({rows, 40});
    doubles const squares = elementwise([](double v) { return v * v; }, x.values());
    doubles const lengths = elementwise([](double v) { return std::sqrt(v); },
                                        reduced(squares, 0b10, false, reference::sum));
    double const mean = reference::mean(lengths.values),
                 deviation = std::sqrt(reference::variance(lengths.values, 0));
    doubles const expected = elementwise([&](double v) { return (v - mean) / deviation; }, lengths);
    doubles const scale =
        elementwise([&](double v) { return std::fabs(v) + 2 * mean / deviation; }, expected);
    check_close(tn::dtype::f32, result_of(f(x.view())), expected,
                {.arithmetic = 4 * sum_roundoffs(40 * rows), .scale = &scale},
                std::to_string(rows) + " rows");
  }
}

TEST(totals_sent_back, over_no_rows_and_no_columns) {
  auto const f = tn::compile([](auto x) {
    auto total = tn::sum(tn::sqrt(tn::sum(x * x, tn::axis<1>)));
    return tn::outputs(x + total, tn::sum(x, tn::axis<1>) + total, total + 2);
  });
  for (extents_of_rank<2> extents : {extents_of_rank<2>{0, 5}, {5, 0}, {0, 0}}) {
    auto x = random_array<float, 2>(extents);
    auto const [elements, rows, total] = f(x.view());
    EXPECT_EQ(result_of(elements).size(), 0);
    EXPECT_EQ(result_of(rows).values, std::vector<double>(static_cast<std::size_t>(extents[0]), 0));
    EXPECT_EQ(total.item(), 2);
  }
}

TEST(totals_sent_back, same_bits_in_every_run) {
  auto const f = tn::compile(sent_back{});
  for (extents_of_rank<2> extents : {extents_of_rank<2>{37, 1025}, {530, 33}, {3, 70001}}) {
    auto x = random_array<float, 2>(extents);
    auto const bits = [&](array<float, 2>& operand) {
      array<float, 2> a(extents), b({extents[0], 1}), c({extents[0], 1});
      array<float, 0> d({});
      auto va = a.view(), vb = b.view(), vc = c.view();
      auto vd = d.view();
      f.into(va, vb, vc, vd)(operand.view());
      return std::array{a.bits(), b.bits(), c.bits(), d.bits()};
    };
    auto const expected = bits(x);
    for (int round = 0; round < 5; ++round) EXPECT_EQ(bits(x), expected);
  }
}

}  // namespace
