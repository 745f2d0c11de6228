// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the flat kernel of an element's neighbours is passed: which axis of a call they are in
// neighbouring rows along, and which part of each plane of these a block has.

#include "tenon/backend/columns_as_rows.hpp"
#include "tenon/backend/cuda/flat/stencil_groups.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Columns in front of which a group has whole vectors, these with the elements behind them, and
// any.
struct stencil_limits {
  long long whole, with_next, end;
};

// Planes that a thread has one after the other, of all that there are in a row.
template <bool OfPlanes> struct stencil_planes {};
template <> struct stencil_planes<true> {
  // Few, whose planes the L2 cache has still. H200, seven neighbours in space of 400 x 400 x 400
  // f32, us: of 3 planes 155, of 4 153, of 8 158.
  static constexpr int of_thread = 4;
  index_divider<32> by_parts;
  long long plane_end;
};

// V: columns of a thread. OfPlanes: the last three axes are planes, rows and columns, else two.
template <class Program, int V, bool OfPlanes = false>
struct stencil_arguments : widest_arguments<Program>, stencil_planes<OfPlanes> {
  using base = widest_arguments<Program>;
  using typename base::traits;
  using groups = stencil_groups<Program, OfPlanes>;

  // Blocks have strips of columns beside each other, then tiles of rows, then planes.
  index_divider<32> by_strips, by_tiles;
  long long row_end, column_end;
  int lane_bits, plane_bits;  // of the columns, and of the planes, that a block has
  long long blocks;           // 0: operands do not lie as the program says, or have no vectors
  stencil_limits limits[V > 1 ? base::loads_held : 1];

  [[gnu::cold]] static stencil_arguments of(bound_layout const& all, bound_arguments const& call,
                                            int threads, int rows) {
    constexpr int of_rows = OfPlanes ? 1 : 0;
    stencil_axes const axes = axes_of(all, call);
    if (axes.rows < 0) return {};
    bound_layout const turned = OfPlanes ? with_next_to_last(with_next_to_last(all, axes.planes),
                                                             axes.rows - (axes.planes < axes.rows))
                                         : with_next_to_last(all, axes.rows),
                       layout = columns_as_rows(turned, of_rows + 2);
    stencil_arguments a{base::of(layout, call, 1, work_split{})};
    a.row_end = layout.columns.extents[of_rows], a.column_end = layout.columns.extents[of_rows + 1];
    if constexpr (V > 1)
      if (!a.are_vectors(columns_as_rows(turned, 1), call)) return a;
    long long const vectors = divide_up(a.column_end, V);
    if (V > 1 && vectors < least_vectors) return a;
    a.lane_bits = OfPlanes ? lanes_of_planes(vectors) : lanes_of(vectors);
    int const parts = threads >> a.lane_bits;
    // Planes beside each other share what is read of others' rows; or a block has several because
    // their rows are few.
    long long const of_plane = groups::windows() > 1 ? 1 : divide_up(a.row_end, rows);
    while (!OfPlanes && of_plane << a.plane_bits < parts && 1ll << a.plane_bits < layout.rows.size)
      ++a.plane_bits;
    long long const strips = divide_up(vectors, 1ll << a.lane_bits),
                    tiles =
                        divide_up(a.row_end, static_cast<long long>(parts >> a.plane_bits) * rows),
                    planes = planes_of_blocks(a, layout);
    if (strips * tiles * planes == 0 || strips > most_blocks / tiles ||
        strips * tiles > most_blocks / planes)
      return a;
    if (OfPlanes && strips * tiles * planes < least_blocks) return a;
    a.blocks = strips * tiles * planes;
    a.by_strips = index_divider<32>::of(strips), a.by_tiles = index_divider<32>::of(tiles);
    return a;
  }

 private:
  static constexpr int least_vectors = 8;  // of a row
  // Of threads that have several planes. H200, seven neighbours of 128 x 128 x 128 f32, which are
  // as many, 5.8 us; one plane for each thread 8.7.
  static constexpr int least_blocks = 256;

