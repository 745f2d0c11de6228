// SPDX-License-Identifier: Apache-2.0
#pragma once
// The columns skeleton of rows of no whole number of vectors: `fold` neighbouring positions are
// whole vectors together, and each block has all rows.

#include "tenon/backend/cuda/columns/worker.cuh"
#include "tenon/backend/cuda/parts/slots.cuh"

namespace tenon {
namespace detail {
#if defined(__CUDA_ARCH__)

// The states of a block's threads, whose reduction is one of a word: those of all rows at one
// height lie next to each other in shared memory. Of positions that are folded a thread's vector
// has a part of the rows at fold heights; of others height y has positions y, y + height, ....
template <class Program, class C> struct folded_columns : columns_worker<Program, C> {
  using base = columns_worker<Program, C>;
  using base::v, base::a, base::offsets, base::rows, base::part;
  using reductions = reductions_of<Program, place::row, 1>;
  template <int K> using state = typename reduction_facts<Program, K>::state;

  // @pre the tickets are 0. @post those of tile 0 are again
  __device__ __forceinline__ void reduce() {
#pragma unroll 1
    do {
      base::template sweep<1>();
      put();
    } while (find_next_vector());
    __syncthreads();
    int const width = a.is_single ? static_cast<int>(a.innermost) / a.folded_rows : 1,
              heights = static_cast<int>(blockDim.y) * width;
    combine_heights(heights);
    if (a.slices > 1 && !combine_slices(heights)) return;
    end();
  }

 private:
  static __device__ __forceinline__ unsigned* memory() {
    return stacked_words<C::threads_per_block * v>();
  }
  static __device__ __forceinline__ int thread() {
    return static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
  }
  static __device__ __forceinline__ int threads() {
    return static_cast<int>(blockDim.x * blockDim.y);
  }
  // Vectors along the innermost axis of the rows, and their elements.
  __device__ __forceinline__ int inner() const { return static_cast<int>(a.innermost); }
  __device__ __forceinline__ int vectors() const { return (inner() + v - 1) / v; }

  // The thread's vector of the next tile of the block: rows of several axes have more of them.
  __device__ __forceinline__ bool find_next_vector() {
    if (++base::tile * blockDim.x >= a.rows.size) return false;
    offsets = {};
    base::find_vector();
    return true;
  }

  __device__ __forceinline__ void put() const {
    int const vector = static_cast<int>(base::tile * blockDim.x + threadIdx.x),
              count = part.count();
    int first = static_cast<int>(threadIdx.y);
    if (a.is_single)
      first = first * inner() + vector * v;
    else
      first = first * a.folded_rows + vector / vectors() * inner() + vector % vectors() * v;
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      state_vector<state<k>, v> all;
      state<k> mine[v];
#pragma unroll
      for (int i = 0; i < v; ++i) mine[i] = read_register<k>(rows[i]);
      all.set(mine);
      if (first % v == 0 && count >= v) {
        *reinterpret_cast<state_vector<state<k>, v>*>(memory() + first) = all;
      } else {
#pragma unroll
        for (int i = 0; i < v; ++i)
          if (i < count) memory()[first + i] = all.words[i];
      }
    });
  }

  // Eight heights at a time, into the place of the first of them. @pre, @post a barrier
  __device__ __forceinline__ void combine_heights(int heights) const {
    int const wide = a.folded_rows;
#pragma unroll 1
    for (int step = 1; step < heights; step *= 8) {
      int const count = (heights + 8 * step - 1) / (8 * step) * wide;
#pragma unroll 1
      for (int item = thread(); item < count; item += threads()) {
        int const height = item / wide * 8 * step;
        unsigned* const first = memory() + height * wide + item % wide;
        for_each_selected<Program, reductions>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          using facts = reduction_facts<Program, k>;
          state<k> all[8];
#pragma unroll
          for (int i = 0; i < 8; ++i) all[i] = facts::identity();
#pragma unroll
          for (int i = 0; i < 8; ++i)
            if (height + i * step < heights) all[i] = word_of<state<k>>(first[i * step * wide]);
          put_state(first, fold<typename facts::op>(all));
        });
      }
      __syncthreads();
    }
  }

  // @post true in the block that comes last, whose memory has a state of each row
  __device__ __forceinline__ bool combine_slices(int heights) const {
    // Of whole vectors of four, which several threads share, as many as a block has where positions
    // are folded.
    int const wide = a.folded_rows, fours = (wide + 3) / 4, all = heights * wide / v / fours,
              groups = all > 0 ? all : 1;
    unsigned* const partials = a.workspace + first_partial;
    for (int c = thread(); c < 4 * fours; c += threads())
      __stcg(partials + static_cast<int>(blockIdx.x) * 4 * fours + c, memory()[c]);
    __syncthreads();
    if (!draws_last_ticket(a.workspace, static_cast<unsigned>(a.slices))) return false;
#pragma unroll 1
    for (int item = thread(); item < groups * fours; item += threads()) {
      int const group = item / fours, four = item % fours * 4;
      for_each_selected<Program, reductions>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        state<k> left[4];
        combine_left<Program, k, 4>(left, partials + four, 4 * fours, 1, group, groups, a.slices);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          if (four + i < wide) put_state(memory() + group * wide + four + i, left[i]);
      });
    }
    __syncthreads();
    combine_heights(groups);
    return true;
  }

  // Each row by one thread.
  __device__ __forceinline__ void end() {
#pragma unroll 1
    for (int row = thread(); row < a.folded_rows; row += threads()) {
      int const outer = a.is_single ? 0 : row / inner(), at = row - outer * inner();
      base::find_row_stores(outer * vectors() + at / v);
      registers<Program, place::element> none;
      frame<Program> const f = base::frame_of(0, none);
      for_each_selected<Program, reductions>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(f.row) = word_of<state<k>>(memory()[row]);
      });
      evaluate<place::row, 1, 1>(f);
      for_each_selected<Program, stored_at<Program, place::row>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        constexpr int bits = program_traits<Program>::template at<k>::bits;
        store_one<k>(f, a, offsets.stores[bits] + at % v * a.store_along[bits]);
      });
    }
  }

  template <class State>
  static __device__ __forceinline__ void put_state(unsigned* to, State const& one) {
    *to = state_words<State>(one).words[0];
  }
};
#endif

}  // namespace detail

// Owners: block b has slice b of the positions of all rows; thread (x, y) positions y, y + height,
// ... of the slice of vector x, of all positions or of those folded. Registers: those of the
// columns kernel. Shared memory: a state per thread and row. Global memory: each operand is read
// once; slices meet in the workspace.
// @pre has_all_rows<C>, may_fold; ticket 0 is 0
// @post every store is written once; the split, and so the order of every sum, is a function of the
// shape; ticket 0 is 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    folded_columns_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> rows[C::vector_width];
  registers<Program, place::element> no_element;
  registers<Program, place::total> total;
  frame<Program> f{launch, rows[0], no_element, total};
  start_early(f, a);
  columns_worker<Program, C> const reading{{{a}, launch, total, rows}};
  folded_columns<Program, C> worker{reading};
  worker.begin();
  if (blockIdx.x + threadIdx.x + threadIdx.y == 0) store_all<place::launch>(f, a);
  worker.reduce();
#endif
}

}  // namespace tenon
