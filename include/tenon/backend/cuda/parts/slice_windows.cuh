// SPDX-License-Identifier: Apache-2.0
#pragma once
// Slices that begin in the midst of a vector of their tensor's rows (schedule/row_slices.hpp): a
// thread takes the aligned vector in which the first of those in the same rows begins, and the
// elements behind it, and each slice has its own of these.

#include "tenon/backend/cuda/parts/element_tile.cuh"
#include "tenon/backend/cuda/parts/running_states.cuh"
#include "tenon/backend/cuda/parts/slice_arguments.cuh"

namespace tenon::detail {

// Whether 64 registers are enough for four windows of each operand: of one tensor, of which little
// is computed.
template <class Program>
inline constexpr bool has_light_slices =
    slices_of<Program>::count() == 1 && element_operands<Program>::loads <= 3 &&
    !has_large_states<Program> && !element_operands<Program>::has_much_arithmetic
    && program_traits<Program>::widest_element <= 4 && element_operands<Program>::vector_width <= 8;

template <class T, int V, int Next, int Items> struct window_list : vector_list<T, V, Items> {
  packed<T, Next> next[Items];
};
template <class T, int V, int Items>
struct window_list<T, V, 0, Items> : vector_list<T, V, Items> {};

// One for each group, and for each load of none.
template <class Program, int V, int Items> struct window_loads {
  using loads = needed_loads<Program, V, Items, 1, false>;
  using slices = slices_of<Program>;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) { return loads::holds(k) && slices::leader(k) == k; }
  template <int K>
  using type = window_list<storage_t<at<K>::type>, V, next_elements(slices::reach(K)), Items>;
};

// Each load by itself.
template <class Program, int V, int Items>
struct lone_windows : needed_loads<Program, V, Items, 1, false> {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> using type = window_list<storage_t<at<K>::type>, V, 0, Items>;
};

#if defined(__CUDA_ARCH__)
// Elements Phase, ..., Phase + V - 1 of a window.
template <int Phase, class T, int V, int Next>
__device__ __forceinline__ packed<T, V> part_of_window(packed<T, V> const& first,
                                                       packed<T, Next> const& next) {
  constexpr int size = static_cast<int>(sizeof(T)), bytes = packed<T, V>::bytes;
  packed<T, V> result;
  if constexpr (bytes < 4) {
    result.words[0] = (first.words[0] | next.words[0] << 8 * bytes) >> 8 * Phase * size;
  } else {
    constexpr int words = bytes / 4, from = Phase * size / 4, bits = Phase * size % 4 * 8,
                  next_words = sizeof(next.words) / 4;
    unsigned all[2 * words + 1];
#pragma unroll
    for (int i = 0; i <= 2 * words; ++i)
      all[i] = i < words ? first.words[i] : i < words + next_words ? next.words[i - words] : 0;
      // No funnel shift: what is taken out of it is seen to be what it was.
#pragma unroll
    for (int i = 0; i < words; ++i)
      result.words[i] =
          bits == 0 ? all[i + from] : all[i + from] >> bits | all[i + from + 1] << (32 - bits) % 32;
  }
  return result;
}

// Loads window u by its elements, which are `stride` apart: those behind InFront, before `end`.
template <int InFront, int Reach, class T, int V, int Next, int Items>
__device__ __forceinline__ void load_window_elements(window_list<T, V, Next, Items>& windows, int u,
                                                     T const* at, long long stride, int end) {
  packed<T, 1> all[V + Next];
#pragma unroll
  for (int i = 0; i < V + Next; ++i) {
    all[i] = {};
    if (i >= InFront && i < V + Reach)
      load_packed<reuse::expected>(all[i], at + i * stride, i < end);
  }
  packed<T, 1> own[V];
#pragma unroll
  for (int i = 0; i < V; ++i) own[i] = all[i];
  packed<T, V> const first = pack_elements(own);
#pragma unroll
  for (int w = 0; w < Items; ++w)
    if (w == u) windows.at[w] = first;
  if constexpr (Reach > 0) {
    packed<T, 1> behind[Next];
#pragma unroll
    for (int i = 0; i < Next; ++i) behind[i] = all[V + i];
    packed<T, Next> const next = pack_elements(behind);
#pragma unroll
    for (int w = 0; w < Items; ++w)
      if (w == u) windows.next[w] = next;
  }
}

// Where windows begin that begin Phase elements in front of load K.
template <class Program, int K, int Phase, int V, class Arguments, class Places>
__device__ __forceinline__ auto window_address(Arguments const& a, Places const& places,
                                               long long stride) {
  using I = typename program_traits<Program>::template at<K>;
  return load_address<Program, K>(a, places.row().loads[I::bits]) +
         (places.origin() * V - Phase) * stride;
}
// By aligned accesses.
template <class Program, int K, int Phase, bool HasAll, class T, int V, int Next, int Items,
          class Arguments, class Places>
