// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the teams tell each other: the states of all units, and of all chunks of rows, in the
// workspace, one slot for each word.

#include "tenon/backend/cuda/grid/arguments.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program> class grid_states {
  grid_arguments<Program> const& a_;
  bool has_left_ = false;
  unsigned left_ = 0;  // how many blocks had left before

  __device__ __forceinline__ unsigned long long* slots() const {
    return reinterpret_cast<unsigned long long*>(a_.workspace + a_.grid.first_state);
  }
  // The first slot of number `number` among those of a place, or of its reduction K.
  template <place Where, int K = program_traits<Program>::size>
  __device__ __forceinline__ long long slot_of(long long number) const {
    constexpr int of_unit = state_words_before<Program, place::row>;
    long long const first = Where == place::row ? 0 : a_.row_count * a_.grid.segments * of_unit;
    return first + number * state_words_before<Program, Where> +
           state_words_before<Program, Where, K>;
  }

 public:
  __device__ __forceinline__ explicit grid_states(grid_arguments<Program> const& a) : a_(a) {}

  // Reduction K's state of unit or chunk `number`. By one thread.
  template <int K, class State>
  __device__ __forceinline__ void put(long long number, State const& state) const {
    constexpr place where = program_traits<Program>::template at<K>::where;
    unsigned long long* to = slots() + slot_of<where, K>(number);
    for (unsigned word : state_words<State>(state).words) fill_slot(to++, word);
  }
  // Those of `number`, `number + step` and so on, the first `live` of N; waits for them where no
  // meeting has.
  template <int K, class State, int N>
  __device__ __forceinline__ void take(State (&to)[N], int live, long long number,
                                       int step = 1) const {
    constexpr place where = program_traits<Program>::template at<K>::where;
    unsigned long long const* from = slots() + slot_of<where, K>(number);
    step *= state_words_before<Program, where>;
    state_words<State> all[N];
    bool is_there;
    do {
      is_there = true;
#pragma unroll
      for (int i = 0; i < N; ++i)
        if (i < live)
#pragma unroll
          for (int w = 0; w < all[i].count; ++w) {
            unsigned long long const found = look_at_slot(from + i * step + w);
            all[i].words[w] = static_cast<unsigned>(found);
            is_there = is_there && is_filled(found);
          }
    } while (!is_there);
#pragma unroll
    for (int i = 0; i < N; ++i)
      if (i < live) to[i] = all[i].state();
  }
  // Who is the last to leave is known some time later. @pre the block takes nothing more, and all
  // of its threads have what they took
  __device__ __forceinline__ void leave() {
    has_left_ = true;
    if (threadIdx.x == 0)
      asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
                   : "=r"(left_)
                   : "l"(a_.workspace), "r"(gridDim.x - 1)
                   : "memory");
  }
  // The block that left last empties the slots. @pre all threads call it, who take nothing more
  __device__ __forceinline__ void end() {
    if (!a_.grid.is_marked()) return;
    if (!has_left_) {
      __syncthreads();
      leave();
    }
    if (threadIdx.x >= 32 || __shfl_sync(~0u, left_, 0) + 1 != gridDim.x) return;
    int const count = static_cast<int>(slot_of<place::total, 0>(a_.grid.chunks));
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < count; i += 32) slots()[i] = 0;
  }
};

}  // namespace tenon::detail
#endif
