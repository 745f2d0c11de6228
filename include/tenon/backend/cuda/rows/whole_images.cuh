// SPDX-License-Identifier: Apache-2.0
#pragma once
// The same of rows of whole vectors, wherever they begin: lanes take and leave vectors, which lie
// in different banks. Those of memory have parts of two, which are shifted out of them: what is
// loaded on its way to registers, what is stored on its way to memory.

#include "tenon/backend/cuda/parts/misaligned_access.cuh"
#include "tenon/backend/cuda/rows/brief_images.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Vectors in an order of their own → as they lie in memory, `front` bytes behind its own vectors.
template <class T> struct settled_image {
  static constexpr int v = 16 / static_cast<int>(sizeof(T));
  unsigned image;
  image_order const& order;
  int front;

  template <int V> __device__ __forceinline__ packed<T, V> at(int byte) const {
    packed<T, V> result;
    if constexpr (V == 1) {
      load_shared(result, image + order(byte - front));
    } else {
      load_shared(result, image + order(byte));
      if (front > 0) {
        packed<T, V> before;
        load_shared(before, image + order(byte - 16));
        result = part_of(before, result, v - front / static_cast<int>(sizeof(T)));
      }
    }
    return result;
  }
};

template <class Program, class C> struct whole_images : brief_images<Program, C> {
  using base = brief_images<Program, C>;
  using base::v, base::a, base::size, base::thread, base::lanes;
  using typename base::held_row, typename base::memory, typename base::own;
  template <int K> using type_of = typename base::template type_of<K>;

  template <int K>
  __device__ __forceinline__ void ask(long long first, int rows, int buffer) const {
    base::template ask<K>(first, rows, buffer, a.split.order);
  }
  template <int K> __device__ __forceinline__ void send(long long first, int rows) const {
    auto* const to = store_address<Program, K>(a, first * size);
    send_whole<2>(settled_image<type_of<K>>{memory::template result<K>(a, this->memory_of_warp),
                                            a.split.order, in_front(to)},
                  to, rows * size, thread, a.stored);
  }
  template <int E>
  __device__ __forceinline__ void take(held_row& tile, long long first, int place,
                                       int buffer) const {
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = type_of<k>;
      constexpr int bytes = static_cast<int>(sizeof(T));
      unsigned const image = memory::template operand<k>(a, this->memory_of_warp, buffer);
      int const begin = in_front(load_address<Program, k>(a, first * size)) / bytes;
      auto const mine = a.split.order.of_row(place * bytes);
#pragma unroll
      for (int u = 0; u < base::template vectors<E>; ++u) {
        if (!this->has(u)) break;
        packed<T, v> all;
        load_shared(all, image + mine(u * lanes * 16));
        if (begin > 0) {
          packed<T, v> next;
          load_shared(next, image + a.split.order(place * bytes + u * lanes * 16 + 16));
          all = part_of(all, next, begin);
        }
#pragma unroll
        for (int i = 0; i < v; ++i)
          read_register<k>(tile).at[u * v + i].words[0] =
              all.words[i * bytes / 4] >> i * bytes % 4 * 8;
      }
    });
  }
  using places = image_order::row;  // in bytes of which results have as many
  __device__ __forceinline__ places places_of_results(long long, int place) const {
    return a.split.order.of_row(place * program_traits<Program>::widest_element);
  }
  template <int K, int E, class Value>
  __device__ __forceinline__ void put(places const& to, int u, Value const (&values)[v]) const {
    if (this->template is_whole<E>(u) || this->left_of(u) > 0)
      store_shared(memory::template result<K>(a, this->memory_of_warp) + to(u * lanes * 16),
                   pack<type_of<K>>(values));
  }
};

}  // namespace tenon::detail
#endif
