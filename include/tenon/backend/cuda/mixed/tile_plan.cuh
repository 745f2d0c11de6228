// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the tiles of a matrix whose rows and columns are only reduced: a function of its shape
// alone, because the order of the sums follows from it.

#include "tenon/backend/cuda/columns/plan.cuh"
#include "tenon/backend/cuda/mixed/tile_kernel.cuh"

TENON_ONCE_BEGIN
namespace tenon::detail {

// The strips of the columns and the parts of the rows.
struct tile_shape {
  long long lanes, strip_vectors, strips, rows_of_part, parts;
};

struct tile_sharing {
  static constexpr int threads = columns_sharing::threads;
  static constexpr long long blocks_wanted = columns_sharing::blocks_wanted;

  [[gnu::cold]] static tile_shape share_tiles(long long vectors, long long rows, int items) {
    tile_shape result{1, at_least(1, vectors), 1, 0, 1};
    while (result.lanes < 32 && result.lanes < vectors) result.lanes *= 2;
    if (vectors > 32) {
      // As wide as each other, of whole lines of the cache.
      result.strip_vectors = divide_up(divide_up(vectors, divide_up(vectors, 32)), 8) * 8;
      result.strips = divide_up(vectors, result.strip_vectors);
    }
    long long const height = threads / result.lanes,
                    most_parts = at_least(1, divide_up(rows, height * items));
    result.parts = best_parts(result.strips, rows, most_parts, height * items);
    result.rows_of_part =
        at_least(height, divide_up(divide_up(rows, result.parts), height) * height);
    result.parts = at_least(1, divide_up(rows, result.rows_of_part));
    return result;
  }

  // Threads side by side where `parts` parts are combined: one has eight of them at most, or those
  // above each other are many.
  [[gnu::cold]] static int lanes_of(long long parts) {
    int height = 1;
    while (height < 64 && 8 * height < parts) height *= 2;
    return threads / height;
  }

  // Between the words of one kind and of the next, so that four are moved at once.
  static constexpr long long in_fours(long long words) { return divide_up(words, 4) * 4; }

 private:
  // So many that the blocks have equal shares, as nearly as few tiles allow; what a tile leaves
  // costs as much as half the rows that its block has under way.
  [[gnu::cold]] static long long best_parts(long long strips, long long rows, long long most_parts,
                                            long long rows_under_way) {
    long long best = 1, least = 0;
    long long const end = clamped(divide_up(8 * blocks_wanted, strips), 1, most_parts);
    for (long long parts = 1; parts <= end; ++parts) {
      long long const cost =
          divide_up(strips * parts, blocks_wanted) * (divide_up(rows, parts) + rows_under_way / 2);
      if (parts == 1 || cost < least) best = parts, least = cost;
    }
    return best;
  }
};

struct tile_planner : tile_sharing {
  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call) {
    using words = tile_words<Program>;
    constexpr configuration chosen{.vector_width = element_operands<Program>::vector_width,
                                   .items = rows_at_once<Program>,
                                   .threads_per_block = threads};
    using arguments = tile_arguments<Program>;
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &mixed_tiles_kernel<Program, specialization_of<chosen>, build_hash, arguments>);
    result.chosen = chosen;
    result.why = "tiles of rows and columns, which meet along both sides";
    arguments a{};
    set_operands(a, layout, call, chosen.vector_width);
    tile_shape const shape = share_tiles(a.rows.size, a.columns.size, chosen.items);
    a.strip_vectors = static_cast<int>(shape.strip_vectors);
    a.tiles = static_cast<int>(shape.strips), a.slices = static_cast<int>(shape.parts);
    a.slice_length = shape.rows_of_part;
    a.column_lanes = lanes_of(shape.parts), a.row_lanes = lanes_of(shape.strips);
    a.column_stride = in_fours(a.rows.size * chosen.vector_width);
    a.row_stride = in_fours(a.columns.size);
    long long const of_columns = shape.parts * words::of_column * a.column_stride,
                    of_rows = shape.strips == 1 ? 0 : shape.strips * words::of_row * a.row_stride;
    a.first_row_word = first_partial + of_columns;
    a.first_total_word = a.first_row_word + of_rows;
    result.block =
        dim3(static_cast<unsigned>(shape.lanes), static_cast<unsigned>(threads / shape.lanes));
    long long most = blocks_wanted;
    if (program_traits<Program>::has_total && !has_late_totals<Program>)
      most = clamped(most, 1, most_parts<Program, all_totals<Program>>);
    result.grid = dim3(static_cast<unsigned>(clamped(shape.strips * shape.parts, 1, most)));
    long long const late_parts = 1 + divide_up(a.innermost, a.column_lanes * neighbours_finished) +
                                 divide_up(a.columns.size, a.row_lanes * neighbours_finished);
    long long of_totals = 0;
    if (has_early_totals<Program>) of_totals = words_of_totals<Program>(result.grid.x);
    if (has_late_totals<Program>) of_totals = words_of_totals<Program>(result.grid.x + late_parts);
    result.workspace_bytes =
        sizeof(unsigned) *
        static_cast<std::size_t>(first_partial + of_columns + of_rows + of_totals);
    prepare(result, a);
    return result;
  }

 private:
  // The matrix on its side: its columns become one axis of rows, whether or not they are.
  [[gnu::cold]] static bound_layout turned(bound_layout const& from) {
    bound_layout result = from;
    result.columns = from.rows;
    result.rows = {1, from.columns.size, {from.columns.size}};
    auto const turn = [&](auto const& operands, auto& to) {
      for (int k = 0; k < static_cast<int>(operands.size()); ++k) {
        for (int d = 0; d < max_rank; ++d) {
          to[k].column_strides[d] = operands[k].row_strides[d];
          to[k].row_strides[d] = 0;
        }
        to[k].row_strides[0] =
            from.columns.dims > 0 ? operands[k].column_strides[from.columns.dims - 1] : 0;
      }
    };
    turn(from.loads, result.loads), turn(from.stores, result.stores);
    return result;
  }

  template <class Program>
  [[gnu::cold]] static void set_operands(tile_arguments<Program>& a, bound_layout const& layout,
                                         bound_arguments const& call, int v) {
    columns_planner::set_operands<Program>(a, turned(layout), call, v, false);
    a.neighbours = a.group_of(layout.columns);
    a.is_one_axis = layout.columns.dims <= 1;
    a.is_plain = a.is_plain && a.is_one_axis, a.has_pieces = a.has_pieces && a.is_one_axis;
    a.is_whole = a.is_one_axis && a.rows.size > 0 && a.innermost >= v;
    visit_instructions<Program>([&](auto index) {
      using I = typename program_traits<Program>::template at<decltype(index)::value>;
      if constexpr (I::is_load && I::where == place::element)
        a.is_whole = a.is_whole && a.load_moves_whole[I::bits];
      for (int d = 0; d < layout.columns.dims; ++d) {
        if constexpr (I::is_load) a.load_rows[I::bits][d] = layout.loads[I::bits].column_strides[d];
        if constexpr (I::is_store)
          a.store_rows[I::bits][d] = layout.stores[I::bits].column_strides[d];
      }
    });
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
