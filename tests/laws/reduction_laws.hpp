// SPDX-License-Identifier: Apache-2.0
#pragma once
// Laws of reductions: identity, the merge of parts equals the whole, NaN is kept, and nothing
// reduces to the identity.

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <type_traits>

#include "laws/operands.hpp"
#include "tenon/ops/reduction.hpp"

namespace tenon::laws {

template <class Op, class T> using state_t = typename Op::template state<T>;

// The numbers a state is made of.
template <class T, class State> std::vector<T> numbers(State const& s) {
  static_assert(std::is_trivially_copyable_v<State> && sizeof(State) % sizeof(T) == 0);
  std::array<T, sizeof(State) / sizeof(T)> words;
  std::memcpy(words.data(), &s, sizeof(State));
  return std::vector<T>(words.begin(), words.end());
}

template <class T> bool has_nan(std::vector<T> const& x) {
  return std::any_of(x.begin(), x.end(), [](T number) { return number != number; });
}

// Element-wise |x - y| <= tolerance |y|; tolerance 0 asks for equality. A NaN in one number is a
// NaN in all.
template <class T, class State>
void expect_close(State const& x, State const& y, double tolerance, std::string const& what) {
  std::vector<T> const left = numbers<T>(x), right = numbers<T>(y);
  if (has_nan(left) && has_nan(right)) return;
  for (std::size_t k = 0; k < left.size(); ++k) {
    if (left[k] == right[k]) continue;
    double const difference =
        std::fabs(static_cast<double>(left[k]) - static_cast<double>(right[k]));
    EXPECT_LE(difference, tolerance * std::fabs(static_cast<double>(right[k])))
        << what << ", member " << k << ": " << +left[k] << " and " << +right[k];
  }
}

template <class Op, class T> state_t<Op, T> reduce(T const* first, T const* last) {
  auto s = Op::template identity<T>();
  for (; first != last; ++first) s = Op::combine(s, Op::lift(*first));
  return s;
}

template <class Op, class T> std::string label(char const* law) {
  return std::string(Op::name) + " of " + std::string(name(dtype_of<T>)) + ": " + law;
}

// Elements near 1, so that a product neither overflows nor cancels; any bit for bool, any value for
// an integer.
template <class T> std::vector<T> elements(int count, unsigned stream) {
  std::mt19937_64 generator(seed + stream);
  std::uniform_real_distribution<double> near_one(0.75, 1.25);
  std::vector<T> x(static_cast<std::size_t>(count));
  // A constant row for every third stream: any and all would otherwise be the same for every long
  // one.
  for (std::size_t i = 0; i < x.size(); ++i) {
    if constexpr (std::is_same_v<T, bool>)
      x[i] = stream % 3 == 0 ? false : stream % 3 == 1 ? true : generator() % 2 == 0;
    else if constexpr (std::is_integral_v<T>)
      x[i] = static_cast<T>(generator());
    else
      x[i] = static_cast<T>(near_one(generator));
  }
  return x;
}

// @post combine(identity, lift(x)) = lift(x) = combine(lift(x), identity), for NaN, infinite and
// huge x too.
template <class Op, class T> void identity_law() {
  std::vector<double> points =
      std::is_floating_point_v<T> ? special_values<T>() : std::vector<double>{0, 1, 2, 100};
  for (double point : points) {
    auto const one = Op::lift(static_cast<T>(point));
    auto const none = Op::template identity<T>();
    expect_close<T>(Op::combine(none, one), one, 0, label<Op, T>("identity on the left"));
    expect_close<T>(Op::combine(one, none), one, 0, label<Op, T>("identity on the right"));
  }
  auto const none = Op::template identity<T>();
  expect_close<T>(Op::combine(none, none), none, 0, label<Op, T>("nothing"));
  expect_close<T>(reduce<Op, T>(nullptr, nullptr), none, 0, label<Op, T>("empty"));
}

// @post however the row is cut, the states of the parts merge to the state of the whole: exactly
// for integers, bool and reductions that select; otherwise within 4 n u, u half the epsilon of T: n
// roundings on either side, doubled because the sum of squares has two per element.
template <class Op, class T> void split_law() {
  bool const selects = std::is_same_v<Op, ops::maximum_of> || std::is_same_v<Op, ops::minimum_of>;
  for (int count : {1, 2, 31, 32, 33, 97, 100, 256, 1000}) {
    auto const row = elements<T>(count, static_cast<unsigned>(count));
    auto const x = std::make_unique<T[]>(row.size());  // std::vector<bool> has no data()
    std::copy(row.begin(), row.end(), x.get());
    auto const whole = reduce<Op, T>(x.get(), x.get() + count);
    bool const is_exact = selects || !std::is_floating_point_v<T>;
    double const u = is_exact ? 0 : static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;
    std::mt19937 generator(seed);
    for (int trial = 0; trial < 20; ++trial) {
      int cut = static_cast<int>(generator() % static_cast<unsigned>(count + 1));
      int second = cut + static_cast<int>(generator() % static_cast<unsigned>(count - cut + 1));
      auto left = reduce<Op, T>(x.get(), x.get() + cut);
      auto middle = reduce<Op, T>(x.get() + cut, x.get() + second);
      auto right = reduce<Op, T>(x.get() + second, x.get() + count);
      expect_close<T>(Op::combine(Op::combine(left, middle), right), whole, 4 * count * u,
                      label<Op, T>("split"));
      expect_close<T>(Op::combine(left, Op::combine(middle, right)), whole, 4 * count * u,
                      label<Op, T>("split"));
    }
    if constexpr (requires { Op::accumulate(whole, x[0]); }) {
      auto s = Op::template identity<T>();
      for (int i = 0; i < count; ++i) s = Op::accumulate(s, x[static_cast<std::size_t>(i)]);
      expect_close<T>(s, whole, 4 * count * u, label<Op, T>("accumulate"));
    }
  }
}

// @post one NaN, wherever it stands, makes some number of the state NaN: what a projection reads is
// tested by its own.
template <class Op, class T> void nan_law() {
  if constexpr (std::is_floating_point_v<T>) {
    for (std::size_t position : {0u, 1u, 30u, 63u}) {
      auto x = elements<T>(64, 1);
      x[position] = std::numeric_limits<T>::quiet_NaN();
      EXPECT_TRUE(has_nan(numbers<T>(reduce<Op, T>(x.data(), x.data() + x.size()))))
          << label<Op, T>("NaN") << " at " << position;
    }
  }
}

// T is the type of an operand of the dtype of `Element`.
template <class Op, class Element> void check_reduction() {
  using T = operand_t<Op, Element>;
  identity_law<Op, T>();
  split_law<Op, T>();
  nan_law<Op, T>();
}

}  // namespace tenon::laws
