// SPDX-License-Identifier: Apache-2.0
#pragma once
// The configuration and the grid of the columns skeleton whose neighbouring rows share something.

#include "tenon/backend/cuda/columns/brief_plan.cuh"
#include "tenon/backend/cuda/columns/shared.cuh"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct shared_columns_planner : brief_columns_planner {
  // No function: what some rows share their neighbours in memory do not.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_shared(bound_layout const& layout,
                                             bound_arguments const& call) {
    constexpr int v = shared_width<Program>, u = items_beside_shared<Program>;
    constexpr configuration sharing{.vector_width = v,
                                    .items = u,
                                    .threads_per_block = threads,
                                    .group_dims = shared_columns,
                                    .blocks = 2};
    cuda_plan result{};
    if (is_sooner_done<Program>(layout) || !is_shared_by_neighbours<Program>(layout)) return result;
    shared_arguments<Program> a{};
    set_operands<Program>(a, layout, call, v, false);
    result.function = reinterpret_cast<void const*>(
        &shared_columns_kernel<Program, specialization_of<sharing>, build_hash,
                               shared_arguments<Program>>);
    result.chosen = sharing;
    result.why = "neighbouring threads on neighbouring rows, which share some operands";
    long long const of_axis = divide_up(a.innermost, v), axes = a.rows.size / of_axis;
    long long lanes = 1;
    while (lanes < 32 && lanes < of_axis) lanes *= 2;
    auto const tiles = [&] { return axes * divide_up(of_axis, lanes); };
    // Narrow ones where blocks then have all positions, in two turns; 128 bytes of each, and twice
    // that where slices are combined, of more. H200, us, a softmax and weighted sums of 8 x 512 x
    // 1024 bf16 6.5 so, 8.7 by slices of tiles of 16, 10.3 of 8.
    bool const are_few = 4 * a.columns.size <= 2 * threads * u;
    long long const least_lanes = are_few ? 4 : may_slice_shared<Program> ? 16 : 8;
    while (lanes > least_lanes && tiles() < least_tiles) lanes /= 2;
    while (lanes < of_axis && leaves_enough(axes * divide_up(of_axis, 2 * lanes), 2 * lanes))
      lanes *= 2;
    a.vectors_of_axis = static_cast<int>(of_axis);
    a.tiles_of_axis = static_cast<int>(divide_up(of_axis, lanes));
    a.tiles = static_cast<int>(tiles());
    long long const step = threads / lanes * u;
    long long slices = 1;
    if (may_slice_shared<Program> && tiles() < ticket_count)
      slices = clamped(blocks_wanted / tiles(), 1, divide_up(a.columns.size, step));
    a.slice_length = divide_up(divide_up(a.columns.size, slices), step) * step;
    a.slices = static_cast<int>(divide_up(a.columns.size, a.slice_length));
    result.block = dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(threads / lanes));
    result.grid = dim3(static_cast<unsigned>(a.tiles * a.slices));
    long long partials = 0;
    if (a.slices > 1)
      partials =
          a.tiles * a.slices * lanes * v *
          partial_words<Program,
                        reductions_of<Program, place::row, program_traits<Program>::row_phases>>;
    leave_room(result, a, partials);
    prepare(result, a);
    return result;
  }

 protected:
  // For the words of slices, and of the totals of the values of all tiles.
  template <class Program>
  [[gnu::cold]] static void leave_room(cuda_plan& plan, columns_arguments<Program>& a,
                                       long long partials) {
    using totals = reductions_of<Program, place::total, 0>;
    a.first_total = first_partial + partials;
    if constexpr (program_traits<Program>::has_total)
      if (a.tiles > 1) partials += a.tiles * partial_words<Program, totals>;
    if (partials > 0)
      plan.workspace_bytes = sizeof(unsigned) * static_cast<std::size_t>(first_partial + partials);
  }

 private:
  static constexpr long long most_tiles = 1ll << 30;

  // Whether rows by themselves are. H200, us, one sum with weights, each row by itself and so:
  // 1000 x 1000 f32 4.2 (4.8), bf16 3.9 (4.5), 65536 x 64 f32 7.9 (8.5), 8 x 512 x 1024 bf16 5.9
  // (7.0), but 2^20 x 8 f32 12.0 (11.8), 65536 x 1024 bf16 56 (36); with a softmax 4 x 32 x 64 bf16
  // 3.4 (3.9), 8 x 512 x 1024 11.3 (6.5).
  template <class Program> [[gnu::cold]] static bool is_sooner_done(bound_layout const& layout) {
    constexpr long long least = only_reduces<Program> ? 1 << 23 : most_elements;
    return layout.rows.size * layout.columns.size < least;
  }
  // Whether all that some rows share is so along the innermost axis of the rows.
  template <class Program>
  [[gnu::cold]] static bool is_shared_by_neighbours(bound_layout const& layout) {
    int const inner = layout.rows.dims - 1;
    bool result = layout.rows.size > 0 && layout.columns.size > 0 && layout.rows.size <= most_tiles;
    visit_instructions<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (I::is_load && is_shared<Program>(k))
        result = result && layout.loads[I::bits].row_strides[inner] == 0;
    });
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
