// SPDX-License-Identifier: Apache-2.0
// What is chosen of numbers that come in order is what all of them together would be.
#include "tenon/ops/first_best.hpp"

#include <bit>
#include <limits>

namespace tenon {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                inf = std::numeric_limits<float>::infinity();

// The one chosen of the first `live` numbers; -1 if it has another number than that one.
template <class Op, class T, int Count>
constexpr int chosen(T const (&x)[Count], int live = Count) {
  ops::first_best<Op, T> all;
  for (int i = 0; i < Count; ++i) all.take(x[i], static_cast<unsigned>(i), i < live);
  int const at = static_cast<int>(all.at);
  bool const is_same = all.best == x[at] || (all.best != all.best && x[at] != x[at]);
  return is_same ? at : -1;
}
constexpr bool signs_are_kept() {
  ops::first_best<ops::arg_maximum, float> all;
  float const x[] = {-1, -0.0f, 0};
  for (unsigned i = 0; i < 3; ++i) all.take(x[i], i, true);
  return std::bit_cast<unsigned>(all.best) == 1u << 31;
}

using most = ops::arg_maximum;
using least = ops::arg_minimum;
static_assert(chosen<most>({0.f, 1.f, 2.f, 3.f}) == 3);
static_assert(chosen<most>({3.f, 2.f, 1.f, 0.f}) == 0);
static_assert(chosen<least>({3.f, 2.f, 1.f, 0.f}) == 3);
// The first of equals.
static_assert(chosen<most>({0.f, 3.f, 3.f, 0.f}) == 1);
static_assert(chosen<least>({9.f, 3.f, 3.f, 4.f}) == 1);
static_assert(chosen<most>({0.f, -0.f, 0.f}) == 0);
static_assert(signs_are_kept());
// The first NaN, before any number.
static_assert(chosen<most>({0.f, nan, 9.f, nan}) == 1);
static_assert(chosen<least>({0.f, nan, -9.f, nan}) == 1);
static_assert(chosen<most>({inf, nan, inf}) == 1);
static_assert(chosen<most>({nan, inf, nan}) == 0);
// What is no better than nothing is chosen all the same.
static_assert(chosen<most>({-inf, -inf, -inf}) == 0);
static_assert(chosen<least>({inf, inf, inf}) == 0);
static_assert(chosen<most>({-inf, -1.f, -inf}) == 1);
static_assert(chosen<most>({std::numeric_limits<int>::lowest(), 0, 0}) == 1);
static_assert(chosen<least>({std::numeric_limits<int>::max(), std::numeric_limits<int>::max()}) ==
              0);
// What is not live is not chosen.
static_assert(chosen<most>({0.f, 1.f, 9.f, nan}, 2) == 1);
static_assert(chosen<least>({0.f, 1.f, -9.f, nan}, 2) == 0);

}  // namespace
}  // namespace tenon
