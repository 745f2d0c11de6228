// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program's integers, followed once for all its vectors → whether each is moved as a whole. A
// vector may be one element, which is whole.

#include "tenon/backend/vector_numbers.hpp"
#include "tenon/program/read_windows.hpp"
#include "tenon/program/visit.hpp"

namespace tenon::detail {

// How the vectors of a program are moved.
template <class Program> struct moved_vectors {
  // Every one as a whole, by 32-bit arithmetic.
  bool are_whole = false;
  // Of each read: elements of a vector that an element in memory stands for: 1, or some, or all;
  // or, below 0, how many elements its neighbours are apart.
  int times[at_least_one(moved_values<Program>::read_count)] = {};
  // The axis of the columns between whose halves elements are exchanged; -1: none.
  int halved_axis = -1;
  // Integers of the launch: those that places follow from are known, or no vector is whole.
  int numbers[at_least_one(moved_values<Program>::launch_numbers)] = {};
  // Vectors of a row that are not whole, and how many elements behind an aligned vector each of
  // what is read begins: only if a kernel takes such.
  vector_breaks breaks = {};
  int beyond[at_least_one(moved_values<Program>::read_count)] = {};
};

// The facts of a program's values for vectors of V elements along the innermost axis of the
// columns.
// @pre the layout has no rows: rows_as_columns
template <class Program, int V> class vector_facts : protected vector_numbers<Program, V> {
 protected:
  using base = vector_numbers<Program, V>;
  using base::facts_;
  using base::is_narrow;
  using base::layout_;
  using typename base::traits;
  using typename base::values;
  template <int K> using at = typename traits::template at<K>;

 public:
  // MayBreak: few vectors of a row need not be whole, and what is read may begin anywhere.
  // HasWindows: what belongs to windows of rows is read by these.
  vector_facts(bound_layout const& layout, bound_arguments const& call, bool may_break = false,
               bool has_windows = false)
      : base(layout, may_break), call_(call), has_windows_(has_windows) {}

  [[gnu::cold]] moved_vectors<Program> find() {
    group_layout const& columns = layout_.columns;
    if (columns.size > 0 && columns.dims > 0 && columns.extents[columns.dims - 1] % V == 0)
      vectors_.are_whole = note_all(typename traits::sequence{});
    vectors_.breaks = this->breaks_;
    visit_instructions<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      if constexpr (values::template is_launch_number<k>)
        vectors_.numbers[values::template launch_number<k>] =
            static_cast<int>(this->facts_[k].base);
    });
    if constexpr (half_values<Program>::is_found) {
      vectors_.halved_axis = halved_axis<half_values<Program>::condition>();
      vectors_.are_whole = vectors_.are_whole && vectors_.halved_axis >= 0;
    }
    return vectors_;
  }

 protected:
  using windows = read_windows<Program>;

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
      if constexpr (!I::is_store) facts_[K] = this->template of_launch<K>(typename I::operands{});
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
      if (shown_ == K) {
        facts_[K] = shown_fact_;
        return true;
      }
      void const* const first = call_.loads[I::bits];
      facts_[K] =
          operand(layout_.loads[I::bits]) +
          (kind == moved_kind::address
               ? address_of(first)
               : vector_fact::of(static_cast<long long>(reinterpret_cast<std::intptr_t>(first))));
      return is_narrow(facts_[K]);
    } else if constexpr (kind == moved_kind::number || kind == moved_kind::address) {
      facts_[K] = this->template of_position<K>(typename I::operands{});
      // What windows follow from is looked at for them alone.
      return is_narrow(facts_[K]) || (has_windows_ && windows::all.positions[K] >= 0);
    } else if constexpr (I::where == place::row) {
      return true;  // no address follows from it
    } else if constexpr (kind == moved_kind::fetched) {
      if constexpr (std::is_same_v<typename I::op, ops::fetch>)
        facts_[K] = facts_[I::first_operand];
      else
        facts_[K] = fetched_one_of<I::second_operand, I::third_operand>();
      if (has_windows_ && windows::all.leaders[K] >= 0) return true;
      if constexpr (values::template is_fetched<K>) return is_read_whole<K>(facts_[K]);
      return true;
    } else {
      return are_same_for_all(typename I::operands{});
    }
  }

  // Of two, one of which may be no address.
  template <int A, int B> vector_fact fetched_one_of() const {
    if constexpr (values::template kind<A> != moved_kind::fetched)
      return facts_[B];
    else if constexpr (values::template kind<B> != moved_kind::fetched)
      return facts_[A];
    else
      return one_of(facts_[A], facts_[B]);
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
    result.is_line = result.step == 1 && goes_on_with_rows(from);
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
  template <int K> bool is_in_vectors() const {
    return is_narrow(facts_[K]) && are_neighbours<K>(facts_[K]);
  }
  // As they are, or each element so many times as a quotient says, of which a vector has the same
  // ones; or one for all.
  template <int K> bool is_read_whole(vector_fact const& from) {
    constexpr int bytes = static_cast<int>(sizeof(storage_t<at<K>::type>));
    int& times = vectors_.times[values::template read_number<K>];
    times = V > 1 && from.step == 0 ? V : static_cast<int>(from.times);
    if (!is_narrow(from)) return false;
    if (has_windows_ && windows::template is_weight<K>) return from.step == 0;
    if (V > 1 && values::template may_lie_apart<K> && from.steps_over(bytes, neighbours::most)) {
      times = -static_cast<int>(from.step / bytes);
      return true;
    }
    if (V == 1 || times == 1) return are_neighbours<K>(from) || begins_anywhere<K>(from);
    if (times == V) return values::template may_repeat<K>;
    long long const together = V / times * bytes;
    return times <= values::template most_times<K> && from.step == bytes &&
           from.is_multiple_of(together < 16 ? together : 16);
  }
  // Neighbours that begin as far behind an aligned vector everywhere.
  template <int K> bool begins_anywhere(vector_fact const& from) {
    constexpr int bytes = static_cast<int>(sizeof(storage_t<at<K>::type>)), all = V * bytes;
    if (!this->may_break_ || bytes < 2 || all > 16) return false;
    if (from.step != bytes || from.modulus % all != 0) return false;
    long long const beyond = (from.base % all + all) % all;
    vectors_.beyond[values::template read_number<K>] = static_cast<int>(beyond / bytes);
    return beyond % bytes == 0;
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
  // Whether nothing but the vector's number along its row decides what a vector begins with.
  bool goes_on_with_rows(operand_layout const& from) const {
    group_layout const& columns = layout_.columns;
    bool result = true;
    for (int d = 0; d + 1 < columns.dims; ++d)
      result = result && (columns.extents[d] <= 1 || from.column_strides[d] == 0);
    return result;
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

  bound_arguments const& call_;
  bool const has_windows_;
  int shown_ = -1;  // the position that is to be this
  vector_fact shown_fact_ = {};
  moved_vectors<Program> vectors_ = {};
};

}  // namespace tenon::detail
