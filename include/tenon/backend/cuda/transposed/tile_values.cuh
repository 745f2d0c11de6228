// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a thread has of a tile: vectors that it stores, states of reductions, and how much of a
// vector there is.

#include "tenon/backend/cuda/parts/sweep.cuh"
#include "tenon/backend/cuda/transposed/arguments.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// A thread's states of the reductions, of which there is one value in the end. Each takes in one
// vector after the other, of which a tile has Items.
template <class Program, int Items> struct tile_states : reductions_of<Program, place::row, 1> {
  static constexpr int steps_per_tile = Items;
  template <int K> using type = value_list<typename reduction_facts<Program, K>::state, 1>;
};
// The operands of the reductions, of a vector of elements.
template <class Program, int V> struct tile_values : reductions_of<Program, place::row, 1> {
  template <int K> using type = value_list<typename reduction_facts<Program, K>::operand, V>;
};

// What the element stores write.
template <class Program, int V, int Items> struct stored_vectors : element_stores<Program, V> {
  template <int K>
  using type = vector_list<storage_t<program_traits<Program>::template at<K>::type>, V, Items>;
};

// Takes in the first `count` elements of a vector.
template <class Program, int V, class States, class Values>
__device__ __forceinline__ void take_vector(States& states, Values const& values, int count) {
  for_each_selected<Program, reductions_of<Program, place::row, 1>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<Program, k>;
    typename facts::state lifted[V];
#pragma unroll
    for (int i = 0; i < V; ++i)
      lifted[i] = i < count ? facts::op::lift(read_register<k>(values).at[i]) : facts::identity();
    auto& state = read_register<k>(states).at[0];
    state = facts::op::combine(state, fold<typename facts::op>(lifted));
  });
}

// How much there is of the vector `offset` elements into a tile that begins at `first`. Counted in
// 32 bits: 64 would take registers that hold a fourth block on each multiprocessor.
template <int V, int Extent>
__device__ __forceinline__ vector_part<V, int> part_in_tile(long long end, long long first,
                                                            int offset) {
  long long const left = end - first;
  return {(left < Extent ? static_cast<int>(left) : Extent) - offset};
}

}  // namespace tenon::detail
#endif
