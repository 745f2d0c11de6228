// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread's next operands on their way to shared memory while it computes with the present ones:
// what registers would hold is held by memory that only this thread uses, so that no barrier is
// needed.

#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/element_tile.cuh"

namespace tenon::detail {

// Slots of 16 bytes: Items for each selected load, neighbouring threads next to each other. Threads
// is 0 where only the launch says how many there are.
template <class Program, class Selected, int Items, int Threads> struct thread_stage {
  using sequence = typename program_traits<Program>::sequence;
  static constexpr int bytes_per_thread =
      rank_among<Program, Selected>(program_traits<Program>::size) * Items * 16;
  static constexpr int bytes = bytes_per_thread * Threads;

#if defined(__CUDA_ARCH__)
  template <int K> static __device__ __forceinline__ unsigned char* slot(int u) {
    constexpr int rank = rank_among<Program, Selected>(K);
    int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x),
              threads = Threads > 0 ? Threads : static_cast<int>(blockDim.x * blockDim.y);
    return dynamic_shared() + ((rank * Items + u) * threads + thread) * 16;
  }
  // Element i of a vector, for those that come one by one.
  template <int K, class T> static __device__ __forceinline__ T& element(int u, int i) {
    return reinterpret_cast<T*>(slot<K>(u))[i];
  }
  template <int K, class T, int V>
  static __device__ __forceinline__ void take(packed<T, V>& to, int u) {
    if constexpr (sizeof(T) * V == 16) {
      uint4 const four = *reinterpret_cast<uint4 const*>(slot<K>(u));
      to.words[0] = four.x, to.words[1] = four.y, to.words[2] = four.z, to.words[3] = four.w;
    } else {
#pragma unroll
      for (int w = 0; w < static_cast<int>(sizeof(to.words) / sizeof(unsigned)); ++w)
        to.words[w] = reinterpret_cast<unsigned const*>(slot<K>(u))[w];
    }
  }
#endif
};

}  // namespace tenon::detail
