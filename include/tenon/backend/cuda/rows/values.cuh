// SPDX-License-Identifier: Apache-2.0
#pragma once
// What rows have beside their elements: arguments, values loaded per row, stores per row, totals
// over the rows.

#include "tenon/backend/cuda/parts/cluster.cuh"
#include "tenon/backend/cuda/parts/gathered_rows.cuh"
#include "tenon/backend/cuda/parts/positions.cuh"
#include "tenon/backend/cuda/parts/run_arguments.cuh"
#include "tenon/backend/cuda/parts/slice_arguments.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"
#include "tenon/backend/cuda/planes/kernel.cuh"
#include "tenon/program/totals.hpp"

namespace tenon::detail {

template <class Program, class C>
using rows_arguments = std::conditional_t<
    C::group_dims == run_columns, run_arguments<Program>,
    std::conditional_t<
        C::group_dims == sliced_columns, slice_arguments<Program>,
        std::conditional_t<program_traits<Program>::has_planes, plane_arguments<Program>,
                           kernel_arguments<Program, max_rank, max_rank, 64>>>>;

#if defined(__CUDA_ARCH__)
// Groups of rows that the grid has at the same time.
template <class C> __device__ __forceinline__ unsigned groups_at_once() {
  return C::has_clusters ? clusters() : gridDim.x;
}

// Loads of one value per row, as they lie in memory.
template <class Program> struct row_loads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && i.where == place::row;
  }
  template <int K> using type = packed<storage_t<at<K>::type>, 1>;
};

template <class Program, class Values, class Arguments>
__device__ __forceinline__ void request_row_values(Values& values, Arguments const& a,
                                                   operand_offsets<Program> const& offsets,
                                                   bool is_inside) {
  for_each_selected<Program, row_loads<Program>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    read_register<k>(values) = {};
    load_packed<reuse::expected>(read_register<k>(values),
                                 load_address<Program, k>(a, offsets.loads[I::bits]), is_inside);
  });
}
template <class Program, class Values, class Arguments>
__device__ __forceinline__ void take_row_values(frame<Program> const& f, Values const& values,
                                                Arguments const& a,
                                                operand_offsets<Program> const& offsets,
                                                bool is_inside) {
  for_each_selected<Program, row_loads<Program>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    read_register<k>(f.row) =
        static_cast<typename I::value_type>(element_of(read_register<k>(values), 0));
  });
  take_row_positions<Program>(f, a, offsets, is_inside);
}

template <class Program>
using row_totals = long_chains<Program, totals_of_rows<Program>>;

// One thread writes the row's values, takes them into the totals and leaves them to its plane.
template <class Program, class Arguments>
__device__ __forceinline__ void end_row(frame<Program> const& f, Arguments const& a,
                                        operand_offsets<Program> const& offsets, long long row,
                                        row_totals<Program>& totals) {
  for_each_selected<Program, stored_at<Program, place::row>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    store_one<k>(f, a, offsets.stores[I::bits]);
  });
  for_each_selected<Program, totals_of_rows<Program>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using facts = reduction_facts<Program, k>;
    auto value =
        static_cast<typename facts::operand>(value_of<facts::instruction::first_operand>(f));
    read_register<k>(f.total) =
        facts::op::combine(read_register<k>(f.total), facts::op::lift(value));
  });
  totals.carry(f.total);
  if constexpr (program_traits<Program>::has_planes) leave_row<Program>(f, a, row);
}

template <class Program> __device__ __forceinline__ void start_totals(frame<Program> const& f) {
  for_each_selected<Program, reductions_of<Program, place::total, 0>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    read_register<k>(f.total) = reduction_facts<Program, k>::identity();
  });
}

// Finishes the planes, and combines the totals of all blocks; one thread writes these, and what is
// the same for all rows. HasMany: blocks, for combine_grid.
// @pre all threads of all blocks call it
template <int MaxThreads, bool HasMany = false, class Program, class Arguments>
__device__ __forceinline__ void end_launch(frame<Program> const& f, Arguments const& a,
                                           row_totals<Program> const& of_rows, int& buffer) {
  if constexpr (program_traits<Program>::has_planes) finish_planes<Program>(f, a);
  bool is_writer = threadIdx.x == 0 && threadIdx.y == 0;
  of_rows.finish(f.total);
  if constexpr (program_traits<Program>::has_total) {
    using totals = reductions_of<Program, place::total, 0>;
    if (!combine_grid<Program, totals, MaxThreads, false, HasMany>(f.total, a.workspace, buffer))
      return;
    evaluate<place::total, 0, max_nodes>(f);
    if (is_writer) store_all<place::total>(f, a);
  } else {
    is_writer = is_writer && blockIdx.x == 0;
  }
  if (is_writer) store_all<place::launch>(f, a);
}
#endif

}  // namespace tenon::detail
