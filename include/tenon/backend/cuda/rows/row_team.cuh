// SPDX-License-Identifier: Apache-2.0
#pragma once
// The threads that share a row, of one block or of a cluster: their states → the row's, in all of
// them.

#include "tenon/backend/cuda/parts/cluster.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"

namespace tenon::detail {

#if defined(__CUDA_ARCH__)
template <class Program, class C> struct row_team {
  static constexpr int most_states =
      C::threads_per_block / 32 * (C::has_clusters ? most_blocks_per_cluster : 1);

  static constexpr lane_steps steps = C::has_warps || C::group_dims > packed_columns
                                          ? lane_steps::loop
                                      : C::has_clusters ? lane_steps::branches
                                                        : lane_steps::straight;

  int lanes, rank;  // threads of this block that share a row, and which block of the row's it is
  int shares;       // blocks that share it
  cluster_mailboxes boxes = {};

  __device__ __forceinline__ int blocks() const {
    if constexpr (C::has_clusters) return shares;
    return 1;
  }
  // Between the two anything may be done that sends nothing.
  __device__ __forceinline__ void begin() const {
    if (blocks() == 1) return;
    if (threadIdx.x == 0) cluster_mailboxes::init();
    arrive_at_cluster();
  }
  // @post all of the row's blocks have begun
  __device__ __forceinline__ void await_blocks() const {
    if (blocks() > 1) wait_for_cluster();
  }

  // Lanes by shuffles; then every warp leaves its state with every block of the row, and after one
  // barrier each warp combines them all. Who has all states of the last round has nothing more to
  // wait for: nobody writes into its memory any more.
  template <class Reductions>
  __device__ __forceinline__ void combine(registers<Program, place::row>& row) {
    combine<Reductions>(row, held_sequence<Program, Reductions>{});
  }

 private:
  template <class Reductions, int... K>
  __device__ __forceinline__ void combine(registers<Program, place::row>& row,
                                          std::integer_sequence<int, K...>) {
    int const together = C::has_warps || lanes >= 32 ? 32 : lanes;
    ((read_register<K>(row) = combine_lanes < typename reduction_facts<Program, K>::op, 32,
      C::has_warps ? lane_steps::branches : steps > (read_register<K>(row), together)),
     ...);
    int const warps = lanes / 32;
    if (blocks() * warps <= 1) return;
    int warp = static_cast<int>(threadIdx.x) / 32, lane = static_cast<int>(threadIdx.x) % 32;
    int first = static_cast<int>(threadIdx.y) * warps;  // rows share a block, or blocks share a row
    int const buffer = boxes.buffer();
    if (blocks() > 1 && threadIdx.x == 0)
      boxes.present().expect(partial_words<Program, Reductions> *
                             static_cast<int>(sizeof(unsigned)) * blocks() * warps);
    if (blocks() > 1) {
      if (lane < blocks())
        (shared_states<Program, K, most_states>::send(boxes.present(), buffer, rank * warps + warp,
                                                      read_register<K>(row), lane),
         ...);
    } else if (lane == 0) {
      (shared_states<Program, K, most_states>::put(buffer, first + warp, read_register<K>(row)),
       ...);
    }
    if (blocks() > 1)
      boxes.wait();
    else
      __syncthreads();
    ((read_register<K>(row) =
          combine_shared<Program, K, most_states, steps>(buffer, first, blocks() * warps)),
     ...);
    boxes.next();
  }
};
#endif

}  // namespace tenon::detail
