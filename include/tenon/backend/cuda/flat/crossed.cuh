// SPDX-License-Identifier: Apache-2.0
#pragma once
// The flat skeleton of operands of which each varies along the rows or along the columns, as the
// pairs of two lists do: what a thread's columns have is read once for several rows.

#include "tenon/backend/cuda/flat/row_arguments.cuh"
#include "tenon/program/drawn.hpp"

namespace tenon {
namespace detail {

// Whether a program's operands are such, as far as the expression says: some vary along the
// innermost axis of the results and others do not, and none has an element for each of them.
template <class Program>
inline constexpr bool may_be_crossed = [] {
  using traits = program_traits<Program>;
  bool are_repeated = true, vary = false, stay = false;
  for (instruction_facts const& i : traits::all) {
    if (!i.is_load || !i.moves_elements) continue;
    are_repeated = are_repeated && i.repeats && !i.is_reversed;
    (i.is_splat ? stay : vary) = true;
  }
  return are_repeated && vary && stay && !traits::has_positions && !traits::has_reduction &&
         !traits::has_fetches && !traits::stores_parts && !has_random<Program>;
}();

// U: columns of a thread.
template <class Program, int U> struct crossed_arguments : widest_arguments<Program> {
  using base = widest_arguments<Program>;
  using typename base::traits;
  static constexpr long long strip = 32 * U;  // columns of a warp
  // A warp has as many rows as leave so many of them for the device: finding its first element
  // costs as much as computing a few.
  static constexpr long long most_rows = 16, least_warps = 8192;

  index_divider<64> by_strips, by_groups;  // of a row; of the rows along their innermost axis
  unsigned strips, groups;
  long long rows_along;  // that axis
  int rows_of_warp;
  long long all_warps;

  // @post without warps where operands lie otherwise, or many lanes would have no columns
  [[gnu::cold]] static crossed_arguments of(bound_layout const& all, bound_arguments const& call) {
    bound_layout const layout = columns_as_rows(all, 1);
    crossed_arguments a{base::of(layout, call, 1, work_split{})};
    int const inner = layout.rows.dims - 1;
    long long const columns = layout.columns.size, strips = divide_up(columns, strip);
    bool are_crossed = inner >= 0 && 4 * columns >= 3 * strips * strip;
    if (!are_crossed) return a;
    visit_selected<Program, element_operands<Program>>([&](auto selected) {
      using I = typename traits::template at<decltype(selected)::value>;
      operand_layout const& operand = operand_of<I>(layout);
      if constexpr (I::is_load && I::is_splat)
        are_crossed = are_crossed && operand.column_strides[0] == 0;
      else if constexpr (I::is_load)
        are_crossed = are_crossed && operand.row_strides[inner] == 0;
    });
    a.rows_along = layout.rows.extents[inner];
    if (!are_crossed || a.rows_along < 2 || a.rows_along >= 1ll << 31 || strips >= 1ll << 31)
      return a;
    long long const outer = layout.rows.size / a.rows_along;
    long long rows = most_rows;
    while (rows > 1 && outer * divide_up(a.rows_along, rows) * strips < least_warps) rows /= 2;
    long long const groups = divide_up(a.rows_along, rows);
    a.strips = static_cast<unsigned>(strips), a.groups = static_cast<unsigned>(groups);
    a.rows_of_warp = static_cast<int>(rows);
    a.by_strips = index_divider<64>::of(strips), a.by_groups = index_divider<64>::of(groups);
    a.all_warps = outer * groups * strips;
    return a;
  }
};

// Loads that vary along the columns, of which a thread has as many elements, or do not.
template <class Program, int U, bool Vary> struct crossed_loads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && i.moves_elements && i.is_splat != Vary;
  }
  template <int K> using type = vector_list<storage_t<at<K>::type>, 1, Vary ? U : 1>;
};

}  // namespace detail

// Owners: a warp has some rows of a strip of 32 * U columns, whose lanes take columns 32 apart.
// Registers: the elements of U columns of what varies along them, and one of what does not.
// Global memory: neighbouring lanes store neighbouring elements, once.
// @pre nothing is reduced and no parts are stored; what varies along the columns is the same for
// all rows along their innermost axis, and the rest does not
// @post every store is written once per position
template <class Program, class C, unsigned long long Build>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    flat_crossed_kernel(const __grid_constant__ detail::crossed_arguments<Program, C::items> a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  constexpr int items = C::items;
  using of_columns = crossed_loads<Program, items, true>;
  using of_rows = crossed_loads<Program, items, false>;
  using stores = element_stores<Program, 1>;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> none;
  registers<Program, place::total> total;
  frame<Program> const around{launch, row, none, total};
  start_early(around, a);
  int const lane = static_cast<int>(threadIdx.x) % 32;
  auto const warp =
      static_cast<long long>(blockIdx.x) * (C::threads_per_block / 32) + threadIdx.x / 32;
  auto const group = static_cast<long long>(a.by_strips.quotient(warp)),
             outer = static_cast<long long>(a.by_groups.quotient(group)),
             begin = (group - outer * a.groups) * a.rows_of_warp, left_rows = a.rows_along - begin;
  operand_offsets<Program> at;
  find_row<Program, narrow_digits>(at, a, outer * a.rows_along + begin);
  long long const column = (warp - group * a.strips) * a.strip + lane,
                  left_columns = a.columns.size - column;
  await_operands<Program>();
  if (warp < a.all_warps) {
    int const inner = a.rows.dims - 1,
              count = static_cast<int>(left_rows < a.rows_of_warp ? left_rows : a.rows_of_warp);
    auto const is_live = [&](int u) { return u * 32 < left_columns; };
    selected_registers<Program, of_columns> columns;
    for_each_selected<Program, of_columns>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      long long const stride = a.load_columns[I::bits][0];
      auto const* const from = load_address<Program, k>(a, at.loads[I::bits] + column * stride);
#pragma unroll
      for (int u = 0; u < items; ++u)
        load_packed<reuse::expected>(read_register<k>(columns).at[u], from + u * 32 * stride,
                                     is_live(u));
    });
#pragma unroll 1
    for (int r = 0; r < count; ++r) {
      selected_registers<Program, of_rows> own;
      for_each_selected<Program, of_rows>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        load_packed<reuse::expected>(read_register<k>(own).at[0],
                                     load_address<Program, k>(a, at.loads[I::bits]));
        at.loads[I::bits] += a.load_rows[I::bits][inner];
      });
      selected_registers<Program, stores> results[items];
#pragma unroll
      for (int u = 0; u < items; ++u) {
        registers<Program, place::element> element;
        frame<Program> const f{launch, row, element, total};
        take_element<Program, of_columns>(element, columns, u, 0);
        take_element<Program, of_rows>(element, own, 0, 0);
        evaluate_element<1, true>(f);
        collect_stores(results[u], f, 0);
      }
      for_each_selected<Program, stores>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        using T = storage_t<I::type>;
        long long const stride = a.store_columns[I::bits][0];
        T* const to = store_address<Program, k>(a, at.stores[I::bits] + column * stride);
#pragma unroll
        for (int u = 0; u < items; ++u)
          store_packed(to + u * 32 * stride, pack<T>(read_register<k>(results[u]).at), is_live(u),
                       a.stored);
        at.stores[I::bits] += a.store_rows[I::bits][inner];
      });
    }
  }
  if (blockIdx.x > 0 || threadIdx.x > 0) return;
  store_all<place::launch>(around, a);
#endif
}

}  // namespace tenon
