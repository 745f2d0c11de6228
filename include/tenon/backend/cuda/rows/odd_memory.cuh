// SPDX-License-Identifier: Apache-2.0
#pragma once
// What blocks of odd rows have in shared memory: images of what is stored, and what all rows share.

#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/element_stores.cuh"
#include "tenon/backend/cuda/rows/own_loads.cuh"

namespace tenon::detail {

// Element loads of what all rows share, and those of a sweep.
template <class Program, class C> struct shared_loads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && i.where == place::element && !i.varies_over_rows;
  }
  template <int K> using type = vector_list<storage_t<at<K>::type>, C::vector_width, 1>;
};
template <class Program, class C, int Phase, bool Stores>
struct shared_loads_of : shared_loads<Program, C> {
  static consteval bool holds(int k) {
    return shared_loads<Program, C>::holds(k) &&
           element_needs<Program>::template at<Phase, Stores>.needed[k];
  }
};

// Items that are computed together before they are stored, so that neither waits for the other.
template <class C>
inline constexpr int odd_stores_together = C::items > 1 && C::vector_width <= 4 ? 2 : 1;

// Shared memory of a block: an image of the share of each row and store, and the vectors of what
// all rows share.
template <class Program, class C> struct odd_memory {
  static constexpr int stored = rank_among<Program, element_stores<Program, 1>>(
                           program_traits<Program>::size),
                       own = rank_among<Program, own_loads<Program, C>>(
                           program_traits<Program>::size),
                       shared = rank_among<Program, shared_loads<Program, C>>(
                           program_traits<Program>::size);
  // Whether a vector of a result may take the place of one of an operand.
  static constexpr bool is_in_place = [] {
    int size = 0;
    bool result = true;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.moves_elements && (i.is_store || (i.varies_over_rows && !i.is_late))) {
        result = result && (size == 0 || size == size_of(i.type));
        size = size_of(i.type);
      }
    return result;
  }();
  static constexpr int images = stored == 0    ? 0
                                : !is_in_place ? stored + own
                                : stored > own ? stored
                                               : own;

  // Vectors of 16 bytes, and one behind them, which is read and not used.
  static constexpr TENON_HD int bytes_of_image(int lanes) {
    return (lanes * (C::items + C::items % odd_stores_together<C>)+1) * 16;
  }
  static constexpr TENON_HD int bytes_of_item(int lanes) { return (lanes + 1) * 16; }
  static constexpr int bytes_of(int lanes, int rows) {
    return images * rows * bytes_of_image(lanes) + shared * C::items * bytes_of_item(lanes);
  }
#if defined(__CUDA_ARCH__)
  static __device__ __forceinline__ unsigned begin() {
    return static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared()));
  }
  static __device__ __forceinline__ unsigned image(int rank) {
    return begin() + (rank * blockDim.y + threadIdx.y) * bytes_of_image(blockDim.x);
  }
  // What store K writes, and where operand K waits until then.
  template <int K> static __device__ __forceinline__ unsigned result() {
    return image(rank_among<Program, element_stores<Program, 1>>(K));
  }
  template <int K> static __device__ __forceinline__ unsigned operand(int u) {
    constexpr int rank = rank_among<Program, own_loads<Program, C>>(K);
    using type = storage_t<program_traits<Program>::template at<K>::type>;
    return image(is_in_place ? rank : stored + rank) +
           (threadIdx.x + u * blockDim.x) * packed<type, C::vector_width>::bytes;
  }
  // Where this thread finds its vector of item u.
  template <int K> static __device__ __forceinline__ unsigned slot(int u) {
    constexpr int rank = rank_among<Program, shared_loads<Program, C>>(K);
    return begin() + images * blockDim.y * bytes_of_image(blockDim.x) +
           (rank * C::items + u) * bytes_of_item(blockDim.x) + threadIdx.x * 16;
  }
#endif
};

}  // namespace tenon::detail
