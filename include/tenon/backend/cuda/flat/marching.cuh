// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flat skeleton of an element's neighbours in three axes (schedule/stencil_planes.hpp): a
// thread has its rows in one plane after the other, and keeps what it has read of the planes
// before.

#include "tenon/backend/cuda/flat/stencil_rows.cuh"

namespace tenon {
#if defined(__CUDA_ARCH__)
namespace detail {

// What a thread has read: of the newest plane, and of the planes in front of it from the first on.
template <class Program, int V, int R> struct stencil_planes_held {
  using groups = stencil_groups<Program, true>;
  using loads = stencil_loads<Program, V, R, true>;
  using windows = selected_registers<Program, loads>;
  static constexpr int count = groups::planes_held();
  windows newest, at[count];

  template <int K> __device__ __forceinline__ auto const& window_of() const {
    constexpr int leader = groups::leader(K), plane = groups::plane(K);
    if constexpr (plane == groups::last_plane(K))
      return read_register<leader>(newest);
    else
      return read_register<leader>(at[plane]);
  }
  __device__ __forceinline__ void begin_row(int r) {
    for_each_selected<Program, loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int i = 0; i < groups::last_plane(k); ++i)
        read_register<k>(at[i]).keep_packed_from(r == 0 ? 0 : r + groups::last_row(k));
      read_register<k>(newest).keep_packed_from(r + groups::last_row(k));
    });
  }
  // What there is of each plane moves to the one in front of it. As many steps one after the other
  // as it takes that nothing is moved are no faster, with a third more registers.
  __device__ __forceinline__ void go_on() {
    for_each_selected<Program, loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value, last = groups::last_plane(k);
#pragma unroll
      for (int i = 0; i + 1 < last; ++i) read_register<k>(at[i]) = read_register<k>(at[i + 1]);
      if constexpr (last > 0) read_register<k>(at[last - 1]) = read_register<k>(newest);
    });
  }
};

// A thread's elements of `planes` planes, from their loads to their stores. @pre all lanes of a
// warp
template <class Program, int V, int R, class Arguments>
__device__ __forceinline__ void march(frame<Program> const& around, Arguments const& a,
                                      operand_offsets<Program>& at, stencil_elements const& own,
                                      stencil_strip const& strip, int planes) {
  using groups = stencil_groups<Program, true>;
  using loads = stencil_loads<Program, V, R, true>;
  auto const load = [&](auto selected, auto& to) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    load_window<Program, V, R, false, true, k>(read_register<k>(to), a, at, own);
    at.loads[I::bits] += a.load_columns[I::bits][0];
  };
  stencil_planes_held<Program, V, R> windows;
#pragma unroll
  for (int i = 0; i < groups::planes_held(); ++i)
    for_each_selected<Program, loads>([&](auto selected) {
      if (i < groups::last_plane(decltype(selected)::value)) load(selected, windows.at[i]);
    });
#pragma unroll 1
  while (true) {
    // Of its own, so that what nobody wants of the plane before is not held until it is loaded.
    selected_registers<Program, loads> newest;
    for_each_selected<Program, loads>([&](auto selected) { load(selected, newest); });
    windows.newest = newest;
    process_stencil_rows<Program, V, R, false, true>(around, a, at, own, strip, windows);
    if (--planes == 0) return;
    for_each_selected<Program, element_stores<Program, V>>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      at.stores[I::bits] += a.store_columns[I::bits][0];
    });
    windows.go_on();
  }
}

}  // namespace detail
#endif

// Owners: a thread has `items` neighbouring rows of a vector of columns, in several planes one
// after the other; neighbouring lanes have neighbouring ones, the other lanes of a block rows
// behind those. Registers: what a thread's rows need of each tensor in the planes that an element's
// neighbours are in. Shared memory: a vector for each thread, of which warps store elements. Global
// memory: loads of aligned vectors and of what is behind them; stores of one element. What blocks
// share the caches have.
// @pre groups and their planes lie as the program says; no positions, nothing is reduced, fetched
// or drawn
// @post every store is written once per position
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block, detail::stencil_blocks_held<C>)
    marching_kernel(
        const __grid_constant__ detail::stencil_arguments<Program, C::vector_width, true> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int v = C::vector_width, rows = C::items, threads = C::threads_per_block;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  unsigned const tile = a.by_strips.quotient(blockIdx.x), part = a.by_tiles.quotient(tile),
                 volume = a.by_parts.quotient(part);
  int const lane = static_cast<int>(threadIdx.x) & ((1 << a.lane_bits) - 1);
  stencil_elements own;
  own.column =
      (static_cast<long long>(blockIdx.x - tile * a.by_strips.divisor) << a.lane_bits | lane) * v;
  own.row = (static_cast<long long>(tile - part * a.by_tiles.divisor) * (threads >> a.lane_bits) +
             (threadIdx.x >> a.lane_bits)) *
            rows;
  long long const left = a.row_end - own.row;
  own.count = left > rows ? rows : left > 0 ? static_cast<int>(left) : 0;
  own.is_live = own.count > 0 && own.column < a.column_end;
  long long const plane = static_cast<long long>(part - volume * a.by_parts.divisor) * a.of_thread,
                  planes = a.plane_end - plane;
  operand_offsets<Program> origin;
  find_row_of<Program, stencil_operands<Program, true>>(origin, a, volume, a.divided);
  for_each_selected<Program, stencil_operands<Program, true>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::is_load) {
      long long const first = plane - stencil_groups<Program, true>::plane(k);
      origin.loads[I::bits] += first * a.load_columns[I::bits][0];
    } else {
      origin.stores[I::bits] += plane * a.store_columns[I::bits][0];
    }
  });
  await_operands<Program>();
  __shared__ uint4 exchanged[threads];
  stencil_strip const strip = strip_of<v>(exchanged, a.lane_bits, own.column, a.column_end);
  if (__any_sync(~0u, own.count > 0))
    march<Program, v, rows>(f, a, origin, own, strip,
                            planes < a.of_thread ? static_cast<int>(planes) : a.of_thread);
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
