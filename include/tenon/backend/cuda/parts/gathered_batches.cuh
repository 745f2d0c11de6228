// SPDX-License-Identifier: Apache-2.0
#pragma once
// Batches of elements, taken in vector by vector: the bits of a whole batch, and a vector that is
// not there takes no instructions.

#include "tenon/backend/cuda/parts/running_states.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Reductions of Running whose operators gather, if all of a tile is one batch, whose centre the
// first vector says: with vectors of less than four elements, or more than one batch of a tile, the
// bits would be others. H200, layer norm of 2^20 x 33 bf16 125 us (163).
template <class Program, class Running> struct gathered_batches : Running {
  template <int K> using type = gathered_state<reduction_facts<Program, K>>;
  template <int K> static consteval bool is_gathered() {
    if constexpr (Running::holds(K))
      return Running::template is_batch<K> && Running::is_whole && Running::width >= 4 &&
             gathers<type<K>>;
    else
      return false;
  }
  static consteval bool holds(int k) {
    return []<int... K>(int k, std::integer_sequence<int, K...>) {
      return (false || ... || (k == K && is_gathered<K>()));
    }
    (k, typename program_traits<Program>::sequence{});
  }
};
// The others.
template <class Program, class Running> struct other_batches : Running {
  static consteval bool holds(int k) {
    return Running::holds(k) && !gathered_batches<Program, Running>::holds(k);
  }
};
// Takes in the first `count` elements of item u, which are not none.
template <class Program, class Running, class Gathered, class Values>
__device__ __forceinline__ void gather_item(Gathered& gathered, Values const& values, int u,
                                            int count) {
  for_each_selected<Program, gathered_batches<Program, Running>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    auto const& all = read_register<k>(values).at;
    constexpr int width = Running::width;
    std::remove_cvref_t<decltype(all[0])> vector[width];
#pragma unroll
    for (int i = 0; i < width; ++i) vector[i] = all[u % Running::batch_items * width + i];
    auto& all_before = read_register<k>(gathered);
    if (u > 0) __builtin_assume(!(all_before.n == 0));
    reduction_facts<Program, k>::op::gather(all_before, vector, count);
  });
}
// @post what was gathered is in the states
template <class Program, class Running, class States, class Gathered>
__device__ __forceinline__ void join_gathered(States& states, Gathered const& gathered) {
  for_each_selected<Program, gathered_batches<Program, Running>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    auto& state = read_register<k>(states).at[0];
    state = reduction_facts<Program, k>::op::combine(
        state, read_register<k>(gathered).result(ops::inverse_count(read_register<k>(gathered).n)));
  });
}

}  // namespace tenon::detail
#endif
