// SPDX-License-Identifier: Apache-2.0
#pragma once
// The moved skeleton: pointwise expressions that find their operands' or results' elements
// themselves, such as concatenations, parts, rolls and rotations, vector by vector; and several
// results or pieces of operands of which vectors share some.

#include "tenon/backend/cuda/moved/found_items.cuh"
#include "tenon/backend/cuda/moved/window_items.cuh"

namespace tenon {

// Owners: a thread has one vector of neighbouring elements along the innermost axis, or as many as
// `items`, neighbours along the outermost one, or along the one along which most of what they read
// is the same, or of one row that an index names; of each of these
// two where elements are exchanged between the halves of an axis, one of either half, and then
// neither is read twice; of windows of rows several, neighbours across the rows, each found by
// itself. Registers: one vector of each operand, as it lies in memory; one index or
// address for all of a thread's vectors; of single elements as many of each operand as are in
// flight, along an axis along which nothing is decided, or with a place of each. Global memory:
// what is fetched is read by aligned vectors, each of one part of a concatenation; every store is
// one access.
// @pre vector_facts has found the vectors to be whole, as single elements are
// @post every store is written once per position
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    moved_kernel(const __grid_constant__ detail::moved_arguments<Program> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> none;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, none, total};
  start_early(f, a);
  unsigned const thread = blockIdx.x * static_cast<unsigned>(C::threads_per_block) + threadIdx.x;
  using of_vectors = std::conditional_t<C::is_looped, found_items<Program, C::vector_width>,
                                        moved_worker<Program, C::vector_width>>;
  using worker =
      std::conditional_t<C::has_warps, window_items<Program, C::vector_width>, of_vectors>;
  if (thread < a.threads) worker(a, f, thread).template finish<C::items>();
  if constexpr (has_selected<Program, stored_at<Program, place::launch>>)
    if (thread == 0) await_operands<Program>(), store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
