// SPDX-License-Identifier: Apache-2.0
#pragma once
// A team of threads that works on rows of its own, and how it finds the totals of what all teams,
// or those of a plane, have found.

#include "tenon/backend/cuda/grid/states.cuh"
#include "tenon/backend/cuda/parts/tile_requests.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Stores what belongs to the plane whose first row is `row`.
template <class Program, class Arguments>
__device__ __forceinline__ void store_plane(frame<Program> const& f, Arguments const& a,
                                            long long row) {
  for_each_selected<Program, stored_at<Program, place::total>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    long long offset = 0;
    for_each_digit(a.rows, row, [&](int d, long long position) {
      offset += position * a.store_rows[program_traits<Program>::template at<k>::bits][d];
    });
    store_one<k>(f, a, offset);
  });
}

template <class Program, class C> struct grid_team {
  static constexpr int threads = C::threads_per_block;
  template <int Phase> using totals = reductions_ending<Program, place::total, Phase>;

  grid_arguments<Program> const& a;
  frame<Program> const& f;
  int lane, lanes;     // this thread among those of its team
  int buffer = 0;      // of the shared states
  long long row = -1;  // that the team is in
  grid_states<Program> of_all{a};

  // The totals of a phase from the chunks' parts, and what follows from them.
  // @pre all blocks have done the phase
  template <int Phase> __device__ __forceinline__ void finish_totals() {
    if constexpr (has_selected<Program, totals<Phase>>) {
      take_chunks<Phase, threads>(0, a.grid.chunks, threadIdx.x, threads);
      combine_block<Program, totals<Phase>, threads, true>(f.total, buffer);
    }
    evaluate<place::total, Phase, Phase>(f);
  }

  // What the plane of the next row has come to in the phases before this one; of the plane that the
  // team has been in that is what the last of them has found.
  // @pre all threads of the team call it. @post the same bits in all teams of the plane
  template <int Phase>
  __device__ __forceinline__ void enter_plane(long long next_row, bool is_known) {
    bool const is_other = row < 0 || plane_of(next_row) != plane_of(row);
    long long const plane = plane_of(next_row);
    [&]<int... Before>(std::integer_sequence<int, Before...>) {
      ((is_other || (Before + 2 == Phase && !is_known) ? finish_plane<Before + 1>(plane) : void()),
       ...);
    }
    (std::make_integer_sequence<int, Phase - 1>{});
  }
  // Of the row that the team is in.
  __device__ __forceinline__ bool is_first_of_plane() const {
    return row == plane_of(row) * levels().rows_per_plane;
  }

 private:
  __device__ __forceinline__ level_arguments<Program> const& levels() const {
    return static_cast<level_arguments<Program> const&>(a);
  }
  // Found again rather than held.
  __device__ __forceinline__ long long plane_of(long long of) const {
    return of / levels().rows_per_plane;
  }
  // A thread's part of the chunks first, first + 1, ... : every lanes-th.
  template <int Phase, int Lanes>
  __device__ __forceinline__ void take_chunks(long long first, int count, int lane, int lanes) {
    for_each_selected<Program, totals<Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value, at_once = 4;
      using facts = reduction_facts<Program, k>;
      long_chain<typename facts::op, typename facts::state> all(facts::identity());
      if (Lanes > 0) lanes = Lanes;
#pragma unroll 1
      for (int chunk = lane; chunk < count; chunk += at_once * lanes) {
        typename facts::state some[at_once];
        int const live = (count - chunk + lanes - 1) / lanes;
        of_all.template take<k>(some, live, first + chunk, lanes);
#pragma unroll
        for (int i = 0; i < at_once; ++i)
          if (i < live) all.take(some[i]);
      }
      read_register<k>(f.total) = all.result();
    });
  }
  template <int Phase> __device__ __forceinline__ void finish_plane(long long plane) {
    if constexpr (has_selected<Program, totals<Phase>>) {
      int const count = levels().chunks_per_plane;
      take_chunks<Phase, 0>(plane * count, count, lane, lanes);
      if (lanes == 32)
        for_each_selected<Program, totals<Phase>>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          auto& total = read_register<k>(f.total);
          total = combine_lanes<typename reduction_facts<Program, k>::op, 32>(total);
        });
      else
        combine_block<Program, totals<Phase>, threads, true>(f.total, buffer);
    }
    evaluate<place::total, Phase, Phase>(f);
  }
};

}  // namespace tenon::detail
#endif
