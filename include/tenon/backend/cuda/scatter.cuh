// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton of scatter: a block owns a tile of the result and goes through the indices of all
// updates in their order; the updates that name one of its positions it takes in.

#include "tenon/backend/cuda/ordered_worker.cuh"
#include "tenon/program/updates.hpp"

namespace tenon::detail {

// How the result is cut into tiles: `targets` positions along the axis of the index by `others`
// along the remaining axes.
struct scatter_split {
  int target_dim = -1;  // of the rows; -1: the axis has length 1
  int tile_targets = 1, tile_others = 1;
  int lanes = 1;  // threads beside each other along the others, a power of two
  long long targets = 1, others = 1;
  long long step = 1;  // of the targets that neighbouring positions stand for
};

template <class Program>
struct scatter_arguments : kernel_arguments<Program, max_rank, max_rank, 64> {
  scatter_split tiles;
};

__device__ __forceinline__ int least_of(int most, long long left) {
  return left < most ? static_cast<int>(left) : most;
}

// The states of one element of the result.
template <class Program> struct update_states {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> static constexpr bool holds = at<K>::is_reduction;
  template <int K> using type = typename at<K>::value_type;
};
template <class Program>
using update_registers = selected_registers<Program, update_states<Program>>;

inline constexpr int scatter_threads = 256, scatter_rounds = 4;

// An update that a block has found: its position within the updates looked at together, and its
// target within the tile.
struct found_update {
  int number, target;
};

// The updates that were found among those looked at together, in their order.
struct found_updates {
  static constexpr int most = scatter_threads * scatter_rounds;
  static constexpr int warps = scatter_threads / 32;
  found_update list[most];
  int counts[scatter_rounds * warps];

  // targets[r]: that of update r * scatter_threads + threadIdx.x within the tile, or -1.
  // @pre all threads call it. @post the result is the number of updates in `list`
  __device__ __forceinline__ int collect(int const (&targets)[scatter_rounds]) {
    int const warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    unsigned before[scatter_rounds];
    __syncthreads();  // the list of the previous ones has been read
#pragma unroll
    for (int r = 0; r < scatter_rounds; ++r) {
      unsigned const all = __ballot_sync(~0u, targets[r] >= 0);
      before[r] = static_cast<unsigned>(__popc(all & ((1u << lane) - 1)));
      if (lane == 0) counts[r * warps + warp] = __popc(all);
    }
    __syncthreads();
    int total = 0, first[scatter_rounds] = {};
#pragma unroll
    for (int k = 0; k < scatter_rounds * warps; ++k) {
      if (k % warps == warp) first[k / warps] = total;
      total += counts[k];
    }
#pragma unroll
    for (int r = 0; r < scatter_rounds; ++r)
      if (targets[r] >= 0)
        list[first[r] + static_cast<int>(before[r])] = {
            r * scatter_threads + static_cast<int>(threadIdx.x), targets[r]};
    __syncthreads();
    return total;
  }
};

template <class Program, class Arguments>
struct scatter_worker : ordered_worker<Program, 1, Arguments> {
  using base = ordered_worker<Program, 1, Arguments>;
  using base::a;
  using typename base::traits;
  template <int K> using at = typename traits::template at<K>;
  using base::base;

  // The element at `target` along the axis of the index and `other` along the others.
  __device__ __forceinline__ void find_element(long long target, long long other) {
    this->where = {};
    if (a.rows.size <= 0) return;
#pragma unroll 1
    for (int d = a.rows.dims - 1; d >= 0; --d) {
      long long digit = target;
      if (d != a.tiles.target_dim) {
        digit = other;
        if (d > 0) {
          auto const next = a.rows.by[d].quotient(static_cast<unsigned long long>(other));
          digit = other - static_cast<long long>(next * a.rows.by[d].divisor);
          other = static_cast<long long>(next);
        }
      }
      for (int k = 0; k < traits::load_count; ++k)
        this->where.loads[k] += digit * a.load_rows[k][d];
      for (int k = 0; k < traits::store_count; ++k)
        this->where.stores[k] += digit * a.store_rows[k][d];
    }
  }

