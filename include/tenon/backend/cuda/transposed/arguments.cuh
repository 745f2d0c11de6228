// SPDX-License-Identifier: Apache-2.0
#pragma once
// The square tiles of the transposed skeleton, and its parameter block.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"

namespace tenon::detail {

inline constexpr int tile_extent = 64;
inline constexpr int tile_threads = 256;

// Elements between rows of a tile in shared memory: one word more than the row, so that threads
// that go down and threads that go along use different banks.
template <class T>
inline constexpr int tile_pitch = tile_extent +
                                  (sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1);
template <class T>
inline constexpr int tile_bytes = (tile_extent * tile_pitch<T> * static_cast<int>(sizeof(T)) + 15) /
                                  16 * 16;

enum class tile_access : unsigned char {
  whole,   // vectors along the inner axis
  singly,  // elements along the inner axis
  turned,  // vectors along the outer axis, through shared memory
  turned_singly,
};

// Inner is the axis along which the first result is contiguous, outer the one along which
// transposed operands are; the other axes are `batch`.
template <class Program> struct transposed_arguments {
  using traits = program_traits<Program>;
  static constexpr int loads_held = at_least_one(traits::load_count);
  static constexpr int stores_held = at_least_one(traits::store_count);

  void const* loads[loads_held];
  void* stores[stores_held];
  index_group<max_rank, 64> batch;
  long long load_batch[loads_held][max_rank], store_batch[stores_held][max_rank];
  long long load_inner[loads_held], load_outer[loads_held];
  long long store_inner[stores_held], store_outer[stores_held];
  tile_access load_access[loads_held];
  bool store_moves_whole[stores_held], store_is_turned[stores_held], turns_stores;
  // Bytes of the dynamic shared memory where the operands' tiles begin.
  int load_shared[loads_held], store_shared[stores_held];
  long long scalars[at_least_one(traits::scalar_count)];
  long long sizes[at_least_one(traits::size_count)];
  long long inner, outer;  // extents
  unsigned inner_tiles, outer_tiles;
  long long tiles;
  unsigned* workspace;
};

// The first element store lies along the inner axis: it is the only one there is if there is one.
template <class Program>
inline constexpr bool may_turn_stores = program_traits<Program>::store_count > 1;

// Blocks that a multiprocessor is to hold: with reductions all of a launch's, so that no tile waits
// for another to be done; 80 registers are left to a thread.
template <class Program>
inline constexpr int square_blocks_held = program_traits<Program>::has_reduction ? 3 : 1;

}  // namespace tenon::detail
