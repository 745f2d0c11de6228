// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values over some of the rows' axes: every row leaves its part in the workspace; when all rows are
// done, warps combine the parts of each plane.

#include "tenon/backend/cuda/parts/long_chains.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"

namespace tenon::detail {

// Rows whose parts one warp combines; the chunks of a plane follow from the shape alone.
inline constexpr int rows_per_chunk = 1024;
// The first of two tickets, which no kernel of rows uses.
inline constexpr int plane_tickets = ticket_count - 2;

struct plane_split {
  long long planes = 0, rows_per_plane = 1;
  long long first_word = 0;  // of the rows' parts; those of chunks follow
  int chunks = 1;            // of each plane
  bool blocks_can_meet = false;
};

template <class Program>
struct plane_arguments : kernel_arguments<Program, max_rank, max_rank, 64> {
  plane_split planes;
};

template <class Program> using plane_reductions = reductions_of<Program, place::plane, 0>;

#if defined(__CUDA_ARCH__)
// The parts of all rows, then those of all chunks; word by word, so that neighbouring threads read
// neighbouring words.
template <class Program> class plane_parts {
 public:
  __device__ __forceinline__ plane_parts(unsigned* words, long long count)
      : words_(words), count_(count) {}

  template <int K, class State>
  __device__ __forceinline__ void put(long long at, State const& state) const {
    state_words<State> const from(state);
#pragma unroll
    for (int w = 0; w < from.count; ++w)
      __stcg(words_ + (before<K> + w) * count_ + at, from.words[w]);
  }
  template <int K> __device__ __forceinline__ auto get(long long at) const {
    state_words<typename reduction_facts<Program, K>::state> to;
#pragma unroll
    for (int w = 0; w < to.count; ++w) to.words[w] = __ldcg(words_ + (before<K> + w) * count_ + at);
    return to.state();
  }

 private:
  template <int K>
  static constexpr int before =
      partial_words<Program, plane_reductions<Program>, std::make_integer_sequence<int, K>>;
  unsigned* words_;
  long long count_;
};

template <class Program>
__device__ __forceinline__ plane_parts<Program> parts_of_rows(plane_arguments<Program> const& a) {
  return {a.workspace + a.planes.first_word, a.rows.size};
}
template <class Program>
__device__ __forceinline__ plane_parts<Program> parts_of_chunks(plane_arguments<Program> const& a) {
  constexpr int words = partial_words<Program, plane_reductions<Program>>;
  return {a.workspace + a.planes.first_word + words * a.rows.size,
          a.planes.planes * a.planes.chunks};
}

// One thread leaves what the row is to its plane.
template <class Program, class Arguments>
__device__ __forceinline__ void leave_row(frame<Program> const& f, Arguments const& a,
                                          long long row) {
  for_each_selected<Program, plane_reductions<Program>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<Program, k>;
    auto value =
        static_cast<typename facts::operand>(value_of<facts::instruction::first_operand>(f));
    parts_of_rows<Program>(a).template put<k>(row, facts::op::lift(value));
  });
}

// Combines parts [first, first + count) in an order that depends on `count` alone.
// @pre all 32 lanes call it. @post the same bits in all lanes
template <class Program>
__device__ __forceinline__ void combine_parts(registers<Program, place::total>& to,
                                              plane_parts<Program> const& parts, long long first,
                                              long long count) {
  int const lane = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x) % 32;
  for_each_selected<Program, plane_reductions<Program>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<Program, k>;
    long_chain<typename facts::op, typename facts::state> all(facts::identity());
#pragma unroll 8
    for (long long i = lane; i < count; i += 32) all.take(parts.template get<k>(first + i));
    read_register<k>(to) = combine_lanes<typename facts::op, 32>(all.result());
  });
}

// One warp finishes a plane of which f.total holds the reductions.
template <class Program>
__device__ __forceinline__ void finish_plane(frame<Program> const& f,
                                             plane_arguments<Program> const& a, long long plane) {
  evaluate<place::plane, 0, max_nodes>(f);
  if ((threadIdx.x + threadIdx.y * blockDim.x) % 32 != 0) return;
  operand_offsets<Program> offsets;
  find_row<Program>(offsets, a, plane * a.planes.rows_per_plane);
  for_each_selected<Program, stored_at<Program, place::plane>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    store_one<k>(f, a, offsets.stores[program_traits<Program>::template at<k>::bits]);
  });
}

// All blocks, or the last one, combine chunks of rows; then the chunks, where a plane has several.
// @pre all threads of all blocks call it, whose rows have left their parts; blocks are whole warps;
// the tickets are 0. @post they are 0 again
template <class Program>
__device__ __forceinline__ void finish_planes(frame<Program> const& f,
                                              plane_arguments<Program> const& a) {
  plane_split const& split = a.planes;
  if (split.blocks_can_meet) {
    meet_all_blocks(a.workspace + plane_tickets);
  } else {
    __syncthreads();
    if (!draws_last_ticket(a.workspace + plane_tickets, gridDim.x)) return;
  }
  registers<Program, place::total> values;
  frame<Program> const of_plane{f.launch, f.row, f.element, values};
  long long const warps = blockDim.x * blockDim.y / 32,
                  blocks = split.blocks_can_meet ? gridDim.x : 1,
                  block = split.blocks_can_meet ? blockIdx.x : 0;
  long long const first = block * warps + (threadIdx.x + threadIdx.y * blockDim.x) / 32;
  for (long long unit = first; unit < split.planes * split.chunks; unit += blocks * warps) {
    long long const plane = split.chunks == 1 ? unit : unit / split.chunks;
    long long const done = (unit - plane * split.chunks) * rows_per_chunk,
                    left = a.rows.size > 0 ? split.rows_per_plane - done : 0;
    combine_parts<Program>(values, parts_of_rows<Program>(a), plane * split.rows_per_plane + done,
                           left < rows_per_chunk ? left : rows_per_chunk);
    if (split.chunks == 1)
      finish_plane<Program>(of_plane, a, plane);
    else
      for_each_selected<Program, plane_reductions<Program>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        if ((threadIdx.x + threadIdx.y * blockDim.x) % 32 == 0)
          parts_of_chunks<Program>(a).template put<k>(unit, read_register<k>(values));
      });
  }
  if (split.chunks == 1) return;
  if (split.blocks_can_meet) {
    meet_all_blocks(a.workspace + plane_tickets + 1);
  } else {
    __threadfence();
    __syncthreads();
  }
  for (long long plane = first; plane < split.planes; plane += blocks * warps) {
    combine_parts<Program>(values, parts_of_chunks<Program>(a), plane * split.chunks, split.chunks);
    finish_plane<Program>(of_plane, a, plane);
  }
}
#endif

}  // namespace tenon::detail
