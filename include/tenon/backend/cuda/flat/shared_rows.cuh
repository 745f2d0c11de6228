// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flat skeleton of rows that share vectors with each other: a thread has the same columns of
// neighbouring rows, and what they share once.

#include "tenon/backend/cuda/flat/kernel.cuh"

namespace tenon {

// Owners: a thread has a vector of columns in `items` rows below each other; neighbouring threads
// have neighbouring vectors. Registers: a vector of each operand for each of the rows, one of what
// they share. Global memory: each operand is read once, what rows share once for `items` of them;
// each element store is written once: sizeof(element) bytes per element each.
// @pre has_whole_operands along two axes, and what is not one element is the same for all rows;
// nothing is reduced
// @post every store is written once per position
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    flat_shared_kernel(const __grid_constant__ detail::flat_arguments<Program> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int v = C::vector_width, items = C::items;
  using tile_loads = needed_loads<Program, v, items, 1, true>;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  auto const of_row = static_cast<unsigned>(a.columns.by[1].divisor) / v;
  unsigned const thread = blockIdx.x * C::threads_per_block + threadIdx.x,
                 group = a.columns.by[1].narrow_quotient(thread * v), row_above = group * items,
                 column = thread - group * of_row;
  neighbouring_rows const positions{{static_cast<int>(row_above * of_row + column),
                                     static_cast<int>(of_row), static_cast<int>(a.vectors)},
                                    row_above,
                                    column};
  await_operands<Program>();
  if (positions.is_live(0)) {
    operand_offsets<Program> origin{};
    selected_registers<Program, tile_loads> tile;
    load_tile<Program, tile_loads, v, items, packed_columns, true>(tile, a, origin, positions,
                                                                   true);
    selected_registers<Program, no_loads> none;
    selected_registers<Program, running_states<Program, v, items, 1>> states;
    process_tile<1, true, v, items, packed_columns, tile_loads, no_loads, no_loads>(
        tile, none, states, f, a, origin, positions, true);
  }
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  store_all<place::row>(f, a);
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
