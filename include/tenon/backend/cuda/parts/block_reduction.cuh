// SPDX-License-Identifier: Apache-2.0
#pragma once
// Neighbouring elements of a warp's threads → in each of them the reduction of its block.

#include "tenon/backend/cuda/parts/running_states.cuh"
#include "tenon/ops/scan.hpp"

namespace tenon::detail {

// values[i] of a thread stand beside each other, and those of the next thread follow.
// @pre Length is a power of two, at most 32 * Items; all 32 lanes call it, and the first element of
// the warp is the first of a block
// @post values[i] is the reduction of the block that it is in
template <class Op, int Length, int Items, class State>
__device__ __forceinline__ void reduce_blocks(State (&values)[Items]) {
  constexpr int own = Length < Items ? Length : Items;
#pragma unroll
  for (int first = 0; first < Items; first += own) {
    State part[own];
#pragma unroll
    for (int i = 0; i < own; ++i) part[i] = values[first + i];
    State all = fold<Op>(part);
    if constexpr (Length > Items) all = combine_lanes<Op, Length / Items>(all);
#pragma unroll
    for (int i = 0; i < own; ++i) values[first + i] = all;
  }
}

// What has one value for all elements of a vector of V: the results of blocks that vectors do not
// cross, and what is computed of them and of what a row has.
template <class Program, int V> struct same_in_vectors {
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;
  static constexpr int size = traits::size;
  struct table {
    bool is_same[size > 0 ? size : 1] = {};
    template <int K, int... Operands>
    constexpr void visit(std::integer_sequence<int, Operands...>) {
      using I = at<K>;
      if constexpr (I::where != place::element || I::is_read || I::is_store)
        is_same[K] = I::where != place::element;
      else if constexpr (is_blockwise_scan<typename I::op>)
        is_same[K] = ops::block_length<I::bits> % V == 0;
      else
        is_same[K] = I::is_computed && (true && ... && is_same[Operands]);
    }
  };
  static constexpr table compute() {
    table result;
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (result.template visit<K>(typename at<K>::operands{}), ...);
    }
    (typename traits::sequence{});
    return result;
  }
  static constexpr table all = compute();
  template <int K> static constexpr bool holds = all.is_same[K];
};

}  // namespace tenon::detail
