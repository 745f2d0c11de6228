// SPDX-License-Identifier: Apache-2.0
#pragma once
// Blocks with rows of their own stay together, though memory serves some multiprocessors first.

#include "tenon/backend/cuda/mixed/operands.cuh"
#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/last_blocks.cuh"
#include "tenon/backend/cuda/parts/opaque.cuh"

namespace tenon::detail {

// Whether blocks keep pace: where each row is read and written and memory is what bounds them.
// H200, gradients of a layer norm of 32768 x 1024, 2048 and 4096 f32: 103, 199 and 384 us instead
// of 113, 215 and 411; of 4096 bf16, which arithmetic bounds, 224 instead of 219, sums alone 41
// instead of 38.
template <class Program, class C>
inline constexpr bool is_paced =
    !C::is_looped && !stages_rows<Program> && has_element_stores<Program>;

#if defined(__CUDA_ARCH__)
// A block waits that is ahead of what the blocks have taken on average. Which rows a block has is
// fixed, because the columns' sums depend on it; blocks of some multiprocessors would have theirs
// after 70 us, of others after 106, and the memory is not busy when the first are gone.
// Nobody waits for a block that waits: the one that has taken least is not ahead.
class pace {
 public:
  static __device__ __forceinline__ void begin() {
    if (is_first_thread()) seen() = {0, 0, 0, 0};
  }
  // Before round number `round` of the block's rows. How far the others are was asked for with the
  // round before: an answer takes 1 us, and waits in no register. One thread of a block looks:
  // where eight did, 32768 x 4096 f32 took 469 us.
  // @pre all threads call it, behind the wait for what they have sent for; `words` are those of
  // last_blocks
  static __device__ __forceinline__ void keep(unsigned* words, int round) {
    if (is_first_thread()) {
      uint4 now = seen();
#pragma unroll 1
      while (static_cast<int>(now.w - last_blocks::begun(now.x) * (round - most_ahead)) < 0)
        asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(now.x), "=r"(now.y), "=r"(now.z), "=r"(now.w)
                     : "l"(words)
                     : "memory");
      asm volatile("red.relaxed.gpu.global.add.u32 [%0], 1;" ::"l"(words + 3) : "memory");
      copy_or_clear<16>(&seen(), words, true);
    }
    if (blockDim.y > 1) __syncthreads();
  }

 private:
  // H200, 32768 x 4096 f32: of two rounds 399 us, of three 405.
  static constexpr int most_ahead = 1;

  static __device__ __forceinline__ bool is_first_thread() {
    return (static_cast<int>(threadIdx.x) | thread_row()) == 0;
  }
  // The words as they were a round ago.
  static __device__ __forceinline__ uint4& seen() {
    __shared__ uint4 words;
    return words;
  }
};
#endif

}  // namespace tenon::detail
