// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread of a tile: a vector of columns, of which it takes several rows at once.

#include "tenon/backend/cuda/mixed/late_totals.cuh"
#include "tenon/backend/cuda/mixed/taken.cuh"
#include "tenon/backend/cuda/mixed/tile_operands.cuh"
#include "tenon/backend/cuda/mixed/tile_totals.cuh"
#include "tenon/backend/cuda/parallel/side_by_side.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct tile_worker : tile_operands<Program, C> {
  using base = tile_operands<Program, C>;
  using program = Program;
  using base::first_position, base::end_position;
  using base::v, base::threads, base::items, base::a, base::part;
  // Rows that a column takes in one after the other before it adds them to the others: one chain of
  // eight would round seven times, and a sum of eight may six times (2 log2 n).
  static constexpr int rows_of_chain = items < 4 ? items : 4,
                       chains_at_once = items / rows_of_chain;
  using of_columns = column_reductions<Program, v>;
  using of_rows = reductions_of<Program, place::row, 1>;
  using typename base::fixed, typename base::moving;
  using side = rows_side_by_side<Program, v, threads>;
  using running = typename side::template states<1>;
  // Those whose combining rounds.
  using chained = carried_reductions<Program, of_columns>;
  struct recent : of_columns {
    static consteval bool holds(int k) { return chained::holds(k); }
  };
  template <int K> static constexpr bool is_chained = is_held<Program, recent>(K);
  struct row_states : of_rows {
    template <int K> using type = value_list<typename reduction_facts<Program, K>::state, items>;
  };
  using words = tile_words<Program>;
  // Whether an element needs what is known of its row; otherwise that waits for the row's end.
  static constexpr bool rows_reach_elements = [] {
    for (instruction_facts const& i : program_traits<Program>::all)
      for (int n = 0; i.where == place::element && n < i.operand_count; ++n)
        if (program_traits<Program>::all[i.operands[n]].where == place::row) return true;
    return false;
  }();

  frame<Program> const& f;
  row_totals<Program>& totals;
  selected_registers<Program, of_columns> columns;
  selected_registers<Program, recent> wholes;

  __device__ __forceinline__ tile_worker(tile_arguments<Program> const& a, frame<Program> const& f,
                                         row_totals<Program>& totals)
      : base(a), f(f), totals(totals) {}

  __device__ __forceinline__ void begin(int strip, int rows) {
    base::begin(strip, rows);
    reset<Program, of_columns>(columns);
    reset<Program, recent>(wholes);
  }

  // Takes in all rows of the part. @pre all threads of the block call it
  __device__ __forceinline__ void sweep() {
    int const step = static_cast<int>(blockDim.y) * items;
    long long const end = end_position();
    unsigned chains = 0;
#pragma unroll 1
    for (long long first = first_position(); first < end; first += step) {
      selected_registers<Program, row_states> rows;
      // The threads of a block go one way: what may be missing costs the others instructions.
      if (base::is_strip_whole && first + step <= end)
        take_rows<true>(rows, first + threadIdx.y, end);
      else
        take_rows<false>(rows, first + threadIdx.y, end);
      end_rows(rows, first + threadIdx.y, end);
      chains += chains_at_once;
      if (chains % most_chained == 0) carry();
    }
  }

  // What the block has of the columns, to where the others find it. @pre all threads call it
  __device__ __forceinline__ void leave() {
    unsigned* to = a.workspace + first_partial +
                   base::slice * (words::of_column * a.column_stride) +
                   (base::tile * a.strip_vectors + threadIdx.x) * v;
    for_each_selected<Program, of_columns>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      auto& mine = read_register<k>(columns).at;
      if constexpr (is_chained<k>)
#pragma unroll
        for (int i = 0; i < v; ++i)
          mine[i] = facts::op::combine(read_register<k>(wholes).at[i], mine[i]);
      stacked_states<Program, k, v, threads>::combine_first(mine, side::position());
      if (threadIdx.y == 0 && !part.is_empty()) leave_states(to, a.column_stride, mine);
      to += state_words<typename facts::state>::count * a.column_stride;
    });
  }

  // Where word `number` of a strip's part of the rows is that begin with `row`.
  __device__ __forceinline__ unsigned* row_word(long long strip, int number, long long row) const {
    return a.workspace + a.first_row_word + (strip * words::of_row + number) * a.row_stride + row;
  }

  // A row whose reductions are in the row's registers after `put`: what follows from it.
  template <class Put> __device__ __forceinline__ void finish_row(long long row, Put const& put) {
    operand_offsets<Program> where;
    this->template find_position<loaded_at<Program, place::row>>(where, row);
    this->template find_position<stored_at<Program, place::row>>(where, row);
    take_row(row_values(where, true), where);
    put();
    evaluate<place::row, 1, 1>(f);
    if constexpr (has_early_totals<Program>) {
      registers<Program, place::total> apart = f.total;  // they have it already
      end_row<Program>({f.launch, f.row, f.element, apart}, a, where, row, totals);
    } else {
      end_row<Program>(f, a, where, row, totals);
    }
  }

 private:
  using values_of_row = selected_registers<Program, row_loads<Program>>;

  __device__ __forceinline__ values_of_row row_values(operand_offsets<Program> const& where,
                                                      bool is_inside) const {
    values_of_row result;
    request_row_values<Program>(result, a, where, is_inside);
    return result;
  }
  __device__ __forceinline__ void take_row(values_of_row const& values,
                                           operand_offsets<Program> const& where) const {
    take_row_values<Program>(f, values, a, where, true);
    evaluate<place::row, 0, 0>(f);
  }

  // Rows first, first + blockDim.y, ... : the columns take them in, and `rows` is what they have in
  // the strip, in all lanes. IsFull: all are inside, and nobody has a vector that is not whole.
  template <bool IsFull>
  __device__ __forceinline__ void take_rows(selected_registers<Program, row_states>& rows,
                                            long long first, long long end) {
    int const height = static_cast<int>(blockDim.y), lanes = static_cast<int>(blockDim.x),
              left = base::positions_left(first, end);
    selected_registers<Program, moving> loaded;
    if constexpr (IsFull)
      this->template load_plain<moving, items, true>(loaded, first, end);
    else
      this->template load<moving, items>(loaded, first, end);
    values_of_row values[items];
    operand_offsets<Program> where;
    if constexpr (rows_reach_elements && has_selected<Program, row_loads<Program>>)
#pragma unroll
      for (int u = 0; u < items; ++u) {
        bool const is_inside = IsFull || u * height < left;
        this->template find_position<loaded_at<Program, place::row>>(
            where, is_inside ? first + u * height : 0);
        values[u] = row_values(where, is_inside);
      }
    selected_registers<Program, recent> chain;
#pragma unroll
    for (int u = 0; u < items; ++u) {
      bool const is_inside = IsFull || u * height < left;
      if constexpr (rows_reach_elements) take_row(values[u], where);
      if (u % rows_of_chain == 0) reset<Program, recent>(chain);
      take_row_of<IsFull>(rows, chain, loaded, u, is_inside, lanes);
      if (u % rows_of_chain == rows_of_chain - 1)
        for_each_selected<Program, recent>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          auto& all = read_register<k>(columns).at;
#pragma unroll
          for (int i = 0; i < v; ++i)
            all[i] =
                reduction_facts<Program, k>::op::combine(all[i], read_register<k>(chain).at[i]);
        });
    }
  }
  // Row u of those that are loaded.
  template <bool IsFull, class Tile>
  __device__ __forceinline__ void take_row_of(selected_registers<Program, row_states>& rows,
                                              selected_registers<Program, recent>& chain,
                                              Tile const& loaded, int u, bool is_inside,
                                              int lanes) {
    using collected = typename side::template collected<1, v>;
    selected_registers<Program, collected> values;
#pragma unroll
    for (int i = 0; i < v; ++i) {
      registers<Program, place::element> element;
      frame<Program> const at{f.launch, f.row, element, f.total};
      take_element<Program, moving>(element, loaded, u, i);
      take_element<Program, fixed>(element, base::same, 0, i);
      evaluate_element<1, true>(at);
      for_each_selected<Program, collected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(values).at[i] = take_of<k>(at);
      });
      for_each_selected<Program, of_columns>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        auto take = [&](auto& state) {
          auto const next = taken_by_column<k>(state, at);
          if (IsFull || is_inside) state = next;  // what no column is takes in what nobody reads
        };
        if constexpr (is_chained<k>)
          take(read_register<k>(chain).at[i]);
        else
          take(read_register<k>(columns).at[i]);
      });
    }
    selected_registers<Program, running> own;
    reset<Program, running>(own);
    side::template accumulate<collected, v>(own, values, IsFull || part.is_whole(), part.count());
    for_each_selected<Program, of_rows>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      auto state = read_register<k>(own).at[0];
      if (part.is_empty()) state = facts::identity();
      read_register<k>(rows).at[u] =
          combine_lanes<typename facts::op, 32, lane_steps::straight>(state, lanes);
    });
  }

  // Each lane has some of the rows: it ends them, or leaves what the strip has of them.
  __device__ __forceinline__ void end_rows(selected_registers<Program, row_states> const& rows,
                                           long long first, long long end) {
    int const lanes = static_cast<int>(blockDim.x);
#pragma unroll 1
    for (int u = static_cast<int>(threadIdx.x); u < items; u += lanes) {
      long long const row = first + u * static_cast<int>(blockDim.y);
      if (row >= end) return;
      selected_registers<Program, row_words> words;
      for_each_selected<Program, of_rows>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using state = typename reduction_facts<Program, k>::state;
#pragma unroll
        for (int other = 0; other < items; ++other) {
          state_words<state> const theirs(read_register<k>(rows).at[other]);
#pragma unroll
          for (int w = 0; w < theirs.count; ++w)
            if (other == 0 || other == u) read_register<k>(words).words[w] = theirs.words[w];
        }
      });
      if constexpr (has_early_totals<Program>) take_in_total(f, words);
      if (a.tiles > 1)
        leave_row(words, row);
      else
        finish_row(row, [&] {
          for_each_selected<Program, of_rows>([&](auto selected) {
            constexpr int k = decltype(selected)::value;
            read_register<k>(f.row) = read_register<k>(words).state();
          });
        });
    }
  }
  struct row_words : of_rows {
    template <int K> using type = state_words<typename reduction_facts<Program, K>::state>;
  };
  __device__ __forceinline__ void leave_row(selected_registers<Program, row_words> const& words,
                                            long long row) const {
    int number = 0;
    for_each_selected<Program, of_rows>([&](auto selected) {
      for (unsigned word : read_register<decltype(selected)::value>(words).words)
        __stcg(row_word(base::tile, number++, row), word);
    });
  }

  __device__ __forceinline__ void carry() {
    for_each_selected<Program, recent>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int i = 0; i < v; ++i)
        carry_over<typename reduction_facts<Program, k>::op>(read_register<k>(wholes).at[i],
                                                             read_register<k>(columns).at[i]);
    });
  }
};

}  // namespace tenon::detail
#endif
