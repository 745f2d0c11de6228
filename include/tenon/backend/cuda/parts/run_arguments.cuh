// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of kernels whose columns may be runs of vectors at a stride.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"

namespace tenon::detail {

// The division that tells the runs apart; `vectors` is 0 where operands have no such vectors, or
// there are 2^30.
struct column_runs {
  int vectors = 0;  // that lie one after the other in every operand: all of the columns, or a run
  index_divider<32> by_run;
};

template <class Program> struct run_arguments : kernel_arguments<Program, max_rank, max_rank, 64> {
  using base = kernel_arguments<Program, max_rank, max_rank, 64>;
  column_runs runs;

  [[gnu::cold]] static run_arguments of(bound_layout const& layout, bound_arguments const& call,
                                        int vector_width) {
    run_arguments a{base::of(layout, call, vector_width, {})};
    if (!a.has_runs()) return a;
    a.runs.vectors =
        static_cast<int>(a.columns.dims > 1 ? layout.columns.extents[1] / vector_width : a.vectors);
    a.runs.by_run = index_divider<32>::of(a.runs.vectors);
    return a;
  }

  // Elements from the end of a run to the next one. @pre the columns are runs, of two axes if they
  // are several
  __device__ __forceinline__ long long load_leap(int k) const {
    return this->load_columns[k][0] - run_length();
  }
  __device__ __forceinline__ long long store_leap(int k) const {
    return this->store_columns[k][0] - run_length();
  }

 private:
  __device__ __forceinline__ long long run_length() const {
    return static_cast<long long>(this->columns.by[1].divisor);
  }
  // Whether the columns are runs of vectors that lie one after the other in every operand.
  bool has_runs() const {
    bool result = this->tail == 0 && this->columns.dims <= 2 && this->vectors > 0 &&
                  this->vectors < 1ll << 30;
    auto is_moved_whole = [](access how) {
      return how == access::packed || how == access::blocked;
    };
    for (access how : this->load_access) result = result && is_moved_whole(how);
    for (access how : this->store_access) result = result && is_moved_whole(how);
    return result;
  }
};

}  // namespace tenon::detail
