// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the configuration and the grid of the rows skeleton.

#include "tenon/backend/cuda/columns_plan.cuh"
#include "tenon/backend/cuda/plan_base.cuh"
#include "tenon/backend/cuda/rows.cuh"
#include "tenon/program/visit.hpp"
#include "tenon/schedule/nested.hpp"
#include "tenon/schedule/rows.hpp"

namespace tenon::detail {

struct rows_planner {
  // Elements of a row that one thread keeps: about 64 registers of operands.
  template <class Program>
  static constexpr int values = residency<Program>::kept_bytes <= 8    ? 32
                                : residency<Program>::kept_bytes <= 16 ? 16
                                                                       : 8;
  static constexpr int at_least_one_item(int values, int width) {
    return values > width ? values / width : 1;
  }
  static constexpr int widest_block = 512;
  // Rows fastest keeps the state of every reduction twice per thread in shared memory, of which a
  // kernel has 48 KB without asking.
  template <class Program>
  static constexpr int bytes_per_thread = [] {
    int bytes = 0;
    visit_instructions<Program>([&](auto index) {
      using I = typename program_traits<Program>::template at<decltype(index)::value>;
      if constexpr (I::is_reduction && I::where == place::row)
        bytes += 2 * static_cast<int>(sizeof(typename I::value_type));
    });
    return bytes;
  }();
  template <class Program>
  static constexpr int threads_that_share = [] {
    int threads = widest_block;
    while (threads > 32 && bytes_per_thread<Program> * threads > 47 * 1024) threads /= 2;
    return threads;
  }();

  template <class Program>
  [[gnu::cold]] static cuda_plan<Program> plan(bound_layout<Program> const& layout,
                                               bound_arguments<Program> const& call,
                                               cuda_device_facts const&) {
    constexpr int v = element_operands<Program>::vector_width;
    constexpr int loads = element_operands<Program>::loads;
    long long n = layout.columns.size;
    if (layout.rows.size == 0 && !program_traits<Program>::has_total &&
        !stores_at<Program>::template has<place::launch>)
      return plan_of_nothing<Program>("no rows: no launch");
    if (rows_are_neighbours(layout, call)) return columns_planner::plan<Program>(layout, call);
    if constexpr (v > 1) {
      if (moves_as_vectors(layout, call, false)) {
        if (layout.columns.dims == 1) {
          constexpr configuration eighth{.vector_width = v,
                                         .items = at_least_one_item(16, v),
                                         .threads_per_block = 128,
                                         .lanes_per_row = 8};
          constexpr configuration warp{.vector_width = v,
                                       .items = at_least_one_item(16, v),
                                       .threads_per_block = 128,
                                       .lanes_per_row = 32};
          constexpr configuration block{.vector_width = v,
                                        .items = at_least_one_item(values<Program>, v),
                                        .threads_per_block = widest_block};
          if (n <= capacity(eighth))
            return planned<Program, eighth>(layout, "row in registers of 8 threads");
          if (n <= capacity(warp))
            return planned<Program, warp>(layout, "row in registers of a warp");
          if (n <= capacity(block))
            return planned<Program, block>(layout, "row in registers of one or more warps");
        }
        constexpr configuration looped{.vector_width = v,
                                       .items = loads <= 1   ? 4
                                                : loads <= 3 ? 2
                                                             : 1,
                                       .threads_per_block = widest_block,
                                       .group_dims = max_rank,
                                       .is_looped = 1};
        return planned<Program, looped>(layout, "row read again in each phase");
      }
    }
    if (columns_are_contiguous(layout, call)) {
      constexpr configuration eighth{.items = 4, .threads_per_block = 128, .lanes_per_row = 8};
      constexpr configuration block{.items = values < Program >> 16 ? 16 : values<Program>,
                                    .threads_per_block = widest_block};
      if (n <= capacity(eighth))
        return planned<Program, eighth>(layout, "single elements, row in registers of 8 threads");
      if (n <= capacity(block))
        return planned<Program, block>(layout,
                                       "single elements, row in registers of one or more warps");
    }
    constexpr configuration looped{
        .items = 4, .threads_per_block = widest_block, .group_dims = max_rank, .is_looped = 1};
    return planned<Program, looped>(layout, "single elements, row read again in each phase");
  }

 private:
  static constexpr long long capacity(configuration const& c) {
    long long lanes = c.lanes_per_row > 0 ? c.lanes_per_row : c.threads_per_block;
    return lanes * c.items * c.vector_width;
  }

  // The split of rows over blocks and of columns over threads follows from the shape and the
  // configuration alone.
  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan<Program> planned(bound_layout<Program> const& layout,
                                                  char const* why) {
    cuda_plan<Program> result;
    result.function =
        reinterpret_cast<void const*>(&rows_kernel<Program, specialization_of<C>, build_hash,
                                                   rows_arguments<Program, specialization_of<C>>>);
    result.chosen = C;
    result.why = why;
    long long vectors = layout.columns.size / C.vector_width, lanes = C.lanes_per_row,
              rows_per_group;
    if constexpr (C.is_rows_fastest) {
      lanes = clamped(divide_up(vectors, C.items), 1, C.threads_per_block / 32);
      rows_per_group = 32;
      result.block = dim3(32, static_cast<unsigned>(lanes));
    } else {
      if (C.lanes_per_row == 0) {
        long long warps =
            clamped(divide_up(vectors, 32 * C.items), 1, C.threads_per_block / 32);
        result.split.warps_per_row = static_cast<int>(warps);
        lanes = 32 * warps;
      }
      rows_per_group = at_least(1, 128 / lanes);
      result.block = dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(rows_per_group));
    }
    result.split.column_tiles = divide_up(vectors, lanes * C.items);
    long long groups = divide_up(layout.rows.size, rows_per_group);
    long long most = program_traits<Program>::has_total
                         ? most_parts<Program, reductions_of<Program, place::total, 0>>
                         : most_blocks;
    result.split.groups_per_block = at_least(1, divide_up(groups, most));
    result.grid = dim3(static_cast<unsigned>(
        at_least(1, divide_up(groups, result.split.groups_per_block))));
    if constexpr (program_traits<Program>::has_total)
      add_slots(result);
    prepare_arguments<Program, rows_arguments<Program, specialization_of<C>>>(result, layout);
    return result;
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::rows> : detail::rows_planner {};
template <> struct cuda_skeleton<&schedules::nested> : detail::rows_planner {};
}  // namespace tenon
