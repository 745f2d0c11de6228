// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a thread of the flat skeleton of rows reads: all of its accesses of every operand, which are
// under way together.

#include "tenon/backend/cuda/flat/made_vectors.cuh"
#include "tenon/backend/cuda/flat/row_arguments.cuh"
#include "tenon/backend/cuda/parts/backward_access.cuh"

namespace tenon {
#if defined(__CUDA_ARCH__)
namespace detail {

// The accesses of a thread along a row: `lanes` apart, so many of them inside; how many its lanes
// have of the row together, and whether a warp has all of its own.
struct row_stretch_of_lane {
  long long first;
  int lanes, count, size;
  bool is_whole;

  __device__ __forceinline__ bool is_live(int u) const { return u < count; }
  // Lanes that have some.
  __device__ __forceinline__ int sharers() const { return size < lanes ? size : lanes; }
};

// visit(u, place, is_live) for each of a thread's accesses in an operand: whole vectors, or
// elements. Those of a warp are constants apart where an operand is contiguous along a row.
template <int V, int U, row_axes Axes, class Arguments, class Visit>
__device__ __forceinline__ void for_each_place(Arguments const& a,
                                               row_stretch_of_lane const& stretch, access how,
                                               long long const* strides, Visit&& visit) {
  long long stride = 1;
  if constexpr (V == 1) {
    if constexpr (Axes == row_axes::one)
      if (how <= access::elements && stretch.lanes == 32) {
        if (stretch.is_whole) {
#pragma unroll
          for (int u = 0; u < U; ++u) visit(u, stretch.first + u * 32, true);
        } else {
#pragma unroll
          for (int u = 0; u < U; ++u) visit(u, stretch.first + u * 32, stretch.is_live(u));
        }
        return;
      }
    if constexpr (Axes != row_axes::one)
      if (how > access::elements && (Axes == row_axes::two || a.has_two_axes)) {
#pragma unroll
        for (int u = 0; u < U; ++u)
          visit(u,
                two_digits(a, static_cast<int>(stretch.first) + u * stretch.lanes).place(strides),
                stretch.is_live(u));
        return;
      }
    if (how > access::elements) stride = strides[0];
  }
  long long at = stretch.first * V * stride;
  long long const step = stretch.lanes * V * stride;
#pragma unroll
  for (int u = 0; u < U; ++u, at += step) visit(u, at, stretch.is_live(u));
}

// visit(place, is_live) with functions of u, which tell of each of a thread's accesses in an
// operand where it is and whether it is inside, for several operands of the same places. Of one
// operand for_each_place is shorter: made of this, six programs had 3 % more instructions.
template <int V, int U, row_axes Axes, class Arguments, class Visit>
__device__ __forceinline__ void with_places(Arguments const& a, row_stretch_of_lane const& stretch,
                                            access how, long long const* strides, Visit&& visit) {
  auto const is_live = [&](int u) { return stretch.is_live(u); };
  long long stride = 1;
  if constexpr (V == 1) {
    if constexpr (Axes == row_axes::one)
      if (how <= access::elements && stretch.lanes == 32) {
        auto const place = [&](int u) { return stretch.first + u * 32; };
        if (stretch.is_whole)
          visit(place, [](int) { return true; });
        else
          visit(place, is_live);
        return;
      }
    if constexpr (Axes != row_axes::one)
      if (how > access::elements && (Axes == row_axes::two || a.has_two_axes)) {
        long long places[U];
#pragma unroll
        for (int u = 0; u < U; ++u)
          places[u] =
              two_digits(a, static_cast<int>(stretch.first) + u * stretch.lanes).place(strides);
        visit([&](int u) { return places[u]; }, is_live);
        return;
      }
    if (how > access::elements) stride = strides[0];
  }
  long long places[U];
  places[0] = stretch.first * V * stride;
  long long const step = stretch.lanes * V * stride;
#pragma unroll
  for (int u = 1; u < U; ++u) places[u] = places[u - 1] + step;
  visit([&](int u) { return places[u]; }, is_live);
}
// Loads with the same places as load K, which has others, from where each of them begins.
template <class Program, int K> struct loads_alike {
  using I = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && i.moves_elements && i.alike == I::alike;
  }
  static consteval bool is_first() {
    for (int k = 0; k < K; ++k)
      if (holds(k)) return false;
    return true;
  }
};
// Single elements: of such loads places are found once.
template <class Program, class Loads, int U, row_axes Axes, class Tile, class Arguments>
__device__ __forceinline__ void load_row_elements(Tile& tile, Arguments const& a,
                                                  operand_offsets<Program> const& origin,
                                                  row_stretch_of_lane const& stretch) {
  for_each_selected<Program, Loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::alike == 0) {
      auto const* const row = load_address<Program, k>(a, origin.loads[I::bits]);
      auto& to = read_register<k>(tile).at;
      for_each_place<1, U, Axes>(a, stretch, a.load_access[I::bits], a.load_columns[I::bits],
                                 [&](int u, long long place, bool is_live) {
                                   load_packed<reuse::near>(to[u], row + place, is_live);
                                 });
    } else if constexpr (loads_alike<Program, k>::is_first())
      with_places<1, U, Axes>(a, stretch, a.load_access[I::bits], a.load_columns[I::bits],
                              [&](auto const& place, auto const& is_live) {
                                for_each_selected<Program, loads_alike<Program, k>>([&](auto one) {
                                  constexpr int other = decltype(one)::value;
                                  auto const* const row =
                                      load_address<Program, other>(a, origin.loads[I::bits]);
#pragma unroll
                                  for (int u = 0; u < U; ++u)
                                    load_packed<reuse::near>(read_register<other>(tile).at[u],
                                                             row + place(u), is_live(u));
                                });
                              });
  });
}

