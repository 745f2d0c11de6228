// SPDX-License-Identifier: Apache-2.0
// tn::explain: the report's figures against hand counts, and its sentences for each family and each slower path.

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tenon/tenon.hpp"

namespace tn = tenon;

namespace {

using matrix = tn::tensor<float, tn::dyn, tn::dyn>;

bool contains(std::string const& text, std::string const& part) { return text.find(part) != std::string::npos; }

auto const mean_of_sums = tn::compile([](auto x, auto y) { return tn::mean(tn::sum(tn::relu((x + y) * 2.0f), tn::axis<1>)); }, "mean_of_sums");

TEST(explain, counts_of_mean_of_sums) {
  matrix x(40, 60), y(40, 60);
  tn::traffic cost = tn::explain(mean_of_sums, x, y).cost;
  EXPECT_EQ(cost.launches, 1);
  EXPECT_EQ(cost.separate_launches, 5);  // add, mul, relu, sum, mean
  EXPECT_EQ(cost.bytes_read, 2 * 40 * 60 * 4);
  EXPECT_EQ(cost.bytes_written, 4);
  EXPECT_EQ(cost.bytes_read_again, 0);
  // add 3, mul 2, relu 2 and sum 1 matrices; the sums' 40 numbers written and read; the mean.
  EXPECT_EQ(cost.separate_bytes, 8 * 40 * 60 * 4 + 2 * 40 * 4 + 4);
}

TEST(explain, counts_of_softmax_name_the_second_and_third_reading) {
  matrix x(8, 32);
  auto e = tn::explain(tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); }), x);
  EXPECT_EQ(e.cost.separate_launches, 6);  // max, sub, exp, sum, reciprocal, mul
  EXPECT_EQ(e.cost.minimum_bytes(), 2 * 8 * 32 * 4);
  EXPECT_EQ(e.cost.bytes_read_again, 2 * 8 * 32 * 4);
  EXPECT_TRUE(contains(e.schedule, "phase 1     max over the columns\n  phase 2     sum over the columns\n"));
}

TEST(explain, a_broadcast_row_is_counted_once) {
  matrix x(16, 32);
  tn::tensor<float, tn::dyn> row(32);
  auto e = tn::explain(tn::compile([](auto x, auto row) { return x * row; }), x, row);
  EXPECT_EQ(e.cost.bytes_read, (16 * 32 + 32) * 4);
  EXPECT_EQ(e.cost.separate_bytes, e.cost.minimum_bytes());
}

TEST(explain, two_slices_of_one_argument_are_not_more_than_the_argument) {
  tn::tensor<float, tn::dyn> x(100);
  auto e = tn::explain(tn::compile([](auto x) { return tn::slice(x, tn::axis<0>, tn::range<1>) - tn::slice(x, tn::axis<0>, tn::range<0, -1>); }), x);
  EXPECT_EQ(e.cost.bytes_read, 100 * 4);
  EXPECT_EQ(e.cost.bytes_written, 99 * 4);
}

TEST(explain, heading_names_expression_line_arguments_and_results) {
  matrix x(40, 60), y(40, 60);
  std::string heading = tn::explain(mean_of_sums, x, y).heading;
  EXPECT_TRUE(contains(heading, "mean_of_sums  (explain_test.cpp:")) << heading;
  EXPECT_TRUE(contains(heading, "x0          f32  [40, 60]         contiguous\n")) << heading;
  EXPECT_TRUE(contains(heading, "result      f32  []\n")) << heading;
}

TEST(explain, graphs_are_shown_where_a_pass_changed_them) {
  matrix x(40, 60), y(40, 60);
  std::string graphs = tn::explain(mean_of_sums, x, y).graphs;
  EXPECT_TRUE(contains(graphs, "graph as the lambda wrote it\n  %0 = input 0 : f32[x0.0, x0.1]\n"));
  EXPECT_TRUE(contains(graphs, "after merge_reductions\n"));
  EXPECT_FALSE(contains(graphs, "after fold\n"));
  EXPECT_TRUE(contains(graphs, "unchanged by find_moments, canonical_order, fold, simplify, find_entropies, movement\n")) << graphs;
}

