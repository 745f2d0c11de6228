// SPDX-License-Identifier: Apache-2.0
// What must be equal bit by bit however many axes rows and columns have in memory.
#include "run/support/arrays.hpp"

namespace {

// What of a tensor's axes lies together is one axis, if it does in every operand. How many there
// are says nothing of the order. Of several that are reduced it is that of memory, of which an axis
// that repeats the others has none.
template <class T, class Compute>
void check_axes(Compute const& compute, std::array<std::int64_t, 3> const& extents,
                bool may_repeat = true) {
  auto x = random_array<T, 3>(extents);
  std::vector<double> const expected = result_of(compute(x.view())).values;
  auto const check = [&](arrangement how, std::vector<double> const& expected) {
    array<T, 3> copy(extents, how, x.values());
    EXPECT_EQ(result_of(compute(copy.view())).values, expected)
        << extents[0] << " x " << extents[1] << " x " << extents[2] << ", " << to_string(how);
  };
  for (arrangement how : {arrangement::misaligned, arrangement::padded, arrangement::reversed})
    check(how, expected);
  if (!may_repeat) return;
  array<T, 3> const repeated(extents, arrangement::repeated, x.values());
  array<T, 3> all(extents, arrangement::contiguous, repeated.values());
  check(arrangement::repeated, result_of(compute(all.view())).values);
}
template <class T> void check_columns_of_axes() {
  for (std::array<std::int64_t, 3> extents :
       {std::array<std::int64_t, 3>{3, 5, 7}, {300, 9, 13}, {64, 40, 50}, {5000, 5, 33}}) {
    check_axes<T>(tn::compile([](auto x) { return tn::sum(x * x, tn::axis<0>); }), extents);
    check_axes<T>(tn::compile([](auto x) { return tn::var(x, tn::axis<0>); }), extents);
    check_axes<T>(tn::compile([](auto x) { return tn::softmax(x, tn::axis<0>); }), extents);
  }
  // Few positions, of two axes.
  for (std::array<std::int64_t, 3> extents :
       {std::array<std::int64_t, 3>{2, 1, 1000}, {2, 2, 100}, {3, 5, 33}, {7, 30, 64}}) {
    check_axes<T>(tn::compile([](auto x) { return tn::sum(x * x, tn::axis<0, 1>); }), extents,
                  false);
    check_axes<T>(tn::compile([](auto x) { return tn::var(x, tn::axis<0, 1>); }), extents, false);
    check_axes<T>(tn::compile([](auto x) { return tn::logsumexp(x, tn::axis<0, 1>); }), extents,
                  false);
  }
}
TEST(same_bits, of_columns_of_several_axes) {
  check_columns_of_axes<float>();
  check_columns_of_axes<tn::bfloat16>();
}
// Rows of two axes, of lengths that the kernels of odd rows have, and of those that they have not.
template <class T> void check_rows_of_axes() {
  for (std::array<std::int64_t, 3> extents : {std::array<std::int64_t, 3>{5, 3, 7},
                                              {5, 31, 33},
                                              {3, 16, 64},
                                              {2, 41, 101},
                                              {2, 128, 64}}) {
    check_axes<T>(tn::compile([](auto x) { return tn::sum(x, tn::axis<1, 2>); }), extents);
    check_axes<T>(tn::compile([](auto x) { return tn::var(x, tn::axis<1, 2>); }), extents);
    check_axes<T>(tn::compile([](auto x) {
                    return tn::exp(x - tn::logsumexp(x, tn::axis<1, 2>, tn::keepdim));
                  }),
                  extents);
    check_axes<T>(tn::compile([](auto x) {
                    return (x - tn::mean(x, tn::axis<1, 2>, tn::keepdim)) *
                           tn::rsqrt(tn::var(x, tn::axis<1, 2>, tn::keepdim) + 1e-5f);
                  }),
                  extents);
  }
}
TEST(same_bits, of_rows_of_several_axes) {
  check_rows_of_axes<float>();
  check_rows_of_axes<tn::bfloat16>();
}

}  // namespace
