// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors of neighbouring rows at several positions, which memory need not have as such, loaded in
// pieces.

#include "tenon/backend/cuda/parts/element_tile.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Positions are `step` elements apart; those that is_inside(u), and of the rows the first `count`,
// are loaded, the others are 0. @pre there are V rows beside each other, or has_pairs is false
template <int V, int Items, class T, class IsInside>
__device__ __forceinline__ void load_rows_in_pieces(packed<T, V> (&to)[Items], T const* from,
                                                    long long step, int count,
                                                    IsInside const& is_inside) {
#pragma unroll
  for (int u = 0; u < Items; ++u) to[u] = {};
  if constexpr (!has_pairs<T, V>) {
    asm volatile("" : "+l"(from));
    load_pieces(
        to, [&](int u) { return from + u * step; }, [](int) { return 0; },
        [&](int u) { return is_inside(u) ? count : 0; });
  } else {
    // Of a vector that there is in part the last V rows: those in front are left out afterwards.
    int const before = count > 0 ? V - count : 0;
    from -= before;
    asm volatile("" : "+l"(from));
    int const odd = odd_elements(from), odd_step = static_cast<int>(step) & 1;
    auto const odd_of = [&](int u) { return odd ^ (u & odd_step); };
    load_pieces(
        to, [&](int u) { return from + (u * step + odd_of(u)); }, odd_of,
        [&](int u) { return count > 0 && is_inside(u) ? V : 0; });
    if (before > 0)
#pragma unroll
      for (int u = 0; u < Items; ++u) to[u] = part_of(to[u], packed<T, V>{}, before);
  }
}

}  // namespace tenon::detail
#endif
