// SPDX-License-Identifier: Apache-2.0
#pragma once
// The mixed skeleton: each block finishes rows of its own one after the other and keeps the
// columns' states meanwhile; then every block combines some of the columns over all blocks.

#include "tenon/backend/cuda/mixed/worker.cuh"

namespace tenon {
#if defined(__CUDA_ARCH__)
namespace detail {

// Combines the states of the threads above each other. @post those of y == 0 have the result
template <class Program, int V, int Items, int Threads, class States>
__device__ __forceinline__ void combine_stacked_columns(States& columns, stack_position const& p) {
  if (p.height == 1) return;
#pragma unroll
  for (int u = 0; u < Items; ++u)
    for_each_selected<Program, column_reductions<Program, V * Items>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& all = read_register<k>(columns).at;
      typename reduction_facts<Program, k>::state states[V];
#pragma unroll
      for (int i = 0; i < V; ++i) states[i] = all[u * V + i];
      stacked_states<Program, k, V, Threads>::combine(states, p);
#pragma unroll
      for (int i = 0; i < V; ++i) all[u * V + i] = states[i];
    });
}

// Combines columns over all blocks: those of the tiles that begin at `first` and are `step` apart,
// a tile of 8 vectors at a time. @pre what all blocks left is visible
template <class Program, class C, class Arguments>
__device__ __forceinline__ void finish_columns(frame<Program> const& around, Arguments const& a,
                                               long long first, long long step) {
  constexpr int v = C::vector_width, threads = C::threads_per_block, width = 8;
  using reductions = column_reductions<Program, v>;
  constexpr int words = mixed_worker<Program, C>::words_per_column;
  int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
  stack_position const p{thread % width, thread / width, width, threads / width};
  long long const stride = a.vectors * v;
  for (long long tile = first; tile * width < a.vectors; tile += step) {
    long long const column = (tile * width + p.x) * v;
    vector_part<v> const part{a.columns.size - column};
    selected_registers<Program, reductions> results;
    unsigned const* from = a.workspace + first_partial + column;
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& states = read_register<k>(results).at;
      combine_left<Program, k, v>(states, from, stride, words, p.y, p.height,
                                  part.is_empty() ? 0 : gridDim.x);
      stacked_states<Program, k, v, threads>::combine(states, p);
      from += state_words<typename reduction_facts<Program, k>::state>::count * stride;
    });
    if (p.y != 0) continue;
#pragma unroll
    for (int i = 0; i < v; ++i) {
      if (i >= part.left) continue;
      registers<Program, place::total> values;
      registers<Program, place::element> none;
      frame<Program> f{around.launch, around.row, none, values};
      for_each_selected<Program, reductions>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(values) = read_register<k>(results).at[i];
      });
      evaluate<place::column, 0, max_nodes>(f);
      for_each_instruction<Program>([&](auto index) {
        constexpr int k = decltype(index)::value;
        using I = typename program_traits<Program>::template at<k>;
        if constexpr (operands_at<Program, place::column>::stores(k)) {
          long long offset = 0;
          for_each_digit(a.columns, column + i, [&](int d, long long digit) {
            offset += digit * a.store_columns[I::bits][d];
          });
          store_one<k>(f, a, offset);
        }
      });
    }
  }
}

}  // namespace detail
#endif

// Owners: block b finishes groups b, b + grid, ... of blockDim.y rows; thread (x, y) has vectors x,
// x + blockDim.x, ... of its row. Registers: the row as it lies in memory and a state per column
// and reduction over the rows; looped: those of one tile. Shared memory: one state per warp and
// reduction over the columns, one per thread and column of a vector, and what long chains of the
// columns' states have carried over (looped: in global memory). Global memory: each operand is read
// once (looped: once per phase that needs it), each element store written once; each block
// leaves its columns' states in the workspace (looped: reads and writes them with every row).
// @pre the grid is a function of the shape; blockDim.x * items vectors hold a row unless looped;
// the tickets and slots in the workspace are 0
// @post every store is written once per position; the tickets and slots are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, 2)
    mixed_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  using worker_type = mixed_worker<Program, C>;
  using of_columns = typename worker_type::of_columns;
  constexpr int v = C::vector_width, threads = C::threads_per_block;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> no_element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, no_element, total};
  start(f, a);
  start_totals(f);

  int const x = static_cast<int>(threadIdx.x), y = static_cast<int>(threadIdx.y);
  int const width = static_cast<int>(blockDim.x), height = static_cast<int>(blockDim.y);
  unsigned* const left =
      a.workspace + first_partial + blockIdx.x * (a.vectors * v * worker_type::words_per_column);
  worker_type worker{a, f, x, width, y, left};
  selected_registers<Program, of_columns> columns;
  reset<Program, of_columns>(columns);
  row_totals<Program> of_rows;
  long long group = blockIdx.x;
  if constexpr (!C::is_looped) worker.bring_fixed();
  if constexpr (worker_type::is_sent_ahead)
    worker.template request<typename worker_type::moving>(group * height + y, 0);
  do {  // at least once: what no row enters is wanted even when there are no rows
    worker.begin(group * height + y);
    long long const next_row = (group + gridDim.x) * height + y;
    if constexpr (!C::is_looped) worker.take_tile(0, next_row, 0);
    [&]<int... Phase>(std::integer_sequence<int, Phase...>) {
      (worker.template reduce<Phase + 1>(), ...);
    }
    (std::make_integer_sequence<int, program_traits<Program>::row_phases>{});
    worker.finish_row(columns, next_row);
    if (x == 0 && worker.is_inside) end_row<Program>(f, a, worker.offsets, worker.row, of_rows);
    group += gridDim.x;
  } while (group * height < a.rows.size);

  worker.finish_columns(columns);
  if constexpr (!C::is_looped) {
    stack_position const p{x, y, width, height};
    combine_stacked_columns<Program, v, C::items, threads>(columns, p);
    if (y == 0) leave_columns(worker, columns, 0);
  }
  if (a.blocks_can_meet) {
    meet_all_blocks(a.workspace);
    finish_columns<Program, C>(f, a, blockIdx.x, gridDim.x);
  } else {
    __syncthreads();
    if (draws_last_ticket(a.workspace, gridDim.x)) finish_columns<Program, C>(f, a, 0, 1);
  }
  int buffer = 0;
  end_launch<threads>(f, a, of_rows, buffer);
#endif
}

}  // namespace tenon
