// SPDX-License-Identifier: Apache-2.0
#pragma once
// The whole vectors of a thread, of rows that begin anywhere: which they are and how they are
// moved.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"
#include "tenon/backend/cuda/parts/shifted_access.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <int V> struct shifted_positions : item_positions<int> {
  static constexpr bool loads_vectors = true;

  __device__ __forceinline__ shifted_positions from(int u) const {
    return {item_positions<int>::from(u)};
  }
  template <reuse Reuse, int Items, class T, int Room>
  __device__ __forceinline__ void load(packed<T, V> (&to)[Room], T const* first_of_thread,
                                       bool is_wanted) const {
    int const left = is_wanted ? this->end - this->first : 0;
    load_shifted<Reuse, Items>(to, first_of_thread, static_cast<unsigned>(this->step * V),
                               [&](int u) { return left - u * this->step; });
  }
};

// Positions of which what is stored is written at once. @pre all lanes of the warp store
template <class Program, class C, class Arguments>
struct shifted_results : shifted_positions<C::vector_width> {
  static constexpr bool finds_parts = true;
  static constexpr int v = C::vector_width;
  Arguments const& a;
  operand_offsets<Program> const& row;

  template <int K, class T>
  __device__ __forceinline__ void keep(packed<T, v> const& vector, int u) const {
    using I = typename program_traits<Program>::template at<K>;
    int const lane = static_cast<int>(threadIdx.x) % 32,
              lanes = blockDim.x < 32 ? static_cast<int>(blockDim.x) : 32;
    store_shifted(
        store_address<Program, K>(a, row.stores[I::bits]) + static_cast<long long>(this->at(u)) * v,
        vector, this->is_whole(u), lane > 0, lane + 1 < lanes && this->at(u) + 1 < this->end,
        a.stored);
  }
};

}  // namespace tenon::detail
#endif
