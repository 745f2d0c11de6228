// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program's integers, each from those before it: what is known of them for all vectors at the
// same time, and in which vectors some of them change.

#include <algorithm>

#include "tenon/backend/arguments.hpp"
#include "tenon/backend/vector_breaks.hpp"
#include "tenon/program/moved_values.hpp"

namespace tenon::detail {

// Of vectors of V elements.
template <class Program, int V> class vector_numbers {
 protected:
  using traits = program_traits<Program>;
  using values = moved_values<Program>;
  template <int K> using at = typename traits::template at<K>;

  // MayBreak: few vectors of a row need not be whole.
  vector_numbers(bound_layout const& layout, bool may_break)
      : layout_(layout), may_break_(may_break) {}

  template <int K, int... Operands>
  vector_fact of_launch(std::integer_sequence<int, Operands...>) const {
    using I = at<K>;
    if constexpr (I::type != dtype::i64) {
      return {};
    } else if constexpr (std::is_same_v<typename I::op, ops::literal>) {
      return vector_fact::of(I::bits);
    } else if constexpr (I::is_size) {
      return vector_fact::of(layout_.sizes[I::bits]);
    } else if constexpr (I::is_computed && sizeof...(Operands) > 0 &&
                         (true && ... && (at<Operands>::type == dtype::i64))) {
      if (!(true && ... && facts_[Operands].is_exact())) return {};
      return vector_fact::of(apply<I>(facts_[Operands].base...));
    } else {
      return {};
    }
  }

  template <int K, int A, int... Rest>
  vector_fact of_position(std::integer_sequence<int, A, Rest...>) {
    using op = typename at<K>::op;
    if (!(is_narrow(facts_[A]) && ... && is_narrow(facts_[Rest]))) return {};
    vector_fact const all[] = {facts_[A], facts_[Rest]..., {}, {}};
    vector_fact const &a = all[0], &b = all[1], &c = all[2];
    if constexpr (is_advance<op>) {
      vector_fact const& stride = all[2];
      vector_fact const& extent = all[3];
      if (!is_in_one_side_of(b, extent) || !stride.is_exact()) return {};
      // By 64 bits, from the beginning of the operand on.
      if (values::template kind<at<K>::second_operand> == moved_kind::found)
        return a + b.within(0, 0) * stride.base;
      // Nothing is checked where vectors are moved.
      bool const is_checked = std::is_same_v<op, ops::advance_checked>;
      if (is_checked && (b.low < 0 || b.high + beyond_first(b) >= extent.base)) return {};
      return a + b.within(0, extent.base - 1) * stride.base;
    } else if constexpr (std::is_same_v<op, ops::window_index>) {
      vector_fact const &start = all[1], &step = all[2], &extent = all[3];
      vector_fact const further = a - start;
      if (!step.is_exact() || step.base < 1 || !is_in_one_side_of(further, extent)) return {};
      if (step.base == 1) return further.within(-1, extent.base - 1);
      if (further.step != 0) return {};
      return vector_fact{true, 0, 0, 1, -1, extent.base};
    } else if constexpr (std::is_same_v<op, ops::window_offset>) {
      if (!c.is_exact()) return {};
      return a + b.within(0, b.high) * c.base;
    } else if constexpr (std::is_same_v<op, ops::add>) {
      return a + b;
    } else if constexpr (std::is_same_v<op, ops::sub>) {
      return a - b;
    } else if constexpr (std::is_same_v<op, ops::mul>) {
      return a * b;
    } else if constexpr (std::is_same_v<op, ops::floor_divide>) {
      return quotient_of(a, b, V);
    } else if constexpr (std::is_same_v<op, ops::remainder>) {
      return remainder_of(a, b, V);
    } else if constexpr (std::is_same_v<op, ops::shift_right>) {
      return b.is_exact() && b.base >= 0 && b.base < 31
                 ? quotient_of(a, vector_fact::of(1ll << b.base), V)
                 : vector_fact{};
    } else if constexpr (std::is_same_v<op, ops::clamp>) {
      if (a.step != 0 || !b.is_exact() || !c.is_exact()) return {};
      return vector_fact::truth().within(b.base, c.base);
    } else if constexpr (std::is_same_v<op, ops::where>) {
      if (!a.is_known || a.step != 0) return {};
      return of_choice<K>();
    } else if constexpr (std::is_same_v<op, ops::less> || std::is_same_v<op, ops::greater_equal>) {
      return has_one_sign(a - b) ? vector_fact::truth() : vector_fact{};
    } else if constexpr (std::is_same_v<op, ops::greater> || std::is_same_v<op, ops::less_equal>) {
      return has_one_sign(b - a) ? vector_fact::truth() : vector_fact{};
    } else {
      return a.is_known && b.is_known ? vector_fact::truth() : vector_fact{};
    }
  }

  // Where two numbers are compared, the one of them that is chosen is known to be less, or not.
  template <int K> vector_fact of_choice() const {
    using I = at<K>;
    using C = at<I::first_operand>;
    using op = typename C::op;
    constexpr bool is_less = std::is_same_v<op, ops::less>,
                   is_not = std::is_same_v<op, ops::greater_equal>;
    if constexpr (is_less || is_not) {
      vector_fact const& x = facts_[C::first_operand];
      vector_fact const& y = facts_[C::second_operand];
      if (y.is_exact()) {
        // Whole vectors that are less, and the others, if there are any.
        vector_fact const less = x.within(x.low, std::min(x.high, y.base - 1 - beyond_first(x))),
                          rest = x.within(std::max(x.low, y.base), x.high);
        vector_fact const &if_true = is_less ? less : rest, &if_false = is_less ? rest : less;
        vector_fact const a = given<I::second_operand, C::first_operand>(if_true),
                          b = given<I::third_operand, C::first_operand>(if_false);
        return if_true.is_empty() ? b : if_false.is_empty() ? a : one_of(a, b);
      }
    }
    return one_of(facts_[I::second_operand], facts_[I::third_operand]);
  }
  // Number N, where number X is `x`.
  template <int N, int X> vector_fact given(vector_fact const& x) const {
    using I = at<N>;
    constexpr bool is_sum = std::is_same_v<typename I::op, ops::add>,
                   is_difference = std::is_same_v<typename I::op, ops::sub>;
    if constexpr (N == X) return x;
    if constexpr (is_sum || is_difference)
      if constexpr (I::first_operand == X) {
        vector_fact const& y = facts_[I::second_operand];
        return is_sum ? x + y : x - y;
      }
    return facts_[N];
  }
  // Known, and within 32 bits.
  static bool is_narrow(vector_fact const& f) {
    constexpr long long most = 2147483647 - 256;
    return f.is_known && f.low >= -most && f.high <= most;
  }

  bound_layout const& layout_;
  bool const may_break_;
  vector_breaks breaks_;  // if some vectors need not be whole
  vector_fact facts_[at_least_one(traits::size)] = {};

 private:
  bool has_one_sign(vector_fact const& f) {
    return may_break_ ? breaks_.note(f, V) : f.has_one_sign(V);
  }
  bool is_in_one_side_of(vector_fact const& index, vector_fact const& extent) {
    return extent.is_exact() && has_one_sign(index) && has_one_sign(index - extent);
  }
  // From the first element of a vector to its largest.
  static long long beyond_first(vector_fact const& f) { return f.step == 1 ? V / f.times - 1 : 0; }
};

}  // namespace tenon::detail
