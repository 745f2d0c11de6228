// SPDX-License-Identifier: Apache-2.0
#pragma once
// Numbers that nvcc does not follow to where they come from.

#include "tenon/core/config.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// An address that others are found from, in one instruction each: nvcc finds every one of them from
// the operand's or the memory's beginning.
template <class T> __device__ __forceinline__ T* as_one_number(T* address) {
  asm("" : "+l"(address));
  return address;
}
__device__ __forceinline__ unsigned as_one_number(unsigned address) {
  asm("" : "+r"(address));
  return address;
}

// What follows from it is found where it is wanted, rather than held in registers over a loop.
__device__ __forceinline__ int found_again(int number) {
  asm volatile("" : "+r"(number));
  return number;
}

__device__ __forceinline__ float found_again(float number) {
  asm volatile("" : "+f"(number));
  return number;
}

// threadIdx.y, likewise.
__device__ __forceinline__ int thread_row() {
  int y;
  asm volatile("mov.u32 %0, %%tid.y;" : "=r"(y));
  return y;
}

}  // namespace tenon::detail
#endif