  // Part of update `number` for the element that was found.
  template <update_part Part>
  __device__ __forceinline__ void evaluate_at(registers<Program, place::element>& element,
                                              long long number) {
    operand_offsets<Program> offsets = this->where;
    for_each_digit(a.columns, number, [&](int d, long long digit) {
      for (int k = 0; k < traits::load_count; ++k) offsets.loads[k] += digit * a.load_columns[k][d];
    });
    evaluate_update<Part>(frame_of(element), [&](auto index) {
      constexpr int k = decltype(index)::value;
      return this->template read<k>(offsets.loads[at<k>::bits]);
    });
  }
  __device__ __forceinline__ frame<Program> frame_of(registers<Program, place::element>& element) {
    return {this->launch, this->row, element, this->total};
  }
  // Where update `number` goes, counted from `first`; -1 where that is not below `count`.
  __device__ __forceinline__ int target_of(long long number, long long first, int count) {
    registers<Program, place::element> element;
    evaluate_at<update_part::target>(element, number);
    using position = at<gate<Program>::position>;
    long long target = value_of<gate<Program>::target>(frame_of(element)) -
                       reinterpret_cast<long long>(a.loads[position::bits]);
    if (a.tiles.step != 1) {
      if (target % a.tiles.step != 0) return -1;
      target /= a.tiles.step;
    }
    target -= first;
    return target >= 0 && target < count ? static_cast<int>(target) : -1;
  }
  __device__ __forceinline__ void take_in(update_registers<Program>& states, long long number) {
    registers<Program, place::element> element;
    evaluate_at<update_part::value>(element, number);
    base::template accumulate<update_states<Program>>(frame_of(element), states);
  }
  // @pre the element was found
  __device__ __forceinline__ void finish(update_registers<Program> const& states) {
    this->template read_values<place::row>();
    evaluate<place::row, 0, 0>(this->values());
    for_each_selected<Program, update_states<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(this->row) = read_register<k>(states);
    });
    evaluate<place::row, 1, max_nodes>(this->values());
    this->template store_values<place::row>();
  }
};

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
__global__ void __launch_bounds__(C::threads_per_block)
    scatter_kernel(const __grid_constant__ Arguments a) {
  using namespace detail;
  using states = update_registers<Program>;
  extern __shared__ __align__(16) unsigned char tile_memory[];
  states* const tile = reinterpret_cast<states*>(tile_memory);
  scatter_worker<Program, Arguments> worker{a};
  refuse_inexact_arithmetic();
  worker.begin_launch();
  scatter_split const& split = a.tiles;
  int const lane = static_cast<int>(threadIdx.x) & (split.lanes - 1);
  int const slots = scatter_threads / split.lanes,
            slot = static_cast<int>(threadIdx.x) / split.lanes;
  long long const across = (split.others + split.tile_others - 1) / split.tile_others;
  long long const tiles = across * ((split.targets + split.tile_targets - 1) / split.tile_targets);
  for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
    long long const first_target = t / across * split.tile_targets;
    long long const first_other = t % across * split.tile_others;
    int const targets = least_of(split.tile_targets, split.targets - first_target);
    int const others = least_of(split.tile_others, split.others - first_other);
    for (int e = static_cast<int>(threadIdx.x); e < targets * others; e += scatter_threads) {
      states none;
      worker.template clear<update_states<Program>>(none);
      tile[e] = none;
    }
    __syncthreads();
    if constexpr (target_varies_over_rows<Program>) {
      for (int other = lane; other < others; other += split.lanes)
        for (long long number = 0; number < a.columns.size; ++number) {
          worker.find_element(first_target, first_other + other);
          int const target = worker.target_of(number, first_target, targets);
          if (target < 0 || target % slots != slot) continue;
          worker.find_element(first_target + target, first_other + other);
          worker.take_in(tile[target * others + other], number);
        }
    } else {
      __shared__ found_updates found;
      worker.find_element(first_target, first_other);
      for (long long first = 0; first < a.columns.size; first += found_updates::most) {
        int own[scatter_rounds];
#pragma unroll
        for (int r = 0; r < scatter_rounds; ++r) {
          long long const number = first + r * scatter_threads + static_cast<int>(threadIdx.x);
          own[r] = number < a.columns.size ? worker.target_of(number, first_target, targets) : -1;
        }
        int const count = found.collect(own);
        for (int k = 0; k < count; ++k) {
          found_update const update = found.list[k];
          if (update.target % slots != slot) continue;
          for (int other = lane; other < others; other += split.lanes) {
            worker.find_element(first_target + update.target, first_other + other);
            worker.take_in(tile[update.target * others + other], first + update.number);
          }
        }
        worker.find_element(first_target, first_other);
      }
    }
    __syncthreads();
    for (int e = static_cast<int>(threadIdx.x); e < targets * others; e += scatter_threads) {
      worker.find_element(first_target + e / others, first_other + e % others);
      worker.finish(tile[e]);
    }
    __syncthreads();  // the tile has been read
  }
}

}  // namespace tenon
