// SPDX-License-Identifier: Apache-2.0
#pragma once
// The scan skeleton of rows that are neighbours in memory: strips of them are scanned side by side,
// and blocks share the positions of a strip.

#include "tenon/backend/cuda/scan/strip_memory.cuh"
#include "tenon/backend/cuda/scan/strip_roles.cuh"

namespace tenon {

// Owners: a block has every so many of the tiles, of which those that are neighbours along the rows
// follow each other; or all of a strip, one after the other. A tile is a strip of `lanes` vectors
// of V neighbouring rows and some hundred positions, or several strips of few positions; thread t
// has `steps` positions that follow each other of one vector. Shared memory: the elements of three
// tiles, of which one is finished, one told and one asked for, in slots of their threads; a state
// of each row and warp. Registers: a state of each row and scan, and what comes before it in the
// next tile. Global memory: each operand is read once, each element store written once; of the
// tiles before it in its strip a tile reads at most 31 states of each row.
// @pre where strips are shared all blocks are resident: they wait for those of tiles in front; the
// ticket and the slots are 0
// @post every store is written once per position; the bits depend on the shape alone; the ticket
// and the slots are 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    strip_scan_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  refuse_inexact_arithmetic();
  strip_roles<Program, C> const roles{a};
  roles.begin();
  await_previous_kernel();
  if (threadIdx.x < strip_threads)
    roles.compute();
  else if (threadIdx.x < strip_threads + 32)
    roles.add();
  else
    roles.hear();
#endif
}

}  // namespace tenon
