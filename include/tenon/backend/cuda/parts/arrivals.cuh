// SPDX-License-Identifier: Apache-2.0
#pragma once
// Warps of a block that wait for others of its warps, and not for all of them.

#include "tenon/core/config.hpp"

namespace tenon::detail {

#if defined(__CUDA_ARCH__)
// Counts threads that have come, round after round: who arrives does not wait, and who waits does
// not count. What a thread wrote before it arrives is seen by whoever has waited.
class arrivals {
 public:
  // @post known to the block behind its next barrier
  __device__ __forceinline__ void init(unsigned threads) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address()), "r"(threads) : "memory");
  }
  __device__ __forceinline__ void arrive() {
    asm volatile(
        "{\n\t.reg .b64 state;\n\tmbarrier.arrive.shared.b64 state, [%0];\n\t}" ::"r"(address())
        : "memory");
  }
  // @pre `round` is the number of the round, from 0, modulo 2; the next one is not over
  __device__ __forceinline__ void wait(unsigned round) {
#if __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n\t.reg .pred done;\n\tagain_%=:\n\t"
        "mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n\t@!done bra again_%=;\n\t}" ::"r"(
            address()),
        "r"(round)
        : "memory");
#else
    asm volatile(
        "{\n\t.reg .pred done;\n\tagain_%=:\n\t"
        "mbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n\t@!done bra again_%=;\n\t}" ::"r"(
            address()),
        "r"(round)
        : "memory");
#endif
  }

 private:
  unsigned long long state_;

  __device__ __forceinline__ unsigned address() const {
    return static_cast<unsigned>(__cvta_generic_to_shared(this));
  }
};
#endif

}  // namespace tenon::detail
