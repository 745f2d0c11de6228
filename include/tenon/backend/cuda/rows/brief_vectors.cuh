// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which elements a lane has of a row of few: vectors in turn, as far as the row has them.

#include "tenon/backend/cuda/rows/brief_memory.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// OneLane: each has rows by itself.
template <class Program, class C, bool OneLane> struct brief_vectors {
  static constexpr int v = C::vector_width, items = C::items;
  // Of a lane's vectors some are computed, of each so many elements: E elements in all.
  template <int E> static constexpr int vectors = E > v ? E / v : 1;
  template <int E> static constexpr int width = E < v ? E : v;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> using type_of = storage_t<at<K>::type>;
  using stores = element_stores<Program, 1>;

  rows_arguments<Program, C> const& a;
  int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x) % 32,
            warp = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x) / 32,
            size = static_cast<int>(a.vectors) * v - (a.tail > 0 ? v - a.tail : 0),
            lanes = OneLane ? 1 : static_cast<int>(blockDim.x),
            begin = OneLane
                        ? 0
                        : static_cast<int>(threadIdx.x) * v;  // the lane's first element of a row

  // Whether some lane has any of vector u. All lanes go the same way; what a lane has not is
  // computed, too, and left out where that matters.
  __device__ __forceinline__ bool has(int u) const { return size > u * lanes * v; }
  // Whether all lanes have all of vector u.
  template <int E> __device__ __forceinline__ bool is_whole(int u) const {
    return E < v ? E == 1 || size == E : size >= (u + 1) * lanes * v;
  }
  // Elements of the row from the lane's vector u on.
  __device__ __forceinline__ int left_of(int u) const { return size - begin - u * lanes * v; }
};

}  // namespace tenon::detail
#endif
