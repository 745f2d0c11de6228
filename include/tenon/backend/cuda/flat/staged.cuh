// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flat skeleton of rows from which elements are fetched at random: the pieces of operands that
// a row fetches from come to shared memory as a whole.

#include "tenon/backend/cuda/flat/rows.cuh"
#include "tenon/backend/cuda/flat/staged_fetches.cuh"

namespace tenon {

// Owners: a block, or several, has a row; its warps take stretches in turn, whose accesses lanes
// share. Shared memory: the pieces of the row, each once. Global memory: pieces and what is not
// fetched are read by aligned vectors; indices are asked for before the pieces are waited for.
// @pre nothing is reduced and no parts are stored; pieces are whole vectors
// @post every store is written once per position
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks) flat_staged_kernel(
    const __grid_constant__ detail::staged_arguments<Program, C::vector_width, C::items> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int v = C::vector_width, items = C::items, of_warp = 32 * items;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  auto const number = static_cast<long long>(a.by_blocks.quotient(blockIdx.x));
  operand_offsets<Program> origin;
  find_row(origin, a, number);
  await_operands<Program>();
  a.bring_pieces(origin);
  int const lane = static_cast<int>(threadIdx.x) % 32;
  auto const part = static_cast<unsigned>(blockIdx.x - number * a.blocks);
  long long stretch = static_cast<long long>(part) * a.turns * a.warps + threadIdx.x / 32;
#pragma unroll 1
  for (int turn = 0; turn < a.turns; ++turn, stretch += a.warps) {
    long long const begin = stretch * of_warp, left = a.vectors - begin;
    int const rest = static_cast<int>(left < 0 ? 0 : left < of_warp ? left : of_warp);
    process_stretch<Program, C::threads_per_block, v, items, row_axes::one>(
        f, a, origin,
        row_stretch_of_lane{begin + lane, 32, (rest - lane + 31) >> 5, rest, rest == of_warp},
        fetched_from_pieces<Program, decltype(a)>{a, turn == 0});
  }
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  store_all<place::launch>(f, a);
#endif
}

}  // namespace tenon
