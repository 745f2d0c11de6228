// SPDX-License-Identifier: Apache-2.0
#pragma once
// One vector of neighbouring elements through a program that finds where they lie: read as a whole,
// then computed element by element.

#include "tenon/backend/cuda/moved/places.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, int V> struct moved_worker : moved_places<Program, V> {
  using traits = program_traits<Program>;
  using values = moved_values<Program>;
  using wanted_reads = moved_reads<Program, V>;
  using wanted_stores = moved_stores<Program, V>;
  template <int K> using at = typename traits::template at<K>;
  using moved_places<Program, V>::moved_places;
  using moved_places<Program, V>::a;
  using moved_places<Program, V>::around;
  using moved_places<Program, V>::positions;
  using moved_places<Program, V>::cursors;

  __device__ __forceinline__ void finish() {
    this->find();
    await_operands<Program>();
    selected_registers<Program, wanted_reads> reads;
#pragma unroll 1
    for (int item = 0; item < a.items; ++item) {
      read_all(reads, item == 0);
      this->template advance<true>();
      if (item + 1 < a.items) ask();
      store_all_of(reads);
      this->template advance<false>();
    }
  }
  // The vectors of all operands at this place; those that stay where they are have been read with
  // the first item.
  __device__ __forceinline__ void read_all(selected_registers<Program, wanted_reads>& reads,
                                           bool is_first) const {
    for_each_selected<Program, wanted_reads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read<k>(read_register<k>(reads), is_first || read_register<k>(cursors).step != 0);
    });
    if (is_first)
      for_each_selected<Program, wanted_reads>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        if constexpr (!at<k>::is_load)
          if (!read_register<k>(cursors).is_wanted) fill<k>(read_register<k>(reads));
      });
  }
  // An item comes to the cache while the one before it is computed. @pre the cursors have advanced
  __device__ __forceinline__ void ask() const {
    for_each_selected<Program, wanted_reads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      moved_cursor const& from = read_register<k>(cursors);
      if constexpr (!at<k>::is_load)
        asm volatile(
            "{\n\t.reg .pred wanted;\n\tsetp.ne.u32 wanted, %1, 0;\n\t"
            "@wanted prefetch.global.L2::evict_last [%0];\n\t}" ::"l"(from.at),
            "r"(static_cast<unsigned>(from.step != 0 && from.is_wanted)));
    });
  }
  // The stores of all elements, from what has been read.
  template <class Reads> __device__ __forceinline__ void store_all_of(Reads const& reads) const {
    selected_registers<Program, wanted_stores> results;
#pragma unroll
    for (int i = 0; i < V; ++i) {
      registers<Program, place::element> element;
      frame<Program> const f{around.launch, around.row, element, around.total};
      evaluate_at<traits::row_phases + 1, true>(f, reads, i);
      for_each_selected<Program, wanted_stores>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(results).at[i] = value_of<at<k>::first_operand>(f);
      });
    }
    for_each_selected<Program, wanted_stores>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      moved_cursor const& to = read_register<k>(cursors);
      store_packed(reinterpret_cast<T*>(to.at), pack<T>(read_register<k>(results).at),
                   to.is_wanted, a.stored);
    });
  }

  // What the reductions of a phase, or the stores, need of element i.
  template <int Phase, bool Stores, class Reads>
  __device__ __forceinline__ void evaluate_at(frame<Program> const& f, Reads const& reads,
                                              int i) const {
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = at<k>;
      if constexpr (I::where == place::element && !I::is_store &&
                    element_needs<Program>::template at<Phase, Stores>.needed[k]) {
        constexpr moved_kind kind = values::template kind<k>;
        if constexpr (wanted_reads::template holds<k>)
          value_of<k>(f) = static_cast<typename I::value_type>(read_register<k>(reads).element(i));
        else if constexpr (kind == moved_kind::number)
          value_of<k>(f) = static_cast<typename I::value_type>(read_register<k>(positions));
        else if constexpr (kind == moved_kind::other)
          step<k>(f, typename I::operands{});
      }
    });
  }

 private:
  template <int K, class Parts> __device__ __forceinline__ void read(Parts& to, bool is_new) const {
    using T = storage_t<at<K>::type>;
    moved_cursor const& from = read_register<K>(cursors);
    bool is_neighbours = true;
    if constexpr (at<K>::is_load) is_neighbours = !a.is_repeated[values::template read_number<K>];
#pragma unroll
    for (int p = 0; p < V / Parts::width; ++p)
      load_packed<reuse::near>(to.at[p], reinterpret_cast<T const*>(from.at) + p * Parts::width,
                               is_new && from.is_wanted && is_neighbours);
    if constexpr (at<K>::is_load) {
      if (is_neighbours || !is_new) return;
      packed<T, 1> one;
      load_packed<reuse::expected>(one, reinterpret_cast<T const*>(from.at));
      repeat(to, one);
    }
  }
  // What is nowhere was not read, and is what `fetch` makes of it.
  template <int K, class Parts> static __device__ __forceinline__ void fill(Parts& to) {
    using I = at<K>;
    arithmetic_t<I::type> const missing[1] = {ops::fetch::eval_as<I::type>(no_address)};
    repeat(to, pack<storage_t<I::type>>(missing));
  }
  template <class Parts, class T>
  static __device__ __forceinline__ void repeat(Parts& to, packed<T, 1> const& one) {
#pragma unroll
    for (int p = 0; p < V / Parts::width; ++p) to.at[p] = splat<Parts::width>(one);
  }
};

}  // namespace tenon::detail
#endif
