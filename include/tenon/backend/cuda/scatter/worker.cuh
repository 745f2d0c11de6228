// SPDX-License-Identifier: Apache-2.0
#pragma once
// What one thread does of a scatter: where an update goes, its states, and the end of an element;
// and how a block lists the updates that it has found.

#include "tenon/backend/cuda/ordered/worker.cuh"
#include "tenon/program/updates.hpp"

namespace tenon::detail {

// How the result is cut into tiles: `targets` positions along the axis of the index by `others`
// along the remaining axes.
struct scatter_split {
  int target_dim = -1;  // of the rows; -1: the axis has length 1
  int first_other = 0;  // the outermost of the remaining dims
  int tile_targets = 1, tile_others = 1;
  int lanes = 1;  // threads beside each other along the others, a power of two
  long long targets = 1, others = 1;
  long long step = 1;  // of the targets that neighbouring positions stand for
};

template <class Program>
struct scatter_arguments : kernel_arguments<Program, max_rank, max_rank, 64> {
  scatter_split tiles;
};

// The states of one element of the result.
template <class Program> struct update_states {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) { return program_traits<Program>::all[k].is_reduction; }
  template <int K> using type = typename at<K>::value_type;
};
template <class Program>
using update_registers = selected_registers<Program, update_states<Program>>;

// What an element has taken in, a long chain of updates.
template <class Program> struct taken_updates {
  update_registers<Program> recent;
  long_chains<Program, update_states<Program>> whole;
};

inline constexpr int scatter_threads = 256, scatter_rounds = 4;

#if defined(__CUDA_ARCH__)
__device__ __forceinline__ int least_of(int most, long long left) {
  return left < most ? static_cast<int>(left) : most;
}

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
    // Lane k sums the counts up to number k, in the order of the updates.
    static_assert(scatter_rounds * warps == 32);
    int up_to = counts[lane];
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      int const before_it = __shfl_up_sync(~0u, up_to, distance);
      if (lane >= distance) up_to += before_it;
    }
    int const total = __shfl_sync(~0u, up_to, 31);
    int first[scatter_rounds];
#pragma unroll
    for (int r = 0; r < scatter_rounds; ++r) {
      int const number = r * warps + warp;
      int const all_before = __shfl_sync(~0u, up_to, number == 0 ? 0 : number - 1);
      first[r] = number == 0 ? 0 : all_before;
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
        if (d > a.tiles.first_other) {
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
  // The states of one update alone.
  __device__ __forceinline__ update_registers<Program> lifted(long long number) {
    registers<Program, place::element> element;
    evaluate_at<update_part::value>(element, number);
    update_registers<Program> result;
    for_each_selected<Program, update_states<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(result) = at<k>::op::lift(
          base::template as_operand<k>(value_of<at<k>::first_operand>(frame_of(element))));
    });
    return result;
  }
  __device__ __forceinline__ static void take_in(taken_updates<Program>& taken,
                                                 update_registers<Program> const& update) {
    for_each_selected<Program, update_states<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& state = read_register<k>(taken.recent);
      state = at<k>::op::combine(state, read_register<k>(update));
    });
    taken.whole.carry(taken.recent);
  }
  // @pre the element was found
  __device__ __forceinline__ void finish(taken_updates<Program> const& taken) {
    this->template read_values<place::row>();
    evaluate<place::row, 0, 0>(this->values());
    for_each_selected<Program, update_states<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(this->row) = read_register<k>(taken.recent);
    });
    taken.whole.finish(this->row);
    evaluate<place::row, 1, max_nodes>(this->values());
    this->template store_values<place::row>();
  }
};
#endif

}  // namespace tenon::detail
