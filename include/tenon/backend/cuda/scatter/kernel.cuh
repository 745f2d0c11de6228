// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton of a scatter whose targets differ from place to place in the result: a block owns a
// tile, and each of its threads goes through the indices of all updates in their order.

#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/scatter/worker.cuh"

namespace tenon::detail {

// How the result is cut into tiles: `targets` positions along the axis of the index by `others`
// along the remaining axes.
struct scatter_tiles {
  int targets = 1, others = 1;
  int lanes = 1;  // threads beside each other along the others, a power of two
};

template <class Program> struct scatter_tile_arguments : scatter_arguments<Program> {
  scatter_tiles tiles;
};

#if defined(__CUDA_ARCH__)
__device__ __forceinline__ int least_of(int most, long long left) {
  return left < most ? static_cast<int>(left) : most;
}
#endif

}  // namespace tenon::detail

namespace tenon {

// Owners: a block takes tiles in turn. Within a tile a thread owns the targets that are its slot
// modulo the number of slots, at every lanes-th position along the other axes; so an element takes
// in its updates in their order, whatever else runs. Shared memory: the states of the tile. Global
// memory: every tile reads the indices of its places, and those updates alone that name it; the
// base is read and the result written once.
// @pre blockDim.x is C::threads_per_block
// @post every store is written once per position
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, 1)
    scatter_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  using taken = taken_updates<Program>;
  constexpr int threads = C::threads_per_block;
  scatter_worker<Program, Arguments> worker{a};
  refuse_inexact_arithmetic();
  worker.begin_launch();
  scatter_axes const& axes = a.axes;
  int const thread = static_cast<int>(threadIdx.x), slots = threads / a.tiles.lanes,
            lane = thread & (a.tiles.lanes - 1), slot = thread / a.tiles.lanes;
  long long const across = (axes.others + a.tiles.others - 1) / a.tiles.others;
  long long const tiles = across * ((axes.targets + a.tiles.targets - 1) / a.tiles.targets);
  taken* const memory = reinterpret_cast<taken*>(dynamic_shared());
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    long long const first_target = t / across * a.tiles.targets;
    long long const first_other = t % across * a.tiles.others;
    int const targets = least_of(a.tiles.targets, axes.targets - first_target),
              others = least_of(a.tiles.others, axes.others - first_other);
    for (int e = thread; e < targets * others; e += threads) {
      taken none;
      worker.clear(none);
      memory[e] = none;
    }
    __syncthreads();
    for (int other = lane; other < others; other += a.tiles.lanes) {
      worker.find_element(first_target, first_other + other);
      for (long long number = 0; number < a.columns.size; ++number) {
        long long const target = worker.target_of(number) - first_target;
        if (target < 0 || target >= targets || (target & (slots - 1)) != slot) continue;
        worker.find_element(first_target + target, first_other + other);
        worker.take_in(memory[target * others + other], worker.lifted(number));
        worker.find_element(first_target, first_other + other);
      }
    }
    __syncthreads();
    for (int e = thread; e < targets * others; e += threads) {
      worker.find_element(first_target + e / others, first_other + e % others);
      worker.finish(memory[e]);
    }
    __syncthreads();  // the tile has been read
  }
#endif
}

}  // namespace tenon
