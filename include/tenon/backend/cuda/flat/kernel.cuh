// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flat skeleton: one sweep over all elements, then, if there are reductions, one value from all
// blocks.

#include "tenon/backend/cuda/parts/single_vector.cuh"
#include "tenon/backend/cuda/parts/sweep.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"

namespace tenon {
namespace detail {

// Whether threads ask for two tiles before they take in the first of them: of one operand that is
// reduced and no more, where 32 registers, those of a multiprocessor full of threads, are enough.
template <class Program>
inline constexpr bool takes_two_tiles =
    program_traits<Program>::has_reduction && !has_element_stores<Program> &&
    element_operands<Program>::loads == 1 && element_operands<Program>::slots <= 8 &&
    program_traits<Program>::widest_element <= 4 && !program_traits<Program>::has_positions &&
    partial_words<Program, reductions_of<Program, place::row, 1>> == 1;

// One block of parameters for all configurations, so that the host fills it in one way.
template <class Program> using flat_arguments = kernel_arguments<Program, 1, max_rank, 64>;
// What a kernel of whole aligned vectors is passed: a launch with more than 128 bytes takes longer
// at some places of the driver's command buffer. H200, one call, medians over seven places: sum of
// squares of 2^20 bf16 5.2 us instead of 5.9, relu of 10^6 f32 5.1 instead of 5.6. All that a sum
// of up to two operands takes lies in the first line, which holds 48 bytes: 100 x 100 f32 4.7 us
// instead of 4.8.
template <class Program, bool Reduces> struct packed_rest {
  using traits = program_traits<Program>;
  unsigned* workspace;
  long long sizes[at_least_one(traits::size_count)];
  long long scalars[at_least_one(traits::scalar_count)];
  cache_policy stored = goes_first;
};
template <class Program> struct packed_rest<Program, false> {
  using traits = program_traits<Program>;
  cache_policy stored = goes_first;
  long long scalars[at_least_one(traits::scalar_count)];
  long long sizes[at_least_one(traits::size_count)];
};
template <class Program> struct packed_operands {
  using traits = program_traits<Program>;
  void const* loads[at_least_one(traits::load_count)];
  void* stores[at_least_one(traits::store_count)];
  long long vectors;
};
template <class Program>
struct packed_arguments : packed_operands<Program>,
                          packed_rest<Program, program_traits<Program>::has_reduction> {
  using traits = program_traits<Program>;

  [[gnu::cold]] static packed_arguments of(flat_arguments<Program> const& all) {
    packed_arguments a{};
    a.vectors = all.vectors;
    for (int k = 0; k < traits::size_count; ++k) a.sizes[k] = all.sizes[k];
    return a;
  }
};
template <class Program, class C>
using flat_parameters =
    std::conditional_t<C::group_dims == packed_columns && !program_traits<Program>::has_positions &&
                           !program_traits<Program>::has_repeated,
                       packed_arguments<Program>, flat_arguments<Program>>;

}  // namespace detail

// Owners: tiles of threads x items vectors go to the blocks in turn, one to each where nothing is
// reduced and a thread has one, two neighbours at a time where takes_two_tiles and as far as all
// blocks have two; thread t of a block takes vectors t, t + threads, ... of a tile.
// Registers: items vectors of each operand, as they lie in memory; up to four running states per
// reduction. Shared memory: one state per warp and reduction, twice. Global memory: each operand is
// read once and each element store written once: sizeof(element) bytes per element each.
// @pre at least one block, and as many as tiles where nothing is reduced and items is 1; the grid
// is a function of the number of elements if there are reductions, and then the slots in the
// workspace are 0; where C has one dimension, every operand is packed and the elements are whole
// vectors
// @post every store is written once per position; the slots are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    flat_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int v = C::vector_width, items = C::items, dims = C::group_dims;
  constexpr bool reduces = program_traits<Program>::has_reduction;
  // The order of a sum is that of a fixed number of threads.
  constexpr bool has_fixed_block = reduces || items > 1;
  int const threads = has_fixed_block ? C::threads_per_block : static_cast<int>(blockDim.x);
  using tile_loads = needed_loads<Program, v, items, 1, true>;
  using running = running_states<Program, v, items, 1>;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  operand_offsets<Program> origin{};
  take_row_positions<Program>(f, a, origin, true);
  int const thread = static_cast<int>(threadIdx.x);
  if constexpr (reduces)
    ask_for_slots<partial_words<Program, reductions_of<Program, place::row, 1>>>(a.workspace);

