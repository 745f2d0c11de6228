// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a sort is to order, computed along a row → the row's elements in order, with their
// positions.

#include <algorithm>

#include "tenon/backend/cpu/rows.hpp"

namespace tenon::cpu_backend {

// Computes the operand of sort K for every column and orders it. Memory of one element and its
// position per column, of the thread's own.
// @post the order of row state.where is in state.orders; equal elements keep the order of their
// positions
template <int K, class Program> void sort_value(call<Program> const& c, row_state<Program>& state) {
  using I = typename program_traits<Program>::template at<K>;
  using op = typename I::op;
  using element = typename I::value_type;
  constexpr int before = sweep_before_sort<K>;
  long long const size = c.layout.columns.size;
  buffer<element>& order = order_in<K>(state.orders);
  order.resize(size);
  block_operands<Program, before, false> operands(c, state);
  scan_states<Program, before, false> scanned;
  begin_scans(state, scanned);
  for (long long done = 0; done < size; done += block_size) {
    int const count = size - done < block_size ? static_cast<int>(size - done) : block_size;
    auto addresses = operands.read(done, count);
    ahead_block<Program, before, false> const ahead(state.values(), addresses, count);
    evaluate_ordered_block(
        ahead, state.launch, state.row, state.total, addresses, count, scanned,
        [&](frame<Program> const& f, int i) {
          order[done + i] = {as_element<decltype(element::number)>(value_of<I::first_operand>(f)),
                             done + i};
        });
  }
  std::stable_sort(order.begin(), order.end(), [](element const& a, element const& b) {
    return op::is_before(a.number, b.number);
  });
}

// All sorts whose operands are known after phase Phase.
template <int Phase, class Program>
void sort_values(call<Program> const& c, row_state<Program>& state) {
  visit_instructions<Program>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::is_sort && I::phase == Phase) sort_value<k>(c, state);
  });
}

}  // namespace tenon::cpu_backend