__device__ __forceinline__ void request_windows(window_list<T, V, Next, Items>& windows,
                                                Arguments const& a, Places const& places) {
  using I = typename program_traits<Program>::template at<K>;
  slice_ends const ends = a.slices.of[I::bits];
  int const whole = places.vectors() - ends.without,
            with_next = places.vectors() - ends.without_next;
  auto const* const from = window_address<Program, K, Phase, V>(a, places, 1);
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    int const vector = places.vector(u);
    auto const* const at = from + static_cast<long long>(vector) * V;
    windows.at[u] = {};
    load_packed<reuse::expected>(windows.at[u], at, HasAll || vector < whole);
    if constexpr (Next > 0) {
      windows.next[u] = {};
      load_packed<reuse::expected>(windows.next[u], at + V, vector < with_next);
    }
  }
}
// The others.
template <class Program, int K, int Phase, int InFront, int Reach, class T, int V, int Next,
          int Items, class Arguments, class Places>
__device__ __forceinline__ void finish_windows(window_list<T, V, Next, Items>& windows,
                                               Arguments const& a, Places const& places) {
  using I = typename program_traits<Program>::template at<K>;
  int const whole = places.vectors() - a.slices.of[I::bits].without;
  if (places.vector(Items - 1) < whole) return;
  long long const stride = a.load_columns[I::bits][0];
  auto const* const from = window_address<Program, K, Phase, V>(a, places, stride);
  // One element stands for all of a row.
  if constexpr (Reach == 0)
    if (stride == 0) {
      packed<T, 1> one{};
      load_packed<reuse::expected>(one, from, places.count(0) > 0);
#pragma unroll
      for (int u = 0; u < Items; ++u) windows.at[u] = splat<V>(one);
      return;
    }
#pragma unroll 1
  for (int u = 0; u < Items; ++u) {
    int const vector = places.vector(u), count = places.count(u);
    if (vector < whole || count == 0) continue;
    load_window_elements<InFront, Reach>(
        windows, u, from + static_cast<long long>(vector) * V * stride, stride, count + Reach);
  }
}

// Loads of a thread's items, by groups of slices in the same rows, or each by itself where these do
// not lie as the program says.
// places.row(): the offsets of the row; places.origin(): vectors of it in front of those that are
// counted; places.vectors(): these; places.vector(u): that of item u, which ascends;
// places.count(u): elements of the slices that it has.
template <class Program, int V, int Items, bool IsApart> struct slice_items {
  using loads = needed_loads<Program, V, Items, 1, false>;
  using windows_of =
      std::conditional_t<IsApart, lone_windows<Program, V, Items>, window_loads<Program, V, Items>>;
  using slices = slices_of<Program>;
  template <int K> static constexpr int leader = IsApart ? K : slices::leader(K);
  template <int K> static constexpr int reach = IsApart ? 0 : slices::reach(K);
  template <int K> static constexpr int in_front = IsApart ? 0 : slices::in_front(K);
  template <int K>
  static constexpr int phase = IsApart ? 0 : program_traits<Program>::template at<K>::slice.phase;

  selected_registers<Program, windows_of> windows;

  // HasAll: aligned accesses have all of them.
  template <bool HasAll, class Arguments, class Places>
  __device__ __forceinline__ void request(Arguments const& a, Places const& places) {
    for_each_selected<Program, windows_of>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      request_windows<Program, k, phase<k>, HasAll>(read_register<k>(windows), a, places);
    });
  }
  // Into the loads' own vectors.
  template <bool HasAll, class Tile, class Arguments, class Places>
  __device__ __forceinline__ void take(Tile& tile, Arguments const& a, Places const& places) {
    if constexpr (!HasAll)
      for_each_selected<Program, windows_of>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        finish_windows<Program, k, phase<k>, in_front<k>, reach<k>>(read_register<k>(windows), a,
                                                                    places);
      });
    for_each_selected<Program, loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto const& window = read_register<leader<k>>(windows);
#pragma unroll
      for (int u = 0; u < Items; ++u)
        if constexpr (phase<k> == 0)
          read_register<k>(tile).at[u] = window.at[u];
        else
          read_register<k>(tile).at[u] = part_of_window<phase<k>>(window.at[u], window.next[u]);
    });
  }
};

// Where the items of a row are whose vectors are counted from its beginning.
template <class Program, int V, class Positions> struct slices_of_row {
  operand_offsets<Program> const& offsets;
  Positions const& positions;
  int all;

  __device__ __forceinline__ operand_offsets<Program> const& row() const { return offsets; }
  __device__ __forceinline__ long long origin() const { return 0; }
  __device__ __forceinline__ int vectors() const { return all; }
  __device__ __forceinline__ int vector(int u) const { return positions.at(u); }
  __device__ __forceinline__ int count(int u) const { return positions.template count<V>(u); }
};
#endif

}  // namespace tenon::detail
