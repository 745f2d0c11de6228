// SPDX-License-Identifier: Apache-2.0
#pragma once
// The transposed skeleton: square tiles; operands and results that are contiguous along the other
// axis than the first result are turned in shared memory; reductions take in all tiles.

#include "tenon/backend/cuda/parts/backward_access.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"
#include "tenon/backend/cuda/transposed/tile_values.cuh"

namespace tenon {
#if defined(__CUDA_ARCH__)
namespace detail {

// One tile of tile_extent x tile_extent elements. @pre all threads of the block call it
template <class Program, class C, class States>
__device__ __forceinline__ void process_square(transposed_arguments<Program> const& a,
                                               frame<Program> const& around, States& states,
                                               unsigned tile) {
  constexpr int v = C::vector_width, items = C::items, extent = tile_extent<Program>,
                lanes = extent / v, height = tile_threads<Program> / lanes;
  static_assert(height * items == extent);
  unsigned char* const shared = dynamic_shared();
  using loads = needed_loads<Program, v, items, 1, true>;
  using stored = element_stores<Program, v>;
  int const x = static_cast<int>(threadIdx.x) % lanes, y = static_cast<int>(threadIdx.x) / lanes;
  unsigned inner_tile = tile % a.inner_tiles;
  tile /= a.inner_tiles;
  unsigned outer_tile = tile % a.outer_tiles;
  long long const batch = tile / a.outer_tiles;
  long long const inner = static_cast<long long>(inner_tile) * extent,
                  outer = static_cast<long long>(outer_tile) * extent;
  operand_offsets<Program> offsets = {};
  for_each_digit(a.batch, batch, [&](int d, long long position) {
    for_each_selected<Program, loads>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      offsets.loads[I::bits] += position * a.load_batch[I::bits][d];
    });
    for_each_selected<Program, stored>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      offsets.stores[I::bits] += position * a.store_batch[I::bits][d];
    });
  });

  // All loads are issued before the first is used. Turned operands are read with the axes
  // swapped.
  selected_registers<Program, loads> tiles;
  // In two turns: a choice between accesses waits for what they load.
  auto const load = [&](auto selected, auto whole) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    tile_access const how = a.load_access[I::bits];
    bool const is_turned = how >= tile_access::turned;
    long long const along = is_turned ? outer : inner, across = is_turned ? inner : outer;
    long long const along_end = is_turned ? a.outer : a.inner,
                    across_end = is_turned ? a.inner : a.outer;
    long long const along_stride = is_turned ? a.load_outer[I::bits] : a.load_inner[I::bits],
                    across_stride = is_turned ? a.load_inner[I::bits] : a.load_outer[I::bits];
    auto const part = part_in_tile<v, extent>(along_end, along, x * v);
    bool const is_whole =
        part.is_whole() && (how == tile_access::whole || how == tile_access::turned);
    auto const* from = load_address<Program, k>(
        a, offsets.loads[I::bits] + (along + x * v) * along_stride + (across + y) * across_stride);
    auto& to = read_register<k>(tiles).at;
    auto const is_inside = [&](int u) { return across + y + u * height < across_end; };
    if constexpr (I::is_reversed && decltype(whole)::value)
      if (along_stride < 0) from -= v - 1;
    if constexpr (decltype(whole)::value) {
#pragma unroll
      for (int u = 0; u < items; ++u) {
        to[u] = {};
        load_packed<reuse::passing>(to[u], from + u * height * across_stride,
                                    is_whole && is_inside(u));
      }
    } else {
      if (is_whole) return;
#pragma unroll 1
      for (int u = 0; u < items; ++u) {
#pragma unroll
        for (int w = 1; w < items; ++w) to[w - 1] = to[w];
        auto& last = to[items - 1];
        last = {};
        if (is_inside(u))
          load_singly(last, from + u * height * across_stride, along_stride, part.count());
      }
    }
  };
  await_operands<Program>();
  for_each_selected<Program, loads>([&](auto selected) { load(selected, std::true_type{}); });
  for_each_selected<Program, loads>([&](auto selected) { load(selected, std::false_type{}); });
  for_each_selected<Program, loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::is_reversed) {
      bool const is_turned = a.load_access[I::bits] == tile_access::turned;
      auto const part = is_turned ? part_in_tile<v, extent>(a.outer, outer, x * v)
                                  : part_in_tile<v, extent>(a.inner, inner, x * v);
      bool const has_vectors = is_turned || a.load_access[I::bits] == tile_access::whole;
      if ((is_turned ? a.load_outer[I::bits] : a.load_inner[I::bits]) < 0 && has_vectors &&
          part.is_whole())
        for (auto& vector : read_register<k>(tiles).at) vector = backward(vector);
    }
  });
  for_each_selected<Program, loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    using T = storage_t<I::type>;
    if (a.load_access[I::bits] < tile_access::turned) return;
    turned_tile<Program, T> const turned{shared + a.load_shared[I::bits]};
#pragma unroll
    for (int u = 0; u < items; ++u)
      turned.put(read_register<k>(tiles).at[u], x * v, y + u * height);
  });
  __syncthreads();
  for_each_selected<Program, loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    using T = storage_t<I::type>;
    if (a.load_access[I::bits] < tile_access::turned) return;
    turned_tile<Program, T> const turned{shared + a.load_shared[I::bits]};
#pragma unroll
    for (int u = 0; u < items; ++u)
      read_register<k>(tiles).at[u] = turned.template get<v>(y, u * height, x * v);
  });

  auto const part = part_in_tile<v, extent>(a.inner, inner, x * v);
  auto const is_inside = [&](int u) {
    return outer + y + u * height < a.outer && !part.is_empty();
  };
  selected_registers<Program, stored_vectors<Program, v, items>> vectors = {};
