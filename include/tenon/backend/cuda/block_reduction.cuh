// SPDX-License-Identifier: Apache-2.0
#pragma once
// Neighbouring elements of a warp's threads → in each of them the reduction of its block.

#include "tenon/backend/cuda/running_states.cuh"

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

}  // namespace tenon::detail
