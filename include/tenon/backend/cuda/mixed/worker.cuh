// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread of the mixed skeleton: its columns of one row after the other.

#include "tenon/backend/cuda/columns/left.cuh"
#include "tenon/backend/cuda/columns/wholes.cuh"
#include "tenon/backend/cuda/parallel/side_by_side.cuh"
#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/thread_stage.cuh"
#include "tenon/backend/cuda/parts/vector_part.cuh"
#include "tenon/backend/cuda/rows/states.cuh"
#include "tenon/backend/cuda/rows/values.cuh"

namespace tenon::detail {

template <class Program, class C> struct mixed_worker {
  static constexpr int v = C::vector_width, items = C::items, threads = C::threads_per_block;
  static constexpr int phases = program_traits<Program>::row_phases;
  using program = Program;
  using arguments = mixed_arguments<Program>;
  // Looped, nothing stays.
  using moving = mixed_loads<Program, v, items, true, C::is_looped>;
  using fixed = mixed_loads<Program, v, 1, false, !C::is_looped>;
  using all = mixed_loads<Program, v, items, true, true>;
  using of_columns = column_reductions<Program, v * items>;
  using column_index = std::conditional_t<C::is_looped, long long, int>;
  using stage = thread_stage<Program, all, items, threads>;
  using wholes = column_wholes<Program, v, items, threads, stage::bytes>;
  static constexpr bool is_carried = wholes::bytes > 0;
  // Looped, the wholes lie behind the states.
  static constexpr int shared_bytes = stage::bytes + (C::is_looped ? 0 : wholes::bytes);
  // Of the states of one column, with those of the wholes.
  static constexpr int state_words_per_column = partial_words<Program, of_columns>;
  static constexpr int words_per_column =
      C::is_looped && is_carried ? 2 * state_words_per_column : state_words_per_column;

#if defined(__CUDA_ARCH__)
  using side = rows_side_by_side<Program, v, threads>;
  arguments const& a;
  frame<Program> const& f;
  int lane, lanes, y;
  unsigned* left;  // looped: where the block's states of the columns lie
  int buffer = 0;
  long long row = 0;
  int rows_taken = 0;
  bool is_inside = false;
  operand_offsets<Program> offsets = {};
  selected_registers<Program, moving> moved = {};

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
    evaluate<place::row, 0, 0>(f);
  }

  // The first column of item u of a tile, and how much of its vector there is.
  __device__ __forceinline__ column_index column_of(column_index tile, int u) const {
    return ((C::is_looped ? tile * items + u : u) * lanes + lane) * v;
  }
  __device__ __forceinline__ vector_part<v, column_index> part_of(column_index tile, int u) const {
    return {static_cast<column_index>(a.columns.size) - column_of(tile, u)};
  }

