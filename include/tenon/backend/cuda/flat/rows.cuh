// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flat skeleton of operands that are not contiguous over all elements: rows, whose elements
// lanes take in turn.

#include "tenon/backend/cuda/flat/row_loads.cuh"
#include "tenon/backend/cuda/parts/drawn_vectors.cuh"

namespace tenon {
#if defined(__CUDA_ARCH__)
namespace detail {

// Whether an index that is outside is refused where it is looked at, be it stored or not: what has
// not been loaded must not be looked at.
template <class Program>
inline constexpr bool refuses_indices = []<int... K>(std::integer_sequence<int, K...>) {
  return (
      false || ... ||
      std::is_same_v<typename program_traits<Program>::template at<K>::op, ops::target_position>);
}
(typename program_traits<Program>::sequence{});

// What is fetched for elements is at their addresses.
template <class Program> struct fetched_anywhere {
  __device__ __forceinline__ void await() const {}
  template <class Numbers>
  __device__ __forceinline__ void evaluate(frame<Program> const& f, Numbers const& numbers, int i,
                                           bool) const {
    numbers.evaluate(f, i);
  }
};

// A thread's elements, from their loads to their stores. @pre it has some
template <class Program, int Threads, int V, int U, row_axes Axes, class Arguments,
          class Fetched = fetched_anywhere<Program>>
__device__ __forceinline__ void process_stretch(frame<Program> const& around, Arguments const& a,
                                                operand_offsets<Program> const& origin,
                                                row_stretch_of_lane const& stretch,
                                                Fetched const& fetched = {}) {
  using loads = needed_loads<Program, V, U, 1, true>;
  using where = needed_positions<Program, 1, true>;
  selected_registers<Program, loads> tile;
  selected_registers<Program, element_stores<Program, V>> results[U];
  load_stretch<Program, loads, V, U, Axes>(tile, a, origin, stretch);
  fetched.await();
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
      fetched.evaluate(f, numbers, i, stretch.is_live(u));
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
          for_each_place<V, U, Axes>(a, stretch, access::beside, a.store_columns[I::bits],
                                     [&](int u, long long place, bool is_live) {
                                       auto const all = put_together<Program, k, V>(
                                           results[u],
                                           typename neighbours_of<Program, k>::sequence{});
                                       T* const to = row + place * I::beside.count;
                                       if constexpr (accesses_of < I >> 1)
                                         store_in_turn<Threads>(to, all, stretch, u, a.stored);
                                       else
                                         store_packed(to, all.at[0], is_live, a.stored);
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
  find_row<Program, narrow_digits>(origin, a, number);
  int const lanes = 1 << a.lane_bits, all = lanes * items,
            lane = static_cast<int>(threadIdx.x) & (lanes - 1);
  auto const of_row = static_cast<unsigned>(stretch) - static_cast<unsigned>(number) * a.stretches;
  long long const begin = static_cast<long long>(of_row) * all, left = a.vectors - begin;
  await_operands<Program>();
  if (static_cast<long long>(thread) < a.all_threads && lane < left) {
    int const rest = static_cast<int>(left < all ? left : all);
    process_stretch<Program, C::threads_per_block, v, items, axes>(
        f, a, origin,
        row_stretch_of_lane{begin + lane, lanes, (rest - lane + lanes - 1) >> a.lane_bits, rest,
                            rest == 32 * items});
  }
  if (thread != 0) return;
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
