// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the flat kernel of rows is passed, and which axes of a call are its rows.

#include "tenon/backend/columns_as_rows.hpp"
#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/core/config.hpp"

namespace tenon::detail {

TENON_ONCE_BEGIN
// How far apart along a row elements may be that come out of the vectors that hold them, which are
// no more than the elements, and as many as a multiprocessor full of threads has registers for. 0:
// not at all.
constexpr int most_apart(int bytes, int width) {
  return width == 1 || bytes * width < 4 ? 0 : width < 4 ? width : 4;
}

// Elements of an operand that a call reads lie among these, counted from its first one.
struct operand_reach {
  long long begin = 0, end = 1;

  // @pre no extent is 0
  [[gnu::cold]] static operand_reach of(bound_layout const& layout, operand_layout const& operand) {
    operand_reach result;
    auto const add = [&](group_layout const& group, long long const* strides) {
      for (int d = 0; d < group.dims; ++d)
        (strides[d] < 0 ? result.begin : result.end) += (group.extents[d] - 1) * strides[d];
    };
    add(layout.rows, operand.row_strides), add(layout.columns, operand.column_strides);
    return result;
  }
};
TENON_ONCE_END

template <class Program, int V> struct flat_row_arguments : widest_arguments<Program> {
  using base = widest_arguments<Program>;
  using typename base::traits;

  operand_reach reach[at_least_one(traits::load_count)];
  long long all_vectors;         // of all rows
  index_divider<64> by_vectors;  // of a row
  bool are_whole;                // all vectors, in contiguous operands and stores
  int leader = -1;               // the store whose aligned vectors threads have
  bool walks_outwards = false;   // what is loaded element by element differs from row to row

  // The innermost axis is a row. Where it has few elements all axes are, if every operand is
  // contiguous along them but for what is repeated, and is read from a cache; but the position of
  // an element is found along one axis.
  [[gnu::cold]] static int row_axes(bound_layout const& layout) {
    group_layout const& all = layout.columns;
    if (all.dims <= 1) return all.dims;
    if (traits::has_positions || all.extents[all.dims - 1] >= 2 * V) return 1;
    bool are_all = true;
    visit_selected<Program, element_operands<Program>>([&](auto selected) {
      using I = typename traits::template at<decltype(selected)::value>;
      auto const& strides = operand_of<I>(layout).column_strides;
      bool is_repeated = false;
      for (int d = 0; d < all.dims; ++d)
        is_repeated = is_repeated || (strides[d] == 0 && all.extents[d] > 1);
      are_all = are_all && (is_contiguous(all, strides) || (I::is_load && is_repeated));
    });
    return are_all ? all.dims : 1;
  }
  static bool is_picked(long long stride, int bytes) {
    int const most = most_apart(bytes, V);
    return stride != 0 && stride >= -most && stride <= most;
  }
  [[gnu::cold]] static flat_row_arguments of(bound_layout const& all, bound_arguments const& call) {
    bound_layout const layout = columns_as_rows(all, row_axes(all));
    group_layout const& columns = layout.columns;
    flat_row_arguments a{base::of(layout, call, V, work_split{})};
    for (int k = traits::store_count - 1; k >= 0; --k)
      if (moved_by<Program>::bytes.stores[k] > 0 && a.store_access[k] <= access::elements)
        a.leader = k;
    // Vectors that begin in front of a row are one more where its last one is not empty.
    if (a.leader >= 0 && a.store_access[a.leader] != access::packed)
      a.vectors = (columns.size + 2 * V - 2) / V;
    a.has_strided = false;
    for (access how : a.store_access) a.has_strided = a.has_strided || how == access::strided;
    for (int k = 0; k < traits::load_count; ++k) {
      a.reach[k] = operand_reach::of(layout, layout.loads[k]);
      access& how = a.load_access[k];
      if (how <= access::elements || (how == access::splat && columns.dims <= 1)) continue;
      if (columns.dims == 1 && loads_which<Program, &instruction_facts::goes_in_steps>::all.at[k] &&
          is_picked(a.load_columns[k][0], moved_by<Program>::bytes.loads[k])) {
        how = access::picked;
        continue;
      }
      how = access::strided, a.has_strided = true;
      for (int d = 0; d + 1 < columns.dims; ++d)
        a.walks_outwards = a.walks_outwards || layout.loads[k].column_strides[d] != 0;
    }
    a.are_whole = !a.has_strided && a.moves_vectors();
    a.all_vectors = columns.size > 0 ? layout.rows.size * a.vectors : 0;
    if (a.vectors > 0) a.by_vectors = index_divider<64>::of(a.vectors);
    return a;
  }
};

}  // namespace tenon::detail
