// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the tiles left of one side → its columns or rows, four neighbours of each thread.

#include "tenon/backend/cuda/mixed/tile_worker.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class Selected> struct finished_states : Selected {
  template <int K>
  using type = value_list<typename reduction_facts<Program, K>::state, neighbours_finished>;
};

// Combines `parts` parts of the Selected reductions of neighbours of number `visit`, of as many for
// each of `lanes` threads side by side. Calls finish(number, take) for those of `count` that there
// are; take(selected) is the state of a reduction. @pre what all blocks left is visible; all
// threads of the block call it; lanes is a power of two
template <class Program, class Selected, int Threads, class Finish>
__device__ __forceinline__ void finish_side(unsigned const* from, long long stride, int parts,
                                            long long count, int lanes, long long visit,
                                            Finish const& finish) {
  constexpr int together = neighbours_finished, words = partial_words<Program, Selected>;
  int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
  int const shift = 31 - __clz(lanes);
  stack_position const p{thread & (lanes - 1), thread >> shift, lanes, Threads >> shift};
  long long const first = (visit * lanes + p.x) * together;
  selected_registers<Program, finished_states<Program, Selected>> all;
  from += first;
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    combine_left<Program, k, together>(read_register<k>(all).at, from, stride, words, p.y, p.height,
                                       first < count ? parts : 0);
    from += state_words<typename reduction_facts<Program, k>::state>::count * stride;
  });
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    stacked_states<Program, k, together, Threads>::combine_all(read_register<k>(all).at, p);
  });
  // All threads of an x have the same: each takes some of the neighbours.
#pragma unroll 1
  for (int i = p.y; i < together && first + i < count; i += p.height)
    finish(first + i, [&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto const& states = read_register<k>(all).at;
      auto result = states[0];
#pragma unroll
      for (int j = 1; j < together; ++j)
        if (i == j) result = states[j];
      return result;
    });
}

// Those of columns are evaluated, stored and taken into the totals.
template <class Worker>
__device__ __forceinline__ void finish_tile_columns(Worker& worker, long long visit) {
  using program = typename Worker::program;
  using of_columns = typename Worker::of_columns;
  auto const& a = worker.a;
  finish_side<program, of_columns, Worker::threads>(
      a.workspace + first_partial, a.column_stride, a.slices, a.innermost, a.column_lanes, visit,
      [&](long long column, auto const& take) {
        registers<program, place::total> values;
        registers<program, place::element> none;
        frame<program> const f{worker.f.launch, worker.f.row, none, values};
        for_each_selected<program, of_columns>([&](auto selected) {
          read_register<decltype(selected)::value>(values) = take(selected);
        });
        evaluate<place::column, 0, max_nodes>(f);
        for_each_instruction<program>([&](auto index) {
          constexpr int k = decltype(index)::value;
          using I = typename program_traits<program>::template at<k>;
          if constexpr (operands_at<program, place::column>::stores(k)) {
            long long offset = 0;
            for_each_digit(a.neighbours, column, [&](int d, long long digit) {
              offset += digit * a.store_rows[I::bits][d];
            });
            store_one<k>(f, a, offset);
          }
        });
        take_in_column(f, worker.f.total);
      });
}

// Those of rows, where more than one strip has some of each.
template <class Worker>
__device__ __forceinline__ void finish_tile_rows(Worker& worker, long long visit) {
  using program = typename Worker::program;
  auto const& a = worker.a;
  finish_side<program, typename Worker::of_rows, Worker::threads>(
      worker.row_word(0, 0, 0), a.row_stride, a.tiles, a.columns.size, a.row_lanes, visit,
      [&](long long row, auto const& take) {
        worker.finish_row(row, [&] {
          for_each_selected<program, typename Worker::of_rows>([&](auto selected) {
            read_register<decltype(selected)::value>(worker.f.row) = take(selected);
          });
        });
      });
}

}  // namespace tenon::detail
#endif
