// SPDX-License-Identifier: Apache-2.0
#pragma once
// The transposed skeleton: square tiles; operands that are contiguous along the other axis than the
// results are turned in shared memory.

#include "tenon/backend/cuda/element_tile.cuh"
#include "tenon/backend/cuda/side_access.cuh"

namespace tenon {
namespace detail {

inline constexpr int tile_extent = 64;
inline constexpr int tile_threads = 256;

// Elements between rows of a tile in shared memory: one word more than the row, so that threads
// that go down and threads that go along use different banks.
template <class T>
inline constexpr int tile_pitch = tile_extent +
                                  (sizeof(T) < 4 ? 4 / static_cast<int>(sizeof(T)) : 1);
template <class T>
inline constexpr int tile_bytes = (tile_extent * tile_pitch<T> * static_cast<int>(sizeof(T)) + 15) /
                                  16 * 16;

enum class tile_access : unsigned char {
  whole,   // vectors along the inner axis
  singly,  // elements along the inner axis
  turned,  // vectors along the outer axis, through shared memory
  turned_singly,
};

// Inner is the axis along which the results are contiguous, outer the one along which transposed
// operands are; the other axes are `batch`.
template <class Program> struct transposed_arguments {
  using traits = program_traits<Program>;
  static constexpr int loads_held = at_least_one(traits::load_count);
  static constexpr int stores_held = at_least_one(traits::store_count);

  void const* loads[loads_held];
  void* stores[stores_held];
  index_group<max_rank, 64> batch;
  long long load_batch[loads_held][max_rank], store_batch[stores_held][max_rank];
  long long load_inner[loads_held], load_outer[loads_held];
  long long store_inner[stores_held], store_outer[stores_held];
  tile_access load_access[loads_held];
  bool store_moves_whole[stores_held];
  int load_shared[loads_held];  // byte of the dynamic shared memory where the operand's tile begins
  long long scalars[at_least_one(traits::scalar_count)];
  long long sizes[at_least_one(traits::size_count)];
  long long inner, outer;  // extents
  unsigned inner_tiles, outer_tiles;

  void set(bound_arguments<Program> const& call, void*) {
    for (int k = 0; k < traits::load_count; ++k) loads[k] = call.loads[k];
    for (int k = 0; k < traits::store_count; ++k) stores[k] = call.stores[k];
    for (int k = 0; k < traits::scalar_count; ++k) scalars[k] = call.scalars[k];
  }
};

}  // namespace detail

// Owners: each block has one tile of tile_extent x tile_extent elements; thread t takes vector
// t % lanes of rows t / lanes, t / lanes + height, ... Registers: those vectors of each operand.
// Shared memory: a tile of each operand that is turned. Global memory: each operand is read once
// and each element store written once, in vectors along the axis where they are contiguous.
// @post every store is written once per position
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(detail::tile_threads, 1)
    transposed_kernel(const __grid_constant__ Arguments a) {
  using namespace detail;
  constexpr int v = C::vector_width, items = C::items, lanes = tile_extent / v,
                height = tile_threads / lanes;
  static_assert(height * items == tile_extent);
  extern __shared__ __align__(16) unsigned char shared[];
  using loads = needed_loads<Program, v, items, 1, true>;
  using stored = element_stores<Program, v>;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> no_element;
  registers<Program, place::total> total;
  frame<Program> around{launch, row, no_element, total};
  start(around, a);
  if (blockIdx.x == 0 && threadIdx.x == 0) store_all<place::launch>(around, a);

  unsigned tile = blockIdx.x;
  unsigned inner_tile = tile % a.inner_tiles;
  tile /= a.inner_tiles;
  unsigned outer_tile = tile % a.outer_tiles;
  long long const batch = tile / a.outer_tiles;
  long long const inner = static_cast<long long>(inner_tile) * tile_extent,
                  outer = static_cast<long long>(outer_tile) * tile_extent;
  int const x = static_cast<int>(threadIdx.x) % lanes, y = static_cast<int>(threadIdx.x) / lanes;
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

  // All loads are issued before the first is used. Turned operands are read with the axes swapped.
  selected_registers<Program, loads> tiles;
  for_each_selected<Program, loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    tile_access const how = a.load_access[I::bits];
    bool const is_turned = how >= tile_access::turned;
    long long const along = is_turned ? outer : inner, across = is_turned ? inner : outer;
    long long const along_end = is_turned ? a.outer : a.inner,
                    across_end = is_turned ? a.inner : a.outer;
    long long const along_stride = is_turned ? a.load_outer[I::bits] : a.load_inner[I::bits],
                    across_stride = is_turned ? a.load_inner[I::bits] : a.load_outer[I::bits];
    int const count = count_below<v>(along_end, along + x * v);
    bool const is_whole = count == v && (how == tile_access::whole || how == tile_access::turned);
    auto const* from = load_address<Program, k>(
        a, offsets.loads[I::bits] + (along + x * v) * along_stride + (across + y) * across_stride);
#pragma unroll
    for (int u = 0; u < items; ++u) {
      auto& to = read_register<k>(tiles).at[u];
      to = {};
      if (across + y + u * height >= across_end) continue;
      if (is_whole)
        load_packed<reuse::none>(to, from + u * height * across_stride);
      else
        load_singly(to, from + u * height * across_stride, along_stride, count);
    }
  });
  for_each_selected<Program, loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    using T = storage_t<I::type>;
    if (a.load_access[I::bits] < tile_access::turned) return;
    T* const turned = reinterpret_cast<T*>(shared + a.load_shared[I::bits]);
#pragma unroll
    for (int u = 0; u < items; ++u)
#pragma unroll
      for (int i = 0; i < v; ++i)
        turned[(x * v + i) * tile_pitch<T> + y + u * height] =
            element_of(read_register<k>(tiles).at[u], i);
  });
  __syncthreads();
  for_each_selected<Program, loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    using T = storage_t<I::type>;
    if (a.load_access[I::bits] < tile_access::turned) return;
    T const* const turned = reinterpret_cast<T const*>(shared + a.load_shared[I::bits]);
#pragma unroll
    for (int u = 0; u < items; ++u) {
      T elements[v];
#pragma unroll
      for (int i = 0; i < v; ++i)
        elements[i] = turned[(y + u * height) * tile_pitch<T> + x * v + i];
      read_register<k>(tiles).at[u] = pack_stored(elements);
    }
  });

  int const count = count_below<v>(a.inner, inner + x * v);
#pragma unroll
  for (int u = 0; u < items; ++u) {
    if (outer + y + u * height >= a.outer || count == 0) continue;
    selected_registers<Program, stored> results;
#pragma unroll
    for (int i = 0; i < v; ++i) {
      registers<Program, place::element> element;
      frame<Program> f{launch, row, element, total};
      take_element<Program, loads>(element, tiles, u, i);
      evaluate_element<1, true>(f);
      for_each_selected<Program, stored>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(results).at[i] =
            value_of<program_traits<Program>::template at<k>::first_operand>(f);
      });
    }
    for_each_selected<Program, stored>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      auto* to = store_address<Program, k>(
          a, offsets.stores[I::bits] + (inner + x * v) * a.store_inner[I::bits] +
                 (outer + y + u * height) * a.store_outer[I::bits]);
      auto vector = pack<storage_t<I::type>>(read_register<k>(results).at);
      if (a.store_moves_whole[I::bits] && count == v)
        store_packed(to, vector);
      else
        store_singly(to, vector, a.store_inner[I::bits], count);
    });
  }
}

}  // namespace tenon
