// SPDX-License-Identifier: Apache-2.0
#pragma once
// The scan of one state per thread over a block.

#include "tenon/backend/cuda/reduce.cuh"

namespace tenon::detail {

// @pre all threads of the block call it; blockDim.x is a multiple of 32, at most MaxThreads
// @post `before` is the combination of the threads before this one, the result that of all; a tree
// that depends on blockDim.x alone
template <class Op, int MaxThreads, class State>
__device__ __forceinline__ State scan_block(State mine, State const& identity, State& before) {
  using words = state_words<State>;
  __shared__ unsigned of_warps[MaxThreads / 32][words::count];
  unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    words sent(mine), received;
#pragma unroll
    for (int w = 0; w < words::count; ++w)
      received.words[w] = __shfl_up_sync(0xFFFFFFFFu, sent.words[w], distance);
    if (lane >= distance) mine = Op::combine(received.state(), mine);
  }
  words inclusive(mine), shifted;
#pragma unroll
  for (int w = 0; w < words::count; ++w)
    shifted.words[w] = __shfl_up_sync(0xFFFFFFFFu, inclusive.words[w], 1);
  __syncthreads();  // the last scan's states are read
  if (lane == 31)
    for (int w = 0; w < words::count; ++w) of_warps[warp][w] = inclusive.words[w];
  __syncthreads();
  State total = identity;
  before = identity;
  for (unsigned other = 0; other < warps; ++other) {
    if (other == warp) before = total;
    words found;
    for (int w = 0; w < words::count; ++w) found.words[w] = of_warps[other][w];
    total = Op::combine(total, found.state());
  }
  if (lane > 0) before = Op::combine(before, shifted.state());
  return total;
}

}  // namespace tenon::detail
