// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program's integers, followed once for all its vectors → whether each is moved as a whole. A
// vector may be one element, which is whole.

#include "tenon/backend/arguments.hpp"
#include "tenon/backend/vector_fact.hpp"
#include "tenon/program/half_values.hpp"

namespace tenon::detail {

// How the vectors of a program are moved.
template <class Program> struct moved_vectors {
  // Every one as a whole, by 32-bit arithmetic.
  bool are_whole = false;
  // Of each read: elements of a vector that an element in memory stands for; 1, or some, or all.
  int times[at_least_one(moved_values<Program>::read_count)] = {};
  // The axis of the columns between whose halves elements are exchanged; -1: none.
  int halved_axis = -1;
};

// The facts of a program's values for vectors of V elements along the innermost axis of the
// columns.
// @pre the layout has no rows: rows_as_columns
template <class Program, int V> class vector_facts {
  using traits = program_traits<Program>;
  using values = moved_values<Program>;
  template <int K> using at = typename traits::template at<K>;

 public:
  vector_facts(bound_layout const& layout, bound_arguments const& call)
      : layout_(layout), call_(call) {}

  [[gnu::cold]] moved_vectors<Program> find() {
    group_layout const& columns = layout_.columns;
    if (columns.size > 0 && columns.dims > 0 && columns.extents[columns.dims - 1] % V == 0)
      vectors_.are_whole = note_all(typename traits::sequence{});
    if constexpr (half_values<Program>::is_found) {
      vectors_.halved_axis = halved_axis<half_values<Program>::condition>();
      vectors_.are_whole = vectors_.are_whole && vectors_.halved_axis >= 0;
    }
    return vectors_;
  }

 private:
  // Along which the positions go by one from 0 on, and whose half is the one they are compared with
  // by instruction Condition. Each half has vectors of its own.
  template <int Condition> int halved_axis() const {
    group_layout const& columns = layout_.columns;
    constexpr auto position = at<at<Condition>::first_operand>::bits;
    vector_fact const& half = facts_[at<Condition>::second_operand];
    int axis = -1, axes = 0;
    for (int d = 0; d < columns.dims; ++d)
      if (columns.extents[d] > 1 && layout_.loads[position].column_strides[d] != 0)
        axis = d, ++axes;
    if (axes != 1 || layout_.loads[position].column_strides[axis] != 1) return -1;
    bool const is_half = half.is_exact() && 2 * half.base == columns.extents[axis];
    bool const is_whole = axis != columns.dims - 1 || half.base % V == 0;
    return is_half && is_whole && call_.loads[position] == nullptr ? axis : -1;
  }
  template <int... K> bool note_all(std::integer_sequence<int, K...>) {
    return (true && ... && note<K>());
  }
  template <int K> bool note() {
    using I = at<K>;
    constexpr moved_kind kind = values::template kind<K>;
    if constexpr (I::where != place::element && I::where != place::row) {
      if constexpr (!I::is_store) facts_[K] = of_launch<K>(typename I::operands{});
      return true;
    } else if constexpr (I::is_store && I::where == place::row) {
      return is_narrow(place_of_store<K>());
    } else if constexpr (I::is_store) {
      return is_same_for_all<I::first_operand>() && is_stored_whole<K>();
    } else if constexpr (I::is_load && I::where == place::row) {
      constexpr int bytes = static_cast<int>(sizeof(storage_t<I::type>));
      return is_narrow(operand(layout_.loads[I::bits]) * bytes);
    } else if constexpr (kind == moved_kind::found) {
      return is_found_once<K>();
    } else if constexpr (I::is_load) {
      constexpr int bytes = static_cast<int>(sizeof(storage_t<I::type>));
      return is_read_whole<K>(operand(layout_.loads[I::bits]) * bytes +
                              address_of(call_.loads[I::bits]));
    } else if constexpr (I::is_position) {
      void const* const first = call_.loads[I::bits];
      facts_[K] =
          operand(layout_.loads[I::bits]) +
          (kind == moved_kind::address
               ? address_of(first)
               : vector_fact::of(static_cast<long long>(reinterpret_cast<std::intptr_t>(first))));
      return is_narrow(facts_[K]);
    } else if constexpr (kind == moved_kind::number || kind == moved_kind::address) {
      facts_[K] = of_position<K>(typename I::operands{});
      return is_narrow(facts_[K]);
    } else if constexpr (I::where == place::row) {
      return true;  // no address follows from it
    } else if constexpr (kind == moved_kind::fetched) {
      if constexpr (std::is_same_v<typename I::op, ops::fetch>)
        facts_[K] = facts_[I::first_operand];
      else
        facts_[K] = one_of(facts_[I::second_operand], facts_[I::third_operand]);
      if constexpr (values::template is_fetched<K>) return is_read_whole<K>(facts_[K]);
      return true;
    } else {
      return are_same_for_all(typename I::operands{});
    }
  }

  // Where a vector begins in an operand, and how it goes on.
  vector_fact operand(operand_layout const& from) const {
    group_layout const& columns = layout_.columns;
    int const inner = columns.dims - 1;
    vector_fact result = vector_fact::of(0);
    for (int d = 0; d <= inner; ++d) {
      if (columns.extents[d] <= 1) continue;
      long long const stride = from.column_strides[d] * (d == inner ? V : 1);
      long long const last = (columns.extents[d] / (d == inner ? V : 1) - 1) * stride;
      result.modulus = greatest_divisor(result.modulus, stride);
      (last < 0 ? result.low : result.high) += last;
    }
    if (V > 1 && columns.extents[inner] > 1) result.step = from.column_strides[inner];
    return result;
  }
  // Of an address, what a plan may know of it: its place in 16 bytes. The bounds are of what is
  // added to it.
  static vector_fact address_of(void const* address) {
    return {true, 0, static_cast<long long>(reinterpret_cast<std::uintptr_t>(address) % 16),
            16,   0, 0};
  }
  // `at` in bytes: neighbours in accesses of up to 16 bytes, each aligned.
  template <int K> static bool are_neighbours(vector_fact const& at_first) {
    if (V == 1) return true;
    constexpr int bytes = static_cast<int>(sizeof(storage_t<at<K>::type>));
    return at_first.times == 1 && at_first.step == bytes &&
           at_first.is_multiple_of(V * bytes < 16 ? V * bytes : 16);
  }
  // As they are, or each element so many times as a quotient says, of which a vector has the same
  // ones; or one for all.
  template <int K> bool is_read_whole(vector_fact const& from) {
    constexpr int bytes = static_cast<int>(sizeof(storage_t<at<K>::type>));
    int& times = vectors_.times[values::template read_number<K>];
    times = V > 1 && from.step == 0 ? V : static_cast<int>(from.times);
    if (!is_narrow(from)) return false;
    if (V == 1 || times == 1) return are_neighbours<K>(from);
    if (times == V) return at<K>::is_load || values::template most_times<K> > 1;
    long long const together = V / times * bytes;
    return times <= values::template most_times<K> && from.step == bytes &&
           from.is_multiple_of(together < 16 ? together : 16);
  }
  // Whether one index stands for a vector. Of which nothing is known; threads compare it
  // themselves.
  template <int K> bool is_found_once() {
    using I = at<K>;
    facts_[K] = {true, 0, 0, 1, 0, 0};
    if constexpr (!I::is_load) return true;
    vector_fact const from = operand(layout_.loads[I::bits]);
    return from.step == 0 && is_narrow(from * static_cast<int>(sizeof(storage_t<I::type>)));
  }
  template <int K> vector_fact place_of_store() const {
    using I = at<K>;
    vector_fact to = operand(layout_.stores[I::bits]);
    if constexpr (I::is_window) to = to + facts_[I::second_operand];
    return to * static_cast<int>(sizeof(storage_t<I::type>)) + address_of(call_.stores[I::bits]);
  }
  template <int K> bool is_stored_whole() const {
    vector_fact const to = place_of_store<K>();
    return is_narrow(to) && are_neighbours<K>(to);
  }
  // Known, and within 32 bits.
  static bool is_narrow(vector_fact const& f) {
    constexpr long long most = 2147483647 - 256;
    return f.is_known && f.low >= -most && f.high <= most;
  }
  template <int... Operands> bool are_same_for_all(std::integer_sequence<int, Operands...>) const {
    return (true && ... && is_same_for_all<Operands>());
  }
  // Whether a number is that of every element of a vector; elements have their own values.
  template <int K> bool is_same_for_all() const {
    if constexpr (values::template kind<K> == moved_kind::number)
      return facts_[K].is_known && facts_[K].step == 0;
    else
      return true;
  }

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
  vector_fact of_position(std::integer_sequence<int, A, Rest...>) const {
    using op = typename at<K>::op;
    if (!(is_narrow(facts_[A]) && ... && is_narrow(facts_[Rest]))) return {};
    vector_fact const all[] = {facts_[A], facts_[Rest]..., {}, {}};
    vector_fact const &a = all[0], &b = all[1], &c = all[2];
    if constexpr (is_advance<op>) {
      vector_fact const& stride = all[2];
      vector_fact const& extent = all[3];
      if (!b.is_in_one_side_of(extent, V) || !stride.is_exact()) return {};
      // By 64 bits, from the beginning of the operand on.
      if (values::template kind<at<K>::second_operand> == moved_kind::found)
        return a + b.within(0, 0) * stride.base;
      // Nothing is checked where vectors are moved.
      bool const is_checked = std::is_same_v<op, ops::advance_checked>;
      if (is_checked && (b.low < 0 || b.high >= extent.base)) return {};
      return a + b.within(0, extent.base - 1) * stride.base;
    } else if constexpr (std::is_same_v<op, ops::window_index>) {
      vector_fact const &start = all[1], &step = all[2], &extent = all[3];
      vector_fact const further = a - start;
      if (!step.is_exact() || step.base < 1 || !further.is_in_one_side_of(extent, V)) return {};
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
      return (a - b).has_one_sign(V) ? vector_fact::truth() : vector_fact{};
    } else if constexpr (std::is_same_v<op, ops::greater> || std::is_same_v<op, ops::less_equal>) {
      return (b - a).has_one_sign(V) ? vector_fact::truth() : vector_fact{};
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
      if (y.is_exact())
        return one_of(given<I::second_operand, C::first_operand>(is_less, x, y.base),
                      given<I::third_operand, C::first_operand>(is_not, x, y.base));
    }
    return one_of(facts_[I::second_operand], facts_[I::third_operand]);
  }
  // Number N, if number X is less than `bound`, or if it is not.
  template <int N, int X> vector_fact given(bool is_less, vector_fact x, long long bound) const {
    using I = at<N>;
    constexpr bool is_sum = std::is_same_v<typename I::op, ops::add>,
                   is_difference = std::is_same_v<typename I::op, ops::sub>;
    x = is_less ? x.within(x.low, x.high < bound ? x.high : bound - 1)
                : x.within(x.low < bound ? bound : x.low, x.high);
    if constexpr (N == X) return x;
    if constexpr (is_sum || is_difference)
      if constexpr (I::first_operand == X) {
        vector_fact const& y = facts_[I::second_operand];
        return is_sum ? x + y : x - y;
      }
    return facts_[N];
  }

  bound_layout const& layout_;
  bound_arguments const& call_;
  vector_fact facts_[at_least_one(traits::size)] = {};
  moved_vectors<Program> vectors_ = {};
};

}  // namespace tenon::detail
