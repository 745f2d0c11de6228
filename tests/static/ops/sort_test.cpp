// SPDX-License-Identifier: Apache-2.0
// The keys of sorts: in the order of the numbers, and back.
#include "tenon/ops/sort.hpp"

#include <limits>

namespace tenon::test {
namespace {

template <class T> constexpr bool comes_back(T x) {
  using key = detail::sort_key<T>;
  return __builtin_bit_cast(typename key::unsigned_number,
                            key::number(key::of(x), key::is_negative_zero(x))) ==
         __builtin_bit_cast(typename key::unsigned_number, x);
}
// Whether the keys of numbers in ascending order ascend, and give the numbers back.
template <class T, int N> constexpr bool keeps_order(T const (&numbers)[N]) {
  using key = detail::sort_key<T>;
  for (int k = 0; k < N; ++k) {
    if (!comes_back(numbers[k]) || key::of(numbers[k]) > key::all) return false;
    if (k > 0 && !(key::of(numbers[k - 1]) < key::of(numbers[k]))) return false;
  }
  return true;
}

template <class T> constexpr bool orders_floats() {
  using limits = std::numeric_limits<T>;
  T const numbers[] = {
      -limits::infinity(),  limits::lowest(), -2, -1, -limits::denorm_min(), 0,
      limits::denorm_min(), limits::min(),    1,  2,  limits::max(),         limits::infinity()};
  using key = detail::sort_key<T>;
  return keeps_order(numbers) && key::of(-T(0)) == key::of(T(0)) && comes_back(-T(0)) &&
         key::of(limits::quiet_NaN()) == key::all && key::of(-limits::quiet_NaN()) == key::all;
}
template <class T> constexpr bool orders_integers() {
  using limits = std::numeric_limits<T>;
  if constexpr (std::is_signed_v<T>) {
    T const numbers[] = {limits::min(), -2, -1, 0, 1, limits::max()};
    return keeps_order(numbers);
  } else {
    T const numbers[] = {0, 1, limits::max() / 2, limits::max() / 2 + 1, limits::max()};
    return keeps_order(numbers);
  }
}
static_assert(orders_floats<float>() && orders_floats<double>());
static_assert(orders_integers<std::int8_t>() && orders_integers<std::uint8_t>());
static_assert(orders_integers<std::int16_t>() && orders_integers<std::uint16_t>());
static_assert(orders_integers<std::int32_t>() && orders_integers<std::uint32_t>());
static_assert(orders_integers<std::int64_t>() && orders_integers<std::uint64_t>());
static_assert(detail::sort_key<bool>::of(false) < detail::sort_key<bool>::of(true));

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
static_assert(ops::ascending_sort::is_before(1.0f, 2.0f) &&
              ops::ascending_sort::is_before(1.0f, nan));
static_assert(!ops::ascending_sort::is_before(nan, nan) &&
              !ops::ascending_sort::is_before(-0.0f, 0.0f));
static_assert(ops::descending_sort::is_before(2.0f, 1.0f) &&
              ops::descending_sort::is_before(nan, 1.0f));
static_assert(!ops::descending_sort::is_before(nan, nan) &&
              !ops::descending_sort::is_before(1.0f, nan));

}  // namespace
}  // namespace tenon::test
