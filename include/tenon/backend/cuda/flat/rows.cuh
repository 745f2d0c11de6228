// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flat skeleton of operands that are not whole aligned vectors: rows that begin and end
// anywhere, each with vectors of its own.

#include "tenon/backend/cuda/flat/row_loads.cuh"
#include "tenon/backend/cuda/parts/drawn_vectors.cuh"
#include "tenon/backend/cuda/parts/shifted_access.cuh"

namespace tenon {
#if defined(__CUDA_ARCH__)
namespace detail {

// Elements of the vectors of row `origin` in front of it, which are aligned in the leading store.
template <class Program, int V, class Arguments>
__device__ __forceinline__ int elements_in_front(Arguments const& a,
                                                 operand_offsets<Program> const& origin) {
  int result = 0;
  if constexpr (V > 1)
    for_each_selected<Program, element_stores<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      if (I::bits == a.leader)
        result = elements_beyond<V>(store_address<Program, k>(a, origin.stores[I::bits]));
    });
  return result;
}

// Writes those elements of a vector that are in the row.
template <class Program, int K, int V, class Number, class Arguments>
__device__ __forceinline__ void store_row_vector(Number const (&values)[V], Arguments const& a,
                                                 operand_offsets<Program> const& origin,
                                                 row_vector<V> const& vector) {
  using I = typename program_traits<Program>::template at<K>;
  using T = storage_t<I::type>;
  packed<T, V> all = pack<T>(values);
  T* const row = store_address<Program, K>(a, origin.stores[I::bits]);
  T* const to = row + vector.first;
  if (a.store_access[I::bits] <= access::elements) {
    if (a.are_whole || (vector.is_whole() && (V == 1 || elements_beyond<V>(to) == 0)))
      store_packed(to, all, true, a.stored);
    else
      store_chosen(to, all, ((1u << vector.end()) - 1) & ~((1u << vector.begin()) - 1), a.stored);
  } else {
    // Of one axis: a store along several is contiguous, or has none of them but the last.
    long long const step = a.store_columns[I::bits][0];
#pragma unroll 1
    for (int i = 0; i < V; ++i)
      store_packed(row + (vector.first + i) * step, pop_element(all), vector.is_live(i));
  }
}

// One vector of a row, from its loads to its stores. @pre it has elements
template <class Program, int V, class Arguments>
__device__ __forceinline__ void process_row_vector(frame<Program> const& around, Arguments const& a,
                                                   operand_offsets<Program> const& origin,
                                                   row_vector<V> const& vector) {
  using loads = needed_loads<Program, V, 1, 1, true>;
  using where = needed_positions<Program, 1, true>;
  selected_registers<Program, loads> tile;
  selected_registers<Program, element_stores<Program, V>> results;
  load_row_vector<Program, loads, V>(tile, a, origin, vector);
  // Programs with positions have rows of one axis.
  vector_positions<Program, where, V, packed_columns> here;
  drawn_vector<Program, 1, true, V> numbers;
  if constexpr (has_selected<Program, where>) {
    here.find(a, origin, vector.first);
    numbers.draw(
        around, [&](auto k) { return here.template is_run<decltype(k)::value>(a); },
        [&](auto k, int i) {
          return here.template at<decltype(k)::value>(a, origin, vector.first, i);
        });
  }
#pragma unroll
  for (int i = 0; i < V; ++i) {
    registers<Program, place::element> element;
    frame<Program> f{around.launch, around.row, element, around.total};
    if constexpr (has_selected<Program, loads>) take_element<Program, loads>(element, tile, 0, i);
    if constexpr (has_selected<Program, where>)
      here.take(element, a, origin, vector.first, i, vector.is_live(i));
    numbers.evaluate(f, i);
    collect_stores(results, f, i);
  }
  for_each_selected<Program, element_stores<Program, V>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    store_row_vector<Program, k, V>(read_register<k>(results).at, a, origin, vector);
  });
}

}  // namespace detail
#endif

// Owners: a thread has one vector of one row, aligned in the leading store. Registers: a vector of
// each operand, as it lies in memory. Global memory: what is contiguous along a row is read by the
// aligned vectors that have parts of a thread's, which it shares with its neighbour; what is
// repeated along it takes one element. Element stores are written once.
// @pre as many threads as vectors at least; nothing is reduced and no parts are stored
// @post every store is written once per position
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks) flat_rows_kernel(
    const __grid_constant__ detail::flat_row_arguments<Program, C::vector_width> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int v = C::vector_width;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  auto const thread =
      static_cast<unsigned long long>(blockIdx.x) * C::threads_per_block + threadIdx.x;
  auto const number = static_cast<long long>(a.by_vectors.quotient(thread));
  operand_offsets<Program> origin;
  find_row(origin, a, number);
  row_vector<v> const vector{(static_cast<long long>(thread) - number * a.vectors) * v -
                                 elements_in_front<Program, v>(a, origin),
                             a.columns.size};
  await_operands<Program>();
  if (static_cast<long long>(thread) < a.all_vectors && vector.begin() < vector.end())
    process_row_vector<Program, v>(f, a, origin, vector);
  if (thread != 0) return;
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
