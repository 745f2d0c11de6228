// SPDX-License-Identifier: Apache-2.0
#pragma once
// One vector of neighbouring elements of which some are read several times, or step over others, in
// a row: what a thread has of the row is read once, by whole accesses, each of which is inside or
// is not.

#include "tenon/backend/cuda/moved/worker.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// What a group of reads has of a row, as it lies in memory; and where its accesses are.
template <class Program, int Leader> struct window_vectors {
  using windows = read_windows<Program>;
  using window = read_window<Program, Leader>;
  using T = storage_t<program_traits<Program>::template at<Leader>::type>;
  packed<T, windows::access> at[window::count];

  // What is nowhere stays as it is.
  template <int Number> __device__ __forceinline__ void load(moved_cursor const& from) {
    packed<T, window::template access<Number>.width> one;
    constexpr int words = static_cast<int>(sizeof(one.words) / sizeof(one.words[0]));
#pragma unroll
    for (int w = 0; w < words; ++w) one.words[w] = at[Number].words[w];
    load_packed<reuse::near>(one, reinterpret_cast<T const*>(from.at), from.is_wanted);
    put<Number>(one);
  }
  template <int Number>
  __device__ __forceinline__ void put(packed<T, window::template access<Number>.width> const& one) {
    constexpr int words = static_cast<int>(sizeof(one.words) / sizeof(one.words[0]));
#pragma unroll
    for (int w = 0; w < words; ++w) at[Number].words[w] = one.words[w];
  }
  // @pre column is a constant after unrolling
  __device__ __forceinline__ T element(int column) const {
    auto const place = window::place_of(column);
    return element_of(at[place.number], place.element);
  }
};
template <class Program> struct windows_read {
  template <int K> static constexpr bool holds = read_windows<Program>::template is_leader<K>;
  template <int K> using type = window_vectors<Program, K>;
};
// What is read in no window: vectors, and elements that stand for all of a vector.
template <class Program, int V> struct single_reads {
  using windows = read_windows<Program>;
  template <int K>
  static constexpr bool holds = moved_reads<Program, V>::template holds<K> &&
                                (windows::template leader<K> < 0) &&
                                !windows::template is_weight<K>;
  template <int K> using type = typename moved_reads<Program, V>::template type<K>;
};
template <class Program> struct weights_read {
  template <int K> static constexpr bool holds = read_windows<Program>::template is_weight<K>;
  template <int K> using type = packed<storage_t<program_traits<Program>::template at<K>::type>, 1>;
};
template <class Program> using window_weights = selected_registers<Program, weights_read<Program>>;
template <class Program, int V> struct window_item {
  using windows = read_windows<Program>;
  window_weights<Program> const& weights;
  selected_registers<Program, windows_read<Program>> of_rows;
  selected_registers<Program, single_reads<Program, V>> single;

  // @pre i is a constant after unrolling
  template <moved_part, int K> __device__ __forceinline__ auto element(int i) const {
    constexpr int leader = windows::template leader<K>;
    if constexpr (leader >= 0)
      return read_register<leader>(of_rows).element(windows::template offset<K> +
                                                    windows::all.step * i);
    else if constexpr (windows::template is_weight<K>)
      return element_of(read_register<K>(weights), 0);
    else
      return read_register<K>(single).element(i);
  }
};

