// SPDX-License-Identifier: Apache-2.0
#pragma once
// The scan of one state per thread over a warp, and of one per warp over a block.

#include "tenon/backend/cuda/parts/reduce.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class State>
__device__ __forceinline__ State shuffled_up(State const& mine, unsigned distance) {
  state_words<State> sent(mine), received;
#pragma unroll
  for (int w = 0; w < sent.count; ++w)
    received.words[w] = __shfl_up_sync(0xFFFFFFFFu, sent.words[w], distance);
  return received.state();
}
// Of `lanes` neighbouring lanes.
template <class State>
__device__ __forceinline__ State shuffled_from(State const& mine, unsigned lane,
                                               unsigned lanes = 32) {
  state_words<State> sent(mine), received;
#pragma unroll
  for (int w = 0; w < sent.count; ++w)
    received.words[w] =
        __shfl_sync(0xFFFFFFFFu, sent.words[w], static_cast<int>(lane), static_cast<int>(lanes));
  return received.state();
}

// Of `lanes` neighbouring lanes, a power of two. @pre all lanes of the warp call it; blockDim.x is
// `lanes`, or a multiple of 32
// @post `before` is the combination of the lanes before this one, the result that of all
template <class Op, class State>
__device__ __forceinline__ State scan_warp(State mine, State const& identity, State& before,
                                           unsigned lanes = 32) {
  unsigned const lane = threadIdx.x % 32;
#pragma unroll
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    if (distance >= lanes) break;
    State const theirs = shuffled_up(mine, distance);
    if (lane >= distance) mine = Op::combine(theirs, mine);
  }
  before = shuffled_up(mine, 1);
  if (lane == 0) before = identity;
  return shuffled_from(mine, lanes - 1, lanes);
}

// @pre all threads of the block call it with their warp's state; blockDim.x is a multiple of 32, at
// most MaxThreads; `buffer` is 0 at first and the same in all threads
// @post `before` is the combination of the warps before this one, the result that of all
template <class Op, int MaxThreads, class State>
__device__ __forceinline__ State scan_warps(State const& mine, State const& identity, State& before,
                                            int& buffer) {
  using words = state_words<State>;
  __shared__ unsigned of_warps[2][MaxThreads / 32][words::count];
  unsigned const warp = threadIdx.x / 32, warps = blockDim.x / 32;
  auto& held = of_warps[buffer];
  buffer ^= 1;  // those who are behind still read the other one
  if (threadIdx.x % 32 == 0) {
    words sent(mine);
#pragma unroll
    for (int w = 0; w < words::count; ++w) held[warp][w] = sent.words[w];
  }
  __syncthreads();
  if constexpr (MaxThreads > 256) {
    unsigned const lane = threadIdx.x % 32;
    State theirs = identity, in_front;
    if (lane < warps) {
      words found;
#pragma unroll
      for (int w = 0; w < words::count; ++w) found.words[w] = held[lane][w];
      theirs = found.state();
    }
    State const total = scan_warp<Op>(theirs, identity, in_front);
    before = shuffled_from(in_front, warp);
    return total;
  } else {
    State total = identity;
    before = identity;
#pragma unroll 4
    for (unsigned other = 0; other < warps; ++other) {
      if (other == warp) before = total;
      words found;
#pragma unroll
      for (int w = 0; w < words::count; ++w) found.words[w] = held[other][w];
      total = Op::combine(total, found.state());
    }
    return total;
  }
}

// @pre as for scan_warps, with a state of each thread
// @post `before` is the combination of the threads before this one, the result that of all; a tree
// that depends on blockDim.x alone
template <class Op, int MaxThreads, class State>
__device__ __forceinline__ State scan_block(State const& mine, State const& identity, State& before,
                                            int& buffer) {
  State in_warp, of_warps;
  State const own = scan_warp<Op>(mine, identity, in_warp);
  State const all = scan_warps<Op, MaxThreads>(own, identity, of_warps, buffer);
  before = Op::combine(of_warps, in_warp);
  return all;
}

}  // namespace tenon::detail
#endif
