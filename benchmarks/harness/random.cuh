// SPDX-License-Identifier: Apache-2.0
#pragma once
// (seed, index) → a normally distributed number: inputs that are the same in every run and in no
// order of threads.

#include <cuda_runtime.h>

#include "tenon/runtime/error_cuda.hpp"

namespace bench {

inline constexpr unsigned long long fixed_seed = 20240229;

// SplitMix64: consecutive inputs give independent bits.
__host__ __device__ inline unsigned long long mixed(unsigned long long z) {
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

// Box and Muller's transformation of two uniform numbers; the first is never 0.
__device__ inline float normal_number(unsigned long long seed, long long index) {
  unsigned long long bits =
      mixed(seed * 0x2545f4914f6cdd1dull + static_cast<unsigned long long>(index));
  float first = (static_cast<float>(bits >> 40) + 1.0f) * 0x1p-24f;
  float second = static_cast<float>(bits & 0xffffffu) * 0x1p-24f;
  return sqrtf(-2.0f * logf(first)) * cospif(2.0f * second);
}

enum class distribution { normal, magnitude };  // magnitude: the absolute value of a normal number

template <class T, distribution Shape>
__global__ void fill_kernel(T* out, long long count, unsigned long long seed) {
  long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += step) {
    float number = normal_number(seed, i);
    out[i] = static_cast<T>(Shape == distribution::magnitude ? fabsf(number) : number);
  }
}

template <class T, distribution Shape>
void fill(void* out, long long count, unsigned long long seed, cudaStream_t on) {
  fill_kernel<T, Shape><<<4096, 256, 0, on>>>(static_cast<T*>(out), count, seed);
  tenon::check(cudaGetLastError(), "fill");
}

}  // namespace bench
