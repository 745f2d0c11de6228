// SPDX-License-Identifier: Apache-2.0
// Sums of rows of few elements beside which each row has numbers of its own: energies of vectors,
// and their total.
#include "run/support/arrays.hpp"

namespace {

using reference::doubles;

template <class T>
void check_energies(std::int64_t rows, std::int64_t columns,
                    arrangement how = arrangement::contiguous) {
  constexpr auto f = tn::compile([](auto v, auto mass, auto offset) {
    return tn::cast<float>(mass) * 0.5f * tn::sum(tn::cast<float>(v) * v, tn::axis<1>) + offset;
  });
  constexpr auto total = tn::compile([](auto v, auto mass) {
    return tn::sum(tn::cast<float>(mass) * tn::sum(tn::cast<float>(v) * v, tn::axis<1>));
  });
  auto const draw = [](std::int64_t count, auto extents) {
    doubles x(extents);
    for (std::int64_t i = 0; i < count; ++i)
      x[i] = as_double(from_double<T>(static_cast<double>(generator()() % 4096) / 1024 - 2));
    return x;
  };
  doubles const velocities = draw(rows * columns, std::vector<std::int64_t>{rows, columns}),
                masses = draw(rows, std::vector<std::int64_t>{rows}),
                offsets = draw(rows, std::vector<std::int64_t>{rows});
  array<T, 2> v({rows, columns}, how, velocities);
  array<T, 1> mass({rows}, arrangement::contiguous, masses);
  array<float, 1> offset({rows}, arrangement::misaligned, offsets);
  doubles const energies = result_of(f(v.view(), mass.view(), offset.view())),
                sum = result_of(total(v.view(), mass.view()));
  double all = 0, size = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    double squares = 0;
    for (std::int64_t j = 0; j < columns; ++j)
      squares += velocities[row * columns + j] * velocities[row * columns + j];
    double const expected = masses[row] * 0.5 * squares + offsets[row];
    EXPECT_NEAR(energies[row], expected, 0x1p-20 * (squares + std::abs(expected)) + 1e-30)
        << row << " of " << rows << " x " << columns;
    all += masses[row] * squares;
    size += std::abs(masses[row]) * squares;
  }
  EXPECT_NEAR(sum[0], all, 0x1p-19 * size + 1e-30) << rows << " x " << columns;
}

TEST(few_elements_weighted, energies_and_their_total) {
  for (std::int64_t columns : {1, 2, 3, 4, 5, 7, 8, 9, 33})
    for (std::int64_t rows : {1, 31, 33, 1000, 20000}) {
      check_energies<float>(rows, columns);
      check_energies<tn::bfloat16>(rows, columns);
    }
  check_energies<float>(300000, 3);
}

TEST(few_elements_weighted, that_lie_anywhere) {
  for (arrangement how : {arrangement::misaligned, arrangement::stepped, arrangement::padded,
                          arrangement::transposed})
    for (std::int64_t columns : {3, 4, 8}) {
      check_energies<float>(1000, columns, how);
      check_energies<tn::bfloat16>(1000, columns, how);
    }
}

}  // namespace