  selected_registers<Program, running> states;
  reset<Program, running>(states);
  cascade<Program, running> levels;
  long long const tile_size = static_cast<long long>(threads) * items;
  int partial = 0;
  if constexpr (dims > packed_columns) partial = a.tail;
  // A thread that has one whole vector, or none, asks once; the others share what they load.
  int const ahead = !has_fixed_block && dims == packed_columns ? thread : 0;
  long long const step = gridDim.x * tile_size;
  unsigned taken = 0;  // tiles
  // As far as all blocks have two neighbouring tiles, each has them: at once, or where that would
  // take long accesses one after the other.
  constexpr int count = 2;
  [[maybe_unused]] unsigned const all = count * gridDim.x;
  [[maybe_unused]] unsigned tiles = 0;
  if constexpr (takes_two_tiles<Program>) tiles = static_cast<unsigned>(a.vectors / tile_size);
  [[maybe_unused]] auto const have_two = [&] { return taken + all <= tiles; };
  if constexpr (dims == packed_columns && takes_two_tiles<Program>) {
    if (have_two()) {
      await_operands<Program>();
#pragma unroll 1
      for (; have_two(); taken += all) {
        long long const begin = (taken + count * blockIdx.x) * tile_size + thread;
        selected_registers<Program, tile_loads> held[count];
#pragma unroll
        for (int t = 0; t < count; ++t)
          load_tile<Program, tile_loads, v, items, dims, true>(
              held[t], a, origin, whole_positions<long long>{begin + t * tile_size, threads}, true);
#pragma unroll
        for (int t = 0; t < count; ++t) {
          selected_registers<Program, no_loads> none;
          process_tile<1, true, v, items, dims, tile_loads, no_loads, no_loads>(
              held[t], none, states, f, a, origin,
              whole_positions<long long>{begin + t * tile_size, threads}, true);
          levels.after_tile(states);
        }
      }
    }
  }
  constexpr bool has_neighbours = dims > packed_columns && takes_two_tiles<Program>;
  auto const next = [&] {
    return (taken + (has_neighbours && have_two() ? count : 1) * blockIdx.x) * tile_size;
  };
  [[maybe_unused]] bool is_second = false;
  long long first = next();
  await_operands<Program>();
  while (first + ahead < a.vectors) {
    item_positions<long long> positions{first + thread, threads, a.vectors - (partial != 0),
                                        partial};
    selected_registers<Program, tile_loads> tile;
    if constexpr (dims == contiguous_columns)
      for_each_selected<Program, tile_loads>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        load_vectors<Program, k, v, items, dims, true>(read_register<k>(tile).at, a, origin,
                                                       positions);
      });
    else
      load_tile<Program, tile_loads, v, items, dims, true>(tile, a, origin, positions, true);
    selected_registers<Program, no_loads> none;
    process_tile<1, true, v, items, dims, tile_loads, no_loads, no_loads>(tile, none, states, f, a,
                                                                          origin, positions, true);
    levels.after_tile(states);
    if constexpr (!has_fixed_block) break;
    if (has_neighbours && have_two()) {
      if (is_second) taken += all;
      first = is_second ? next() : first + tile_size;
      is_second = !is_second;
    } else {
      first += step;
    }
  }
  levels.finish(row, states);

  if constexpr (reduces) {
    int buffer = 0;
    using reductions = reductions_of<Program, place::row, 1>;
    if (!combine_grid<Program, reductions, C::threads_per_block, true>(row, a.workspace, buffer))
      return;
    if (thread != 0) return;
  } else {
    if (blockIdx.x != 0 || thread != 0) return;
  }
  evaluate<place::row, 0, max_nodes>(f);
  store_all<place::row>(f, a);
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