  // Along the grid, by which `a` finds them.
  [[gnu::cold]] static long long planes_of_blocks(stencil_arguments& a,
                                                  bound_layout const& layout) {
    if constexpr (OfPlanes) {
      a.plane_end = layout.columns.extents[0];
      long long const parts = divide_up(a.plane_end, a.of_thread);
      a.by_parts = index_divider<32>::of(parts > 0 ? parts : 1);
      return layout.rows.size * parts;
    } else {
      return divide_up(layout.rows.size, 1ll << a.plane_bits);
    }
  }
  // Whether all loads are of vectors, or repeated, and results neighbours. @post the limits are set
  [[gnu::cold]] bool are_vectors(bound_layout const& layout, bound_arguments const& call) {
    bool result = true;
    for (operand_layout const& store : layout.stores)
      result = result && store.column_strides[0] == 1;
    visit_selected<Program, loaded_at<Program, place::element>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename traits::template at<k>;
      constexpr int reach = groups::last_column(k);
      if constexpr (!groups::leads(k)) return;
      auto const& operand = layout.loads[I::bits];
      if constexpr (I::is_splat) {
        result = result && operand.column_strides[0] == 0;
      } else {
        slice_ends const ends = slice_ends_of(layout, operand, call.loads[I::bits],
                                              static_cast<int>(sizeof(storage_t<I::type>)), V,
                                              groups::column(k), reach, next_elements(reach));
        result = result && ends.without < slice_ends::all;
        long long const vectors = divide_up(layout.columns.size, V);
        this->limits[I::bits] = {(vectors - ends.without) * V, (vectors - ends.without_next) * V,
                                 layout.columns.size + reach};
      }
    });
    return result;
  }
  // As many as leave few of them without columns, and store together what lies together; of a block
  // if nothing of other planes is read.
  [[gnu::cold]] static int lanes_of(long long vectors) {
    int best = 3;
    double least = 0;
    for (int bits = best; bits <= (groups::windows() > 1 ? 5 : 8); ++bits) {
      double const pieces = 1 + 2.0 / (1 << bits),
                   cost = static_cast<double>(divide_up(vectors, 1ll << bits) << bits) * pieces;
      if (bits == 3 || cost < least) least = cost, best = bits;
    }
    return best;
  }
  // Lanes side by side load and store together. H200, seven neighbours in space of 400 x 400 x 400,
  // us, of a kernel
  // written by hand: 32, 16 and 8 lanes 151, 153 and 165, though of 32 a quarter has no columns.
  [[gnu::cold]] static int lanes_of_planes(long long vectors) {
    int best = 3;
    long long least = 0;
    for (int bits = best; bits <= 5; ++bits) {
      long long const cost = divide_up(vectors, 1ll << bits) * ((1ll << bits) + 8);
      if (bits == 3 || cost < least) least = cost, best = bits;
    }
    return best;
  }
  // The axes outside the innermost one along which the elements of all groups lie as the program
  // says; -1: none.
  struct stencil_axes {
    int rows = -1, planes = -1;
  };
  [[gnu::cold]] static stencil_axes axes_of(bound_layout const& all, bound_arguments const& call) {
    int const last = all.columns.dims - 2;
    for (int rows = last; rows >= 0; --rows) {
      if (!OfPlanes && lie_along(all, call, {rows})) return {rows};
      for (int planes = 0; OfPlanes && planes <= last; ++planes)
        if (planes != rows && lie_along(all, call, {rows, planes})) return {rows, planes};
    }
    return {};
  }
  [[gnu::cold]] static bool lie_along(bound_layout const& all, bound_arguments const& call,
                                      stencil_axes axes) {
    bool result = true;
    visit_selected<Program, loaded_at<Program, place::element>>([&](auto selected) {
      constexpr int k = decltype(selected)::value, first = groups::leader(k);
      using I = typename traits::template at<k>;
      if constexpr (I::stencil.group != 0) {
        auto const& strides = all.loads[I::bits].column_strides;
        constexpr long long bytes = static_cast<long long>(sizeof(storage_t<I::type>));
        long long apart = (groups::row(k) - groups::row(first)) * strides[axes.rows] +
                          groups::column(k) - groups::column(first);
        if (OfPlanes) apart += (groups::plane(k) - groups::plane(first)) * strides[axes.planes];
        bool const is_strided = strides[all.columns.dims - 1] != 1;
        result = result && !(groups::is_across(k) && is_strided) &&
                 static_cast<char const*>(call.loads[I::bits]) -
                         static_cast<char const*>(call.loads[traits::template at<first>::bits]) ==
                     apart * bytes;
      }
    });
    return result;
  }
  // That axis as the one outside the innermost.
  [[gnu::cold]] static bound_layout with_next_to_last(bound_layout const& all, int axis) {
    bound_layout result = all;
    int const last = all.columns.dims - 2;
    auto const turn = [&](long long(&of)[max_rank]) {
      long long const one = of[axis];
      for (int d = axis; d < last; ++d) of[d] = of[d + 1];
      of[last] = one;
    };
    turn(result.columns.extents);
    for (auto* const list : {&result.loads, &result.stores})
      for (operand_layout& one : *list) turn(one.column_strides);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
