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

  static constexpr lane_steps steps =
      C::has_warps || C::group_dims > packed_columns  ? lane_steps::loop
      : C::has_clusters&& C::group_dims > odd_columns ? lane_steps::branches
                                                      : lane_steps::straight;

  int lanes, rank;  // threads of this block that share a row, and which block of the row's it is
  int shares;       // blocks that share it
  int parts;        // of a block's share that are reduced by themselves
  cluster_mailboxes boxes = {};

  __device__ __forceinline__ int blocks() const {
    if constexpr (C::has_clusters) return shares;
    return 1;
  }
  __device__ __forceinline__ int pieces() const {
    if constexpr (C::has_clusters && C::group_dims > odd_columns) return parts;
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

  // Lanes by shuffles; then every warp leaves its state of a piece with every block of the row.
  template <class Reductions>
  __device__ __forceinline__ void leave(registers<Program, place::row>& row, int piece) const {
    leave(row, piece, held_sequence<Program, Reductions>{});
  }
  // After one barrier each warp combines them all. Who has all states of the last round has nothing
  // more to wait for: nobody writes into its memory any more. @pre all pieces are left
  template <class Reductions>
  __device__ __forceinline__ void gather(registers<Program, place::row>& row) {
    if (states() <= 1) return;
    if (blocks() > 1) {
      if (threadIdx.x == 0)
        boxes.present().expect(partial_words<Program, Reductions> *
                               static_cast<int>(sizeof(unsigned)) * states());
      boxes.wait();
    } else {
      __syncthreads();
    }
    combine(row, held_sequence<Program, Reductions>{});
    boxes.next();
  }

 private:
  template <int... K>
  __device__ __forceinline__ void leave(registers<Program, place::row>& row, int piece,
                                        std::integer_sequence<int, K...>) const {
    int const together = C::has_warps || lanes >= 32 ? 32 : lanes;
    ((read_register<K>(row) = combine_lanes < typename reduction_facts<Program, K>::op, 32,
      C::has_warps ? lane_steps::branches : steps > (read_register<K>(row), together)),
     ...);
    if (states() <= 1) return;
    int const lane = static_cast<int>(threadIdx.x) % 32,
              mine = first() + (rank * pieces() + piece) * (lanes / 32) +
                     static_cast<int>(threadIdx.x) / 32;
    if (blocks() > 1) {
      if (lane < blocks())
        (shared_states<Program, K, most_states>::send(boxes.present(), boxes.buffer(), mine,
                                                      read_register<K>(row), lane),
         ...);
    } else if (lane == 0) {
      (shared_states<Program, K, most_states>::put(boxes.buffer(), mine, read_register<K>(row)),
       ...);
    }
  }
  template <int... K>
  __device__ __forceinline__ void combine(registers<Program, place::row>& row,
                                          std::integer_sequence<int, K...>) const {
    ((read_register<K>(row) =
          combine_shared<Program, K, most_states, steps>(boxes.buffer(), first(), states())),
     ...);
  }
  // Of the row, and the first of them: rows share a block, or blocks share a row.
  __device__ __forceinline__ int states() const { return blocks() * pieces() * (lanes / 32); }
  __device__ __forceinline__ int first() const {
    return static_cast<int>(threadIdx.y) * (lanes / 32);
  }
};
#endif

}  // namespace tenon::detail
