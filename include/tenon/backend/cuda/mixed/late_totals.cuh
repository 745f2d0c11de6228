// SPDX-License-Identifier: Apache-2.0
#pragma once
// Totals of what is known when all blocks have met: each share of the columns or rows leaves what
// it has of them, and the block that comes last combines them, in their order.

#include "tenon/backend/cuda/parts/last_blocks.cuh"
#include "tenon/backend/cuda/rows/values.cuh"

namespace tenon::detail {

template <class Program> using all_totals = reductions_of<Program, place::total, 0>;

// Of `parts` parts that leave some.
template <class Program> constexpr long long words_of_totals(long long parts) {
  return parts * partial_words<Program, all_totals<Program>>;
}

#if defined(__CUDA_ARCH__)
// Which block finishes a share is a matter of time; what a share leaves, and where, is not.
template <class Program, int Threads> class late_totals {
  frame<Program> const& f_;
  row_totals<Program>& of_rows_;
  int& buffer_;
  unsigned *counter_, *words_;
  unsigned parts_;

  static __device__ __forceinline__ unsigned thread() {
    return threadIdx.x + threadIdx.y * blockDim.x;
  }
  __device__ __forceinline__ void combine_threads() const {
    combine_block<Program, all_totals<Program>, Threads>(f_.total, buffer_);
  }

 public:
  // `words` is where `parts` parts are left.
  __device__ __forceinline__ late_totals(frame<Program> const& f, row_totals<Program>& of_rows,
                                         int& buffer, unsigned* workspace, unsigned* words,
                                         unsigned parts)
      : f_(f),
        of_rows_(of_rows),
        buffer_(buffer),
        counter_(workspace + last_blocks::words),
        words_(words),
        parts_(parts) {}

  // What the block's threads have taken in, as part number `part`; then they begin anew.
  // @pre all threads of the block call it
  __device__ __forceinline__ void leave(unsigned part) const {
    of_rows_.finish(f_.total);
    combine_threads();
    if (thread() == 0) {
      unsigned* to = words_ + part;
      for_each_selected<Program, all_totals<Program>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        state_words<typename reduction_facts<Program, k>::state> const mine(
            read_register<k>(f_.total));
        for (unsigned word : mine.words) __stcg(to, word), to += parts_;
      });
    }
    start_totals(f_);
    of_rows_.clear();
  }
  // The same of one of `shares` shares; the last one combines all parts, evaluates and stores.
  // @pre what all blocks left before they met is visible
  template <class Arguments>
  __device__ __forceinline__ void leave_share(unsigned part, unsigned shares, Arguments const& a) {
    leave(part);
    if (!draws_last_ticket(counter_, shares)) return;
    unsigned const* from = words_;
    for_each_selected<Program, all_totals<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using facts = reduction_facts<Program, k>;
      using words = state_words<typename facts::state>;
      long_chain<typename facts::op, typename facts::state> all(facts::identity());
#pragma unroll 2
      for (unsigned part = thread(); part < parts_; part += Threads) {
        words theirs;
#pragma unroll
        for (int w = 0; w < words::count; ++w) theirs.words[w] = __ldcg(from + w * parts_ + part);
        all.take(theirs.state());
      }
      from += words::count * parts_;
      read_register<k>(f_.total) = all.result();
    });
    combine_threads();
    evaluate<place::total, 0, max_nodes>(f_);
    if (thread() == 0) store_all<place::total>(f_, a);
  }
};

// A column whose values are in the frame goes to the totals.
template <class Program>
__device__ __forceinline__ void take_in_column(frame<Program> const& column,
                                               registers<Program, place::total>& totals) {
  for_each_selected<Program, totals_of_columns<Program>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<Program, k>;
    auto const value =
        static_cast<typename facts::operand>(value_of<facts::instruction::first_operand>(column));
    read_register<k>(totals) = facts::op::combine(read_register<k>(totals), facts::op::lift(value));
  });
}
#endif

}  // namespace tenon::detail
