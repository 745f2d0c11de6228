// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is left to do when all blocks of a launch have come, shared among them without a cooperative
// launch.

#include "tenon/core/config.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// A block waits for the others only if all of them have begun: then none needs room that a waiting
// one has. Otherwise it goes, and the blocks that stay do its share, too; the one that begins last
// stays. All have begun before the first one comes to its end, unless the device is shared.
// Beside a kernel that holds 131 of 132 multiprocessors most go, and the bits are the same.
class last_blocks {
 public:
  static constexpr int words = 4;
  // Four words that are 0 before the launch, and again behind it. @pre fewer than 1024 blocks
  __device__ __forceinline__ explicit last_blocks(unsigned* words) : words_(words) {
    if (!is_alone() && is_first_thread()) atomicAdd(words, one_begun);
  }
  // Of the first word: how many blocks have begun.
  static __device__ __forceinline__ unsigned begun(unsigned word) { return word & mask; }
  // Early, because the answer takes a trip to memory.
  __device__ __forceinline__ void look() {
    if (!is_alone() && is_first_thread())
      asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(seen_) : "l"(words_) : "memory");
  }
  // Calls visit(part) for this block's share of `parts`. @pre all threads call it, behind look()
  // @post what any thread of the launch wrote before is seen by visit
  template <class Visit>
  __device__ __forceinline__ void share(long long parts, Visit const& visit) {
    __syncthreads();
    unsigned passed = 0;
    if (is_first_thread()) told() = is_alone() ? 0 : come(passed);
    __syncthreads();
    unsigned const gone = told();
    if (gone == nobody_waits) return;
    bool const is_drawn = gone > 0;
    long long part = is_drawn ? draw() : blockIdx.x;
    for (; part < parts; part = is_drawn ? draw() : part + gridDim.x) visit(part);
    if (is_alone() || !is_first_thread()) return;
    // The last ones that need them.
    unsigned const stayed = gridDim.x - gone;
    if (passed + 1 == stayed) words_[0] = words_[1] = words_[3] = 0;
    if (is_drawn && part + 1 == parts + stayed) words_[2] = 0;
  }

 private:
  static constexpr unsigned one_begun = 1, one_came = 1u << 10, one_gone = 1u << 20, mask = 1023;
  static constexpr unsigned nobody_waits = ~0u;
  // Begun, came and gone; how many know that all have come; parts drawn; rounds, for others.
  unsigned* words_;
  unsigned seen_ = 0;  // of the first word, early

  // One block neither counts nor waits. H200, in a graph: sums of 16 x 64 f32 along both axes 5.3 us
  // instead of 6.1.
  static __device__ __forceinline__ bool is_alone() { return gridDim.x == 1; }
  // Found again where it is wanted rather than held between.
  static __device__ __forceinline__ bool is_first_thread() {
    unsigned x, y;
    asm volatile("mov.u32 %0, %%tid.x;\n\tmov.u32 %1, %%tid.y;" : "=r"(x), "=r"(y));
    return (x | y) == 0;
  }
  static __device__ __forceinline__ unsigned& told() {
    __shared__ unsigned number;
    return number;
  }
  // How many have gone, when all have come; nobody_waits in those that go. passed: how many knew
  // before, an answer that comes while the block does its share.
  __device__ __forceinline__ unsigned come(unsigned& passed) const {
    bool const stays = begun(seen_) == gridDim.x;
    unsigned const comes = stays ? one_came : one_came + one_gone;
    asm volatile("red.release.gpu.global.add.u32 [%0], %1;" ::"l"(words_), "r"(comes) : "memory");
    if (!stays) return nobody_waits;
    unsigned word;
    do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(words_) : "memory");
    while ((word / one_came & mask) != gridDim.x);
    passed = atomicAdd(words_ + 1, 1u);
    return word / one_gone;
  }
  // The next part that nobody has drawn.
  __device__ __forceinline__ unsigned draw() const {
    __syncthreads();
    if (is_first_thread()) told() = atomicAdd(words_ + 2, 1u);
    __syncthreads();
    return told();
  }
};

}  // namespace tenon::detail
#endif
