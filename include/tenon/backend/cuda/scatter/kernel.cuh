// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton of scatter: a block owns a tile of the result and goes through the indices of all
// updates in their order; the updates that name one of its positions it takes in.

#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/scatter/worker.cuh"

namespace tenon::detail {

#if defined(__CUDA_ARCH__)
// One block's tile of the result.
template <class Program, class Arguments> struct scatter_tile {
  using states = update_registers<Program>;
  // Updates whose states wait in shared memory where lanes of a warp have targets of their own.
  static constexpr int most_waiting = scatter_threads;
  // Updates that a thread reads before it takes in the first, where a warp has one target.
  static constexpr int together = 4;

  scatter_worker<Program, Arguments>& worker;
  taken_updates<Program>* const tile;
  states* const waiting;
  long long const first_target, first_other;
  int const targets, others, lane, slots, slot;

  __device__ __forceinline__ taken_updates<Program>& at(int target, int other) const {
    return tile[target * others + other];
  }
  __device__ __forceinline__ states lifted(int target, int other, long long number) const {
    worker.find_element(first_target + target, first_other + other);
    return worker.lifted(number);
  }
  __device__ __forceinline__ bool is_own(int target) const {
    return (target & (slots - 1)) == slot;
  }

  // @pre `count` updates of those from `first` on are in the list; all threads call it
  __device__ __forceinline__ void take_in(found_updates const& found, int count, long long first) {
    if (worker.a.tiles.lanes < 32)
      take_in_from_shared(found, count, first);
    else
      take_in_directly(found, count, first);
  }

 private:
  // A warp has one target and its lanes read neighbours: several updates at once, taken in in their
  // order.
  __device__ __forceinline__ void take_in_directly(found_updates const& found, int count,
                                                   long long first) {
    for (int next = 0; next < count;) {
      found_update own[together];
      int filled = 0;
#pragma unroll
      for (int u = 0; u < together; ++u) {
        while (next < count && !is_own(found.list[next].target)) ++next;
        if (next == count) continue;
        own[u] = found.list[next++];
        filled = u + 1;
      }
      for (int other = lane; other < others; other += worker.a.tiles.lanes) {
        states values[together];
#pragma unroll
        for (int u = 0; u < together; ++u)
          if (u < filled) values[u] = lifted(own[u].target, other, first + own[u].number);
#pragma unroll
        for (int u = 0; u < together; ++u)
          if (u < filled) worker.take_in(at(own[u].target, other), values[u]);
      }
    }
  }
  // All threads read, then each one takes in what is for its targets.
  __device__ __forceinline__ void take_in_from_shared(found_updates const& found, int count,
                                                      long long first) {
    int const batch = most_waiting / others;
    for (int begin = 0; begin < count; begin += batch) {
      int const here = count - begin < batch ? count - begin : batch;
      int const mine = static_cast<int>(threadIdx.x);
      if (mine < here * others) {
        found_update const update = found.list[begin + mine / others];
        waiting[mine] = lifted(update.target, mine % others, first + update.number);
      }
      __syncthreads();
      for (int k = 0; k < here; ++k) {
        int const target = found.list[begin + k].target;
        if (is_own(target) && lane < others)
          worker.take_in(at(target, lane), waiting[k * others + lane]);
      }
      __syncthreads();
    }
  }
};
#endif

}  // namespace tenon::detail

namespace tenon {

// Owners: a block takes tiles in turn. Within a tile a thread owns the targets that are its slot
// modulo the number of slots, at every lanes-th position along the other axes; so an element takes
// in its updates in their order, whatever else runs. Shared memory: the states of the tile, and the
// updates found among 1024. Global memory: every tile reads all indices, which the second-level
// cache holds, and those updates alone that name it; the base is read and the result written once.
// @pre blockDim.x is scatter_threads
// @post every store is written once per position
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, 1)
    scatter_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  using taken = taken_updates<Program>;
  scatter_worker<Program, Arguments> worker{a};
  refuse_inexact_arithmetic();
  worker.begin_launch();
  scatter_split const& split = a.tiles;
  int const thread = static_cast<int>(threadIdx.x), slots = scatter_threads / split.lanes;
  long long const across = (split.others + split.tile_others - 1) / split.tile_others;
  long long const tiles = across * ((split.targets + split.tile_targets - 1) / split.tile_targets);
  taken* const memory = reinterpret_cast<taken*>(dynamic_shared());
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    long long const first_target = t / across * split.tile_targets;
    long long const first_other = t % across * split.tile_others;
    scatter_tile<Program, Arguments> tile{
        worker,
        memory,
        reinterpret_cast<update_registers<Program>*>(memory +
                                                     split.tile_targets * split.tile_others),
        first_target,
        first_other,
        least_of(split.tile_targets, split.targets - first_target),
        least_of(split.tile_others, split.others - first_other),
        thread & (split.lanes - 1),
        slots,
        thread / split.lanes};
    for (int e = thread; e < tile.targets * tile.others; e += scatter_threads) {
      taken none;
      worker.template clear<update_states<Program>>(none.recent);
      memory[e] = none;
    }
    __syncthreads();
    if constexpr (target_varies_over_rows<Program>) {
      for (int other = tile.lane; other < tile.others; other += split.lanes) {
        worker.find_element(first_target, first_other + other);
        for (long long number = 0; number < a.columns.size; ++number) {
          int const target = worker.target_of(number, first_target, tile.targets);
          if (target < 0 || !tile.is_own(target)) continue;
          worker.take_in(tile.at(target, other), tile.lifted(target, other, number));
          worker.find_element(first_target, first_other + other);
        }
      }
    } else {
      __shared__ found_updates found;
      for (long long first = 0; first < a.columns.size; first += found_updates::most) {
        worker.find_element(first_target, first_other);
        int own[scatter_rounds];
#pragma unroll
        for (int r = 0; r < scatter_rounds; ++r) {
          long long const number = first + r * scatter_threads + thread;
          own[r] =
              number < a.columns.size ? worker.target_of(number, first_target, tile.targets) : -1;
        }
        int const count = found.collect(own);
        tile.take_in(found, count, first);
      }
    }
    __syncthreads();
    for (int e = thread; e < tile.targets * tile.others; e += scatter_threads) {
      worker.find_element(first_target + e / tile.others, first_other + e % tile.others);
      worker.finish(memory[e]);
    }
    __syncthreads();  // the tile has been read
  }
#endif
}

}  // namespace tenon