TEST(explain, schedule_names_groups_and_lengths) {
  matrix x(40, 60), y(40, 60);
  std::string schedule = tn::explain(mean_of_sums, x, y).schedule;
  EXPECT_TRUE(contains(schedule, "full: one sweep over the whole space")) << schedule;
  EXPECT_TRUE(contains(schedule, "columns     2400       = x0.0 * x0.1\n")) << schedule;
  EXPECT_TRUE(contains(schedule, "runs on     " + std::string(tn::default_space::name) + ": ")) << schedule;
}

TEST(explain, a_transposed_operand_is_said_to_be_slower) {
  matrix x(40, 60), z(60, 40);
  auto add = tn::compile([](auto x, auto z) { return x + z; });
  EXPECT_TRUE(contains(tn::explain(add, z, z).costs, "no slower path is taken"));
  auto e = tn::explain(add, z, x.view().permuted<1, 0>());
  EXPECT_TRUE(contains(e.costs, "x1 has neighbours 60 elements apart")) << e.costs;
  EXPECT_TRUE(contains(e.heading, "strides [1, 60]")) << e.heading;
}

struct softmax_of_rows {
  constexpr auto operator()(auto x) const { return tn::softmax(x, tn::axis<1>); }
};

// A report from facts made by hand, as the backend of a device would give them.
std::string costs_on_device(std::string const& configuration, long long rows, long long columns, long long row_stride) {
  tn::argument x{nullptr, {.rank = 2, .extents = {rows, columns}, .strides = {row_stride, 1}}, tn::dtype::f32};
  tn::detail::call_facts facts{.about = &tn::describe_expression<softmax_of_rows, tn::tensor_argument<tn::dtype::f32, tn::dyn, tn::dyn>>(),
                               .inputs = {&x, 1},
                               .space = "cuda",
                               .is_on_device = true,
                               .configuration = configuration};
  facts.rows = {1, rows, {rows}};
  facts.columns = {1, columns, {columns}};
  facts.operands.push_back({.name = "x0", .layout = {{row_stride}, {1}}});
  return tn::detail::explanation_writer(facts).write().costs;
}

TEST(explain, slower_paths_of_a_device) {
  EXPECT_TRUE(contains(costs_on_device("row in registers of a warp", 1000, 512, 512), "no slower path is taken"));
  EXPECT_TRUE(contains(costs_on_device("single elements, row in registers", 1000, 510, 513), "x0 has rows that do not begin at multiples of 16 bytes"));
  EXPECT_TRUE(contains(costs_on_device("parts of vectors, row in registers", 1000, 510, 513), "each vector is a part of two accesses"));
  EXPECT_TRUE(contains(costs_on_device("single elements, row in registers", 1000, 510, 512), "is no multiple of what 16 bytes hold"));
  EXPECT_TRUE(contains(costs_on_device("row read again in each phase", 1000, 100000, 100000), "longer than registers hold"));
  EXPECT_TRUE(contains(costs_on_device("row in registers", 1, 100000, 100000), "only 1 row, each the work of one block"));
  EXPECT_FALSE(contains(costs_on_device("row read again in each phase, shared by several blocks", 1, 1 << 20, 1 << 20), "only 1 row"));
  EXPECT_FALSE(contains(costs_on_device("row read once, shared by several blocks", 1, 1 << 20, 1 << 20), "only 1 row"));
}

#if defined(__CUDACC__)
TEST(explain, what_is_turned_on_the_device_is_no_slower_path) {
  tn::tensor<float, tn::dyn, tn::dyn> x(64, 64);
  auto const costs = [&](auto const& f) { return std::string(tn::explain(f, x).costs); };
  EXPECT_TRUE(contains(costs(tn::compile([](auto x) { return tn::transpose(x); })), "no slower path is taken"));
  EXPECT_TRUE(contains(costs(tn::compile([](auto x) { return tn::flip(tn::transpose(x), tn::axis<0>); })), "no slower path is taken"));
}
#endif

