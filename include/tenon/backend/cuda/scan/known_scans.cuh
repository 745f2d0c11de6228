// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which scans of a row are found once and kept, because several of its sweeps need them.

#include "tenon/backend/cuda/parts/element_stores.cuh"
#include "tenon/backend/cuda/parts/sweep_needs.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Whether scan K is needed by a sweep before that of phase Phase.
template <class Program, int Phase> consteval bool is_scanned_before(int k) {
  if constexpr (Phase <= 1)
    return false;
  else
    return needed_scans<Program, Phase - 1, false>::holds(k) ||
           is_scanned_before<Program, Phase - 1>(k);
}
// What scans along the row give of a thread's elements, of which later sweeps have use.
template <class Program, int V, int Items> struct known_scans {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K>
  static constexpr bool holds =
      is_scanned_before<Program, program_traits<Program>::row_phases + 1>(K) &&
      !is_blockwise_scan<typename at<K>::op>;
  template <int K> using type = value_list<typename at<K>::value_type, V * Items>;
};

}  // namespace tenon::detail
#endif