  // Sends for the selected operands of a tile of a row. What is not one aligned access is left out.
  template <class Selected>
  __device__ __forceinline__ void request(long long row, column_index tile) const {
    if (row >= a.rows.size) return;
    operand_offsets<Program> ahead;
    find_row<Program>(ahead, a, row);
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      using T = storage_t<I::type>;
      if constexpr (travels_alone<T, v>) {
        if (!a.load_moves_whole[I::bits]) return;
        T const* base = load_address<Program, k>(a, ahead.loads[I::bits]);
#pragma unroll
        for (int u = 0; u < items; ++u)
          if (part_of(tile, u).is_whole())
            send_to_shared<T, v>(stage::template slot<k>(u), base + column_of(tile, u));
      }
    });
  }
  // Waits for what was sent, and brings the rest element by element.
  template <class Selected> __device__ __forceinline__ void receive(column_index tile) const {
    wait_for_sent();
    if (a.is_whole) return;
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      using T = storage_t<I::type>;
      if (I::varies_over_rows && !is_inside) return;
      T const* base = load_address<Program, k>(a, offsets.loads[I::bits]);
#pragma unroll 1
      for (int u = 0; u < items; ++u) {
        auto const part = part_of(tile, u);
        if (travels_alone<T, v> && a.load_moves_whole[I::bits] && part.is_whole()) continue;
#pragma unroll 1
        for (int i = 0; i < part.count(); ++i)
          stage::template element<k, T>(u, i) =
              base[offset_of(a.load_columns[I::bits], column_of(tile, u) + i)];
      }
    });
  }
  // Sending ahead pays where a row takes long to compute. H200, 4096 x 4096 f32: sums of rows and
  // columns 28 us without it and 36 us with it, column sums of a softmax 45 us and 39 us.
  static constexpr bool is_sent_ahead =
      C::is_looped || phases > 1 || element_operands<Program>::loads > 1;

  // Takes a tile of the row to registers and sends for the one that comes next. Vectors that are
  // not there hold anything: nothing of them is reduced or stored.
  __device__ __forceinline__ void take_tile(column_index tile, long long next_row,
                                            column_index next_tile) {
    if constexpr (!is_sent_ahead) {
      if (a.is_whole) return load_directly();
      request<moving>(row, tile);
    }
    receive<moving>(tile);
    for_each_selected<Program, moving>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int u = 0; u < items; ++u) stage::template take<k>(read_register<k>(moved).at[u], u);
    });
    if constexpr (is_sent_ahead) request<moving>(next_row, next_tile);
  }
  // @pre every vector is one aligned access
  __device__ __forceinline__ void load_directly() {
    if (!is_inside) return;
    for_each_selected<Program, moving>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      auto const* base = load_address<Program, k>(a, offsets.loads[I::bits]);
#pragma unroll
      for (int u = 0; u < items; ++u)
        if (part_of(0, u).is_whole())
          load_packed<reuse::none>(read_register<k>(moved).at[u], base + column_of(0, u));
    });
  }
  // What is the same for all rows, once.
  __device__ __forceinline__ void bring_fixed() {
    request<fixed>(0, 0);
    receive<fixed>(0);
  }
  __device__ __forceinline__ long long offset_of(long long const (&strides)[max_rank],
                                                 long long column) const {
    long long offset = 0;
    for_each_digit(a.columns, column, [&](int d, long long at) { offset += at * strides[d]; });
    return offset;
  }
  __device__ __forceinline__ void take_fixed(selected_registers<Program, fixed>& same,
                                             int u) const {
    for_each_selected<Program, fixed>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      stage::template take<k>(read_register<k>(same).at[0], u);
    });
  }

  template <int Phase, bool Stores>
  __device__ __forceinline__ void evaluate_column(registers<Program, place::element>& element,
                                                  selected_registers<Program, fixed> const& same,
                                                  int u, int i) const {
    frame<Program> at{f.launch, f.row, element, f.total};
    take_element<Program, moving>(element, moved, u, i);
    take_element<Program, fixed>(element, same, 0, i);
    evaluate_element<Phase, Stores>(at);
  }

  // The reductions of phase Phase over the row. @pre all threads of the block call it
  template <int Phase> __device__ __forceinline__ void reduce() {
    using states = typename side::template states<Phase>;
    using collected = typename side::template collected<Phase, v * items>;
    selected_registers<Program, states> running;
    reset<Program, states>(running);
    cascade<Program, states> levels;
    for (column_index tile = 0; tile < (C::is_looped ? static_cast<column_index>(a.tiles) : 1);
         ++tile) {
      if constexpr (C::is_looped) take_tile(tile, row, tile + 1 < a.tiles ? tile + 1 : 0);
      selected_registers<Program, collected> values;
      int live = 0;
#pragma unroll
      for (int u = 0; u < items; ++u) {
        live += part_of(tile, u).count();
        selected_registers<Program, fixed> same;
        take_fixed(same, u);
#pragma unroll
        for (int i = 0; i < v; ++i) {
          registers<Program, place::element> element;
          evaluate_column<Phase, false>(element, same, u, i);
          frame<Program> at{f.launch, f.row, element, f.total};
          for_each_selected<Program, collected>([&](auto selected) {
            constexpr int k = decltype(selected)::value;
            read_register<k>(values).at[u * v + i] = take_of<k>(at);
          });
        }
      }
      side::template accumulate<collected, v * items>(running, values,
                                                      part_of(tile, items - 1).is_whole(), live);
      if constexpr (C::is_looped) levels.after_tile(running);
    }
    levels.finish(f.row, running);
    combine_row<Program, states, threads>(f.row, {lane, y, lanes, threads / lanes}, buffer);
    evaluate<place::row, Phase, Phase>(f);
  }

  // The last sweep: element stores, and the columns take the row in.
  template <class States>
  __device__ __forceinline__ void finish_row(States& columns, long long next_row) {
    bool const is_carrying = is_carried && (rows_taken + 1) % most_chained == 0;
    for (column_index tile = 0; tile < (C::is_looped ? static_cast<column_index>(a.tiles) : 1);
         ++tile) {
      if constexpr (C::is_looped) {
        bool const is_last = tile + 1 == a.tiles;
        take_tile(tile, is_last ? next_row : row, is_last ? 0 : tile + 1);
        bring_states(*this, columns, tile);
      }
#pragma unroll
      for (int u = 0; u < items; ++u) finish_item(columns, tile, u);
      if constexpr (C::is_looped) {
        if (is_carrying) carry_left(*this, columns, tile, rows_taken < most_chained);
        leave_columns(*this, columns, tile);
      }
    }
    if (!C::is_looped && is_carrying) wholes::carry(columns, rows_taken < most_chained);
    ++rows_taken;
  }
  // The wholes and the recent parts of the columns become one. @pre all rows are finished
  template <class States> __device__ __forceinline__ void finish_columns(States& columns) const {
    if (!is_carried || rows_taken < most_chained) return;
    if constexpr (C::is_looped)
      for (column_index tile = 0; tile < static_cast<column_index>(a.tiles); ++tile) {
        bring_states(*this, columns, tile);
        finish_left(*this, columns, tile);
        leave_columns(*this, columns, tile);
      }
    else
      wholes::finish(columns);
  }

  template <class States>
  __device__ __forceinline__ void finish_item(States& columns, column_index tile, int u) {
    using stored = element_stores<Program, v>;
    if (!is_inside) return;
    auto const part = part_of(tile, u);
    selected_registers<Program, stored> results;
    selected_registers<Program, fixed> same;
    take_fixed(same, u);
#pragma unroll
    for (int i = 0; i < v; ++i) {
      registers<Program, place::element> element;
      evaluate_column<phases + 1, true>(element, same, u, i);
      frame<Program> at{f.launch, f.row, element, f.total};
      for_each_selected<Program, of_columns>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using facts = reduction_facts<Program, k>;
        auto& state = read_register<k>(columns).at[u * v + i];
        // A column that is none takes in what nobody reads.
        state = facts::op::combine(state, facts::op::lift(static_cast<typename facts::number>(
                                              value_of<facts::instruction::first_operand>(at))));
      });
      for_each_selected<Program, stored>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(results).at[i] =
            value_of<program_traits<Program>::template at<k>::first_operand>(at);
      });
    }
    for_each_selected<Program, stored>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      auto* to = store_address<Program, k>(a, offsets.stores[I::bits]);
      auto vector = pack<storage_t<I::type>>(read_register<k>(results).at);
      if (part.is_whole() && a.store_moves_whole[I::bits]) {
        store_packed(to + column_of(tile, u), vector);
      } else {
#pragma unroll 1
        for (int i = 0; i < part.count(); ++i)
          to[offset_of(a.store_columns[I::bits], column_of(tile, u) + i)] =
              element_of(pop_element(vector), 0);
      }
    });
  }

  // Words between a block's first word of one kind and of the next.
  __device__ __forceinline__ long long stride() const { return a.vectors * v; }
#endif
};

}  // namespace tenon::detail
