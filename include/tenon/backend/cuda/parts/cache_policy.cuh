// SPDX-License-Identifier: Apache-2.0
#pragma once
// How much memory a call touches → what its stores leave in the L2 cache.

#include <cstdint>

#include "tenon/backend/arguments.hpp"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// What createpolicy makes for a whole access on every architecture from 8.0 to 12.0.
using cache_policy = std::uint64_t;
inline constexpr cache_policy goes_normally = 0x16f0'0000'0000'0000,
                              goes_first = 0x12f0'0000'0000'0000, goes_last = 0x14f0'0000'0000'0000;

// Of an element of each operand; 0 where no elements move.
struct operand_bytes {
  int const *loads, *stores;
};

// Each operand counts once, however often it is repeated.
[[gnu::cold]] constexpr long long bytes_moved(bound_layout const& layout,
                                              operand_bytes const& bytes) {
  long long result = 0;
  auto const add = [&](operand_layout const& operand, long long product) {
    for (int d = 0; d < layout.rows.dims; ++d)
      if (operand.row_strides[d] != 0) product *= layout.rows.extents[d];
    for (int d = 0; d < layout.columns.dims; ++d)
      if (operand.column_strides[d] != 0) product *= layout.columns.extents[d];
    result += product;
  };
  for (int k = 0; k < layout.loads.size(); ++k) add(layout.loads[k], bytes.loads[k]);
  for (int k = 0; k < layout.stores.size(); ++k) add(layout.stores[k], bytes.stores[k]);
  return result;
}

// What fits the cache is left there for the call that reads it; what does not goes first, or what
// is read would. H200, us, four calls of which each reads the result of the one before and writes
// to memory that is not in the cache, with streaming stores and ordinary ones: relu(x * a) of 4 MB
// 9.6 and 7.3, of 16 MB 34.0 and 26.8, softmax of 8, 16, 24 and 32 MB 17.9 and 16.1, 36.0 and 27.4,
// 48.3 and 40.9, 64.5 and 62.2, RMS norm of 16 and 24 MB 36.4 and 29.2, 51.7 and 47.3; four that
// read the same 16 MB, whose results nobody reads, 29.3 and 31.8; two matrices one below the other,
// 16 MB, and sums of their rows 15.2 and 13.7, running sums of 16 MB and sums of them 16.3
// and 14.9.
constexpr cache_policy policy_of_stores(long long bytes, long long cache_bytes) {
  return bytes <= cache_bytes ? goes_normally : goes_first;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
// Has the L2 cache filled, by one thread, with what is to leave it last. @pre from and bytes are
// multiples of 16
__device__ __forceinline__ void fill_cache(void const* from, int bytes) {
  asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;" ::"l"(from),
               "r"(bytes), "l"(goes_last)
               : "memory");
}
#endif

}  // namespace tenon::detail
TENON_ONCE_END
