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
  index_divider<32> by_group;  // of runs, where they lie along two axes
};

// It lies in front of the rest because kernels begin with it.
template <class Program> struct run_places {
  using traits = program_traits<Program>;
  column_runs runs;
  // Elements from the end of a run to the next one; 0 where there is one.
  long long load_leaps[at_least_one(traits::load_count)],
      store_leaps[at_least_one(traits::store_count)];
  // Of a group's last run more than that; 0 where there is one group.
  long long load_group_leaps[at_least_one(traits::load_count)],
      store_group_leaps[at_least_one(traits::store_count)];
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
    int const inner = a.columns.dims - 1;
    long long const length = inner > 0 ? layout.columns.extents[inner] : a.vectors * vector_width;
    long long const runs = inner > 1 ? layout.columns.extents[1] : 1ll << 30;
    for (int k = 0; k < traits::load_count; ++k)
      set_leaps(a.load_columns[k], inner, length, runs, a.load_leaps[k], a.load_group_leaps[k]);
    for (int k = 0; k < traits::store_count; ++k)
      set_leaps(a.store_columns[k], inner, length, runs, a.store_leaps[k], a.store_group_leaps[k]);
    a.runs.vectors = static_cast<int>(length / vector_width);
    a.runs.by_run = index_divider<32>::of(a.runs.vectors);
    a.runs.by_group = index_divider<32>::of(runs);
    return a;
  }
  // Whether 32 bits hold what lies between two runs.
  bool are_near() const {
    bool result = true;
    auto const look_at = [&](long long leap) {
      result = result && leap >= -(1ll << 31) && leap < 1ll << 31;
    };
    for (long long leap : this->load_leaps) look_at(leap);
    for (long long leap : this->store_leaps) look_at(leap);
    for (long long leap : this->load_group_leaps) look_at(leap);
    for (long long leap : this->store_group_leaps) look_at(leap);
    return result;
  }

 private:
  [[gnu::cold]] static void set_leaps(long long const (&strides)[max_rank], int inner,
                                      long long length, long long runs, long long& of_run,
                                      long long& of_group) {
    of_run = inner > 0 ? strides[inner - 1] - length : 0;
    of_group = inner > 1 ? strides[0] - runs * strides[1] : 0;
  }
  // Whether the columns are runs of vectors that lie one after the other in every operand, along
  // one axis or two.
  bool has_runs() const {
    bool result = this->tail == 0 && this->columns.dims <= 3 && this->vectors > 0 &&
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
