// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tests of gradients share: operands, and results against loops in double.

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"
#include "tenon/grad.hpp"

using reference::doubles;

using matrix = array<float, 2>;
using vector = array<float, 1>;

inline matrix random_matrix(std::int64_t rows, std::int64_t columns, double low = -2, double high = 2) {
  return random_array<float, 2>({rows, columns}, arrangement::contiguous, low, high);
}
inline vector random_vector(std::int64_t size, double low = -2, double high = 2) {
  return random_array<float, 1>({size}, arrangement::contiguous, low, high);
}
// Of the same shape, filled by f(position).
template <class F>
doubles like(doubles const& x, F const& f) {
  doubles result(x.extents);
  for (std::int64_t i = 0; i < x.size(); ++i) result[i] = f(i);
  return result;
}

inline constexpr std::int64_t rows = 9, columns = 33;

// The derivative of sum(weight * view) by the elements of x, where element i of the view is read at position `from(i)`,
// -1 for none.
template <class From>
doubles sent_back(doubles const& x, doubles const& weight, From const& from) {
  doubles result(x.extents);
  for (std::int64_t i = 0; i < weight.size(); ++i)
    if (std::int64_t const at = from(i); at >= 0) result[at] += weight[i];
  return result;
}

// Each element is a sum of about `count` terms, which may cancel: the error is relative to the largest result.
template <class Tensor>
void expect_gradient(Tensor const& found, doubles const& expected, std::int64_t count, std::string const& what) {
  double largest = 0;
  for (double v : expected.values) largest = std::max(largest, std::fabs(v));
  doubles const scale = like(expected, [&](std::int64_t) { return largest; });
  constexpr tn::dtype type = tn::dtype_of<typename Tensor::value_type>;
  check_close(type, result_of(found), expected, {.arithmetic = sum_roundoffs(count) + 32, .scale = &scale}, what);
}
