// SPDX-License-Identifier: Apache-2.0
// Lesson 7: several results of one launch; transposes, slices and broadcasts that cost no kernel; strided arguments.

#include "support.hpp"

namespace tn = tenon;

auto const statistics = tn::compile([](auto x) {
  return tn::outputs(tn::sum(x, tn::axis<1>), tn::max(x, tn::axis<1>), tn::var(x, tn::axis<1>));
}, "statistics");

// The difference of neighbours in a row: two slices of one argument, read from where they lie.
auto const differences = tn::compile([](auto x) {
  return tn::slice(x, tn::axis<1>, tn::range<1>) - tn::slice(x, tn::axis<1>, tn::range<0, -1>);
}, "differences");

auto const plus_transposed = tn::compile([](auto x, auto y) { return x + tn::transpose(y); }, "plus_transposed");

template <class Space>
void lesson(Space, example::checker& check) {
  constexpr std::size_t rows = 60, columns = 90;
  auto values = example::random(rows * columns, 1);
  example::matrix<Space> x(values, rows, columns);
  auto at = [&](std::size_t row, std::size_t column) { return static_cast<double>(values[row * columns + column]); };

  std::vector<double> sums, largest, variances, steps, symmetric;
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0, most = at(r, 0), squares = 0;
    for (std::size_t c = 0; c < columns; ++c) sum += at(r, c), most = std::max(most, at(r, c));
    for (std::size_t c = 0; c < columns; ++c) squares += (at(r, c) - sum / columns) * (at(r, c) - sum / columns);
    sums.push_back(sum), largest.push_back(most), variances.push_back(squares / (columns - 1));
    for (std::size_t c = 1; c < columns; ++c) steps.push_back(at(r, c) - at(r, c - 1));
  }
  auto [s, m, v] = statistics(x);  // one launch, three results
  check.compare("sums of rows", tn::to_vector(s), sums, columns * example::sum_tolerance(columns));
  check.compare("largest of rows", tn::to_vector(m), largest, 0);
  check.compare("variances of rows", tn::to_vector(v), variances, example::sum_tolerance(columns));

  check.compare("differences of neighbours", tn::to_vector(differences(x)), steps, example::rounding);

  // A view of the tensor: its first 60 columns, and the same transposed by strides alone.
  auto square = x.view().template sliced<1>(0, rows);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < rows; ++c) symmetric.push_back(at(r, c) + at(c, r));
  check.compare("x + transpose(x) inside the expression", tn::to_vector(plus_transposed(square, square)), symmetric, example::rounding);
  example::matrix<Space> z(rows, rows);
  z = square + square.template permuted<1, 0>();
  check.compare("x + transposed view", tn::to_vector(z), symmetric, example::rounding);
}

int main() {
  return example::run("several results and views", [](auto space, example::checker& check) { lesson(space, check); });
}
