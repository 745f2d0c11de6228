// SPDX-License-Identifier: Apache-2.0
#pragma once
// The columns skeleton of many rows of few positions: a thread has all of its rows' positions, and
// keeps so little that a multiprocessor has many of them.

#include "tenon/backend/cuda/columns/worker.cuh"

namespace tenon {
namespace detail {

// Positions that a thread asks for at a time, and blocks of a multiprocessor, which with so few
// have registers. H200, us, two positions of six blocks, and of four, four of four, one of six:
// sums of two weighted rows of 2048 bf16 58.8, 65.3, 65.2 and 60.0; logsumexp of two
// f32 61.2, 64.1, 79.3 and 68.9; the largest of four bf16 44.1, 44.0, 43.5 and 43.9. Two operands
// of half types spilled 16 bytes of six.
inline constexpr int brief_items = 2;
template <class Program, int V>
inline constexpr int brief_blocks = [] {
  int bytes = 0;
  for (instruction_facts const& i : program_traits<Program>::all)
    if (i.is_load && i.moves_elements) bytes += V * size_of(i.type);
  return V * row_state_words<Program> + brief_items * bytes / 4 <= 16 ? 6 : 4;
}();
// Whether a thread may have rows by itself: it combines them with nobody, and what is stored of
// them is one number each.
template <class Program>
inline constexpr bool may_be_brief =
    only_reduces<Program> && !program_traits<Program>::has_total &&
    !program_traits<Program>::has_positions && !program_traits<Program>::has_fetches;

#if defined(__CUDA_ARCH__)
template <class Program, class C> struct brief_columns : columns_worker<Program, C> {
  using base = columns_worker<Program, C>;
  using base::v, base::a, base::offsets, base::part;

  // Where the thread's rows are, in 32 bits. @pre at most two row axes
  __device__ __forceinline__ void find_rows() {
    auto const& by = a.rows.by[a.rows.dims - 1];
    unsigned vector = blockIdx.x * C::threads_per_block + threadIdx.x;
    bool const is_beyond = vector >= static_cast<unsigned>(a.rows.size);
    if (is_beyond) vector = 0;  // the first rows stand for those that there are not
    unsigned const outer = by.narrow_quotient(vector),
                   inner = vector - outer * static_cast<unsigned>(by.divisor);
    part.left = is_beyond ? 0 : v;
    auto const place = [&](long long along_outer, long long along) {
      return wide_product(static_cast<int>(outer), static_cast<int>(along_outer)) +
             wide_product(static_cast<int>(inner * v), static_cast<int>(along));
    };
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (operands_at<Program, place::row, place::element>::loads(k))
        offsets.loads[I::bits] = place(a.load_rows[I::bits][0], a.load_along[I::bits]);
      if constexpr (operands_at<Program, place::row>::stores(k))
        offsets.stores[I::bits] = place(a.store_rows[I::bits][0], a.store_along[I::bits]);
    });
  }
  // The next `Items` positions.
  template <int Items, class Running> __device__ __forceinline__ void take(Running& running) {
    using loads = needed_loads<Program, v, Items, 1, false>;
    selected_registers<Program, loads> loaded;
    for_each_selected<Program, loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      auto& to = read_register<k>(loaded).at;
      long long const step = a.load_steps[I::bits];
      auto const* const from = load_address<Program, k>(a, offsets.loads[I::bits]);
      offsets.loads[I::bits] += Items * step;
      if constexpr (I::is_of_some_rows)
        if (a.load_along[I::bits] == 0) return load_splat(to, from, step, [](int) { return true; });
#pragma unroll
      for (int u = 0; u < Items; ++u) load_packed<read_once<Program>>(to[u], from + u * step);
    });
    this->template take_loaded<1, loads, Items>(running, loaded, true, Items);
  }
};
#endif

}  // namespace detail

// Owners: thread t has vector t of V neighbouring rows, from their first position to their last.
// Registers: items vectors of each operand, one state per row and reduction. Global memory: each
// operand is read once, each row store written once.
// @pre blockDim.y is 1; every vector is whole, and one access or one element; one reduced axis, at
// most two row axes, which 32 bits hold
// @post every store is written once per position; positions are combined in their order
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    brief_columns_kernel(const __grid_constant__ detail::columns_arguments<Program> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int v = C::vector_width, items = C::items;
  using states = typename rows_side_by_side<Program, v, C::threads_per_block>::template states<1>;
  registers<Program, place::launch> launch;
  registers<Program, place::row> rows[v];
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, rows[0], element, total};
  start_early(f, a);
  brief_columns<Program, C> worker{{{{a}, launch, total, rows}}};
  worker.find_rows();
  await_operands<Program>();
  if (blockIdx.x == 0 && threadIdx.x == 0) store_all<place::launch>(f, a);
  worker.bring_rows();
  selected_registers<Program, states> running[v];
#pragma unroll
  for (int i = 0; i < v; ++i) reset<Program, states>(running[i]);
  int left = static_cast<int>(a.columns.size);
#pragma unroll 1
  for (; left >= items; left -= items) worker.template take<items>(running);
  if constexpr (items > 1)
#pragma unroll 1
    for (; left > 0; --left) worker.template take<1>(running);
#pragma unroll
  for (int i = 0; i < v; ++i) cascade<Program, states>().finish(rows[i], running[i]);
  worker.template evaluate_rows<1>();
  worker.end_found();
#endif
}

}  // namespace tenon
