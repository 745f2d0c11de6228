// SPDX-License-Identifier: Apache-2.0
#pragma once
// The threads that scan a row together: which vectors of a tile each has, and how their states
// meet.

#include "tenon/backend/cuda/scan/block.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The warps of a block: those of its first Threads threads, or of all where that is 0. Vector u of
// lane l of warp w is number (w * items + u) * 32 + l.
template <int MaxThreads, int Threads = 0> struct team_of_warps {
  static constexpr bool is_block = true, has_row = true, are_all_there = true;
  static constexpr unsigned lanes = 32;

  static __device__ __forceinline__ unsigned threads() {
    return Threads > 0 ? Threads : blockDim.x;
  }
  static __device__ __forceinline__ unsigned first_vector(int items) {
    return threadIdx.x / 32 * items * 32u + threadIdx.x % 32;
  }

  // What the members' states combine to, in their order, by a tree that depends on blockDim.x
  // alone.
  template <class Op, class State>
  static __device__ __forceinline__ State combine(State const& mine, State const& identity,
                                                  int& buffer) {
    State before = identity;
    return scan_block<Op, MaxThreads>(mine, identity, before, buffer);
  }
  // From the states of warps. @post `before` is the combination of the warps before this one, the
  // result that of all
  template <class Op, class State>
  static __device__ __forceinline__ State join(State const& of_warp, State const& identity,
                                               State& before, int& buffer) {
    return scan_warps<Op, MaxThreads>(of_warp, identity, before, buffer);
  }
};

// blockDim.x lanes of a warp, a power of two; its other lanes have other rows. Vector u of lane l
// is number u * blockDim.x + l. What they do together all lanes of the warp do, whether they have a
// row or not.
struct team_of_lanes {
  static constexpr bool is_block = false;
  bool has_row = true;        // this thread's team
  bool are_all_there = true;  // every team of the warp has one
  unsigned const lanes = blockDim.x;

  static __device__ __forceinline__ unsigned threads() { return blockDim.x; }
  static __device__ __forceinline__ unsigned first_vector(int) { return threadIdx.x; }
  template <class Op, class State>
  __device__ __forceinline__ State combine(State const& mine, State const&, int&) const {
    return combine_lanes<Op, 32>(mine, static_cast<int>(lanes));
  }
  template <class Op, class State>
  __device__ __forceinline__ State join(State const& of_team, State const& identity, State& before,
                                        int&) const {
    before = identity;
    return of_team;
  }
};

}  // namespace tenon::detail
#endif
