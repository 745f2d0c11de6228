// SPDX-License-Identifier: Apache-2.0
#pragma once
// Blocks of a cluster: words sent to each other's shared memory, and waiting for them.

#include "tenon/core/config.hpp"

namespace tenon::detail {

// 8 blocks may be asked for everywhere; 16 need a function's consent.
inline constexpr int most_blocks_per_cluster = 16;

#if defined(__CUDA_ARCH__)
// Counts the bytes that have come, so that a wait for them needs no fence: a release by the whole
// cluster would also wait for the stores to global memory. One thread expects, all wait.
class mailbox {
 public:
  // @post known to the cluster behind its next barrier
  __device__ __forceinline__ void init() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "mbarrier.init.shared::cta.b64 [%0], 1;\n\tfence.mbarrier_init.release.cluster;" ::"r"(
            address(this))
        : "memory");
#endif
  }
  // Opens a round. @pre the last one is over in this thread
  __device__ __forceinline__ void expect(int bytes) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(this)),
                 "r"(bytes)
                 : "memory");
#endif
  }
  // Writes into the same place of the shared memory of block `rank`, whose mailbox counts it.
  // @pre that block has begun, and waits for the word before it ends
  __device__ __forceinline__ void send(unsigned* place, unsigned word, int rank) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n\t.reg .u32 to, box;\n\t"
        "mapa.shared::cluster.u32 to, %0, %2;\n\t"
        "mapa.shared::cluster.u32 box, %1, %2;\n\t"
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [to], %3, [box];\n\t}" ::"r"(
            address(place)),
        "r"(address(this)), "r"(rank), "r"(word)
        : "memory");
#endif
  }
  // Acquires for the block alone, because what came is in its own shared memory: for the cluster it
  // would empty the L1 cache. @pre `round` is the number of the round, from 0, modulo 2
  __device__ __forceinline__ void wait(unsigned round) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile(
        "{\n\t.reg .pred done;\n\t"
        "again_%=:\n\t"
        "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
        "@!done bra again_%=;\n\t}" ::"r"(address(this)),
        "r"(round)
        : "memory");
#endif
  }

 private:
  unsigned long long state_;

  static __device__ __forceinline__ unsigned address(void const* place) {
    return static_cast<unsigned>(__cvta_generic_to_shared(place));
  }
};

// Two mailboxes in turn, for rounds of which each has its own buffer: whoever sends in a round has
// what all blocks sent in the round before, which they did when they had read the one before that.
class cluster_mailboxes {
 public:
  // @pre one thread of the block calls it. @post known to the cluster behind its next barrier
  static __device__ __forceinline__ void init() { boxes()[0].init(), boxes()[1].init(); }

  __device__ __forceinline__ int buffer() const { return turn_ & 1; }
  __device__ __forceinline__ mailbox& present() const { return boxes()[buffer()]; }
  __device__ __forceinline__ void wait() const { present().wait(turn_ >> 1 & 1); }
  __device__ __forceinline__ void next() { ++turn_; }

 private:
  int turn_ = 0;

  static __device__ __forceinline__ mailbox* boxes() {
    __shared__ mailbox all[2];
    return all;
  }
};

// Which cluster this is, of how many, and which of its blocks. A block alone is a cluster of one.
// By nvcc's own functions: it takes what an asm gives for different from thread to thread, and
// guards every shuffle in a loop over it.
__device__ __forceinline__ unsigned cluster_index() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return __clusterIdx().x;
#else
  return blockIdx.x;
#endif
}
__device__ __forceinline__ unsigned clusters() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return __clusterGridDimInClusters().x;
#else
  return gridDim.x;
#endif
}
__device__ __forceinline__ int rank_in_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  return static_cast<int>(__clusterRelativeBlockRank());
#else
  return 0;
#endif
}

// A barrier of all threads of all blocks of the cluster, in two parts. Behind it mailboxes that
// were made before it are known, and nothing else: what is under way is not waited for. H200, batch
// norm of 64 x 64 x 56 x 56 f32, whose blocks ask for their shares between the two: 37 us instead
// of 42 with one barrier that releases what was written behind the requests.
__device__ __forceinline__ void arrive_at_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void wait_for_cluster() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}
#endif

}  // namespace tenon::detail
