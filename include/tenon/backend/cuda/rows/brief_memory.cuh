// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shared memory of a warp that holds rows of few elements: images of what is loaded of them and of
// the next ones, of what is stored, and what all rows share.

#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/shared_access.cuh"
#include "tenon/backend/cuda/rows/odd_memory.cuh"

namespace tenon::detail {

// Loads that differ from row to row: all of a lane's elements, each in a register.
template <class Program, class C> struct brief_loads : own_loads<Program, C> {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> using type = vector_list<storage_t<at<K>::type>, 1, C::vector_width * C::items>;
};

// Whether a lane has rows by itself (rows/few.cuh), and a warp all that it is to have.
template <class C> inline constexpr bool is_few = C::vector_width* C::items <= 8;

template <class Program, class C> struct brief_memory {
  using own = brief_loads<Program, C>;
  using shared = shared_loads<Program, C>;
  using stores = element_stores<Program, 1>;
  static constexpr int size = program_traits<Program>::size,
                       bytes = program_traits<Program>::widest_element,
                       loaded = rank_among<Program, own>(size),
                       stored = rank_among<Program, stores>(size),
                       shares = rank_among<Program, shared>(size), buffers = is_few<C> ? 1 : 2,
                       images = buffers * loaded + stored;

  // Whether rows are whole vectors.
  static constexpr bool has_whole = C::group_dims == contiguous_columns;

  // Images begin where memory's own vectors do, and lanes read vectors behind a row's end.
  static constexpr TENON_HD int bytes_of_image(int elements, int lanes) {
    int const behind = (elements + lanes * C::vector_width) * bytes + 16;
    return has_whole ? (behind + 127) / 128 * 128 : (behind + 15) / 16 * 16;
  }
  static constexpr TENON_HD int bytes_of_warp(int rows, int columns, int lanes) {
    return images * bytes_of_image(rows * columns, lanes) + shares * bytes_of_image(columns, lanes);
  }
#if defined(__CUDA_ARCH__)
  template <class Arguments>
  static __device__ __forceinline__ unsigned of_warp(Arguments const& a, int warp) {
    return static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared())) +
           warp * a.split.bytes_per_warp;
  }
  template <class Arguments>
  static __device__ __forceinline__ unsigned image(Arguments const& a, unsigned warp, int number) {
    return warp + number * bytes_of_image(a.split.rows_per_warp * static_cast<int>(a.columns.size),
                                          static_cast<int>(blockDim.x));
  }
  // Operand K, of the rows at hand or of the next ones, and what store K is to write.
  template <int K, class Arguments>
  static __device__ __forceinline__ unsigned operand(Arguments const& a, unsigned warp,
                                                     int buffer) {
    return image(a, warp, buffer * loaded + rank_among<Program, own>(K));
  }
  template <int K, class Arguments>
  static __device__ __forceinline__ unsigned result(Arguments const& a, unsigned warp) {
    return image(a, warp, buffers * loaded + rank_among<Program, stores>(K));
  }
  // What all rows share of operand K.
  template <int K, class Arguments>
  static __device__ __forceinline__ unsigned column(Arguments const& a, unsigned warp) {
    return image(a, warp, images) +
           rank_among<Program, shared>(K) *
               bytes_of_image(static_cast<int>(a.columns.size), static_cast<int>(blockDim.x));
  }
#endif
};

}  // namespace tenon::detail
