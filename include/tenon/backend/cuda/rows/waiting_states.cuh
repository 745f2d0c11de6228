// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a block's warps have of one segment after the other waits in shared memory, so that there is
// one barrier for as many segments as there are warps.

#include "tenon/backend/cuda/parts/reduce.cuh"

namespace tenon::detail {

#if defined(__CUDA_ARCH__)
template <class Program, int Threads> class waiting_states {
  static constexpr int warps = Threads / 32, most = warps;
  template <int K> using shared = shared_states<Program, K, warps * most>;
  int count_ = 0, buffer_ = 0;

 public:
  __device__ __forceinline__ bool is_full() const { return count_ == most; }
  // @pre all threads call it with their own states
  template <class Reductions, class Registers>
  __device__ __forceinline__ void leave(Registers const& row) {
    for_each_selected<Program, Reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto const state =
          combine_lanes<typename reduction_facts<Program, k>::op, 32>(read_register<k>(row));
      if (threadIdx.x % 32 == 0)
        shared<k>::put(buffer_, count_ * warps + static_cast<int>(threadIdx.x) / 32, state);
    });
    ++count_;
  }
  // Each warp combines one of those that wait, or the first one. @post how many of them came after
  // it; -1: another warp has it as well
  template <class Reductions, class Registers>
  __device__ __forceinline__ int combine(Registers& row) {
    __syncthreads();
    int const warp = static_cast<int>(threadIdx.x) / 32, which = warp < count_ ? warp : 0,
              after = count_ - 1 - warp;
    for_each_selected<Program, Reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(row) = combine_lanes<typename reduction_facts<Program, k>::op, warps>(
          shared<k>::get(buffer_, which * warps + static_cast<int>(threadIdx.x) % warps));
    });
    count_ = 0, buffer_ ^= 1;
    return after < 0 ? -1 : after;
  }
};
#endif

}  // namespace tenon::detail
