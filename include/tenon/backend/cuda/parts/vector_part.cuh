// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much of a vector is inside, where the elements before the end are counted.

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// ptxas 13.0 for sm_90 makes one VIMNMX.RELU of a count from 0 to V that is tested for equality
// with V, and takes its predicate for the comparison, which it is not: on an H200 10 elements in
// vectors of 4 were three whole vectors. So what is asked is `left` itself, or, of a count that is
// handed on, whether it is at least V (tests/kernels/compared_clamps.py).
template <int V, class Index = long long> struct vector_part {
  Index left;  // elements from its first one on that are inside; below 0 if it begins behind them

  __device__ __forceinline__ bool is_whole() const { return left >= V; }
  __device__ __forceinline__ bool is_empty() const { return left <= 0; }
  __device__ __forceinline__ int count() const {
    return left < 0 ? 0 : left < V ? static_cast<int>(left) : V;
  }
};

}  // namespace tenon::detail
#endif
