// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values that one thread has of the row it is at, and those of them that are read and written
// outside the sweeps.

#include "tenon/backend/cpu/row_panels.hpp"

namespace tenon::cpu_backend {

// The values outside the sweeps, and where the row lies. Every thread has its own.
template <class Program> struct row_state {
  coordinate where{};
  row_panels<Program> panels;
  buffer<float> kept;  // values of a row's elements, from one sweep to the next; empty: none are
  registers<Program, place::launch> launch{};
  registers<Program, place::row> row{};
  registers<Program, place::element> no_element{};
  registers<Program, place::total> total{};
  [[no_unique_address]] row_order_file<Program, typename program_traits<Program>::sequence>
      orders{};

  frame<Program> values() { return {launch, row, no_element, total}; }
};

// Reads the loads of one place that is not element.
template <place Where, class Program>
void load_values(call<Program> const& c, row_state<Program>& state) {
  visit_selected<Program, typename moves_at<Program, Where>::reads>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::is_load)
      value_of<k>(state.values()) =
          static_cast<typename I::value_type>(*c.template address<I>(state.where));
    else
      value_of<k>(state.values()) = c.template position<I>(state.where);
  });
}

// Writes the operand of store K at its address, or where it finds that its place is.
template <int K, class Program, class Storage>
void store_value(frame<Program> const& f, Storage* address) {
  using I = typename program_traits<Program>::template at<K>;
  if constexpr (I::is_window) {
    long long const further = value_of<I::second_operand>(f);
    if (further == ops::nowhere) return;
    address += further;
  }
  *address = static_cast<Storage>(value_of<I::first_operand>(f));
}

// Writes the stores of one place that is not element.
template <place Where, class Program>
void store_values(call<Program> const& c, row_state<Program>& state) {
  visit_selected<Program, typename moves_at<Program, Where>::stores>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    store_value<k>(state.values(), c.template address<I>(state.where));
  });
}

// The state before the first row: literals, scalars, sizes, operands of one element, and what
// follows from them alone.
template <class Program> row_state<Program> initial_state(call<Program> const& c) {
  row_state<Program> state;
  set_launch_values<Program>(state.launch, c.arguments.scalars, c.layout.sizes.begin());
  load_values<place::launch>(c, state);
  evaluate<place::launch, 0, program_traits<Program>::row_phases>(state.values());
  return state;
}

}  // namespace tenon::cpu_backend
