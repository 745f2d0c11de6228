// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows wider than registers, cut into strips: each is swept like a row of its own, and leaves the
// rows' states, of which those of all strips become one when all blocks are done. H200, sums of
// rows and columns of 64 x 65536 f32: 36 us; with the states of the columns read and written with
// every row 80 us. Narrower rows stay whole: of 4096 x 4096 25.3 us, in strips 25.7 to 27.

#include "tenon/backend/cuda/mixed/arguments.cuh"
#include "tenon/backend/cuda/rows/values.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The block's next strip, if there are more than blocks. @pre all threads call it
template <class Worker> __device__ __forceinline__ bool takes_next_strip(Worker& worker) {
  if constexpr (Worker::is_cut) {
    if (worker.strip + worker.a.strips_at_once < worker.a.strips) {
      __syncthreads();  // nobody reads the states of the columns any more
      worker.take_strip(worker.strip + worker.a.strips_at_once);
      worker.rows_taken = 0;
      return true;
    }
  }
  return false;
}

// Where the words of a row's reductions lie: of all rows together, strip after strip.
template <class Worker> struct cut_rows_left {
  using program = typename Worker::program;
  using reductions = reductions_of<program, place::row, 1>;
  Worker const& worker;

  __device__ __forceinline__ unsigned* word(int number, int strip) const {
    auto const& a = worker.a;
    long long const columns = a.parts_of_column * worker.stride() * Worker::words_per_column;
    return a.workspace + first_partial + columns + worker.row +
           (strip * partial_words<program, reductions> + number) * a.rows.size;
  }
};

// By one thread: the row, or what the strip gave for it.
template <class Worker, class Totals>
__device__ __forceinline__ void end_row_or_part(Worker const& worker, Totals& totals) {
  using program = typename Worker::program;
  if constexpr (Worker::is_cut) {
    if (worker.a.strips > 1) {
      int number = 0;
      for_each_selected<program, typename cut_rows_left<Worker>::reductions>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        state_words<typename reduction_facts<program, k>::state> const mine(
            read_register<k>(worker.f.row));
        for (unsigned word : mine.words)
          __stcg(cut_rows_left<Worker>{worker}.word(number++, worker.strip), word);
      });
      return;
    }
  }
  end_row<program>(worker.f, worker.a, worker.offsets, worker.row, totals);
}

// Of as many rows as a block has threads.
template <class Worker>
__device__ __forceinline__ long long tiles_of_cut_rows(Worker const& worker) {
  if (!Worker::is_cut || worker.a.strips == 1) return 0;
  return divide_up(worker.a.rows.size, Worker::threads);
}
// A row of each thread. @pre what all blocks left is visible
template <class Worker, class Totals>
__device__ __forceinline__ void finish_cut_row(Worker& worker, long long row, Totals& totals) {
  using program = typename Worker::program;
  if constexpr (Worker::is_cut) {
    worker.begin(row);
    if (!worker.is_inside) return;
    int number = 0;
    for_each_selected<program, typename cut_rows_left<Worker>::reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<program, k>;
      long_chain<typename facts::op, typename facts::state> all(facts::identity());
#pragma unroll 4
      for (int strip = 0; strip < worker.a.strips; ++strip) {
        state_words<typename facts::state> theirs;
#pragma unroll
        for (int w = 0; w < theirs.count; ++w)
          theirs.words[w] = __ldcg(cut_rows_left<Worker>{worker}.word(number + w, strip));
        all.take(theirs.state());
      }
      number += state_words<typename facts::state>::count;
      read_register<k>(worker.f.row) = all.result();
    });
    evaluate<place::row, 1, 1>(worker.f);
    end_row<program>(worker.f, worker.a, worker.offsets, row, totals);
  }
}

}  // namespace tenon::detail
#endif
