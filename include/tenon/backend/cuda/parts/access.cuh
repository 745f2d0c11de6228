// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shapes, strides and addresses of a call → whether its elements can be moved as vectors, and which
// way threads should run.

#include <cstdint>

#include "tenon/backend/arguments.hpp"
#include "tenon/program/visit.hpp"

namespace tenon::detail {

// Element operands, counted.
template <class Program> struct element_operands {
  using traits = program_traits<Program>;
  static constexpr int moves = traits::all.count(&instruction_facts::moves_elements);
  static constexpr int loads = [] {
    int result = 0;
    for (instruction_facts const& i : traits::all) result += i.is_load && i.moves_elements;
    return result;
  }();
  // Those that have an element for each position, of a row at least.
  static constexpr int whole_loads = [] {
    int result = 0;
    for (instruction_facts const& i : traits::all)
      result += i.is_load && i.moves_elements && !i.repeats;
    return result;
  }();
  // Issue slots per element. An H200 has about 50 while it moves 8 bytes: half of them weigh, and
  // ten times as many are the bound.
  static constexpr int slots = [] {
    int result = 0;
    for (instruction_facts const& i : traits::all)
      if (i.is_computed && i.where == place::element) result += i.cost;
    return result;
  }();
  static constexpr int most_slots = 512;
  static constexpr bool has_much_arithmetic = slots > 24,
                        is_bound_by_arithmetic = slots > most_slots;
  // Whether something is fetched of a row beside elements of which much is computed: eight vectors
  // of them, or as many blocks as others have, leave no registers (28 bytes were spilled, cross
  // entropy of capped logits, bf16).
  static constexpr bool has_fetches_beside = slots > 12 && [] {
    bool result = false;
    for (instruction_facts const& i : traits::all)
      result = result || (i.is_fetch && i.where == place::row);
    return result;
  }();
  // Whether 40 registers hold an element's values beside a few vectors: those of lgamma do not,
  // which takes 200 slots.
  static constexpr bool has_few_values = slots <= 100 && traits::widest_element <= 4;
  // Elements of one access: 16 bytes of the widest operand.
  static constexpr int vector_width = moves > 0 ? 16 / traits::widest_element : 1;
  // The same of the operands that have an element for each position. What is there more than once
  // comes from a cache, and may take two accesses; what stands for a vector, one of an element.
  static constexpr int own_width = [] {
    int result = moves > 0 ? 16 : 1;
    for (instruction_facts const& i : traits::all) {
      if (!i.moves_elements) continue;
      int const bytes = i.is_splat ? 64 : i.repeats ? 32 : 16;
      if (bytes / size_of(i.type) < result) result = bytes / size_of(i.type);
    }
    return result;
  }();
  // Bytes of one access of all operands that are read once.
  template <int V>
  static constexpr int bytes_of_own = [] {
    int result = 0;
    for (instruction_facts const& i : traits::all)
      if (i.is_load && i.moves_elements && !i.repeats) result += V * size_of(i.type);
    return result;
  }();

  static consteval bool holds(int k) { return traits::all[k].moves_elements; }
};

template <class I, class Layout> auto& operand_of(Layout& layout) {
  if constexpr (I::is_load)
    return layout.loads[I::bits];
  else
    return layout.stores[I::bits];
}

// Whether neighbouring rows lie next to each other in memory, on either side, and neighbouring
// columns do not, in most operands.
template <class Program> [[gnu::cold]] bool rows_are_neighbours(bound_layout const& layout) {
  if (layout.rows.dims == 0) return false;
  // A single column of many rows has no neighbours, whatever its stride.
  bool const is_single = layout.columns.size == 1 && layout.rows.size > 1;
  if (layout.columns.dims == 0 && !is_single) return false;
  int balance = 0;
  visit_selected<Program, element_operands<Program>>([&](auto selected) {
    using I = typename program_traits<Program>::template at<decltype(selected)::value>;
    operand_layout const& operand = operand_of<I>(layout);
    // What neighbouring rows share is read again from a cache, however it lies.
    if (operand.row_strides[layout.rows.dims - 1] == 0) return;
    auto const is_one = [](long long stride) { return stride == 1 || stride == -1; };
    bool along_rows = is_one(operand.row_strides[layout.rows.dims - 1]);
    bool along_columns = !is_single && is_one(operand.column_strides[layout.columns.dims - 1]);
    balance += along_rows - along_columns;
  });
  return balance > 0;
}

// Whether a store needs the kernel although no element or row is swept.
template <class Program> struct stores_at {
  template <place Where>
  static constexpr bool has = [] {
    bool result = false;
    for (instruction_facts const& i : program_traits<Program>::all)
      result = result || (i.is_store && i.where == Where);
    return result;
  }();
};

constexpr TENON_HD long long divide_up(long long n, long long by) { return (n + by - 1) / by; }

}  // namespace tenon::detail
