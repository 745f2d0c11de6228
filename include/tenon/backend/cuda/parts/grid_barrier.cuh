// SPDX-License-Identifier: Apache-2.0
#pragma once
// A barrier of all blocks of a launch, through one word of global memory.

#include "tenon/core/config.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Every block counts up by one when it comes to a barrier, and once more when it leaves the last
// one, which brings the word back to 0: the next kernel may use it as a ticket. Those who wait read
// the count itself: its last step lets them go, without a second word written by whoever was last.
class grid_barrier {
 public:
  // @pre *arrived is 0 before the launch, whose blocks meet `meetings` times
  __device__ __forceinline__ grid_barrier(unsigned* arrived, unsigned meetings)
      : arrived_(arrived), meetings_(meetings) {}
  // @pre all blocks are resident, and all threads of each call it
  // @post what any thread wrote before is seen by all threads behind it
  __device__ __forceinline__ void wait() {
    __syncthreads();
    if (gridDim.x > 1 && threadIdx.x == 0) {
      unsigned const blocks = gridDim.x;
      asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived_) : "memory");
      expected_ += blocks;
      while (look() < expected_) {}
      if (expected_ == meetings_ * blocks) atomicInc(arrived_, expected_ + blocks - 1);
    }
    __syncthreads();
  }

 private:
  unsigned* arrived_;
  unsigned meetings_, expected_ = 0;

  __device__ __forceinline__ unsigned look() const {
    unsigned now;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived_) : "memory");
    return now;
  }
};

}  // namespace tenon::detail
#endif
