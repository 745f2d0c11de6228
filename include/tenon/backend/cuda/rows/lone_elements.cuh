// SPDX-License-Identifier: Apache-2.0
#pragma once
// A row of few elements that a lane has by itself: global memory <-> registers, element by element.

#include "tenon/backend/cuda/rows/brief_images.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct lone_elements : brief_images<Program, C> {
  using base = brief_images<Program, C>;
  using base::v, base::a, base::size;
  using typename base::held_row, typename base::own, typename base::stores;
  template <int K> using type_of = typename base::template type_of<K>;
  template <int E> static constexpr int width = base::template width<E>;

  struct loaded_from : own {
    template <int K> using type = type_of<K> const*;
  };
  struct stored_to : stores {
    template <int K> using type = type_of<K>*;
  };
  using sources = selected_registers<Program, loaded_from>;
  using places = selected_registers<Program, stored_to>;

  // Where the row is, whose lines the second-level cache is asked for. What leads there is done
  // before the wait.
  __device__ __forceinline__ void find(sources& from, long long row, bool is_inside) const {
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(from) = load_address<Program, k>(a, is_inside ? row * size : 0);
      ask_early(read_register<k>(from), is_inside);
    });
  }
  template <int E>
  __device__ __forceinline__ void request(held_row& tile, sources const& from,
                                          bool is_inside) const {
    int const live = is_inside ? size : 0;
#pragma unroll
    for (int i = 0; i < E; ++i)
      for_each_selected<Program, own>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(tile).at[i] = {};
        load_packed<reuse::expected>(read_register<k>(tile).at[i], read_register<k>(from) + i,
                                     i < live);
      });
  }
  __device__ __forceinline__ places places_of_results(long long row, int) const {
    places to;
    for_each_selected<Program, stores>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(to) = store_address<Program, k>(a, row * size);
    });
    return to;
  }
  template <int K, int E, class Value>
  __device__ __forceinline__ void put(places const& to, int u,
                                      Value const (&values)[width<E>]) const {
    packed<type_of<K>, 1> all[width<E>];
    pack_singly(all, values);
#pragma unroll
    for (int i = 0; i < width<E>; ++i)
      store_packed(read_register<K>(to) + u * v + i, all[i], E == 1 || u * v + i < size, a.stored);
  }
};

}  // namespace tenon::detail
#endif
