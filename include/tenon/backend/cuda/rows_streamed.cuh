// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows that are read once and leave nothing but values per row: each passes by the threads that
// share it, tile by tile.

#include "tenon/backend/cuda/rows.cuh"

namespace tenon {
namespace detail {

// Whether nothing of a row is needed a second time.
template <class Program>
inline constexpr bool passes_once =
    program_traits<Program>::row_phases == 1 && !has_element_stores<Program>;

// One thread's view of the row that it works on.
template <class Program, class C> struct streamed_worker {
  static constexpr int v = C::vector_width, items = C::items, dims = C::group_dims;
  static constexpr int most_warps = C::threads_per_block / 32;
  using arguments = rows_arguments<Program, C>;
  using reductions = reductions_of<Program, place::row, 1>;

  arguments const& a;
  frame<Program> const& f;
  int const lanes = static_cast<int>(blockDim.x);
  int buffer = 0;  // of the shared states

  __device__ __forceinline__ void finish_row(long long row) {
    bool const is_inside = row < a.rows.size;
    operand_offsets<Program> offsets;
    find_row<Program>(offsets, a, is_inside ? row : 0);
    selected_registers<Program, row_loads<Program>> values;
    request_row_values<Program>(values, a, offsets, is_inside);
    take_row_values<Program>(f, values, a, offsets, is_inside);
    evaluate<place::row, 0, 0>(f);
    sweep(offsets, is_inside);
    combine();
    evaluate<place::row, 1, 1>(f);
    if (threadIdx.x == 0 && is_inside) end_row<Program>(f, a, offsets);
  }

 private:
  __device__ __forceinline__ void sweep(operand_offsets<Program> const& offsets, bool is_inside) {
    using loads = needed_loads<Program, v, items, 1, false>;
    using running = running_states<Program, v, items, 1>;
    selected_registers<Program, running> states;
    reset<Program, running>(states);
    cascade<Program, running> levels;
    int const vectors = static_cast<int>(a.vectors), whole = a.tail != 0 ? vectors - 1 : vectors;
#pragma unroll 1
    for (int first = 0; first < vectors; first += lanes * items) {
      item_positions<int> positions{first + static_cast<int>(threadIdx.x), lanes, whole, a.tail};
      selected_registers<Program, loads> tile;
      selected_registers<Program, no_loads> none;
      load_tile<Program, loads, v, items, dims, false>(tile, a, offsets, positions, is_inside);
      process_tile<1, false, v, items, dims, loads, no_loads, no_loads>(
          tile, none, states, f, a, offsets, positions, is_inside);
      levels.after_tile(states);
    }
    levels.finish(f.row, states);
  }

  // Lanes by shuffles; then one barrier, after which each warp combines the states of all.
  __device__ __forceinline__ void combine() {
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      auto& state = read_register<k>(f.row);
      state = combine_lanes<op, 32>(state, lanes < 32 ? lanes : 32);
    });
    if (lanes <= 32) return;
    int const warps = lanes / 32, first = static_cast<int>(threadIdx.y) * warps;
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if (threadIdx.x % 32 == 0)
        shared_states<Program, k, most_warps>::put(
            buffer, first + static_cast<int>(threadIdx.x) / 32, read_register<k>(f.row));
    });
    __syncthreads();
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(f.row) = combine_shared<Program, k, most_warps>(buffer, first, warps);
    });
    buffer ^= 1;
  }
};

}  // namespace detail

// Owners: blockDim.x threads share a row, blockDim.y rows are a group, and the blocks take the
// groups in turn; thread `lane` of a row takes vectors lane, lane + lanes, ... of a tile. A row
// beyond the end is swept by its threads but not read. Registers: items vectors of each operand; up
// to four running states per reduction, and two more. Shared memory: one state per warp and
// reduction, twice. Global memory: each operand is read once.
// @pre nothing of a row is needed twice; the grid is a function of the shape if there are totals
// @post every store is written once per position; a row's bits depend on its elements and their
// number alone; the slots are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    streamed_rows_kernel(const __grid_constant__ Arguments a) {
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start(f, a);
  start_totals(f);
  streamed_worker<Program, C> worker{a, f};
  for (long long group = blockIdx.x; group < a.split.groups; group += gridDim.x)
    worker.finish_row(group * blockDim.y + threadIdx.y);
  end_launch<C::threads_per_block>(f, a, worker.buffer);
}

}  // namespace tenon
