// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread of the mixed skeleton: its columns of one row after the other.

#include "tenon/backend/cuda/columns/left.cuh"
#include "tenon/backend/cuda/mixed/leave.cuh"
#include "tenon/backend/cuda/mixed/row.cuh"
#include "tenon/backend/cuda/mixed/taken.cuh"

namespace tenon::detail {

template <class Program, class C> struct mixed_worker : mixed_row<Program, C> {
  using base = mixed_row<Program, C>;
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
  using base::a, base::f, base::lane, base::lanes, base::row, base::is_inside, base::offsets,
      base::rows_taken;
  using base::part_of, base::column_of;
  using typename base::arguments, typename base::column_index, typename base::fixed,
      typename base::moving, typename base::moving_item;

  __device__ __forceinline__ mixed_worker(arguments const& a, frame<Program> const& f, int lane,
                                          int lanes)
      : base(a, f, lane, lanes) {}

  __device__ __forceinline__ wholes own_wholes() const {
    return {base::bytes_of_rows + base::bytes_of_fixed(lanes), lane, lanes};
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
      if (is_inside) finish_items(columns, tile);
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

  template <class States>
  __device__ __forceinline__ void finish_items(States& columns, column_index tile) {
    using stored = element_stores<Program, v>;
    // Asked once for all items, as where the first one goes; looped, there are no registers for it.
    bool const is_whole = !C::is_looped && part_of(tile, items - 1).is_whole();
    selected_registers<Program, store_places> places;
    for_each_selected<Program, store_places>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      auto* const row = store_address<Program, k>(a, offsets.stores[I::bits]);
      read_register<k>(places) = {as_one_number(row + column_of(tile, 0)),
                                  is_whole && a.store_moves_whole[I::bits]};
    });
#pragma unroll
    for (int u = 0; u < items; ++u) {
      selected_registers<Program, stored> results;
      finish_item(columns, results, tile, u);
      for_each_selected<Program, stored>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        auto vector = pack<storage_t<I::type>>(read_register<k>(results).at);
        auto const& place = read_register<k>(places);
        if (place.is_whole)
          store_packed(this->item_of(place.first, u), vector);
        else
          store_part<k>(vector, tile, u);
      });
    }
  }
  // Where the first item of a row goes, and whether all of its items are stored as vectors.
  struct store_places {
    template <class T> struct place {
      T* first;
      bool is_whole;
    };
    template <int K> using at = typename program_traits<Program>::template at<K>;
    static consteval bool holds(int k) { return element_stores<Program, v>::holds(k); }
    template <int K> using type = place<storage_t<at<K>::type>>;
  };
  // A vector that need not be whole or lie at one place.
  template <int K, class T>
  __device__ __forceinline__ void store_part(packed<T, v> vector, column_index tile, int u) const {
    using I = typename program_traits<Program>::template at<K>;
    auto const part = part_of(tile, u);
    T* const to = as_one_number(store_address<Program, K>(a, offsets.stores[I::bits]));
    if (part.is_whole() && a.store_moves_whole[I::bits]) {
      store_packed(to + column_of(tile, u), vector);
    } else {
#pragma unroll 1
      for (int i = 0; i < part.count(); ++i)
        to[this->offset_of(a.store_columns[I::bits], column_of(tile, u) + i)] =
            element_of(pop_element(vector), 0);
    }
  }
  // The columns of item u take the row in, and what is stored of them is computed.
  template <class States, class Results>
  __device__ __forceinline__ void finish_item(States& columns, Results& results, column_index tile,
                                              int u) {
    typename base::template item_values<phases + 1, true> item;
    this->take_item(item, tile, u);
#pragma unroll
    for (int i = 0; i < v; ++i) {
      registers<Program, place::element> element;
      this->evaluate_column(element, item, i);
      frame<Program> at{f.launch, f.row, element, f.total};
      for_each_selected<Program, of_columns>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        auto& state = read_register<k>(columns).at[u * v + i];
        state = taken_by_column<k>(state, at);  // a column that is none takes in what nobody reads
      });
      for_each_selected<Program, element_stores<Program, v>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(results).at[i] =
            value_of<program_traits<Program>::template at<k>::first_operand>(at);
      });
    }
  }

  // Where the block's states of the columns lie.
  __device__ __forceinline__ unsigned* left() const {
    return a.workspace + first_partial + blockIdx.x * (stride() * words_per_column);
  }
  // Words between a block's first word of one kind and of the next.
  __device__ __forceinline__ long long stride() const { return a.vectors * v; }
#endif
};

}  // namespace tenon::detail