TEST(explain, an_empty_tensor_has_no_bytes) {
  matrix x(0, 60);
  EXPECT_EQ(tn::explain(tn::compile([](auto x) { return tn::exp(x); }), x).cost.minimum_bytes(), 0);
}

TEST(explain, what_has_no_results_is_not_launched) {
  auto const f = tn::compile([](auto x) { return tn::softmax(x, tn::axis<0>) * 2.0f; });
  auto const sums = tn::compile([](auto x) { return tn::sum(x * 2.0f, tn::axis<1>); });
  for (auto const& [rows, columns] : {std::pair{0, 0}, {5, 0}, {0, 60}}) {
    matrix x(rows, columns);
    auto const of_rows = tn::explain(sums, x).cost;
    EXPECT_EQ(of_rows.launches, rows > 0);  // the sum of nothing is 0
    EXPECT_EQ(of_rows.separate_launches, rows > 0);
    if (columns > 0) continue;
    auto const none = tn::explain(f, x);
    EXPECT_EQ(none.cost.launches, 0);
    EXPECT_EQ(none.cost.separate_launches, 0);
    EXPECT_TRUE(contains(none.costs, "launches                0              0\n")) << none.costs;
  }
}

TEST(explain, scalars_constants_and_choices_are_accepted) {
  tn::tensor<float, tn::dyn> x(10);
  auto flagged = tn::compile([](auto x, auto scale, auto flag) {
    if constexpr (flag)
      return tn::sigmoid(x) * scale;
    else
      return tn::tanh(x);
  });
  EXPECT_TRUE(contains(tn::explain(flagged, x, 2.0f, tn::ct<true>).graphs, "sigmoid"));
  EXPECT_TRUE(contains(tn::explain(flagged, x, 2.0f, tn::one_of<true, false>(false)).graphs, "tanh"));
  EXPECT_TRUE(contains(tn::explain(flagged, x, 2.0f, tn::ct<true>).heading, "number, given at the call"));
}

TEST(explain, statement_form_and_streams) {
  matrix x(4, 6);
  std::ostringstream out;
  out << tn::explain(tn::softmax(x * 2.0f, tn::axis<-1>));
  EXPECT_TRUE(contains(out.str(), "assignment\n"));
  std::string text = tn::explain(tn::exp(x));
  EXPECT_TRUE(contains(text, "exp %0"));
}

TEST(explain, makes_the_plan_of_the_next_call_and_launches_nothing) {
  auto f = tn::compile([](auto x) { return tn::cos(x); });
  matrix x(4, 6);
  tn::cpu::tensor<float, tn::dyn, tn::dyn> zeros(4, 6);
  std::fill_n(zeros.data(), zeros.size(), 0.0f);
  tn::copy(x, zeros);
  tn::explain(f, x);
  f(x);
  EXPECT_EQ(tn::cache_statistics(f, x).misses, 1u);
}

TEST(explain, refuses_what_the_call_refuses) {
  matrix x(4, 6), y(4, 5);
  EXPECT_THROW(tn::explain(mean_of_sums, x, y), tn::error);
}

TEST(quantity, three_digits_and_a_prefix) {
  EXPECT_EQ(tn::bytes_text(0), "0 B");
  EXPECT_EQ(tn::bytes_text(999), "999 B");
  EXPECT_EQ(tn::bytes_text(1000), "1.00 kB");
  EXPECT_EQ(tn::bytes_text(1920004), "1.92 MB");
  EXPECT_EQ(tn::bytes_text(99960000), "100 MB");
  EXPECT_EQ(tn::ratio_text(4.04), "4.0x");
}

}  // namespace
