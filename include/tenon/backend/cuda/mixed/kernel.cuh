// SPDX-License-Identifier: Apache-2.0
#pragma once
// The mixed skeleton: each block finishes rows of its own one after the other and keeps the
// columns' states meanwhile; then every block combines some of the columns over all blocks.

#include "tenon/backend/cuda/mixed/late_totals.cuh"
#include "tenon/backend/cuda/mixed/pace.cuh"
#include "tenon/backend/cuda/mixed/worker.cuh"

namespace tenon {
namespace detail {

// Vectors of neighbouring columns that a block combines over all blocks at once: 16 columns, so
// that many blocks take part and no thread has more than a few of the blocks' states.
template <int V> inline constexpr int finishing_width = V < 16 ? 16 / V : 1;

// Such shares of the columns. Of no columns there is a total, too.
template <int V> TENON_HD constexpr long long shares_of_columns(long long vectors, bool is_total) {
  long long const shares = divide_up(vectors, finishing_width<V>);
  return is_total && shares == 0 ? 1 : shares;
}

#if defined(__CUDA_ARCH__)
// Combines the columns of tile `tile`, of finishing_width<v> vectors, over all blocks.
// @pre what all blocks left is visible
template <class Program, class C, class Arguments>
__device__ __forceinline__ void finish_columns(frame<Program> const& around, Arguments const& a,
                                               long long tile) {
  constexpr int v = C::vector_width, threads = C::threads_per_block, width = finishing_width<v>;
  using reductions = column_reductions<Program, v>;
  constexpr int words = mixed_worker<Program, C>::words_per_column;
  int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
  stack_position const p{thread % width, thread / width, width, threads / width};
  long long const stride = a.vectors * v;
  long long const column = (tile * width + p.x) * v;
  vector_part<v> const part{a.columns.size - column};
  selected_registers<Program, reductions> results;
  unsigned const* from = a.workspace + first_partial + column;
  for_each_selected<Program, reductions>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    auto& states = read_register<k>(results).at;
    combine_left<Program, k, v>(states, from, stride, words, p.y, p.height,
                                part.is_empty() ? 0 : a.blocks);
    from += state_words<typename reduction_facts<Program, k>::state>::count * stride;
  });
  for_each_selected<Program, reductions>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    stacked_states<Program, k, v, threads>::combine_all(
        read_register<k>(results).at, p, reinterpret_cast<unsigned*>(dynamic_shared()));
  });
  // All threads of an x have the same: each takes one of the columns.
  if (p.y >= v || p.y >= part.left) return;
  registers<Program, place::total> values;
  registers<Program, place::element> none;
  frame<Program> f{around.launch, around.row, none, values};
  for_each_selected<Program, reductions>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    auto const& states = read_register<k>(results).at;
    read_register<k>(values) = states[0];
#pragma unroll
    for (int i = 1; i < v; ++i)
      if (p.y == i) read_register<k>(values) = states[i];
  });
  evaluate<place::column, 0, max_nodes>(f);
  take_in_column(f, around.total);
  for_each_instruction<Program>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (operands_at<Program, place::column>::stores(k)) {
      long long offset = 0;
      for_each_digit(a.columns, column + p.y, [&](int d, long long digit) {
        offset += digit * a.store_columns[I::bits][d];
      });
      store_one<k>(f, a, offset);
    }
  });
}

#endif
}  // namespace detail

// Owners: block b finishes groups b, b + grid, ... of blockDim.y rows; thread (x, y) has vectors x,
// x + blockDim.x, ... of it. Registers: the row as it lies in memory and a state per column and
// reduction over the rows; looped: those of one tile. Shared memory: the next row (staged: the
// present one, too), what is the same for all rows, one state per warp and reduction over the
// columns, and what long chains of the columns' states have carried over (looped: in global
// memory); at the end all states of the columns. Global memory: each operand is read once (looped:
// once per phase that needs it), each element store written once; each block leaves its columns'
// states in the workspace (looped: reads and writes them with every row).
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
  constexpr int threads = C::threads_per_block;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> no_element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, no_element, total};
  start<false>(f, a);
  last_blocks others(a.workspace);
  if constexpr (is_paced<Program, C>) pace::begin();
  start_totals(f);

  int const x = static_cast<int>(threadIdx.x);
  int const width = static_cast<int>(blockDim.x), height = static_cast<int>(blockDim.y);
  worker_type worker{a, f, x, width};
  row_totals<Program> of_rows;
  selected_registers<Program, of_columns> columns;
  reset<Program, of_columns>(columns);
  long long row_taken = static_cast<long long>(blockIdx.x) * height + thread_row();
  worker.template request<typename worker_type::moving>(row_taken, 0, 0);
  if constexpr (!C::is_looped) {
    worker.bring_fixed();
    if constexpr (worker_type::is_carried) worker.own_wholes().clear();
    __syncthreads();
  }
  do {  // at least once: what no row enters is wanted even when there are no rows
    worker.begin(row_taken);
    row_taken += a.blocks * height;
    if constexpr (!C::is_looped) worker.take_tile(0, row_taken, 0);
    if constexpr (is_paced<Program, C>)
      if (a.is_paced) pace::keep(a.workspace, worker.rows_taken);
    [&]<int... Phase>(std::integer_sequence<int, Phase...>) {
      (worker.template reduce<Phase + 1>(), ...);
    }
    (std::make_integer_sequence<int, program_traits<Program>::row_phases>{});
    worker.finish_row(columns, row_taken);
    if (x == 0 && worker.is_inside) end_row<Program>(f, a, worker.offsets, worker.row, of_rows);
  } while (row_taken - thread_row() < a.rows.size);

  others.look();
  worker.finish_columns(columns);
  if constexpr (!C::is_looped) leave_block(worker, columns);
  int buffer = 0;
  constexpr bool is_late = has_column_totals<Program>;
  unsigned const shares =
      static_cast<unsigned>(shares_of_columns<C::vector_width>(a.vectors, is_late));
  late_totals<Program, threads> late(
      f, of_rows, buffer, a.workspace,
      a.workspace + first_partial + a.blocks * (worker.stride() * worker_type::words_per_column),
      gridDim.x + shares);
  if constexpr (is_late) late.leave(blockIdx.x);
  others.share(shares, [&](long long tile) {
    finish_columns<Program, C>(f, a, tile);
    if constexpr (is_late) late.leave_share(gridDim.x + static_cast<unsigned>(tile), shares, a);
  });
  if constexpr (is_late) {
    if (blockIdx.x == 0 && x == 0 && thread_row() == 0) store_all<place::launch>(f, a);
  } else {
    end_launch<threads>(f, a, of_rows, buffer);
  }
#endif
}

}  // namespace tenon
