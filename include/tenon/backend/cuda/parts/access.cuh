// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shapes, strides and addresses of a call → whether its elements can be moved as vectors, and which
// way threads should run.

#include <cstdint>

#include "tenon/backend/arguments.hpp"

namespace tenon::detail {

// Element operands, counted.
template <class Program> struct element_operands {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int... K> static constexpr int count_loads(std::integer_sequence<int, K...>) {
    return (0 + ... + (at<K>::is_load && at<K>::moves_elements));
  }
  template <int... K> static constexpr int count_moves(std::integer_sequence<int, K...>) {
    return (0 + ... + at<K>::moves_elements);
  }
  template <int... K> static constexpr int count_slots(std::integer_sequence<int, K...>) {
    return (0 + ... + (at<K>::is_computed && at<K>::where == place::element ? at<K>::op::cost : 0));
  }
  using sequence = typename program_traits<Program>::sequence;
  static constexpr int loads = count_loads(sequence{});
  // Issue slots per element. An H200 has about 50 while it moves 8 bytes: half of them weigh, and
  // ten times as many are the bound.
  static constexpr int slots = count_slots(sequence{});
  static constexpr bool has_much_arithmetic = slots > 24, is_bound_by_arithmetic = slots > 512;
  // Elements of one access: 16 bytes of the widest operand.
  static constexpr int vector_width =
      count_moves(sequence{}) > 0 ? 16 / program_traits<Program>::widest_element : 1;

  // Calls visit(layout, address, bytes per element) for each of them.
  template <class Visit>
  static void each(bound_layout<Program> const& layout, bound_arguments<Program> const& call,
                   Visit const& visit) {
    [&]<int... K>(std::integer_sequence<int, K...>) { (visit_one<K>(layout, call, visit), ...); }
    (sequence{});
  }

 private:
  template <int K, class Visit>
  static void visit_one(bound_layout<Program> const& layout, bound_arguments<Program> const& call,
                        Visit const& visit) {
    using I = at<K>;
    constexpr int bytes = static_cast<int>(sizeof(storage_t<I::type>));
    if constexpr (I::moves_elements && I::is_load)
      visit(layout.loads[I::bits], call.loads[I::bits], bytes);
    if constexpr (I::moves_elements && I::is_store)
      visit(layout.stores[I::bits], call.stores[I::bits], bytes);
  }
};

// Whether neighbouring rows lie next to each other in memory and neighbouring columns do not, in
// most operands.
template <class Program>
[[gnu::cold]] bool rows_are_neighbours(bound_layout<Program> const& layout,
                                       bound_arguments<Program> const& call) {
  if (layout.rows.dims == 0 || layout.columns.dims == 0) return false;
  int balance = 0;
  element_operands<Program>::each(
      layout, call, [&](operand_layout const& operand, void const*, int) {
        bool along_rows = operand.row_strides[layout.rows.dims - 1] == 1;
        bool along_columns = operand.column_strides[layout.columns.dims - 1] == 1;
        balance += along_rows - along_columns;
      });
  return balance > 0;
}

// Whether a store needs the kernel although no element or row is swept.
template <class Program> struct stores_at {
  template <place Where, int... K> static constexpr bool any(std::integer_sequence<int, K...>) {
    using traits = program_traits<Program>;
    return (false || ... ||
            (traits::template at<K>::is_store && traits::template at<K>::where == Where));
  }
  template <place Where>
  static constexpr bool has = any<Where>(typename program_traits<Program>::sequence{});
};

constexpr TENON_HD long long divide_up(long long n, long long by) { return (n + by - 1) / by; }

}  // namespace tenon::detail
