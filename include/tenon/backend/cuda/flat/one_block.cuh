// SPDX-License-Identifier: Apache-2.0
#pragma once
// A few tiles of whole aligned vectors, reduced by one block that asks for all of them at once: as
// many blocks would, and without telling each other.

#include "tenon/backend/cuda/flat/kernel.cuh"

namespace tenon {
namespace detail {

// Of two operands of four bytes, so that a thread holds three tiles of four vectors. H200, us, one
// call, mean of relu((x + y) * 2) of 100 x 100 f32 4.5 instead of 4.8, in a graph 1.8 instead of
// 2.1. It is slower for what is one tile (64 x 64 4.16 and 4.00), and of one operand with room for
// six tiles (sum of squares of 16384 f32 4.96 and 4.80, of 49152 bf16 5.95 and 4.80).
template <class Program>
inline constexpr bool may_be_one_block = [] {
  using reductions = reductions_of<Program, place::row, 1>;
  using operands = element_operands<Program>;
  return program_traits<Program>::has_reduction && !has_element_stores<Program> &&
         !has_large_states<Program> && !program_traits<Program>::has_positions &&
         operands::loads == 2 &&
         partial_words<Program, reductions> ==
             rank_among<Program, reductions>(program_traits<Program>::size) &&
         operands::vector_width == 4 && program_traits<Program>::widest_element == 4;
}();
template <class Program, int Items>
inline constexpr unsigned tiles_of_one_block = 12 / (element_operands<Program>::loads * Items);

#if defined(__CUDA_ARCH__)
// Makes `first` wait for what is in `tile`. ptxas 13.0 asks for a tile when it has taken in the one
// before otherwise, so that 32 registers are enough, and so it does for a vector of the first tile
// that nobody waits for: H200, one call, 100 x 100 f32 4.5 us instead of 4.9, 80 x 80 4.4 instead
// of 4.7. @pre zero is 0, of which it knows nothing
template <class Selected, int... K>
__device__ __forceinline__ void await_loaded(
    unsigned& first, register_file<Selected, std::integer_sequence<int, K...>> const& tile,
    unsigned zero) {
  auto const wait = [&](auto const& vectors) {
    for (auto const& vector : vectors) first |= vector.words[0] & zero;
  };
  (wait(read_register<K>(tile).at), ...);
}
template <class Selected, int First, int... K>
__device__ __forceinline__ unsigned& first_word(
    register_file<Selected, std::integer_sequence<int, First, K...>>& tile) {
  return read_register<First>(tile).at[0].words[0];
}

template <class State>
__device__ __forceinline__ State state_of_lane(State const& state, int lane) {
  state_words<State> words(state);
  for (unsigned& word : words.words) word = __shfl_sync(~0u, word, lane);
  return words.state();
}

// The states of all threads for each of Count tiles -> those that combine_grid finds of as many
// blocks, bit by bit.
// @pre all threads of the block call it; Threads of 16 warps
// @post true in the first warp, whose first lane has the states
template <class Program, class Selected, int Threads, int Count, class Registers>
__device__ __forceinline__ bool combine_tiles(Registers& result, Registers (&tiles)[Count]) {
  static_assert(Threads == 512, "half a warp combines what the warps leave of a tile");
  constexpr int warps = Threads / 32, rounds = (Count + 1) / 2;
  int const thread = static_cast<int>(threadIdx.x);
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using op = typename reduction_facts<Program, k>::op;
#pragma unroll
    for (int t = 0; t < Count; ++t) {
      auto const all = combine_lanes<op, 32>(read_register<k>(tiles[t]));
      if (thread % 32 == 0)
        shared_states<Program, k, warps * Count>::put(0, t * warps + thread / 32, all);
    }
  });
  __syncthreads();
  if (thread >= 32) return false;
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<Program, k>;
    using op = typename facts::op;
    using state = typename facts::state;
    state const identity = facts::identity();
    state halves[rounds], own = identity;
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      halves[r] = identity;
      if (2 * r + thread / warps < Count)
        halves[r] = shared_states<Program, k, warps * Count>::get(0, 2 * r * warps + thread);
      halves[r] = combine_lanes<op, warps>(halves[r]);
    }
#pragma unroll
    for (int r = 0; r < rounds; ++r) {
      state const first = state_of_lane(halves[r], 0), second = state_of_lane(halves[r], warps);
      if (thread == r) own = op::combine(op::combine(identity, first), second);
    }
    read_register<k>(result) = combine_lanes<op, 32>(own);
  });
  return true;
}
#endif

}  // namespace detail

// Owners: thread t of the block takes vectors t, t + threads, ... Registers: all of them, and a
// state of each tile. Shared memory: one state per warp, tile and reduction. Global memory: each
// operand is read once.
// @pre one block; two tiles to tiles_of_one_block; every operand is packed and the elements are
// whole vectors
// @post the bits are those of flat_kernel with a block for each tile
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block)
    one_block_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int v = C::vector_width, items = C::items, threads = C::threads_per_block,
                count = static_cast<int>(tiles_of_one_block<Program, items>),
                size = threads * items;
  using tile_loads = needed_loads<Program, v, items, 1, true>;
  using running = running_states<Program, v, items, 1>;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row, rows[count];
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  operand_offsets<Program> origin{};
  take_row_positions<Program>(f, a, origin, true);
  int const thread = static_cast<int>(threadIdx.x), vectors = static_cast<int>(a.vectors);
  auto const positions = [&](int tile) {
    return item_positions<int>{tile * size + thread, threads, vectors};
  };
  await_operands<Program>();
  selected_registers<Program, tile_loads> held[count];
#pragma unroll
  for (int t = 0; t < count; ++t)
    load_tile<Program, tile_loads, v, items, packed_columns, true>(held[t], a, origin, positions(t),
                                                                   true);
#pragma unroll
  for (int t = 0; t < count; ++t) await_loaded(first_word(held[0]), held[t], gridDim.x - 1);
#pragma unroll
  for (int t = 0; t < count; ++t) {
    selected_registers<Program, running> states;
    reset<Program, running>(states);
    cascade<Program, running> levels;
    selected_registers<Program, no_loads> none;
    process_tile<1, true, v, items, packed_columns, tile_loads, no_loads, no_loads>(
        held[t], none, states, f, a, origin, positions(t), true, element_by_element{});
    levels.after_tile(states);
    levels.finish(rows[t], states);
  }
  using reductions = reductions_of<Program, place::row, 1>;
  if (!combine_tiles<Program, reductions, threads>(row, rows)) return;
  if (thread != 0) return;
  evaluate<place::row, 0, max_nodes>(f);
  store_all<place::row>(f, a);
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
