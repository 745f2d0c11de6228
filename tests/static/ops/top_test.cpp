// SPDX-License-Identifier: Apache-2.0
// The first elements of an order are the same however they are taken in: at once, in parts in
// either order, one after the other.
#include "tenon/ops/top.hpp"

#include <bit>
#include <limits>

namespace tenon {
namespace {

template <class T, int Elements> struct elements {
  ops::indexed::state<T> at[Elements];
  int count;
};
template <class T, class... X> constexpr auto list(X... x) {
  elements<T, sizeof...(X)> result{{{T(x), 0}...}, sizeof...(X)};
  for (int i = 0; i < result.count; ++i) result.at[i].index = i;
  return result;
}
template <class Op, class T, int Elements>
constexpr auto of_part(elements<T, Elements> const& x, int first, int end) {
  ops::indexed::state<T> part[Elements]{};
  for (int i = first; i < end; ++i) part[i - first] = x.at[i];
  return Op::lift_many(part, end - first);
}
template <class State> constexpr bool are_equal(State const& a, State const& b, int count) {
  for (int i = 0; i < count; ++i)
    if (a.at[i].rank() != b.at[i].rank() || a.at[i].place() != b.at[i].place()) return false;
  return true;
}

// The positions of the first Count elements, as digits of one number: 210 is position 2, 1, then 0.
// -1: some way of taking them in leads to others.
template <int Count, bool IsDescending, class T, int Elements>
constexpr long long order(elements<T, Elements> const& x) {
  using op = ops::top<Count, IsDescending>;
  auto const all = op::lift_many(x.at, x.count);
  auto one_by_one = op::template identity<T>(), lifted = one_by_one;
  for (auto const& each : x.at) {
    one_by_one = op::accumulate(one_by_one, each);
    lifted = op::combine(op::lift(each), lifted);
  }
  bool result = are_equal(all, one_by_one, op::size) && are_equal(all, lifted, op::size);
  for (int cut = 0; cut <= x.count; ++cut) {
    auto const first = of_part<op>(x, 0, cut), second = of_part<op>(x, cut, x.count);
    result = result && are_equal(all, op::combine(first, second), op::size) &&
             are_equal(all, op::combine(second, first), op::size);
  }
  long long digits = 0;
  for (int k = 0; k < Count; ++k)
    digits = 10 * digits + std::remove_const_t<decltype(all)>::order::index(all.at[k]);
  return result ? digits : -1;
}

constexpr float nan = std::numeric_limits<float>::quiet_NaN(),
                inf = std::numeric_limits<float>::infinity();

static_assert(order<1, true>(list<float>(1, 3, 2)) == 1);
static_assert(order<3, true>(list<float>(1, 3, 2, 5, 4)) == 341);
static_assert(order<3, false>(list<float>(1, 3, 2, 5, 4)) == 21);
static_assert(order<8, true>(list<float>(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)) == 98765432);
static_assert(order<8, false>(list<float>(9, 8, 7, 6, 5, 4, 3, 2, 1, 0)) == 98765432);
static_assert(order<5, true>(list<double>(-1, 0.5, -3, 7, 7, 2)) == 34510);
// Of equals the lowest position, -0 and 0 among them.
static_assert(order<4, true>(list<float>(0.f, -0.f, 1, 0.f, -0.f)) == 2013);
static_assert(order<4, false>(list<double>(0., -0., 1, 0., -0.)) == 134);
static_assert(order<3, true>(list<int>(7, 7, 7, 7)) == 12);
// NaN is the greatest, whatever its bits; infinities and nothing are told apart.
static_assert(order<4, true>(list<float>(inf, nan, 1, -nan, -inf)) == 1302);
static_assert(order<5, false>(list<float>(inf, nan, 1, -nan, -inf)) == 42013);
static_assert(order<3, true>(list<double>(-inf, -inf, -inf)) == 12);
static_assert(order<3, false>(list<float>(nan, nan, nan)) == 12);
static_assert(order<2, true>(list<float>(-inf, nan, -inf)) == 10);
// Integers of all widths, their ends among them.
static_assert(order<3, true>(list<int>(std::numeric_limits<int>::min(), -1, 0, 1,
                                       std::numeric_limits<int>::max())) == 432);
static_assert(order<3, false>(list<long long>(std::numeric_limits<long long>::min(), -1, 0, 1,
                                              std::numeric_limits<long long>::max())) == 12);
static_assert(order<2, true>(list<unsigned>(0, ~0u, 1)) == 12);
static_assert(order<2, false>(list<unsigned long long>(0, ~0ull, 1)) == 2);
static_assert(order<2, true>(list<signed char>(-128, 127, -1)) == 12);
static_assert(order<2, true>(list<bool>(false, true, true)) == 12);

// The number that comes out is the one that went in, to the bit.
template <class T, class Bits> constexpr bool is_kept(T number) {
  ops::indexed::state<T> const one{number, 5};
  auto const back = ops::top<1, true>::lift(one);
  auto const turned = ops::top<1, false>::lift(one);
  return std::bit_cast<Bits>(ops::top_value<0>::eval(back)) == std::bit_cast<Bits>(number) &&
         std::bit_cast<Bits>(ops::top_value<0>::eval(turned)) == std::bit_cast<Bits>(number) &&
         ops::top_index<0>::eval(back) == 5 && ops::top_index<0>::eval(turned) == 5;
}
static_assert(is_kept<float, unsigned>(-0.f) && is_kept<float, unsigned>(0.f) &&
              is_kept<float, unsigned>(-inf) && is_kept<float, unsigned>(1e-45f) &&
              is_kept<float, unsigned>(-3.5f));
static_assert(is_kept<double, unsigned long long>(-0.) &&
              is_kept<double, unsigned long long>(-1e300) &&
              is_kept<double, unsigned long long>(5e-324));
static_assert(is_kept<int, int>(-7) && is_kept<long long, long long>(-7) &&
              is_kept<unsigned, unsigned>(7));
static_assert(ops::top_index<0>::eval(ops::top<1, true>::lift(ops::indexed::state<int>{
                  1, (1ll << 31) - 2})) == (1ll << 31) - 2);

}  // namespace
}  // namespace tenon
