// SPDX-License-Identifier: Apache-2.0
#pragma once
// A barrier of all blocks of a launch, through one word of global memory.

#include "tenon/core/config.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// One thread: what the threads of its block wrote before a barrier of theirs is seen by all behind a
// wait for the count.
__device__ __forceinline__ void count_up(unsigned* arrived) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
}
__device__ __forceinline__ void wait_for_count(unsigned const* arrived, unsigned least) {
  unsigned now;
  do {
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(arrived) : "memory");
  } while (now < least);
}

// Every block counts up by one when it comes to a barrier, and once more when it leaves the last
// one, which brings the word back to 0: the next kernel may use it as a ticket. Those who wait read
// the count itself: its last step lets them go, without a second word written by whoever was last.
// @pre *arrived is 0 before the launch, whose blocks meet `meetings` times, this being meeting
// `number` of 1, 2, ...; all blocks are resident, and all threads of each call it
// @post what any thread wrote before is seen by all threads behind it
__device__ __forceinline__ void meet_blocks(unsigned* arrived, unsigned number, unsigned meetings) {
  __syncthreads();
  if (gridDim.x > 1 && threadIdx.x == 0) {
    unsigned const blocks = gridDim.x;
    count_up(arrived);
    wait_for_count(arrived, number * blocks);
    if (number == meetings) atomicInc(arrived, (meetings + 1) * blocks - 1);
  }
  __syncthreads();
}

}  // namespace tenon::detail
#endif
