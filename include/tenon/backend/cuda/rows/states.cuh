// SPDX-License-Identifier: Apache-2.0
#pragma once
// The states that the threads of one row have → the row's, in all of them: over the lanes of a
// warp, then over the warps of the row.

#include "tenon/backend/cuda/parallel/stacked.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// One barrier, of the row's threads alone: rows above each other run on. Whoever writes one of the
// two buffers again has passed the barrier of the other one.
// @pre all threads of the row call it, with the buffers in turn; width is a power of two; the rows
// lie above each other
template <class Program, class Selected, int Threads, class Registers>
__device__ __forceinline__ void combine_row(Registers& row, stack_position const& p, int buffer) {
  constexpr int most_warps = Threads / 32;
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    read_register<k>(row) =
        combine_lanes<typename reduction_facts<Program, k>::op, 32, lane_steps::straight>(
            read_register<k>(row), p.width);
  });
  if (p.width <= 32) return;
  int const warps = p.width / 32, first = p.y * warps;
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    if (p.x % 32 == 0)
      shared_states<Program, k, most_warps>::put(buffer, first + p.x / 32, read_register<k>(row));
  });
  asm volatile("barrier.cta.sync.aligned %0, %1;" ::"r"(p.y + 1), "r"(p.width) : "memory");
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<Program, k>;
    typename facts::state state = facts::identity();
    int const other = p.x % most_warps;
    if (other < warps) state = shared_states<Program, k, most_warps>::get(buffer, first + other);
    read_register<k>(row) = combine_lanes<typename facts::op, most_warps>(state);
  });
}

}  // namespace tenon::detail
#endif
