// SPDX-License-Identifier: Apache-2.0
#pragma once
// Some of the vectors of a row that a thread holds in registers.

#include "tenon/backend/cuda/rows/own_loads.cuh"

namespace tenon::detail {
#if defined(__CUDA_ARCH__)

// How many items are stored together, for which what all rows share is asked for at once.
inline constexpr int stored_together = 4;

// Part number `part` of `all` that a thread holds, Count items. By selection: moved in a circle they
// would be in registers twice.
template <class Program, class C, int Count, class Tile>
__device__ __forceinline__ auto part_of_tile(Tile const& all, int part) {
  selected_registers<Program, own_items<Program, C, Count>> result;
  for_each_selected<Program, own_loads<Program, C>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    auto const& from = read_register<k>(all).at;
    auto& some = read_register<k>(result).at;
#pragma unroll
    for (int begin = 0; begin < C::items * tiles_held<C>; begin += Count)
#pragma unroll
      for (int u = 0; u < Count; ++u)
#pragma unroll
        for (unsigned& word : some[u].words) {
          unsigned const here = from[begin + u].words[&word - some[u].words];
          word = begin == 0 || part * Count == begin ? here : word;
        }
  });
  return result;
}

#endif
}  // namespace tenon::detail
