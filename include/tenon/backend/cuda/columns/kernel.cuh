// SPDX-License-Identifier: Apache-2.0
#pragma once
// The columns skeleton: rows that lie next to each other in memory are reduced side by side, each
// thread a vector of them; a long reduction is shared by several blocks.

#include "tenon/backend/cuda/columns/worker.cuh"

namespace tenon {
namespace detail {

// Of a multiprocessor at once. H200, sums of 64 x 262144 f32: 19 us on three, 21 on two. Three
// leave no registers for a root and a quotient of each row, which spilled 32 bytes.
template <class Program, int V>
inline constexpr int columns_blocks_held = [] {
  constexpr int state_words = V * row_state_words<Program>;
  if (stores_what_it_reduces<Program>) return 2;
  if (is_any_kept<Program, V>) return kept_blocks_held<Program, state_words>;
  int row_slots = 0;
  for (instruction_facts const& i : program_traits<Program>::all)
    if (i.is_computed && i.where == place::row) row_slots += i.cost;
  if (element_operands<Program>::loads > 1 || element_operands<Program>::has_fetches_beside)
    return 1;
  // Of what is chosen elements that know their positions took 146 registers. H200, us, by two
  // blocks and by one of 168 registers: logsumexp over axis 1 of 16 x 19 x 262144 bf16 77 and 112,
  // over axis 0 of 8192 x 8192 40 and 57.5, of 65536 x 512 25 and 34.
  bool const is_simple = !element_operands<Program>::has_much_arithmetic;
  // A sum and a maximum of eight rows whose elements are told apart by positions spilled 340 bytes.
  constexpr int most_words = elements_know_positions<Program> ? 8 : 24;
  if (state_words > 4)
    return (has_choices<Program> ? is_simple : state_words <= most_words) ? 2 : 1;
  return row_slots > 32 ? 2 : 3;
}();

}  // namespace detail

// Owners: block b has slice b / tiles of the reduced positions of tile b % tiles, or slice b %
// slices of tile b / slices. A tile is blockDim.x vectors of V neighbouring rows; thread (x, y)
// takes positions y, y + height, ... of vector x. Passing: the only position of vector x in several
// tiles. Kept: a cluster has the slices of one tile, and the shared memory of each block what
// several sweeps need of its slice. Registers: items vectors of each operand, three levels of
// states per row and reduction. Shared memory: one state per thread and row. Global memory: each
// operand is read once (not kept: once per phase that needs it), each element store written once;
// slices meet in the workspace, those of a cluster in its shared memory.
// @pre slices == 1 unless kept, or there is one phase and no element store; the tickets are 0
// @post every store is written once per position; the split, and so the order of every sum, is a
// function of the shape; the tickets are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block,
                                  detail::columns_blocks_held<Program, C::vector_width>)
    columns_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int phases = program_traits<Program>::row_phases;
  registers<Program, place::launch> launch;
  registers<Program, place::row> rows[C::vector_width];
  registers<Program, place::element> no_element;
  registers<Program, place::total> total;
  frame<Program> f{launch, rows[0], no_element, total};
  start_early(f, a);
  bool const is_writer = threadIdx.x == 0 && threadIdx.y == 0;

  columns_worker<Program, C> worker{{{a}, launch, total, rows}};
  worker.begin_totals();
  worker.begin();
  if (is_writer && blockIdx.x == 0) store_all<place::launch>(f, a);
  if constexpr (may_pass<Program> && !takes_elements<C>)
    if (a.tiles_passed > 0) return worker.pass();
  if (!worker.reduce_all(std::make_integer_sequence<int, phases>{})) return;
  if constexpr (has_element_stores<Program> && !worker.stores_now) worker.store_elements();
  worker.end();
  worker.end_totals(is_writer);
#endif
}

}  // namespace tenon
