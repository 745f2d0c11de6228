// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flat skeleton of operands that are not contiguous over all elements: rows, whose elements
// lanes take in turn.

#include "tenon/backend/cuda/flat/made_vectors.cuh"
#include "tenon/backend/cuda/flat/row_arguments.cuh"
#include "tenon/backend/cuda/parts/backward_access.cuh"
#include "tenon/backend/cuda/parts/drawn_vectors.cuh"

namespace tenon {
#if defined(__CUDA_ARCH__)
namespace detail {

// The accesses of a thread along a row: `lanes` apart, so many of them inside; whether a warp has
// all of its own.
struct row_stretch_of_lane {
  long long first;
  int lanes, count;
  bool is_whole;

  __device__ __forceinline__ bool is_live(int u) const { return u < count; }
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

// Loads all operands of a thread. @pre it has elements
template <class Program, class Loads, int V, int U, row_axes Axes, class Tile, class Arguments>
__device__ __forceinline__ void load_stretch(Tile& tile, Arguments const& a,
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
    if constexpr (has_vectors_together<Program, V> && I::beside.count > 0)
      if (how == access::beside) {
        if constexpr (I::beside.position == 0)
          for_each_place<V, U, Axes>(
              a, stretch, how, a.load_columns[I::bits], [&](int u, long long place, bool is_live) {
                load_packed<reuse::near>(read_register<k>(together).at[u],
                                         row + place * I::beside.count, is_live);
              });
        return;
      }
    // Others are repeated, and come below.
    bool const is_backward = V > 1 && I::is_reversed && how == access::backward,
               is_wanted = V == 1 || how <= access::blocked || is_backward;
    for_each_place<V, U, Axes>(a, stretch, how, a.load_columns[I::bits],
                               [&](int u, long long place, bool is_live) {
                                 if constexpr (V > 1 && I::is_reversed)
                                   if (is_backward) place = 1 - V - place;
                                 load_packed<reuse::near>(to[u], row + place, is_wanted && is_live);
                               });
  });
  if constexpr (V > 1)
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
                                      typename neighbours_of<Program, k>::sequence{});
        }
      if constexpr (I::is_reversed)
        if (how == access::backward) {
#pragma unroll
          for (int u = 0; u < U; ++u) to[u] = backward(to[u]);
        }
      if constexpr (I::repeats)
        if (how == access::walked) {
#pragma unroll
          for (int u = 0; u < U; ++u)
            to[u] = walk<V>(row, a, (static_cast<int>(stretch.first) + u * stretch.lanes) * V,
                            a.load_columns[I::bits], stretch.is_live(u));
        }
    });
}

// Whether an index that is outside is refused where it is looked at, be it stored or not: what has
// not been loaded must not be looked at.
template <class Program>
inline constexpr bool refuses_indices = []<int... K>(std::integer_sequence<int, K...>) {
  return (
      false || ... ||
      std::is_same_v<typename program_traits<Program>::template at<K>::op, ops::target_position>);
}
(typename program_traits<Program>::sequence{});

