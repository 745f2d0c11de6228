// SPDX-License-Identifier: Apache-2.0
#pragma once
// The configuration and the grid of the columns skeleton of rows of no whole number of vectors.

#include "tenon/backend/cuda/columns/folded.cuh"
#include "tenon/backend/cuda/columns/folded_share.cuh"
#include "tenon/backend/cuda/columns/kernel.cuh"
#include "tenon/backend/cuda/columns/operands.cuh"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct folded_columns_planner : columns_operands {
  // No function: the rows are not for it.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_folded(bound_layout const& layout,
                                             bound_arguments const& call) {
    constexpr int v = width<Program>, u = items<Program>;
    using arguments = columns_arguments<Program>;
    constexpr configuration all_rows{.vector_width = v,
                                     .items = u,
                                     .threads_per_block = threads,
                                     .is_looped = 1,
                                     .blocks = columns_blocks_held<Program, v>};
    cuda_plan result{};
    auto const share = folded_share::of(layout.rows.size, layout.columns.size, v, u);
    if (share.fold == 0) return result;
    result.function = reinterpret_cast<void const*>(
        &folded_columns_kernel<Program, specialization_of<all_rows>, build_hash, arguments>);
    result.chosen = all_rows;
    bool const is_folded = lies_together<Program>(layout);
    arguments a{};
    set_operands<Program>(a, is_folded ? folded(layout, share.fold) : layout, call, v, false);
    // All of it is of vectors of neighbours.
    a.has_pieces = a.has_pieces && a.innermost >= v;
    visit_instructions<Program>([&](auto index) {
      using I = typename program_traits<Program>::template at<decltype(index)::value>;
      if constexpr (I::is_load && I::where == place::element)
        a.has_pieces = a.has_pieces && a.load_along[I::bits] == 1;
    });
    result.why = is_folded ? "neighbouring threads on neighbouring rows, positions folded"
                           : "neighbouring threads on neighbouring rows, all rows in a block";
    a.tiles = 1, a.slices = static_cast<int>(share.slices);
    a.folded_rows = static_cast<int>(layout.rows.size);
    long long const heights = is_folded ? 1 : share.fold, height = share.height * heights,
                    lanes = a.rows.size < threads / height ? a.rows.size : threads / height;
    a.slice_length = share.slice_length * heights;
    result.block = dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(height));
    result.grid = dim3(static_cast<unsigned>(share.slices));
    if (share.slices > 1)
      result.workspace_bytes =
          sizeof(unsigned) *
          static_cast<std::size_t>(first_partial + share.slices * divide_up(a.folded_rows, 4) * 4);
    prepare(result, a);
    return result;
  }

 private:
  // Whether each position of every operand of elements begins where the one before it ends.
  template <class Program> [[gnu::cold]] static bool lies_together(bound_layout const& layout) {
    bool result = layout.rows.dims == 1 && layout.columns.dims == 1;
    visit_instructions<Program>([&](auto index) {
      using I = typename program_traits<Program>::template at<decltype(index)::value>;
      if constexpr (I::is_load && I::where == place::element) {
        operand_layout const& from = layout.loads[I::bits];
        result = result && from.row_strides[0] == 1 && from.column_strides[0] == layout.rows.size;
      }
    });
    return result;
  }
  // As many times fewer positions of more rows.
  [[gnu::cold]] static bound_layout folded(bound_layout layout, int fold) {
    layout.rows.size = layout.rows.extents[0] *= fold;
    layout.columns.size = layout.columns.extents[0] /= fold;
    for (operand_layout& from : layout.loads) from.column_strides[0] *= fold;
    return layout;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
