// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the kernel of columns whose blocks meet: how they share tiles of columns.

#include "tenon/backend/cuda/columns/arguments.cuh"
#include "tenon/backend/cuda/parts/kept_vectors.cuh"
#include "tenon/backend/cuda/parts/row_state_places.cuh"

namespace tenon::detail {

// A turn is C::items positions of every thread. Slices of a tile and its vectors follow from the
// shape; how many blocks share them decides only who does what.
struct meeting_share {
  int groups;          // of blocks, each of which has a tile at a time, or tiles_together
  int blocks;          // of a tile
  int turns;           // of a tile
  int turns_of_slice;  // the last slice may have fewer
  int turns_of_block;  // those of neighbouring slices
  int kept_turns;      // the first ones of a block, whose vectors stay in shared memory
  int vectors_of_one;  // that one block combines at a time; rows where these are groups
  // Neighbours that end where a group of columns ends, or a plane, and so meet together; else 1.
  int tiles_together;
};
template <class Program> struct meeting_arguments : columns_arguments<Program> {
  meeting_share share;
};

// What the rows are where each is `columns` neighbouring columns: the strides of what is loaded and
// stored once for a row are along the axes of these.
template <class Program> struct grouped_arguments : meeting_arguments<Program> {
  index_divider<64> columns_of_group;
  index_group<max_rank, 64> groups;
  int vectors_of_tile;  // where clusters keep tiles: whole groups, not more than the threads
};

// What tiles are where rows are those of planes.
template <class Program> struct plane_columns_arguments : meeting_arguments<Program> {
  int vectors_of_plane;

#if defined(__CUDA_ARCH__)
  __device__ __forceinline__ long long first(int tile) const {
    return tile / this->share.tiles_together * static_cast<long long>(vectors_of_plane);
  }
  // The thread's one of a tile, or one that there is not.
  __device__ __forceinline__ long long vector(int tile) const {
    int const at = tile % this->share.tiles_together * static_cast<int>(blockDim.x) + threadIdx.x;
    return at < vectors_of_plane ? first(tile) + at : this->rows.size;
  }
#endif
};

// Words between the counters of neighbouring groups: a cache line.
inline constexpr int words_of_counter = 32;
inline constexpr int most_meeting_groups = 64;
// Of which a thread has a chain of parts (chains.cuh).
inline constexpr int most_turns_of_slice = 256;

// Turns that are under way to a block's shared memory: 32 KB of it; two blocks are on a
// multiprocessor.
template <class Program, int V, int Items, int Threads>
inline constexpr int turns_under_way = [] {
  constexpr int bytes = Items * kept_vectors<Program, V, Threads>::bytes_per_step;
  int result = 2;
  while (result < 8 && 2 * result * bytes <= 32 << 10) result *= 2;
  return result;
}();

}  // namespace tenon::detail
