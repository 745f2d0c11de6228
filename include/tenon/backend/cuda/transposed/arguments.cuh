// SPDX-License-Identifier: Apache-2.0
#pragma once
// The square tiles of the transposed skeleton, and its parameter block.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"
#include "tenon/backend/cuda/parts/side_access.cuh"

namespace tenon::detail {

// A row of a tile is 256 bytes of the widest operand, if that has two bytes at least: DRAM serves
// shorter pieces more slowly.
template <class Program>
inline constexpr int tile_extent = program_traits<Program>::widest_element <= 2 ? 128 : 64;
template <class Program> inline constexpr int tile_threads = 4 * tile_extent<Program>;

// A tile of T in shared memory. Rows are longer than their elements, by one or by a word, and of
// the larger tile every eighth row is a word more, so that threads that go down and threads that go
// along use different banks.
template <class Program, class T> struct turned_tile {
  static constexpr int extent = tile_extent<Program>, size = static_cast<int>(sizeof(T)),
                       pitch = extent * size + (size > 4 ? size : 4);
  // From row r to row r + rows, if r or rows is a multiple of eight.
  static constexpr TENON_HD int bytes_of(int rows) {
    return rows * pitch + (extent > 64 ? rows / 8 * 4 : 0);
  }
  static constexpr int bytes = (bytes_of(extent) + 15) / 16 * 16;

  unsigned char* first;

#if defined(__CUDA_ARCH__)
  // Into column `column` from row `row`, a multiple of V, on.
  template <int V>
  __device__ __forceinline__ void put(packed<T, V> const& from, int row, int column) const {
    unsigned char* const to = first + bytes_of(row) + column * size;
#pragma unroll
    for (int i = 0; i < V; ++i) *reinterpret_cast<T*>(to + bytes_of(i)) = element_of(from, i);
  }
  // Out of row `row` + `further` from column `column`, a multiple of V, on.
  template <int V>
  __device__ __forceinline__ packed<T, V> get(int row, int further, int column) const {
    packed<T, V> result{};
    unsigned char const* const from = first + bytes_of(row) + column * size + bytes_of(further);
    if constexpr (V * size % 4 == 0) {
#pragma unroll
      for (int i = 0; i < V * size / 4; ++i)
        result.words[i] = *reinterpret_cast<unsigned const*>(from + 4 * i);
    } else {
      T elements[V];
#pragma unroll
      for (int i = 0; i < V; ++i) elements[i] = *reinterpret_cast<T const*>(from + i * size);
      result = pack_stored(elements);
    }
    return result;
  }
#endif
};

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
  cache_policy stored = goes_first;
};

// The first element store lies along the inner axis: it is the only one there is if there is one.
template <class Program>
inline constexpr bool may_turn_stores = program_traits<Program>::store_count > 1;

// Blocks that a multiprocessor is to hold: with reductions all of a launch's, so that no tile waits
// for another to be done; 80 registers are left to a thread, and 64 of the larger tiles.
template <class Program>
inline constexpr int square_blocks_held = tile_extent<Program> > 64                ? 2
                                          : program_traits<Program>::has_reduction ? 3
                                                                                   : 1;
// Conversions that sm_80 does not have take registers.
template <class Program>
inline constexpr int square_blocks_bound =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    tile_extent<Program> > 64 ? 1 :
#endif
                              square_blocks_held<Program>;

}  // namespace tenon::detail
