// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a thread of the columns skeleton loads and stores once for each group of neighbouring
// columns, which is a row.

#include "tenon/backend/cuda/columns/meeting_arguments.cuh"
#include "tenon/backend/cuda/parts/row_offsets.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Calls visit(i, where its group lies, whether it is the group's first) for the thread's columns
// that are inside.
template <class Worker, class Visit>
__device__ __forceinline__ void for_each_group_row(Worker const& worker, Visit const& visit) {
  using program = typename Worker::program;
  auto const& a = static_cast<grouped_arguments<program> const&>(worker.a);
  long long const first = worker.vector() * Worker::v;
#pragma unroll
  for (int i = 0; i < Worker::v; i += Worker::joined) {
    if (i >= worker.part.left) break;
    auto const column = static_cast<unsigned long long>(first + i);
    auto const group = a.columns_of_group.quotient(column);
    operand_offsets<program> offsets;
    for_each_digit(a.groups, static_cast<long long>(group), [&](int d, long long position) {
      for_each_instruction<program>([&](auto index) {
        constexpr int k = decltype(index)::value;
        using I = typename program_traits<program>::template at<k>;
        if constexpr (operands_at<program, place::row>::loads(k))
          offsets.loads[I::bits] += position * a.load_rows[I::bits][d];
        if constexpr (operands_at<program, place::row>::stores(k))
          offsets.stores[I::bits] += position * a.store_rows[I::bits][d];
      });
    });
    visit(i, offsets, column == group * a.columns_of_group.divisor);
  }
}

template <class Worker> __device__ __forceinline__ void bring_group_rows(Worker& worker) {
  using program = typename Worker::program;
  using loads = loaded_at<program, place::row>;
  if constexpr (has_selected<program, loads>) {
    for_each_selected<program, loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int i = 0; i < Worker::rows_held; ++i) read_register<k>(worker.rows[i]) = {};
    });
    for_each_group_row(worker, [&](int i, auto const& offsets, bool) {
      for_each_selected<program, loads>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(worker.rows[i / Worker::joined]) = load_one<program, k>(
            worker.a, offsets.loads[program_traits<program>::template at<k>::bits]);
      });
    });
  }
}

// The thread that has the first column of a group writes what belongs to it.
template <class Worker> __device__ __forceinline__ void end_group_rows(Worker const& worker) {
  using program = typename Worker::program;
  using stores = stored_at<program, place::row>;
  if constexpr (has_selected<program, stores>) {
    for_each_group_row(worker, [&](int i, auto const& offsets, bool is_first) {
      if (!is_first) return;
      registers<program, place::element> none;
      for_each_selected<program, stores>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        store_one<k>(worker.frame_of(i, none), worker.a,
                     offsets.stores[program_traits<program>::template at<k>::bits]);
      });
    });
  }
}

}  // namespace tenon::detail
#endif
