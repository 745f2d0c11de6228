// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the kernel of overlapping slices is passed: how the result's rows are shared by blocks.

#include "tenon/backend/columns_as_rows.hpp"
#include "tenon/backend/cuda/flat/overlaps.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"

namespace tenon::detail {

// V: elements of a vector; R: rows of a thread.
template <class Program, int V, int R> struct stencil_arguments : widest_arguments<Program> {
  using base = widest_arguments<Program>;
  using typename base::traits;
  using stencil = stencil_of<Program>;
  static constexpr int warps_of_block = 8;
  static constexpr int least_vectors = 24;  // of a row, which a warp shares

  index_divider<32> by_stretches, by_rows;  // blocks along a row, and along the stencil's axis
  int inner;                                // of the rows' axes, that of the stencil,
  int rows_of_axis;                         // and its extent
  int length;                               // of a row
  long long blocks;  // 0: operands are such that the kernel does not have them

  // @pre no rows of the layout
  [[gnu::cold]] static stencil_arguments of(bound_layout const& all, bound_arguments const& call) {
    stencil_arguments none{};
    if (all.columns.dims == 0 || all.columns.size == 0) return none;
    bound_layout layout = columns_as_rows(all, 1);
    if (!are_long(layout.columns.extents[0])) return none;
    int const axis = axis_of(layout, call);
    if (axis < 0) return none;
    move_last(layout, axis);
    stencil_arguments a{base::of(layout, call, V, work_split{})};
    if (!a.are_rows(layout)) return none;
    a.share(layout);
    return a;
  }

 private:
  static bool are_long(long long length) {
    return length >= least_vectors * V && length < 1ll << 30 && length % V == 0;
  }
  // The rows' axis along which the slices of every group lie as the program says; -1: none.
  [[gnu::cold]] static int axis_of(bound_layout const& layout, bound_arguments const& call) {
    for (int axis = layout.rows.dims - 1; axis >= 0; --axis)
      if (lie_along(layout, call, axis)) return axis;
    return -1;
  }
  [[gnu::cold]] static bool lie_along(bound_layout const& layout, bound_arguments const& call,
                                      int axis) {
    bool result = true;
    visit_selected<Program, element_operands<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename traits::template at<k>;
      if constexpr (I::is_load && I::in_stencil.group != 0) {
        using leader = typename traits::template at<stencil::leader(k)>;
        operand_layout const &own = layout.loads[I::bits], &first = layout.loads[leader::bits];
        constexpr int bytes = static_cast<int>(sizeof(storage_t<I::type>));
        constexpr int down = I::in_stencil.down - leader::in_stencil.down;
        result = result && static_cast<char const*>(call.loads[I::bits]) ==
                               static_cast<char const*>(call.loads[leader::bits]) +
                                   down * first.row_strides[axis] * bytes;
        result = result && own.column_strides[0] == 1 && first.column_strides[0] == 1;
        for (int d = 0; d < layout.rows.dims; ++d)
          result = result && own.row_strides[d] == first.row_strides[d];
      } else if constexpr (I::is_load && I::in_stencil.down != 0) {
        result = result && layout.loads[I::bits].row_strides[axis] == 0;
      }
    });
    return result;
  }
  // Axes of the rows in another order, of which `axis` is the last.
  [[gnu::cold]] static void move_last(bound_layout& layout, int axis) {
    int const last = layout.rows.dims - 1;
    auto const turn = [&](long long(&at)[max_rank]) {
      long long const moved = at[axis];
      for (int d = axis; d < last; ++d) at[d] = at[d + 1];
      at[last] = moved;
    };
    turn(layout.rows.extents);
    for (operand_layout& one : layout.loads) turn(one.row_strides);
    for (operand_layout& one : layout.stores) turn(one.row_strides);
  }
  // Whether every operand has aligned vectors along its rows, or repeats one element along them.
  [[gnu::cold]] bool are_rows(bound_layout const& layout) {
    bool result = true;
    visit_selected<Program, element_operands<Program>>([&](auto selected) {
      using I = typename traits::template at<decltype(selected)::value>;
      long long const stride = operand_of<I>(layout).column_strides[0];
      access& how = (I::is_load ? this->load_access : this->store_access)[I::bits];
      bool const is_repeated = I::is_load && I::repeats && stride == 0;
      if (is_repeated) how = access::splat;
      result = result && (is_repeated || (stride == 1 && how == access::packed));
    });
    return result;
  }
  // Rows that overlap lie in one block, whose reads of the same lines meet in its cache.
  [[gnu::cold]] void share(bound_layout const& layout) {
    inner = layout.rows.dims - 1;
    length = static_cast<int>(layout.columns.extents[0]);
    long long const rows = layout.rows.extents[inner];
    if (rows < 1 || rows >= 1ll << 30) return;
    rows_of_axis = static_cast<int>(rows);
    long long const across = divide_up(length, 32 * V), down = divide_up(rows, warps_of_block * R);
    by_stretches = index_divider<32>::of(across), by_rows = index_divider<32>::of(down);
    long long const all = across * down * (layout.rows.size / rows);
    blocks = all < 1ll << 31 ? all : 0;
  }
};

}  // namespace tenon::detail
