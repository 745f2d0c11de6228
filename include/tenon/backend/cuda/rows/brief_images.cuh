// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a warp has of rows of few elements in shared memory, as they lie: global memory <-> images
// <-> the registers of its lanes, element by element.

#include "tenon/backend/cuda/rows/brief_vectors.cuh"
#include "tenon/backend/cuda/rows/warp_image.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct brief_images : brief_vectors<Program, C, is_few<C>> {
  using base = brief_vectors<Program, C, is_few<C>>;
  using base::v, base::items, base::a, base::thread, base::size, base::lanes;
  template <int E> static constexpr int width = base::template width<E>;
  template <int K> using type_of = typename base::template type_of<K>;
  using typename base::stores;
  using own = brief_loads<Program, C>;
  using memory = brief_memory<Program, C>;
  using held_row = selected_registers<Program, own>;
  static constexpr bool is_few = detail::is_few<C>;
  // States of a lane where it gathers elements: those of so many lanes.
  static constexpr int gathered = is_few || memory::has_whole ? 1 : 2;
  static constexpr bool has_one_way = false;  // whatever a lane has of a vector

  unsigned const memory_of_warp = memory::of_warp(a, this->warp);
  bool const has_halves = begins_with_halves();  // of vectors, which rows are whole numbers of

  // Asks for operand K of the rows from number `first` on, of which there are `rows`.
  template <int K, class Order = as_it_lies>
  __device__ __forceinline__ void ask(long long first, int rows, int buffer,
                                      Order const& order = {}) const {
    long long const rows_behind = a.row_count - first - rows;
    bring_whole<is_few ? 4 : 1, is_few>(
        memory::template operand<K>(a, memory_of_warp, buffer),
        load_address<Program, K>(a, first * size), rows * size, thread, first == 0,
        static_cast<int>(rows_behind < 16 ? rows_behind : 16) * size, order);
  }
  template <int K> __device__ __forceinline__ void send(long long first, int rows) const {
    send_whole<is_few ? 4 : 2, is_few>(
        lying_image<type_of<K>>{memory::template result<K>(a, memory_of_warp)},
        store_address<Program, K>(a, first * size), rows * size, thread, a.stored);
  }
  // The lane's elements of a row, the first in place `place` of these rows.
  template <int E>
  __device__ __forceinline__ void take(held_row& tile, long long first, int place,
                                       int buffer) const {
    selected_registers<Program, places_of<own>> from;
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      set_place<k>(read_register<k>(from), memory::template operand<k>(a, memory_of_warp, buffer),
                   load_address<Program, k>(a, first * size), place);
    });
    if (may_have_halves && has_halves)
      take_parts<E, may_have_halves ? v / 2 : 1>(tile, from);
    else
      take_parts<E, 1>(tile, from);
  }
  // Where a lane's first element of each operand or result is. The asm keeps it from being found
  // again for each part.
  template <class Selected> struct places_of : Selected { template <int K> using type = unsigned; };
  using places = selected_registers<Program, places_of<stores>>;
  __device__ __forceinline__ places places_of_results(long long first, int place) const {
    places to;
    for_each_selected<Program, stores>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      set_place<k>(read_register<k>(to), memory::template result<k>(a, memory_of_warp),
                   store_address<Program, k>(a, first * size), place);
    });
    return to;
  }
  // Vector u of what store K is to write.
  template <int K, int E, class Value>
  __device__ __forceinline__ void put(places const& to, int u,
                                      Value const (&values)[width<E>]) const {
    using T = type_of<K>;
    constexpr int bytes = static_cast<int>(sizeof(T));
    int const left = this->left_of(u);
    unsigned const mine = read_register<K>(to) + u * lanes * v * bytes;
    if constexpr (may_have_halves)
      if (has_halves) {
        auto const whole = pack<T>(values);
#pragma unroll
        for (int h = 0; h < 2; ++h) {
          packed<T, v / 2> half;
          constexpr int words = v / 2 * bytes / 4;
#pragma unroll
          for (int i = 0; i < words; ++i) half.words[i] = whole.words[h * words + i];
          if (left > h * v / 2) store_shared(mine + h * v / 2 * bytes, half);
        }
        return;
      }
    packed<T, 1> all[width<E>];
    pack_singly(all, values);
    if (this->template is_whole<E>(u)) {
#pragma unroll
      for (int i = 0; i < width<E>; ++i) store_shared(mine + i * bytes, all[i]);
    } else {
#pragma unroll
      for (int i = 0; i < width<E>; ++i)
        if (i < left) store_shared(mine + i * bytes, all[i]);
    }
  }

  // What all rows share of vector u.
  template <int Phase, bool Stores> using shared_loads = shared_loads_of<Program, C, Phase, Stores>;
  template <class Loads, class Fixed>
  __device__ __forceinline__ void take_shared(Fixed& fixed, int u) const {
    for_each_selected<Program, Loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      load_shared(read_register<k>(fixed).at[0],
                  memory::template column<k>(a, memory_of_warp) +
                      (this->begin + u * lanes * v) * static_cast<int>(sizeof(type_of<k>)));
    });
  }

 private:
  // Where elements have two bytes: of wider ones ptxas 13.0 spills large states.
  static constexpr bool may_have_halves = v == 8 && !is_few && !memory::has_whole && [] {
    bool result = true;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.moves_elements && (i.is_store || i.varies_over_rows))
        result = result && size_of(i.type) == 2;
    return result;
  }();
  __device__ __forceinline__ bool begins_with_halves() const {
    bool result = may_have_halves && size % (v / 2) == 0;
    auto const check = [&](auto const* begin) {
      result = result && reinterpret_cast<unsigned long long>(begin) % v == 0;
    };
    if constexpr (may_have_halves) {
      for_each_selected<Program, own>(
          [&](auto k) { check(load_address<Program, decltype(k)::value>(a, 0)); });
      for_each_selected<Program, stores>(
          [&](auto k) { check(store_address<Program, decltype(k)::value>(a, 0)); });
    }
    return result;
  }
  // By accesses of `Part` elements.
  template <int E, int Part, class From>
  __device__ __forceinline__ void take_parts(held_row& tile, From const& from) const {
#pragma unroll
    for (int u = 0; u < base::template vectors<E>; ++u) {
      if (!this->has(u)) break;
      for_each_selected<Program, own>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        constexpr int bytes = static_cast<int>(sizeof(type_of<k>));
        unsigned const mine = read_register<k>(from) + u * lanes * v * bytes;
#pragma unroll
        for (int i = 0; i < width<E>; i += Part) {
          packed<type_of<k>, Part> part;
          load_shared(part, mine + i * bytes);
#pragma unroll
          for (int j = 0; j < Part; ++j)
            read_register<k>(tile).at[u * v + i + j].words[0] =
                Part == 1 ? part.words[0] : part.words[j * bytes / 4] >> j * bytes % 4 * 8;
        }
      });
    }
  }
  template <int K, class T>
  __device__ __forceinline__ void set_place(unsigned& to, unsigned image, T const* rows,
                                            int place) const {
    to = image + in_front(rows) + place * static_cast<int>(sizeof(T));
    asm volatile("" : "+r"(to));
  }
};

}  // namespace tenon::detail
#endif
