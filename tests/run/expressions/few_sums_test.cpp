// SPDX-License-Identifier: Apache-2.0
// Sums of rows of up to eight elements, which a lane asks for by itself or a warp brings: values,
// and the bits that fewer rows and other layouts have.
#include "run/support/arrays.hpp"

namespace {

constexpr std::int64_t rows_brought(std::int64_t columns) { return (1 << 20) / columns + 37; }

template <class T> std::vector<double> sums(array<T, 2>& x, arrangement how) {
  auto const f = tn::compile([](auto x) { return tn::sum(x * 2.0f, tn::axis<1>); });
  array<T, 1> result({x.extents()[0]}, how);
  f.into(result.view())(x.view());
  return result.result().values;
}

// Small integers: each sum is exact.
template <class T> void check_values(std::int64_t rows, std::int64_t columns, arrangement how) {
  array<T, 2> x({rows, columns}, how);
  std::uniform_int_distribution<int> number(-3, 3);
  reference::doubles all({rows, columns},
                         reference::elements(static_cast<std::size_t>(rows * columns)));
  for (std::int64_t i = 0; i < rows * columns; ++i) all[i] = number(generator());
  x.set(all);
  auto const found = sums(x, how);
  for (std::int64_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < columns; ++j) sum += 2 * all[i * columns + j];
    ASSERT_EQ(found[static_cast<std::size_t>(i)], sum)
        << rows << " x " << columns << ", " << to_string(how) << ", row " << i;
  }
}
TEST(few_sums, of_few_rows) {
  for (std::int64_t columns : {1, 2, 3, 4, 5, 7, 8})
    for (std::int64_t rows : {1, 31, 33, 257})
      for (arrangement how :
           {arrangement::contiguous, arrangement::misaligned, arrangement::padded}) {
        check_values<float>(rows, columns, how);
        check_values<tn::bfloat16>(rows, columns, how);
      }
}
TEST(few_sums, of_many_rows) {
  for (std::int64_t columns : {3, 4, 7, 8}) {
    check_values<float>(rows_brought(columns), columns, arrangement::misaligned);
    check_values<tn::bfloat16>(rows_brought(columns), columns, arrangement::contiguous);
  }
}

template <class T> void check_bits() {
  for (std::int64_t columns : {3, 7}) {
    std::int64_t const rows = rows_brought(columns);
    auto x = random_array<T, 2>({rows, columns}, arrangement::misaligned);
    auto all = sums(x, arrangement::contiguous);
    all.resize(4099);
    reference::doubles values = x.values();
    values.values.resize(static_cast<std::size_t>(4099 * columns));
    for (arrangement how :
         {arrangement::contiguous, arrangement::padded, arrangement::misaligned}) {
      array<T, 2> some({4099, columns}, how, reference::doubles({4099, columns}, values.values));
      ASSERT_EQ(sums(some, how), all) << columns << " columns, " << to_string(how);
    }
  }
}
TEST(few_sums, have_the_same_bits_of_float) { check_bits<float>(); }
TEST(few_sums, have_the_same_bits_of_bfloat16) { check_bits<tn::bfloat16>(); }

}  // namespace