template <class Program, int V> struct window_items : moved_worker<Program, V> {
  using base = moved_worker<Program, V>;
  using windows = read_windows<Program>;
  using item_reads = window_item<Program, V>;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  using base::a;
  using base::base;

  // Items are neighbours along an axis across the rows, each with a place of its own: what does not
  // follow from that axis is found once, and weights that stay along it are read once.
  template <int> __device__ __forceinline__ void finish() {
    await_operands<Program>();
    int const left = a.shared_extent - this->shared_digit() * a.items,
              count = left < a.items ? left : a.items;
    window_weights<Program> weights;
    bool const weights_vary = have_steps();
#pragma unroll 1
    for (int item = 0; item < count; ++item) {
      window_items one = *this;
      one.item = item;
      one.find();
      if (item == 0 || weights_vary) one.read_weights(weights);
      item_reads reads{weights};
      one.read_all(reads);
      one.store_all_of(reads);
    }
  }

 private:
  // Whether some weight is another one for the thread's next item.
  __device__ __forceinline__ bool have_steps() const {
    bool result = false;
    for_each_selected<Program, weights_read<Program>>([&](auto selected) {
      result = result || a.load_places[at<decltype(selected)::value>::bits].step != 0;
    });
    return result;
  }
  __device__ __forceinline__ void read_weights(window_weights<Program>& all) const {
    for_each_selected<Program, weights_read<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      load_packed<reuse::expected>(
          read_register<k>(all), reinterpret_cast<T const*>(this->template cursor_of_read<k>().at));
    });
  }
  __device__ __forceinline__ void read_all(item_reads& reads) const {
    for_each_selected<Program, windows_read<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      [&]<int... N>(std::integer_sequence<int, N...>) {
        (read_access<k, N>(read_register<k>(reads.of_rows)), ...);
      }
      (std::make_integer_sequence<int, read_window<Program, k>::count>{});
    });
    for_each_selected<Program, single_reads<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& to = read_register<k>(reads.single);
      this->template fill<moved_part::first, k>(to);
      this->template read<k>(to, this->template cursor_of<moved_part::first, k>(), true, true);
    });
  }
  // As if the elements that follow from a position were so many further.
  template <int Position> __device__ __forceinline__ void go_on(int further) {
    read_register<Position>(this->positions) += further;
    for_each_selected<Program, moved_positions<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (windows::template is_within_ends<k>)
        read_register<k>(this->positions) = within_ends<k>();
      else if constexpr (!at<k>::is_position)
        read_register<k>(this->positions) =
            this->template number_by<moved_part::first, k>(typename at<k>::operands{});
    });
  }
  // Number K: around a row's ends what is in front of the first of it is the last one, and the
  // first what is behind that.
  template <int K> __device__ __forceinline__ int within_ends() const {
    constexpr position_within_ends ends = windows::template ends<K>;
    int const from = this->template number<moved_part::first, ends.from>(),
              length = this->template number<moved_part::first, ends.length>();
    if constexpr (ends.how == beyond_ends::around) {
      return from < 0 ? from + length : from < length ? from : from - length;
    } else if constexpr (ends.how == beyond_ends::mirrored) {
      int const far = from < 0 ? -from : from, back = 2 * (length - 1) - far;
      return far < back ? far : back;
    } else {
      return this->template number_by<moved_part::first, K>(typename at<K>::operands{});
    }
  }
  // The same with the leader's element in a column of the window.
  template <int Leader> __device__ __forceinline__ window_items with_first(int column) const {
    window_items result = *this;
    result.template go_on<windows::template position<Leader>>(column -
                                                              windows::template offset<Leader>);
    return result;
  }
  // An access is where the leader's element would be if it were the first of it, or it is nowhere
  // as that would be. What is beyond an end at which positions turn or stay is no access.
  template <int Leader, int Number>
  __device__ __forceinline__ void read_access(window_vectors<Program, Leader>& to) const {
    constexpr auto access = read_window<Program, Leader>::template access<Number>;
    constexpr int column = windows::template column<Leader>;
    using I = at<Leader>;
    window_items const first = with_first<Leader>(access.begin);
    to.at[Number] =
        splat<windows::access>(first.template filling<moved_part::first, Leader, I::type>());
    moved_cursor from = first.template cursor_of_read<Leader>();
    if constexpr (windows::template is_bent<Leader> && access.width > 1) {
      int const begin = first.template number<moved_part::first, column>(),
                last = with_first<Leader>(access.begin + access.width - 1)
                           .template number<moved_part::first, column>();
      bool const is_straight = last - begin == access.width - 1;
      from.is_wanted = from.is_wanted && is_straight;
      to.template load<Number>(from);
      if (!is_straight) read_elements<Leader, Number>(to);
    } else {
      to.template load<Number>(from);
    }
  }
  template <int Leader, int Number>
  __device__ __forceinline__ void read_elements(window_vectors<Program, Leader>& to) const {
    constexpr auto access = read_window<Program, Leader>::template access<Number>;
    using I = at<Leader>;
    using T = storage_t<I::type>;
    packed<T, access.width> all{};
#pragma unroll 1
    for (int i = 0; i < access.width; ++i) {
      window_items const here = with_first<Leader>(access.begin + i);
      packed<T, 1> one = here.template filling<moved_part::first, Leader, I::type>();
      moved_cursor const from = here.template cursor_of_read<Leader>();
      load_packed<reuse::near>(one, reinterpret_cast<T const*>(from.at), from.is_wanted);
      push_element(all, one);
    }
    to.template put<Number>(all);
  }
};

}  // namespace tenon::detail
#endif
