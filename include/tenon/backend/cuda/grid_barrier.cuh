// SPDX-License-Identifier: Apache-2.0
#pragma once
// A barrier of all blocks of a launch, through two words of global memory.

#include "tenon/core/config.hpp"

namespace tenon::detail {

// `arrived` is 0 before and after, so that the next kernel may use it as a ticket; what
// `generation` holds does not matter, only that it changes.
class grid_barrier {
 public:
  // @pre no block has passed a barrier of this launch before all have come here: none can
  __device__ __forceinline__ grid_barrier(unsigned* arrived, unsigned* generation)
      : arrived_(arrived), generation_(generation) {
    if (threadIdx.x == 0) before_ = look();
  }
  // @pre all blocks are resident, and all threads of each call it
  // @post what any thread wrote before is seen by all threads behind it
  __device__ __forceinline__ void wait() {
    __syncthreads();
    if (gridDim.x > 1 && threadIdx.x == 0) {
      __threadfence();  // the block's writes before its arrival
      if (atomicInc(arrived_, gridDim.x - 1) == gridDim.x - 1) {
        __threadfence();  // the others' arrivals, and the count of 0, before they are let go
        atomicAdd(generation_, 1u);
      } else {
        while (look() == before_) {}
      }
      ++before_;
    }
    __syncthreads();
  }

 private:
  unsigned *arrived_, *generation_;
  unsigned before_ = 0;

  __device__ __forceinline__ unsigned look() const {
    unsigned now;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(generation_) : "memory");
    return now;
  }
};

}  // namespace tenon::detail