#pragma unroll
  for (int u = 0; u < items; ++u) {
    if (!is_inside(u)) continue;
    selected_registers<Program, stored> results;
    selected_registers<Program, tile_values<Program, v>> values;
#pragma unroll
    for (int i = 0; i < v; ++i) {
      registers<Program, place::element> element;
      frame<Program> f{around.launch, around.row, element, around.total};
      take_element<Program, loads>(element, tiles, u, i);
      evaluate_element<1, true>(f);
      for_each_selected<Program, stored>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(results).at[i] =
            value_of<program_traits<Program>::template at<k>::first_operand>(f);
      });
      for_each_selected<Program, tile_values<Program, v>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using facts = reduction_facts<Program, k>;
        read_register<k>(values).at[i] =
            static_cast<typename facts::operand>(value_of<facts::instruction::first_operand>(f));
      });
    }
    take_vector<Program, v>(states, values, part.count());
    for_each_selected<Program, stored>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<program_traits<Program>::template at<k>::type>;
      read_register<k>(vectors).at[u] = pack<T>(read_register<k>(results).at);
    });
  }
  for_each_selected<Program, stored>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    using T = storage_t<I::type>;
    auto& from = read_register<k>(vectors).at;
    if constexpr (may_turn_stores<Program>)
      if (a.store_is_turned[I::bits]) {
        turned_tile<Program, T> const turned{shared + a.store_shared[I::bits]};
#pragma unroll
        for (int u = 0; u < items; ++u)
          if (is_inside(u)) turned.put(from[u], x * v, y + u * height);
        return;
      }
    auto* to = store_address<Program, k>(a, offsets.stores[I::bits] +
                                                (inner + x * v) * a.store_inner[I::bits] +
                                                (outer + y) * a.store_outer[I::bits]);
    if (a.store_moves_whole[I::bits] && part.is_whole()) {
#pragma unroll
      for (int u = 0; u < items; ++u)
        store_packed(to + u * height * a.store_outer[I::bits], from[u], is_inside(u), a.stored);
    } else {
#pragma unroll 1
      for (int u = 0; u < items; ++u) {
        if (is_inside(u))
          store_singly(to + u * height * a.store_outer[I::bits], from[0], a.store_inner[I::bits],
                       part.count());
#pragma unroll
        for (int w = 1; w < items; ++w) from[w - 1] = from[w];
      }
    }
  });
  if constexpr (may_turn_stores<Program> || program_traits<Program>::has_reduction) __syncthreads();
  if constexpr (may_turn_stores<Program>)
    if (a.turns_stores)
      for_each_selected<Program, stored>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        using T = storage_t<I::type>;
        if (!a.store_is_turned[I::bits]) return;
        turned_tile<Program, T> const turned{shared + a.store_shared[I::bits]};
        auto const along = part_in_tile<v, extent>(a.outer, outer, x * v);
        auto* to = store_address<Program, k>(a, offsets.stores[I::bits] +
                                                    (outer + x * v) * a.store_outer[I::bits] +
                                                    (inner + y) * a.store_inner[I::bits]);
        auto const is_row_inside = [&](int u) {
          return inner + y + u * height < a.inner && !along.is_empty();
        };
        if (a.store_moves_whole[I::bits] && along.is_whole()) {
#pragma unroll
          for (int u = 0; u < items; ++u)
            store_packed(to + u * height * a.store_inner[I::bits],
                         turned.template get<v>(y, u * height, x * v), is_row_inside(u), a.stored);
        } else {
#pragma unroll 1
          for (int u = 0; u < items; ++u)
            if (is_row_inside(u))
              store_singly(to + u * height * a.store_inner[I::bits],
                           turned.template get<v>(y + u * height, 0, x * v), a.store_outer[I::bits],
                           along.count());
        }
      });
}

}  // namespace detail
#endif

// Owners: each block has one tile of tile_extent x tile_extent elements, or with reductions several
// in turn; thread t takes vector t % lanes of rows t / lanes, t / lanes + height, ... Registers:
// those vectors of each operand; a state per reduction, and two more. Shared memory: a tile of each
// operand and result that is turned; one state per warp and reduction, twice. Global memory: each
// operand is read and each element store written once, in vectors along the contiguous axis.
// @pre no more blocks than tiles; the grid is a function of the shape if there are reductions, and
// then the slots in the workspace are 0
// @post every store is written once per position; the slots are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(detail::tile_threads<Program>,
                                  detail::square_blocks_bound<Program>)
    transposed_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> no_element;
  registers<Program, place::total> total;
  frame<Program> around{launch, row, no_element, total};
  start_early(around, a);
  using running = tile_states<Program, C::items>;
  selected_registers<Program, running> states;
  if constexpr (program_traits<Program>::has_reduction) {
    reset<Program, running>(states);
    cascade<Program, running> levels;
    long long tile = blockIdx.x;
#pragma unroll 1
    do {
      process_square<Program, C>(a, around, states, static_cast<unsigned>(tile));
      levels.after_tile(states);
      tile += gridDim.x;
    } while (tile < a.tiles);
    levels.finish(row, states);
    int buffer = 0;
    using reductions = reductions_of<Program, place::row, 1>;
    if (!combine_grid<Program, reductions, tile_threads<Program>, true>(row, a.workspace, buffer))
      return;
    evaluate<place::row, 0, max_nodes>(around);
  } else {
    process_square<Program, C>(a, around, states, blockIdx.x);
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  store_all<place::row>(around, a);
  store_all<place::launch>(around, a);
#endif
}

}  // namespace tenon
