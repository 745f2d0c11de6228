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

// It lies in front of the rest because kernels begin with it.
template <class Program> struct run_places {
  using traits = program_traits<Program>;
  column_runs runs;
  // Elements from the end of a run to the next one; 0 where there is one.
  long long load_leaps[at_least_one(traits::load_count)],
      store_leaps[at_least_one(traits::store_count)];
};

template <class Program>
struct run_arguments : run_places<Program>, kernel_arguments<Program, max_rank, max_rank, 64> {
  using base = kernel_arguments<Program, max_rank, max_rank, 64>;
  using typename base::traits;

  [[gnu::cold]] static run_arguments of(bound_layout const& layout, bound_arguments const& call,
                                        int vector_width, work_split const& split = {}) {
    run_arguments a{};
    static_cast<base&>(a) = base::of(layout, call, vector_width, split);
    if (!a.has_runs()) return a;
    if (a.columns.dims > 1) {
      long long const length = layout.columns.extents[1];
      for (int k = 0; k < traits::load_count; ++k) a.load_leaps[k] = a.load_columns[k][0] - length;
      for (int k = 0; k < traits::store_count; ++k)
        a.store_leaps[k] = a.store_columns[k][0] - length;
    }
    a.runs.vectors =
        static_cast<int>(a.columns.dims > 1 ? layout.columns.extents[1] / vector_width : a.vectors);
    a.runs.by_run = index_divider<32>::of(a.runs.vectors);
    return a;
  }

 private:
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