// Whole vectors of all operands.
template <class Program, class Loads, int V, int U, row_axes Axes, class Tile, class Arguments>
__device__ __forceinline__ void load_row_vectors(Tile& tile, Arguments const& a,
                                                 operand_offsets<Program> const& origin,
                                                 row_stretch_of_lane const& stretch) {
  selected_registers<Program, loads_together<Program, V, U>> together;
  // All are asked for before any of them is waited for.
  for_each_selected<Program, Loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    auto const* const row = load_address<Program, k>(a, origin.loads[I::bits]);
    access const how = a.load_access[I::bits];
    auto& to = read_register<k>(tile).at;
    [[maybe_unused]] bool const is_from_end = I::is_reversed && a.load_columns[I::bits][0] < 0;
    if constexpr (has_vectors_together<Program, V> && I::beside.count > 0)
      if (how == access::beside) {
        if constexpr (I::beside.position == 0)
          for_each_place<V, U, Axes>(
              a, stretch, how, a.load_columns[I::bits], [&](int u, long long place, bool is_live) {
                if (is_from_end) place = 1 - V - place;
                load_together<Program, k, V>(read_register<k>(together), u,
                                             row + place * I::beside.count, is_live);
              });
        return;
      }
    // Others are repeated, and come below.
    bool const is_backward = I::is_reversed && how == access::backward,
               is_wanted = how <= access::blocked || is_backward;
    for_each_place<V, U, Axes>(a, stretch, how, a.load_columns[I::bits],
                               [&](int u, long long place, bool is_live) {
                                 if constexpr (I::is_reversed)
                                   if (is_backward) place = 1 - V - place;
                                 load_packed<reuse::near>(to[u], row + place, is_wanted && is_live);
                               });
  });
  for_each_selected<Program, Loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    auto const* const row = load_address<Program, k>(a, origin.loads[I::bits]);
    access const how = a.load_access[I::bits];
    auto& to = read_register<k>(tile).at;
    if (how == access::splat) {
      packed<storage_t<I::type>, 1> one;
      load_packed<reuse::expected>(one, row);
#pragma unroll
      for (int u = 0; u < U; ++u) to[u] = splat<V>(one);
    }
    if constexpr (has_vectors_together<Program, V> && I::beside.count > 0 &&
                  I::beside.position == 0)
      if (how == access::beside) {
#pragma unroll
        for (int u = 0; u < U; ++u)
          take_apart<Program, k, V>(tile, read_register<k>(together), u,
                                    a.load_columns[I::bits][0] < 0,
                                    typename neighbours_of<Program, k>::sequence{});
      }
    if constexpr (I::is_reversed)
      if (how == access::backward) {
#pragma unroll
        for (int u = 0; u < U; ++u) to[u] = backward(to[u]);
      }
    // Programs with positions have rows of one axis.
    if constexpr (I::repeats && !program_traits<Program>::has_positions)
      if (how == access::walked) {
#pragma unroll
        for (int u = 0; u < U; ++u)
          to[u] = walk<V>(row, a, (static_cast<int>(stretch.first) + u * stretch.lanes) * V,
                          a.load_columns[I::bits], stretch.is_live(u));
      }
  });
}

// Loads all operands of a thread. @pre it has elements
template <class Program, class Loads, int V, int U, row_axes Axes, class Tile, class Arguments>
__device__ __forceinline__ void load_stretch(Tile& tile, Arguments const& a,
                                             operand_offsets<Program> const& origin,
                                             row_stretch_of_lane const& stretch) {
  if constexpr (V == 1)
    load_row_elements<Program, Loads, U, Axes>(tile, a, origin, stretch);
  else
    load_row_vectors<Program, Loads, V, U, Axes>(tile, a, origin, stretch);
}

}  // namespace detail
#endif
}  // namespace tenon
