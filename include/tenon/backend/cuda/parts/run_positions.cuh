// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors of columns that are runs at a stride, whatever the kernel: where one lies in an operand.

#include "tenon/backend/cuda/parts/indexing.cuh"
#include "tenon/backend/cuda/parts/item_positions.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Each vector is in a run, of one of the groups of runs; the kernel's arguments know their strides.
struct run_positions : item_positions<int> {
  static constexpr bool are_in_runs = true;

  __device__ __forceinline__ run_positions from(int u) const {
    return {item_positions<int>::from(u)};
  }
};
template <class Positions> inline constexpr bool are_in_runs = requires { Positions::are_in_runs; };

// From where a row begins in the operand of load or store I to item u, in elements.
// @pre what lies between runs is below 2^31 elements
template <class I, int V, class Arguments>
__device__ __forceinline__ long long place_in_runs(Arguments const& a,
                                                   run_positions const& positions, int u) {
  unsigned const run = a.runs.by_run.quotient(static_cast<unsigned>(positions.at(u))),
                 group = a.runs.by_group.quotient(run);
  auto const beyond = [&](long long of_run, long long of_group) {
    return static_cast<long long>(positions.at(u)) * V +
           wide_product(static_cast<int>(run), static_cast<int>(of_run)) +
           wide_product(static_cast<int>(group), static_cast<int>(of_group));
  };
  if constexpr (I::is_load)
    return beyond(a.load_leaps[I::bits], a.load_group_leaps[I::bits]);
  else
    return beyond(a.store_leaps[I::bits], a.store_group_leaps[I::bits]);
}

}  // namespace tenon::detail
#endif
