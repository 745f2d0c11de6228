// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the held kernel: how the blocks of a cluster share a row.

#include "tenon/backend/cuda/parts/element_tile.cuh"
#include "tenon/backend/cuda/parts/run_arguments.cuh"

namespace tenon::detail {

// Follows from the length of a row alone, because results depend on it.
struct held_split {
  int blocks = 1, whole_tiles = 0;  // of each block
  int last_vectors = 0;             // of the one tile more that each block has of what is left
};

template <class Program> struct held_arguments : run_arguments<Program> { held_split held; };

#if defined(__CUDA_ARCH__)
// A block's tiles of a row: every so many-th whole one, so that blocks side by side read
// neighbouring tiles, and its share of what is left.
template <int Tile_vectors, int Threads> class held_tiles {
  held_split split_;
  int rank_, vectors_, tail_;

 public:
  template <class Program>
  __device__ __forceinline__ held_tiles(held_arguments<Program> const& a, int rank)
      : split_(a.held), rank_(rank), vectors_(static_cast<int>(a.vectors)), tail_(a.tail) {}

  // Whole tiles; that of what is left comes behind them.
  __device__ __forceinline__ int whole() const { return split_.whole_tiles; }
  // The thread's vectors of a whole tile, which may be partly beyond the end where there is a tail.
  __device__ __forceinline__ whole_positions<int> of_whole(int tile) const {
    return {(tile * split_.blocks + rank_) * Tile_vectors + static_cast<int>(threadIdx.x), Threads};
  }
  // Of any tile.
  __device__ __forceinline__ item_positions<int> positions(int tile) const {
    int const size = tile == split_.whole_tiles ? split_.last_vectors : Tile_vectors,
              first = tile * split_.blocks * Tile_vectors + rank_ * size;
    int const end = first + size < vectors_ ? first + size : vectors_;
    bool const has_partial = tail_ != 0 && end == vectors_ && first < vectors_;
    return {first + static_cast<int>(threadIdx.x), Threads, end - has_partial,
            has_partial ? tail_ : 0};
  }
};
#endif

}  // namespace tenon::detail
