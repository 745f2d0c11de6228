// SPDX-License-Identifier: Apache-2.0
#pragma once
// CUB's two-step calls: ask for the size of the temporary storage, then run. The storage is kept,
// so that only the first call allocates.

#include <cuda_runtime.h>
#include <cub/version.cuh>

#include "harness/library.hpp"
#include "tenon/runtime/error_cuda.hpp"

namespace bench {

inline constexpr int cccl_major = CUB_VERSION / 100000, cccl_minor = CUB_VERSION / 100 % 1000,
                     cccl_patch = CUB_VERSION % 100;
static_assert(cccl_major < 10 && cccl_minor < 10 && cccl_patch < 10);
inline constexpr char cccl_version[] = {
    'C', 'C', 'C', 'L', ' ', '0' + cccl_major, '.', '0' + cccl_minor, '.', '0' + cccl_patch, '\0'};

// algorithm(void* storage, std::size_t& bytes) -> cudaError_t
template <class Algorithm> void with_temporary(Algorithm const& algorithm) {
  static void* storage = nullptr;
  static std::size_t capacity = 0;
  std::size_t bytes = 0;
  tenon::check(algorithm(nullptr, bytes), "cub");
  if (bytes > capacity) {
    tenon::check(cudaFree(storage), "cub");
    tenon::check(cudaMalloc(&storage, bytes), "cub");
    capacity = bytes;
  }
  tenon::check(algorithm(storage, bytes), "cub");
}

inline long long elements(call const& c, int rank) {
  long long product = 1;
  for (int axis = 0; axis < rank; ++axis) product *= c.extent(0, axis);
  return product;
}

}  // namespace bench
