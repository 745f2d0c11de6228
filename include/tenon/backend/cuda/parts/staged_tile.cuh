// SPDX-License-Identifier: Apache-2.0
#pragma once
// A tile of operands that are whole aligned vectors or not, loaded by way of shared memory.

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/single_vector.cuh"
#include "tenon/backend/cuda/parts/thread_stage.cuh"
#include "tenon/backend/cuda/parts/warp_stage.cuh"

namespace tenon::detail {

#if defined(__CUDA_ARCH__)
// Calls each(instruction, address, slot of the first item, bytes to the next one's, whether it
// comes as it lies in memory) for the selected operands.
template <class Program, class Selected, int V, int Items, int Dims, class Arguments, class Each>
__device__ __forceinline__ void for_each_staged(Arguments const& a,
                                                operand_offsets<Program> const& row,
                                                staged_positions const& where, long long origin,
                                                Each const& each) {
  int offset = 0;
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    using vectors = staged_vectors<storage_t<I::type>, V>;
    int const step = staged_positions::bytes_per_item(vectors::bytes);
    each(selected, load_address<Program, k>(a, row.loads[I::bits]) + origin * V,
         where.slot(vectors::bytes, offset), step,
         vectors::words > 0 &&
             (Dims == contiguous_columns || a.load_access[I::bits] <= access::elements));
    offset += Items * step;
  });
}
// Asks for a tile of the selected operands, from vector `origin` of the row on; what is not of it
// becomes 0. @pre all lanes of the warp are here
template <class Program, class Selected, int V, int Items, int Dims, class Arguments>
__device__ __forceinline__ void ask_staged(Arguments const& a, operand_offsets<Program> const& row,
                                           staged_positions const& where, long long origin) {
  __syncwarp();  // what was in the slots is not needed any more
  for_each_staged<Program, Selected, V, Items, Dims>(
      a, row, where, origin,
      [&](auto selected, auto const* from, unsigned slot, int step, bool is_staged) {
        constexpr int k = decltype(selected)::value;
        using vectors = staged_vectors<std::remove_cvref_t<decltype(*from)>, V>;
#pragma unroll 1
        for (int u = 0; u < Items && where.is_live(u); ++u, slot += step) {
          unsigned const mine = vectors::own(slot, where);
          int const begin = where.template begin<V>(u),
                    count = where.size > 0 ? where.template count<V>(u) : 0;
          if constexpr (vectors::words == 0)
            store_shared(mine,
                         load_vector<Program, k, V, Dims>(a, row, origin + where.at(u), count));
          else if (is_staged)
            vectors::bring(slot, from + begin, (where.size - begin) * vectors::size, where);
          else if constexpr (Dims > contiguous_columns)
            store_shared(mine, load_by_places<Program, k, V>(a, row, origin + where.at(u), count));
        }
      });
}
// Waits for all that was asked for, and takes it. @pre the same as of ask_staged()
template <class Program, class Selected, int V, int Items, int Dims, class Tile, class Arguments>
__device__ __forceinline__ void take_staged(Tile& tile, Arguments const& a,
                                            operand_offsets<Program> const& row,
                                            staged_positions const& where, long long origin) {
  wait_for_sent();
  __syncwarp();
  for_each_staged<Program, Selected, V, Items, Dims>(
      a, row, where, origin,
      [&](auto selected, auto const* from, unsigned slot, int step, bool is_staged) {
        using vectors = staged_vectors<std::remove_cvref_t<decltype(*from)>, V>;
        auto& to = read_register<decltype(selected)::value>(tile).at;
#pragma unroll
        for (int u = 0; u < Items; ++u, slot += step) {
          to[u] = {};
          if (!where.is_live(u)) continue;
          if constexpr (vectors::words > 0)
            to[u] = vectors::take(slot, from, where, is_staged);
          else
            load_shared(to[u], vectors::own(slot, where));
        }
      });
}
#endif

// The shared memory of `items` of each selected load.
template <class Program, class Selected, int V>
[[gnu::cold]] int staged_bytes(int items, int lanes, int rows) {
  int bytes = 0;
  visit_selected<Program, Selected>([&](auto selected) {
    using I = typename program_traits<Program>::template at<decltype(selected)::value>;
    bytes += items * staged_bytes_per_item(V * size_of(I::type), lanes, rows);
  });
  return bytes;
}

}  // namespace tenon::detail
