// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the configuration and the grid of the flat skeleton.

#include "tenon/backend/cuda/flat/crossed_plan.cuh"
#include "tenon/backend/cuda/flat/one_block.cuh"
#include "tenon/backend/cuda/flat/resources.cuh"
#include "tenon/backend/cuda/flat/rows.cuh"
#include "tenon/backend/cuda/flat/shared_plan.cuh"
#include "tenon/backend/cuda/flat/sliced_plan.cuh"
#include "tenon/backend/cuda/flat/spanning_plan.cuh"
#include "tenon/backend/cuda/flat/staged_plan.cuh"
#include "tenon/backend/cuda/flat/stencil_plan.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/backend/cuda/parts/whole_operands.cuh"
#include "tenon/core/config.hpp"
#include "tenon/program/moved_values.hpp"
#include "tenon/schedule/full.hpp"
#include "tenon/schedule/pointwise.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct flat_planner {
  // Whether the moved skeleton has the program where its vectors are whole.
  template <class Program>
  static constexpr bool moves =
      moved_values<Program>::is_movement &&
      moved_values<Program>::slots <= element_operands<Program>::most_slots &&
      !program_traits<Program>::has_reduction &&
      (moved_values<Program>::has_found ? moved_values<Program>::widest < 16
                                        : element_operands<Program>::own_width > 1);
  static constexpr int widest_block = 1024;
  static constexpr long long least_of_widest_blocks = 1ll << 21;  // vectors
  // Whether vectors are contiguous over all elements, or repeated.
  template <class Program>
  [[gnu::cold]] static bool are_whole(bound_layout const& layout, bound_arguments const& call) {
    return has_whole_operands<Program>(
        flat_arguments<Program>::of(layout, call, flat_resources<Program>::width, work_split{}));
  }
  template <class Program, column_order Columns = column_order::any>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const&) {
    if constexpr (program_traits<Program>::has_reduction && has_slices<Program>)
      return sliced_planner<Program>::plan(layout, call);
    else
      return plan_flat<Program, Columns>(layout, call);
  }

 private:
  template <class Program, column_order Columns>
  [[gnu::cold]] static cuda_plan plan_flat(bound_layout const& layout,
                                           bound_arguments const& call) {
    constexpr int v = flat_resources<Program>::width, u = flat_resources<Program>::items;
    constexpr bool reduces = program_traits<Program>::has_reduction;
    // Of a reduction wide blocks with few accesses each: all of a multiprocessor's threads ask at
    // once, and few parts are left to combine. H200, one call: (x + y) of 4000 x 4000 f32 and its
    // sum 38.1 us against 39.7 with twice the accesses of half the threads, x * x of 2^20 f32 7.0
    // against 7.3, of 2^28 f32 235.9 both ways. Up to 1024 vectors one block has all.
    // States of several numbers leave registers for fewer threads (2^24 f32, their largest
    // element's position: 22.7 us). Of one operand two tiles are asked for at once, as far as all
    // blocks have two: 128 KB of a multiprocessor under way instead of 64. x * x of 2^28 f32 237.0
    // us (240.1), bf16 122.1 (122.9), of 2^24 f32 17.5 (17.7), of 2^22 in a graph 6.2 (6.1).
    constexpr bool is_wide = reduces && !has_large_states<Program>;
    constexpr configuration large{
        .vector_width = v,
        .items = is_wide && u > 1 ? u / 2 : u,
        .threads_per_block = is_wide                                      ? 512
                             : flat_resources<Program>::has_widest_blocks ? widest_block
                                                                          : 256,
        .blocks = takes_two_tiles<Program> ? 4 : flat_resources<Program>::blocks_of_one};
    // However the operands lie, a reduction has its elements from the same threads.
    constexpr bool takes_rows = !reduces && columns_allowed(Columns) == any_columns;
    constexpr configuration general{.vector_width = v,
                                    .items = reduces ? large.items
                                             : u > 2 ? 2
                                                     : u,
                                    .threads_per_block = reduces ? large.threads_per_block : 256,
                                    .group_dims = columns_allowed(Columns),
                                    .blocks = flat_resources<Program>::blocks_held};
    constexpr bool may_be_whole = v > 1 && !moves<Program>;
    if constexpr (may_be_whole || !takes_rows) {
      auto const operands = flat_arguments<Program>::of(layout, call, v, work_split{});
      if constexpr (may_be_whole)
        if (has_whole_operands<Program>(operands)) {
          using of_shared = shared_rows_planner<Program, v>;
          if constexpr (of_shared::pays)
            if (of_shared::may_take(operands)) return of_shared::plan(operands);
          return planned<Program, large>(operands, program_traits<Program>::has_repeated
                                                       ? "contiguous vectors, others repeated"
                                                       : "contiguous vectors");
        }
      if constexpr (!takes_rows)
        return planned<Program, general>(operands, why_general<Program>(operands));
    }
    if constexpr (takes_rows) return plan_rows<Program>(layout, call);
  }
  template <class Program, class Arguments>
  [[gnu::cold]] static char const* why_general(Arguments const& a) {
    return flat_resources<Program>::is_bound_by_arithmetic ? why_elements<Program>
           : a.has_strided      ? "single elements: an operand is strided"
           : a.moves_elements() ? "parts of vectors: an operand is misaligned"
           : a.tail != 0        ? "contiguous vectors, the last one in part"
                                : "vectors along the innermost axis, others repeated";
  }
  template <class Program>
  static constexpr char const* why_elements =
      flat_resources<Program>::is_bound_by_arithmetic
          ? "single elements: arithmetic is the bound"
          : "single elements of rows, in turn: an operand is misaligned or strided";

  // Of operands that are not contiguous over all elements.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_rows(bound_layout const& layout,
                                           bound_arguments const& call) {
    constexpr configuration vectors{.vector_width = flat_resources<Program>::row_width,
                                    .items = flat_resources<Program>::has_narrow_rows
                                                 ? flat_resources<Program>::narrow_vectors
                                                 : flat_resources<Program>::row_vectors,
                                    .threads_per_block = 256,
                                    .group_dims = any_columns};
    constexpr configuration elements{.vector_width = 1,
                                     .items = flat_elements_of_thread<Program>,
                                     .threads_per_block = 256,
                                     .group_dims = any_columns,
                                     .blocks = flat_resources<Program>::blocks_of_one_axis};
    constexpr configuration of_two_axes{.vector_width = 1,
                                        .items = elements.items,
                                        .threads_per_block = 256,
                                        .group_dims = any_columns,
                                        .index_bits = 32,
                                        .blocks = flat_resources<Program>::blocks_of_elements};
    cuda_plan crossed;
    if constexpr (may_be_crossed<Program>) crossed = crossed_planner<Program>::plan(layout, call);
    // What follows from positions alone is moved one by one where its vectors are not whole.
    if constexpr (vectors.vector_width > 1 &&
                  (!moves<Program> || moved_values<Program>::has_found)) {
      auto const operands =
          flat_row_arguments<Program, vectors.vector_width, vectors.items>::of(layout, call);
      if constexpr (may_be_staged<Program>)
        if (operands.all_threads > 0) {
          cuda_plan const of_pieces =
              staged_planner<Program, flat_resources<Program>::row_width>::plan(layout, call);
          if (of_pieces.function) return of_pieces;
        }
      if (operands.all_threads > 0 && !(crossed.function && operands.moves_together()))
        return planned_rows<Program, vectors>(
            operands, operands.moves_together()
                          ? "vectors of rows, in turn; what lies between each other's elements is "
                            "moved together"
                          : "vectors of rows, in turn");
    }
    if constexpr (has_stencil<Program>) {
      cuda_plan const of_neighbours = stencil_planner<Program>::plan(layout, call);
      if (of_neighbours.function) return of_neighbours;
    }
    if (crossed.function) return crossed;
    if constexpr (spanning_planner<Program>::may_span) {
      auto const operands =
          flat_arguments<Program>::of(layout, call, flat_resources<Program>::width, work_split{});
      if (spanning_planner<Program>::may_take(operands))
        return spanning_planner<Program>::plan(operands);
    }
    auto const operands = flat_row_arguments<Program, 1, elements.items>::of(layout, call);
    if constexpr (has_kernel_of_two_axes<Program>)
      if (operands.has_two_axes)
        return planned_rows<Program, of_two_axes>(operands, why_elements<Program>);
    return planned_rows<Program, elements>(operands, why_elements<Program>);
  }
  template <class Program, configuration C, class Arguments>
  [[gnu::cold]] static cuda_plan planned_rows(Arguments const& operands, char const* why) {
    cuda_plan result;
    result.function =
        reinterpret_cast<void const*>(&flat_rows_kernel<Program, specialization_of<C>, build_hash>);
    result.chosen = C;
    result.why = why;
    result.grid = dim3(static_cast<unsigned>(
        clamped(divide_up(operands.all_threads, C.threads_per_block), 1, most_blocks)));
    result.block = dim3(C.threads_per_block);
    prepare(result, operands);
    return result;
  }
  // Threads and blocks for so many vectors, at most `most` blocks.
  [[gnu::cold]] static void set_threads(cuda_plan& plan, long long vectors, long long most) {
    configuration const& c = plan.chosen;
    int const threads = c.threads_per_block < widest_block || vectors >= least_of_widest_blocks
                            ? c.threads_per_block
                            : 256;
    long long const tiles = divide_up(vectors, static_cast<long long>(threads) * c.items);
    plan.grid = dim3(static_cast<unsigned>(clamped(tiles, 1, most)));
    plan.block = dim3(static_cast<unsigned>(threads));
  }
  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan planned(flat_arguments<Program> const& operands, char const* why) {
    constexpr bool reduces = program_traits<Program>::has_reduction;
    using special = specialization_of<C>;
    using parameters = flat_parameters<Program, special>;
    cuda_plan result;
    result.function =
        reinterpret_cast<void const*>(&flat_kernel<Program, special, build_hash, parameters>);
    result.chosen = C;
    result.why = why;
    set_threads(result, operands.vectors,
                reduces ? most_parts<Program, reductions_of<Program, place::row, 1>> : most_blocks);
    if constexpr (C.group_dims == packed_columns && may_be_one_block<Program>)
      if (result.grid.x > 1 && result.grid.x <= tiles_of_one_block<Program, C.items>) {
        result.function = reinterpret_cast<void const*>(
            &one_block_kernel<Program, special, build_hash, parameters>);
        result.grid.x = 1;
      }
    if constexpr (reduces) add_slots(result);
    if constexpr (requires { parameters::of(operands); })
      prepare(result, parameters::of(operands));
    else
      prepare(result, operands);
    return result;
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::pointwise> : detail::flat_planner {};
template <> struct cuda_skeleton<&schedules::full> : detail::flat_planner {};
}  // namespace tenon
TENON_ONCE_END
