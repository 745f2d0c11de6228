// SPDX-License-Identifier: Apache-2.0
#pragma once
// The rows of one thread of the mixed skeleton: its part of a row → the row's values, in registers.

#include "tenon/backend/cuda/mixed/operands.cuh"
#include "tenon/backend/cuda/parts/positions.cuh"
#include "tenon/backend/cuda/rows/states.cuh"
#include "tenon/backend/cuda/rows/values.cuh"

namespace tenon::detail {

template <class Program, class C> struct mixed_row : mixed_operands<Program, C> {
  using base = mixed_operands<Program, C>;
  using base::v, base::items, base::threads, base::phases;

#if defined(__CUDA_ARCH__)
  using side = rows_side_by_side<Program, v, threads>;
  using base::a, base::lane, base::lanes, base::row, base::is_inside, base::offsets,
      base::rows_taken;
  using base::part_of;
  using typename base::arguments, typename base::column_index, typename base::fixed,
      typename base::moving_item;
  frame<Program> const& f;

  __device__ __forceinline__ mixed_row(arguments const& a, frame<Program> const& f, int lane,
                                       int lanes)
      : base{a, lane, lanes}, f(f) {}

  __device__ __forceinline__ void begin(long long at) {
    row = at;
    is_inside = row < a.rows.size;
    find_row<Program>(offsets, a, is_inside ? row : 0);
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (operands_at<Program, place::row>::loads(k)) {
        read_register<k>(f.row) = typename I::value_type{};
        if (is_inside) read_register<k>(f.row) = load_one<Program, k>(a, offsets.loads[I::bits]);
      }
    });
    if constexpr (program_traits<Program>::has_positions)
      take_row_positions<Program>(f, a, offsets, is_inside);
    evaluate<place::row, 0, 0>(f);
  }

  // What an item has of its own for a sweep, and of the places of its columns.
  template <int Phase, bool Stores> struct item_values {
    selected_registers<Program, fixed> same;
    selected_registers<Program, moving_item> moved;
    vector_positions<Program, needed_positions<Program, Phase, Stores>, v, max_rank> places;
    long long column;
    int count;
  };
  template <int Phase, bool Stores>
  __device__ __forceinline__ void take_item(item_values<Phase, Stores>& item, column_index tile,
                                            int u) const {
    this->take_fixed(item.same, u);
    this->take_moving(item.moved, u);
    if constexpr (has_selected<Program, needed_positions<Program, Phase, Stores>>) {
      item.column = this->column_of(tile, u), item.count = part_of(tile, u).count();
      item.places.find(a, offsets, item.count > 0 ? item.column : 0);
    }
  }
  template <int Phase, bool Stores>
  __device__ __forceinline__ void evaluate_column(registers<Program, place::element>& element,
                                                  item_values<Phase, Stores> const& item,
                                                  int i) const {
    frame<Program> at{f.launch, f.row, element, f.total};
    take_element<Program, moving_item>(element, item.moved, 0, i);
    take_element<Program, fixed>(element, item.same, 0, i);
    if constexpr (has_selected<Program, needed_positions<Program, Phase, Stores>>)
      item.places.take(element, a, offsets, item.column, i, i < item.count);
    evaluate_element<Phase, Stores>(at);
  }

  // Whether nothing in a phase is reduced many elements at once, but gathered.
  template <int Phase>
  static constexpr bool takes_single_items = [] {
    bool result = true;
    visit_selected<Program, reductions_of<Program, place::row, Phase>>([&](auto selected) {
      using facts = reduction_facts<Program, decltype(selected)::value>;
      using operand = typename facts::operand;
      result = result && (gathers<gathered_state<facts>> ||
                          !takes_many<typename facts::op, operand, v * items / 2>);
    });
    return result;
  }();
  // The reductions of phase Phase over the row. @pre all threads of the block call it
  template <int Phase> __device__ __forceinline__ void reduce() {
    using states = typename side::template states<Phase>;
    if constexpr (base::is_staged && takes_single_items<Phase>) {
      // Whether vectors are whole is asked once for all of them.
      if (part_of(0, items - 1).is_whole())
        gather_row<Phase, true>();
      else
        gather_row<Phase, false>();
    } else {
      // Items whose numbers are in registers together: half of them beside two states of each
      // column.
      constexpr int batch = base::is_staged ? items / 2 : items;
      selected_registers<Program, states> running;
      reset<Program, states>(running);
      cascade<Program, states> levels;
      for (column_index tile = 0; tile < (C::is_looped ? static_cast<column_index>(a.tiles) : 1);
           ++tile) {
        if constexpr (C::is_looped) this->take_tile(tile, row, tile + 1 < a.tiles ? tile + 1 : 0);
#pragma unroll 1
        for (int first = 0; first < items; first += batch)
          take_batch<Phase, batch>(running, tile, first,
                                   part_of(tile, first + batch - 1).is_whole());
        if constexpr (C::is_looped) levels.after_tile(running);
      }
      levels.finish(f.row, running);
    }
    combine_row<Program, states, threads>(f.row, {lane, thread_row(), lanes, threads / lanes},
                                          (rows_taken * phases + Phase) & 1);
    evaluate<place::row, Phase, Phase>(f);
  }
  // The thread's part of the row, item after item: registers hold the numbers of one of them beside
  // two states of each column.
  template <int Phase, bool IsWhole> __device__ __forceinline__ void gather_row() {
    using states = typename side::template states<Phase>;
    selected_registers<Program, typename side::template gathering<Phase>> running;
    side::template begin<Phase>(running);
    if constexpr (IsWhole) {
#pragma unroll
      for (int u = 0; u < items; ++u) take_batch<Phase, 1>(running, 0, u, true);
    } else {
#pragma unroll 1
      for (int u = 0; u < items; ++u) take_batch<Phase, 1>(running, 0, u, part_of(0, u).is_whole());
    }
    side::template finish<Phase>(f.row, running);
  }
  // Of some items, all of whose vectors are whole if is_all.
  template <int Phase, int Count, class Running>
  __device__ __forceinline__ void take_batch(Running& running, column_index tile, int first,
                                             bool is_all) {
    using collected = typename side::template collected<Phase, v * Count>;
    selected_registers<Program, collected> values;
    int const live = is_all ? Count * v : this->live_columns(tile, first, Count);
#pragma unroll
    for (int u = 0; u < Count; ++u) {
      item_values<Phase, false> item;
      take_item(item, tile, first + u);
#pragma unroll
      for (int i = 0; i < v; ++i) {
        registers<Program, place::element> element;
        evaluate_column(element, item, i);
        frame<Program> at{f.launch, f.row, element, f.total};
        for_each_selected<Program, collected>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          read_register<k>(values).at[u * v + i] = take_of<k>(at);
        });
      }
    }
    side::template accumulate<collected, v * Count>(running, values, is_all, live);
  }
#endif
};

}  // namespace tenon::detail
