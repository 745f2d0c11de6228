// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums along few long rows, a warp for each part: what one warp of the block that would have the
// whole segment (rows/streamed.cuh) has of one tile, in the same order.
//
// H200, in a graph, us, against a block for each segment: 1 x 32768 f32 1.6 (2.5), 2 x 131072 2.3
// (3.5), 16 x 65536 bf16 2.3 (3.8), misaligned 2.9 (5.7).

#include "tenon/backend/cuda/rows/streamed.cuh"

namespace tenon {
namespace detail {

#if defined(__CUDA_ARCH__)
// One thread's part. A strip is what one warp has of all tiles of a segment.
template <class Program, class C> struct parted_sums {
  static constexpr int strips = C::threads_per_block / 32,
                       step = C::threads_per_block * C::items;  // vectors of a tile
  using arguments = rows_arguments<Program, C>;
  using reductions = reductions_of<Program, place::row, 1>;

  arguments const& a;
  frame<Program> const& f;
  int const lane = static_cast<int>(threadIdx.x), tile = static_cast<int>(threadIdx.y);

  __device__ __forceinline__ void finish_row() {
    int const blocks = a.split.blocks_per_row, segments = a.split.segments,
              parts = strips / static_cast<int>(blockDim.z);  // blocks of a segment
    int row = 0, rank = static_cast<int>(blockIdx.x);
    if (gridDim.x > static_cast<unsigned>(blocks)) row = rank / blocks, rank -= row * blocks;
    // The strips of a block are as far apart as they can be.
    int const segment = rank / parts,
              strip = rank - segment * parts + parts * static_cast<int>(threadIdx.z);
    operand_offsets<Program> offsets;
    find_row<Program>(offsets, a, row);
    place_sums<Program, C> sums{a, f, offsets};
    int const tiles = a.split.tiles_per_segment;
    long long const first = static_cast<long long>(segment * tiles + tile) * step;
    // Of a row's last tile the warps have as much, and may have none.
    long long const left = a.vectors - first;
    int const each = left < step ? a.split.vectors_of_last : C::items, own = strip * 32 * each,
              rest = left < step ? static_cast<int>(left > 0 ? left : 0) - own : 32 * each,
              vectors = rest < 0 ? 0 : rest < 32 * each ? rest : 32 * each;
    if constexpr (sweeps_with_row_values<Program>) await_operands<Program>(true);
    auto const begin_row = [&] {
      selected_registers<Program, row_loads<Program>> values;
      request_row_values<Program>(values, a, offsets, true);
      take_row_values<Program>(f, values, a, offsets, true);
      evaluate<place::row, 0, 0>(f);
    };
    if constexpr (sweeps_with_row_values<Program>) begin_row();
    clear();
    // All blocks have begun by then: there is room for them, and for those of the next call.
    sums.template take<true>(first + own, vectors, true);
    long long const of_segment = a.vectors - static_cast<long long>(segment) * tiles * step;
    fold(of_segment < static_cast<long long>(tiles) * step
             ? static_cast<int>(of_segment + step - 1) / step
             : tiles);
    if (tile != 0) return;
    auto* const slots =
        reinterpret_cast<unsigned long long*>(a.workspace + first_slot) + row * segments * strips;
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& state = read_register<k>(f.row);
      state = combine_lanes<typename reduction_facts<Program, k>::op, 32>(state);
      if (lane == 0)
        fill_slot(slots + strip * segments + segment, static_cast<unsigned>(filled(state)));
    });
    // A row's last block waits for the others, none of which waits for anybody. Which block begins
    // last a ticket would say .2 us later.
    if (threadIdx.z != 0 || rank != blocks - 1) return;
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(f.row) = awaited<k>(slots, segments);
    });
    if constexpr (!sweeps_with_row_values<Program>) begin_row();
    evaluate<place::row, 1, 1>(f);
    row_totals<Program> none;
    if (lane == 0) end_row<Program>(f, a, offsets, row, none);
  }

 private:
  __device__ __forceinline__ void clear() {
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(f.row) = reduction_facts<Program, k>::identity();
    });
  }
  // What the warps have of the tiles, one tile after the other. @post in the warps of tile 0
  __device__ __forceinline__ void fold(int tiles) {
    __shared__ unsigned words[strips][32];
    int const first = static_cast<int>(threadIdx.z * blockDim.y);
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      words[first + tile][lane] = state_words(read_register<k>(f.row)).words[0];
    });
    __syncthreads();
    if (tile != 0) return;
    clear();
    long_chains<Program, reductions> wholes;
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      auto& state = read_register<k>(f.row);
#pragma unroll 1
      for (int t = 0; t < tiles; ++t) {
        state = facts::op::combine(state, word_of<typename facts::state>(words[first + t][lane]));
        wholes.carry(f.row);
      }
    });
    wholes.finish(f.row);
  }
  // The row's state from those of all strips, combined as combine_shared does, and of all segments,
  // as in row_segments. @post the slots are 0
  template <int K>
  __device__ __forceinline__ auto awaited(unsigned long long* slots, int segments) const {
    using facts = reduction_facts<Program, K>;
    using state_type = typename facts::state;
    state_type state = facts::identity();
#pragma unroll 1
    for (int segment = lane; segment < segments; segment += 32) {
      unsigned long long* const from = slots + segment;
      unsigned long long found[strips], marks;
      do {
        marks = ~0ull;
#pragma unroll
        for (int i = 0; i < strips; ++i) found[i] = look_at_slot(from + i * segments);
#pragma unroll
        for (int i = 0; i < strips; ++i) marks &= found[i];
      } while (!is_filled(marks));
      state_type of_strips[strips];
#pragma unroll
      for (int i = 0; i < strips; ++i) {
        of_strips[i] = word_of<state_type>(found[i]);
        from[i * segments] = 0;
      }
#pragma unroll
      for (int apart = strips / 2; apart > 0; apart /= 2)
#pragma unroll
        for (int i = 0; i < apart; ++i)
          of_strips[i] = facts::op::combine(of_strips[i], of_strips[i + apart]);
      state = facts::op::combine(state, of_strips[0]);
    }
    // The lanes beyond have nothing to add.
    int const lanes = segments > 1 ? 1 << (32 - __clz(segments - 1)) : 1;
    return combine_lanes<typename facts::op, 32>(state, lanes < 32 ? lanes : 32);
  }
};
#endif

}  // namespace detail

// Owners: the block (32, tiles of a segment, strips); neighbouring blocks have a segment, and those
// of a row its segments. Registers: C::items vectors of a lane, and a running state of each place
// in a vector. Shared memory: a word of each lane. Global memory: the operand is read once; a slot
// for each strip and segment, twice.
// @pre sums_by_place, without totals; a row is whole vectors, neighbours in memory, and its
// segments those of streamed_rows_kernel with as many threads; there are no more rows than
// multiprocessors, each of which has room for several blocks; the slots are 0
// @post every store is written once; a row's bits are those that streamed_rows_kernel gives it; the
// slots are 0
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, detail::streamed_blocks_held<Program, C>)
    parted_sums_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  parted_sums<Program, C>{a, f}.finish_row();
  if (blockIdx.x == 0 && threadIdx.x == 0 && threadIdx.y == 0 && threadIdx.z == 0)
    store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
