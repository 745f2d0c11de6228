// SPDX-License-Identifier: Apache-2.0
#pragma once
// What CUB and Thrust compute per element; half types in float.

#include <cuda_bf16.h>

namespace bench {

struct relu_add_mul {
  template <class T> __device__ T operator()(T x, T y) const {
    return static_cast<T>(fmaxf((static_cast<float>(x) + static_cast<float>(y)) * 2, 0.0f));
  }
};
struct sin_plus_cos {
  __device__ float operator()(float x) const { return sinf(x) + cosf(x); }
};
struct square {
  template <class T> __device__ float operator()(T x) const {
    return static_cast<float>(x) * static_cast<float>(x);
  }
};
struct twice {
  __device__ float operator()(float x) const { return 2 * x; }
};
// 0, count, 2 * count...: where rows begin.
struct times {
  int count;
  __host__ __device__ int operator()(int k) const { return k * count; }
};

}  // namespace bench