// A thread's elements, from their loads to their stores. @pre it has some
template <class Program, int V, int U, row_axes Axes, class Arguments>
__device__ __forceinline__ void process_stretch(frame<Program> const& around, Arguments const& a,
                                                operand_offsets<Program> const& origin,
                                                row_stretch_of_lane const& stretch) {
  using loads = needed_loads<Program, V, U, 1, true>;
  using where = needed_positions<Program, 1, true>;
  selected_registers<Program, loads> tile;
  selected_registers<Program, element_stores<Program, V>> results[U];
  load_stretch<Program, loads, V, U, Axes>(tile, a, origin, stretch);
#pragma unroll
  for (int u = 0; u < U; ++u) {
    if (refuses_indices<Program> && !stretch.is_live(u)) continue;
    // Programs with positions have rows of one axis.
    long long const column = (stretch.first + u * stretch.lanes) * V;
    vector_positions<Program, where, V, packed_columns> here;
    drawn_vector<Program, 1, true, V> numbers;
    if constexpr (has_selected<Program, where>) {
      here.find(a, origin, column);
      numbers.draw(
          around, [&](auto k) { return here.template is_run<decltype(k)::value>(a); },
          [&](auto k, int i) {
            return here.template at<decltype(k)::value>(a, origin, column, i);
          });
    }
#pragma unroll
    for (int i = 0; i < V; ++i) {
      registers<Program, place::element> element;
      frame<Program> f{around.launch, around.row, element, around.total};
      if constexpr (has_selected<Program, loads>) take_element<Program, loads>(element, tile, u, i);
      if constexpr (has_selected<Program, where>)
        here.take(element, a, origin, column, i, stretch.is_live(u));
      numbers.evaluate(f, i);
      collect_stores(results[u], f, i);
    }
  }
  for_each_selected<Program, element_stores<Program, V>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    using T = storage_t<I::type>;
    T* const row = store_address<Program, k>(a, origin.stores[I::bits]);
    if constexpr (has_vectors_together<Program, V> && I::beside.count > 0)
      if (a.store_access[I::bits] == access::beside) {
        if constexpr (I::beside.position == 0)
          for_each_place<V, U, Axes>(
              a, stretch, access::beside, a.store_columns[I::bits],
              [&](int u, long long place, bool is_live) {
                store_packed(row + place * I::beside.count,
                             put_together<Program, k, V>(
                                 results[u], typename neighbours_of<Program, k>::sequence{}),
                             is_live, a.stored);
              });
        return;
      }
    for_each_place<V, U, Axes>(a, stretch, a.store_access[I::bits], a.store_columns[I::bits],
                               [&](int u, long long place, bool is_live) {
                                 store_packed(row + place, pack<T>(read_register<k>(results[u]).at),
                                              is_live, a.stored);
                               });
  });
}

}  // namespace detail
#endif

namespace detail {

// Blocks that a multiprocessor is to hold at once. For sm_80 ptxas 13.0 takes some registers more,
// of which four would leave too few for three operands.
template <class Program, class C>
inline constexpr int flat_row_blocks_held =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    element_operands<Program>::loads > 2 && C::blocks > 3 ? 3 :
#endif
                                                          C::blocks;

}  // namespace detail

// Owners: a stretch of a row is shared by the lanes of a warp, or fewer, which take its accesses in
// turn, `items` each. Registers: what a thread reads of each operand. Global memory: each access is
// of a whole aligned vector, or of one element; what lies together is asked for by neighbouring
// lanes. Element stores are written once.
// @pre as many threads as lanes of stretches at least; nothing is reduced and no parts are stored
// @post every store is written once per position
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block, detail::flat_row_blocks_held<Program, C>)
    flat_rows_kernel(
        const __grid_constant__ detail::flat_row_arguments<Program, C::vector_width, C::items> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int v = C::vector_width, items = C::items;
  constexpr row_axes axes =
      C::index_bits == 32                                                         ? row_axes::two
      : has_kernel_of_two_axes<Program> || program_traits<Program>::has_positions ? row_axes::one
                                                                                  : row_axes::any;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  auto const thread =
      static_cast<unsigned long long>(blockIdx.x) * C::threads_per_block + threadIdx.x;
  auto const stretch = thread >> a.lane_bits;
  auto const number = static_cast<long long>(a.by_stretches.quotient(stretch));
  operand_offsets<Program> origin;
  find_row(origin, a, number);
  int const lanes = 1 << a.lane_bits, all = lanes * items,
            lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  auto const of_row = static_cast<unsigned>(stretch) - static_cast<unsigned>(number) * a.stretches;
  long long const begin = static_cast<long long>(of_row) * all, left = a.vectors - begin;
  await_operands<Program>();
  if (static_cast<long long>(thread) < a.all_threads && lane < left) {
    int const rest = static_cast<int>(left < all ? left : all);
    process_stretch<Program, v, items, axes>(
        f, a, origin,
        row_stretch_of_lane{begin + lane, lanes, (rest - lane + lanes - 1) >> a.lane_bits,
                            rest == 32 * items});
  }
  if (thread != 0) return;
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
