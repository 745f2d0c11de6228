// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the moved skeleton for rows of a warp or less, where all vectors of a call are whole.

#include "tenon/backend/cuda/moved/plan.cuh"
#include "tenon/backend/cuda/moved/rows.cuh"
#include "tenon/backend/rows_as_columns.hpp"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct moved_rows_planner : moved_planner {
  // Whether the sums are those of the skeleton that runs the expression otherwise: of the ordered
  // one where parts are stored. Of the rows skeleton the order is followed where elements are
  // exchanged between halves, of reductions that it combines in the same tree however many vectors
  // a thread has.
  template <class Program>
  static constexpr bool has_order = [] {
    bool result = program_traits<Program>::stores_parts;
    if constexpr (!program_traits<Program>::stores_parts && half_values<Program>::is_found) {
      result = true;
      visit_selected<Program, reductions_at<Program, place::row>>([&](auto selected) {
        using facts = reduction_facts<Program, decltype(selected)::value>;
        constexpr int width = element_operands<Program>::vector_width;
        result = result && !takes_many<typename facts::op, typename facts::operand, 2 * width>;
      });
    }
    return result;
  }();
  template <class Program>
  static constexpr bool moves = [] {
    using traits = program_traits<Program>;
    constexpr int width = element_operands<Program>::vector_width;
    return (width == moved_chain || width == 2 * moved_chain) && has_order<Program> &&
           moved_values<Program>::is_movement && traits::row_phases > 0 && !traits::has_total &&
           !traits::has_planes && !traits::has_scans && !traits::has_sorts && !traits::has_blocks;
  }();
  // What a warp of the ordered skeleton has at a time: with longer rows the trees would differ.
  static constexpr int longest_row = 256;

  // Five small blocks on a multiprocessor, where a vector of each operand leaves 96 registers to a
  // thread. H200, 4 x 4096 x (32 + 8) x 128 bf16: 161 us; with two large ones that ask for nothing
  // ahead 205.
  template <class Program>
  static constexpr int blocks_held =
      half_values<Program>::bytes_read* element_operands<Program>::vector_width <= 160 ? 5 : 1;

  // @post without a function where a row is another one, or some vector not whole
  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call) {
    constexpr configuration chosen = configured<Program, 128, blocks_held<Program>>;
    constexpr int of_thread = chosen.vector_width * half_values<Program>::parts;
    long long const columns = layout.columns.size, lanes = columns / of_thread;
    bool const is_tree = columns % of_thread == 0 && columns <= longest_row && lanes > 0 &&
                         lanes <= 32 && (lanes & (lanes - 1)) == 0;
    if (!program_traits<Program>::stores_parts && layout.columns.dims != 1) return {};
    if (!is_tree || layout.rows.size == 0 ||
        layout.rows.dims + layout.columns.dims > moved_dims<Program>)
      return {};
    return planned<Program, chosen>(
        rows_as_columns(layout), call, static_cast<int>(lanes),
        reinterpret_cast<void const*>(
            &moved_rows_kernel<Program, specialization_of<chosen>, build_hash>),
        half_values<Program>::is_found
            ? "rows of a warp or less, vectors of either half of an axis, whose place is found once"
              " for all their elements"
            : "rows of a warp or less, vectors whose place is found once for all their elements");
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
