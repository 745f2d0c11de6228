// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread of the mixed skeleton: its columns of one row after the other.

#include "tenon/backend/cuda/columns/left.cuh"
#include "tenon/backend/cuda/mixed/leave.cuh"
#include "tenon/backend/cuda/mixed/operands.cuh"
#include "tenon/backend/cuda/rows/states.cuh"
#include "tenon/backend/cuda/rows/values.cuh"

namespace tenon::detail {

template <class Program, class C> struct mixed_worker : mixed_operands<Program, C> {
  using base = mixed_operands<Program, C>;
  using base::v, base::items, base::threads, base::phases;
  using program = Program;
  using of_columns = column_reductions<Program, v * items>;
  using wholes = column_wholes<Program, v, items, base::is_staged>;
  static constexpr bool is_carried = wholes::bytes_per_lane > 0;
  // Looped, the wholes lie behind the states. At the end the states of all threads' columns lie
  // there, then those of a vector for each thread.
  static constexpr int shared_bytes(int lanes) {
    int const rows = base::bytes_of_rows + base::bytes_of_fixed(lanes),
              all = rows + (C::is_looped ? 0 : wholes::bytes(lanes, threads / lanes)),
              left = C::is_looped ? 0 : left_slots<Program, v, items>::bytes_per_lane * threads,
              stacked = partial_words<Program, of_columns> * 4 * v * threads,
              end = left > stacked ? left : stacked;
    return all > end ? all : end;
  }
  // Of the states of one column, with those of the wholes.
  static constexpr int state_words_per_column = partial_words<Program, of_columns>;
  static constexpr int words_per_column =
      C::is_looped && is_carried ? 2 * state_words_per_column : state_words_per_column;

#if defined(__CUDA_ARCH__)
  using side = rows_side_by_side<Program, v, threads>;
  using base::a, base::lane, base::lanes, base::row, base::is_inside, base::offsets,
      base::rows_taken;
  using base::part_of, base::column_of;
  using typename base::arguments, typename base::column_index, typename base::fixed,
      typename base::moving, typename base::moving_item;
  frame<Program> const& f;

  __device__ __forceinline__ mixed_worker(arguments const& a, frame<Program> const& f, int lane,
                                          int lanes)
      : base{a, lane, lanes}, f(f) {}

  __device__ __forceinline__ wholes own_wholes() const {
    return {base::bytes_of_rows + base::bytes_of_fixed(lanes), lane, lanes};
  }

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

  template <int Phase, bool Stores>
  __device__ __forceinline__ void evaluate_column(
      registers<Program, place::element>& element,
      selected_registers<Program, moving_item> const& item,
      selected_registers<Program, fixed> const& same, int i) const {
    frame<Program> at{f.launch, f.row, element, f.total};
    take_element<Program, moving_item>(element, item, 0, i);
    take_element<Program, fixed>(element, same, 0, i);
    evaluate_element<Phase, Stores>(at);
  }

  // Items whose numbers are in registers together: half of them beside two states of each column.
  static constexpr int batch_items = base::is_staged ? items / 2 : items;

  // The reductions of phase Phase over the row. @pre all threads of the block call it
  template <int Phase> __device__ __forceinline__ void reduce() {
    using states = typename side::template states<Phase>;
    using collected = typename side::template collected<Phase, v * batch_items>;
    selected_registers<Program, states> running;
    reset<Program, states>(running);
    cascade<Program, states> levels;
    for (column_index tile = 0; tile < (C::is_looped ? static_cast<column_index>(a.tiles) : 1);
         ++tile) {
      if constexpr (C::is_looped) this->take_tile(tile, row, tile + 1 < a.tiles ? tile + 1 : 0);
#pragma unroll 1
      for (int first = 0; first < items; first += batch_items) {
        selected_registers<Program, collected> values;
        bool const is_all = part_of(tile, first + batch_items - 1).is_whole();
        int const live = is_all ? batch_items * v : this->live_columns(tile, first, batch_items);
#pragma unroll
        for (int u = 0; u < batch_items; ++u) {
          selected_registers<Program, fixed> same;
          this->take_fixed(same, first + u);
          selected_registers<Program, moving_item> item;
          this->take_moving(item, first + u);
#pragma unroll
          for (int i = 0; i < v; ++i) {
            registers<Program, place::element> element;
            evaluate_column<Phase, false>(element, item, same, i);
            frame<Program> at{f.launch, f.row, element, f.total};
            for_each_selected<Program, collected>([&](auto selected) {
              constexpr int k = decltype(selected)::value;
              read_register<k>(values).at[u * v + i] = take_of<k>(at);
            });
          }
        }
        side::template accumulate<collected, v * batch_items>(running, values, is_all, live);
      }
      if constexpr (C::is_looped) levels.after_tile(running);
    }
    levels.finish(f.row, running);
    combine_row<Program, states, threads>(f.row, {lane, thread_row(), lanes, threads / lanes},
                                          (rows_taken * phases + Phase) & 1);
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
        this->take_tile(tile, is_last ? next_row : row, is_last ? 0 : tile + 1);
        bring_states(*this, columns, tile);
      }
#pragma unroll
      for (int u = 0; u < items; ++u) finish_item(columns, tile, u);
      if constexpr (C::is_looped) {
        if (is_carrying) carry_left(*this, columns, tile, rows_taken < most_chained);
        leave_columns(*this, columns, tile);
      }
    }
    if constexpr (!C::is_looped && is_carried) own_wholes().carry(columns, rows_taken + 1);
    ++rows_taken;
  }
  // The wholes and the recent parts of the columns become one. @pre all rows are finished
  template <class States> __device__ __forceinline__ void finish_columns(States& columns) const {
    if constexpr (!is_carried) return;
    if (!base::is_staged && rows_taken < most_chained) return;
    if constexpr (C::is_looped) {
      for (column_index tile = 0; tile < static_cast<column_index>(a.tiles); ++tile) {
        bring_states(*this, columns, tile);
        finish_left(*this, columns, tile);
        leave_columns(*this, columns, tile);
      }
    } else {
      __syncthreads();
      own_wholes().finish(columns);
    }
  }

  // Whether a reduction over the rows is the sum of a product of each element, which is rounded
  // with the sum.
  template <int K>
  static constexpr bool adds_products = [] {
    using I = typename program_traits<Program>::template at<K>;
    using element = typename program_traits<Program>::template at<I::first_operand>;
    return std::is_same_v<typename I::op, ops::sum> &&
           std::is_same_v<typename element::op, ops::mul> && element::where == place::element &&
           std::is_floating_point_v<typename I::value_type> &&
           std::is_same_v<typename element::value_type, typename I::value_type>;
  }();
  template <class States>
  __device__ __forceinline__ void finish_item(States& columns, column_index tile, int u) {
    using stored = element_stores<Program, v>;
    if (!is_inside) return;
    auto const part = part_of(tile, u);
    selected_registers<Program, stored> results;
    selected_registers<Program, fixed> same;
    this->take_fixed(same, u);
    selected_registers<Program, moving_item> item;
    this->take_moving(item, u);
#pragma unroll
    for (int i = 0; i < v; ++i) {
      registers<Program, place::element> element;
      evaluate_column<phases + 1, true>(element, item, same, i);
      frame<Program> at{f.launch, f.row, element, f.total};
      for_each_selected<Program, of_columns>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using facts = reduction_facts<Program, k>;
        constexpr int operand = facts::instruction::first_operand;
        auto& state = read_register<k>(columns).at[u * v + i];
        // A column that is none takes in what nobody reads.
        if constexpr (adds_products<k>) {
          using product = typename program_traits<Program>::template at<operand>;
          state = math::product_plus(value_of<product::first_operand>(at),
                                     value_of<product::second_operand>(at), state);
        } else {
          state = facts::op::combine(
              state, facts::op::lift(static_cast<typename facts::number>(value_of<operand>(at))));
        }
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
      auto* to = as_one_number(store_address<Program, k>(a, offsets.stores[I::bits]));
      auto vector = pack<storage_t<I::type>>(read_register<k>(results).at);
      if (part.is_whole() && a.store_moves_whole[I::bits]) {
        store_packed(to + column_of(tile, u), vector);
      } else {
#pragma unroll 1
        for (int i = 0; i < part.count(); ++i)
          to[this->offset_of(a.store_columns[I::bits], column_of(tile, u) + i)] =
              element_of(pop_element(vector), 0);
      }
    });
  }

  // Where the block's states of the columns lie.
  __device__ __forceinline__ unsigned* left() const {
    return a.workspace + first_partial + blocks_before() * (stride() * words_per_column) +
           base::strip_begin();
  }
  // Blocks with earlier rows.
  __device__ __forceinline__ unsigned blocks_before() const {
    if constexpr (base::is_cut) return blockIdx.x / a.strips_at_once;
    return blockIdx.x;
  }
  // Words between a block's first word of one kind and of the next.
  __device__ __forceinline__ long long stride() const { return a.vectors * v; }
#endif
};

}  // namespace tenon::detail
