// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who a block is among those that meet, which tile it has, and what their counter comes to.

#include "tenon/backend/cuda/columns/meeting_arguments.cuh"
#include "tenon/backend/cuda/parts/grid_barrier.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct meeting_group {
  static constexpr int V = C::vector_width;
  static constexpr bool HasGroups = has_groups<C>, HasPlanes = has_planes<C>;
  static constexpr int phases = program_traits<Program>::row_phases;
  static constexpr int most_combined_slices = 16;

  columns_arguments<Program> const& a;
  meeting_share const& share;
  int round = 0;  // tiles that the group had before

  // Of the block in its group, and the group: found again rather than held over the sweeps.
  static __device__ __forceinline__ unsigned block() {
    unsigned block;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(block));
    return block;
  }
  // Blocks of a multiprocessor, half of the grid apart, are of several planes.
  __device__ __forceinline__ int member() const {
    if constexpr (HasPlanes) return static_cast<int>(block() % static_cast<unsigned>(members()));
    return static_cast<int>(block() / static_cast<unsigned>(share.groups));
  }
  __device__ __forceinline__ int group() const {
    if constexpr (HasPlanes) return static_cast<int>(block() / static_cast<unsigned>(members()));
    return static_cast<int>(block() % static_cast<unsigned>(share.groups));
  }
  // Among the blocks of a tile.
  __device__ __forceinline__ int rank() const { return member() / tiles_together(); }
  __device__ __forceinline__ int tile() const {
    return (group() + round * share.groups) * tiles_together() + tile_of_group();
  }

  __device__ __forceinline__ int next_tile() const {
    return tile() + share.groups * tiles_together();
  }

  // Whether the block is the one that writes what belongs to a plane.
  __device__ __forceinline__ bool is_first_of_plane() const {
    return rank() == 0 && tile_of_group() == 0;
  }

  // The counter is 0 again when all blocks have called it. @pre the block meets no more
  __device__ __forceinline__ void end() const {
    if (threadIdx.x != 0 || threadIdx.y != 0) return;
    atomicInc(counter(), counted<0, 0>() + members() - 1);
  }

  __device__ __forceinline__ int tiles_together() const {
    return HasGroups || HasPlanes ? share.tiles_together : 1;
  }
  __device__ __forceinline__ int members() const { return share.blocks * tiles_together(); }
  // Which of the tiles that meet together is the block's.
  __device__ __forceinline__ int tile_of_group() const {
    return HasGroups || HasPlanes ? member() % share.tiles_together : 0;
  }
  // Words of all columns that meet together, and the thread's first one among these.
  __device__ __forceinline__ long long stride() const {
    return blockDim.x * V * static_cast<unsigned>(tiles_together());
  }
  __device__ __forceinline__ int first_column() const {
    return static_cast<int>((tile_of_group() * blockDim.x + threadIdx.x) * V);
  }
  __device__ __forceinline__ unsigned* counter() const {
    return a.workspace + group() * words_of_counter;
  }
  __device__ __forceinline__ int columns_of_group() const {
    return static_cast<int>(of_group().divisor);
  }
  __device__ __forceinline__ index_divider<64> const& of_group() const {
    return static_cast<grouped_arguments<Program> const&>(a).columns_of_group;
  }
  // How many groups the columns that meet together are.
  __device__ __forceinline__ int groups() const {
    return static_cast<int>(of_group().narrow_quotient(static_cast<unsigned>(stride())));
  }
  // Of a plane, with those that there are not.
  __device__ __forceinline__ int vectors() const {
    return static_cast<int>(blockDim.x) * tiles_together();
  }
  // That blocks combine, each those of vectors_of_one vectors or groups.
  __device__ __forceinline__ int shares() const {
    if constexpr (HasGroups)
      return (groups() + share.vectors_of_one - 1) / share.vectors_of_one;
    else if constexpr (HasPlanes)
      return (vectors() + share.vectors_of_one - 1) / share.vectors_of_one;
    else
      return static_cast<int>(blockDim.x) / share.vectors_of_one;
  }
  // Whether each block combines all slices of its columns, of which there are few.
  __device__ __forceinline__ bool combine_all() const {
    return HasPlanes && a.slices <= most_combined_slices;
  }
  // Every block counts, and those that combine once more.
  __device__ __forceinline__ unsigned counts_of_meeting() const {
    if (combine_all()) return static_cast<unsigned>(members());
    int const shares = this->shares(), blocks = members();
    return static_cast<unsigned>(blocks + (shares < blocks ? shares : blocks));
  }
  // Meetings of a round in front of phase Phase: without planes there is one in each.
  static consteval int meetings_before(int phase, place where) {
    bool has[program_traits<Program>::phases + 2] = {};
    int result = 0;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.is_reduction && i.where == where) has[i.phase] = true;
    for (int earlier = 0; earlier < phase; ++earlier) result += has[earlier];
    return result;
  }
  template <int Phase>
  static constexpr int row_meetings = HasPlanes ? meetings_before(Phase, place::row) : Phase - 1;
  template <int Phase>
  static constexpr int plane_meetings = HasPlanes ? meetings_before(Phase, place::total) : 0;
  // What the counter comes to by so many meetings in this round.
  template <int OfRows, int OfPlanes> __device__ __forceinline__ unsigned counted() const {
    constexpr int last = program_traits<Program>::phases + 1;
    if constexpr (!HasPlanes) {
      return (round * phases + OfRows) * counts_of_meeting();
    } else {
      return (round * row_meetings<last> + OfRows) * counts_of_meeting() +
             (round * plane_meetings<last> + OfPlanes) * members();
    }
  }
};

}  // namespace tenon::detail
#endif
