// SPDX-License-Identifier: Apache-2.0
#pragma once
// A barrier of the blocks that share a row, through global memory.

#include "tenon/core/config.hpp"

namespace tenon::detail {

// Rows that may have a barrier each: a word, and another to find out who leaves last.
inline constexpr int most_row_barriers = 256;

#if defined(__CUDA_ARCH__)
// The low half of *word counts the blocks that have come, the high half the barriers passed.
// @pre all `blocks` blocks are resident, and all threads of each call it
// @post what any of them wrote before is seen by all behind it
__device__ __forceinline__ void row_barrier(unsigned* word, unsigned blocks) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    unsigned before = atomicAdd(word, 1u);
    if ((before & 0xffffu) + 1 == blocks) {
      atomicAdd(word, 0x10000u - blocks);
    } else {
      unsigned now;
      do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(now) : "l"(word) : "memory");
      } while (now >> 16 == before >> 16);
    }
    __threadfence();
  }
  __syncthreads();
}

// Sets *word back to 0 when the last block has passed its last barrier; *leaving is 0 before and
// after.
__device__ __forceinline__ void clear_row_barrier(unsigned* word, unsigned* leaving,
                                                  unsigned blocks) {
  if (threadIdx.x == 0 && atomicInc(leaving, blocks - 1) == blocks - 1) *word = 0;
}
#endif

}  // namespace tenon::detail
