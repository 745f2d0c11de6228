// SPDX-License-Identifier: Apache-2.0
#pragma once
// Slices that begin or end in the midst of a vector of their tensor's rows
// (schedule/row_slices.hpp): which vectors of a call they lie in.

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/kernel_arguments.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// What slices of the same rows have to do with each other.
template <class Program> struct slices_of {
  using traits = program_traits<Program>;
  // The load that stands for all of its group: the first of them.
  static consteval int leader(int k) {
    int const group = traits::all[k].slice.group;
    for (int first = 0; group != 0 && first < k; ++first) {
      instruction_facts const& i = traits::all[first];
      if (i.is_load && i.slice.group == group) return first;
    }
    return k;
  }
  // Elements behind the vector in which the group begins that its slices have parts of.
  static consteval int reach(int k) {
    int result = traits::all[k].slice.phase;
    for (instruction_facts const& i : traits::all)
      if (i.is_load && i.slice.group != 0 && i.slice.group == traits::all[k].slice.group &&
          i.slice.phase > result)
        result = i.slice.phase;
    return result;
  }
  // Elements of the first vector in front of all of them.
  static consteval int in_front(int k) {
    int result = traits::all[k].slice.phase;
    for (instruction_facts const& i : traits::all)
      if (i.is_load && i.slice.group != 0 && i.slice.group == traits::all[k].slice.group &&
          i.slice.phase < result)
        result = i.slice.phase;
    return result;
  }
  // Whether one of them stands for others.
  static consteval bool has_groups() {
    for (int k = 0; k < traits::size; ++k)
      if (leader(k) != k) return true;
    return false;
  }
  static consteval bool may_be_aligned() {
    for (int k = 0; k < traits::size; ++k) {
      int const apart = traits::all[k].slice.phase - traits::all[leader(k)].slice.phase;
      if (traits::all[k].is_load && apart % element_operands<Program>::vector_width != 0)
        return false;
    }
    return true;
  }
  // Operands that are loaded.
  static consteval int count() {
    int result = 0;
    for (int k = 0; k < traits::size; ++k)
      result += traits::all[k].is_load && traits::all[k].moves_elements && leader(k) == k;
    return result;
  }
};
// Whether kernels that load them so have the program.
template <class Program>
inline constexpr bool has_slices = [] {
  using traits = program_traits<Program>;
  bool result = false;
  for (instruction_facts const& i : traits::all) result = result || i.slice.group != 0;
  return result && element_operands<Program>::vector_width > 1 &&
         !element_operands<Program>::is_bound_by_arithmetic;
}();

// Whether all operands may be aligned: not where slices of the same rows begin at other places of
// their vectors.
template <class Program>
inline constexpr bool may_be_aligned = slices_of<Program>::may_be_aligned();

// How many vectors at the end of a row are not taken by aligned accesses, and how many not with the
// elements behind them; none is where a tensor's rows are no whole vectors.
struct slice_ends {
  static constexpr int all = 1 << 30;
  int without = all, without_next = all;
};
// Elements of the access behind a vector.
consteval int next_elements(int reach) {
  int result = reach > 0 ? 1 : 0;
  while (result < reach) result *= 2;
  return result;
}
// Of an operand that begins `phase` elements behind a vector, with others that reach beyond its
// last: accesses end where these do, or before.
[[gnu::cold, gnu::noinline]] inline slice_ends slice_ends_of(bound_layout const& layout,
                                                             operand_layout const& operand,
                                                             void const* address, int bytes,
                                                             int width, int phase, int reach,
                                                             int next) {
  auto const first =
      reinterpret_cast<std::uintptr_t>(address) - static_cast<std::uintptr_t>(phase * bytes);
  bool has_vectors = first % (width * bytes) == 0 && layout.columns.dims <= 1 &&
                     (layout.columns.size <= 1 || operand.column_strides[0] == 1);
  for (int d = 0; d < layout.rows.dims; ++d)
    has_vectors =
        has_vectors && (layout.rows.extents[d] <= 1 || operand.row_strides[d] % width == 0);
  if (!has_vectors) return {};
  long long const vectors = divide_up(layout.columns.size, width),
                  end = layout.columns.size + reach;
  bool const ends_with_vector = end % width == 0;
  long long const whole = (ends_with_vector ? end : end - next) / width;
  auto const without = static_cast<int>(vectors - whole);
  return {without, without + (ends_with_vector && reach > 0)};
}

template <class Program> struct slice_table {
  using slices = slices_of<Program>;
  template <int K> using at = typename program_traits<Program>::template at<K>;

  slice_ends of[at_least_one(program_traits<Program>::load_count)];
  int without = 0;  // of vectors at the end of a row some operand is not taken by aligned accesses
  bool are_along = true;  // slices begin as far from each other along the columns as it says

  // Whether all but one at most are.
  bool has_vectors() const { return without <= 1; }

  // Slices of which none stands for others are taken each by itself where that has vectors: it is
  // the same order.
  template <int V>
  [[gnu::cold]] static slice_table find(bound_layout const& layout, bound_arguments const& call) {
    slice_table const result = find_ends<V>(layout, call, lie_along(layout, call));
    if constexpr (!slices::has_groups())
      if (!result.has_vectors()) {
        slice_table const apart = find_ends<V>(layout, call, false);
        if (apart.has_vectors()) return apart;
      }
    return result;
  }

 private:
  template <class Visit> static void visit_loads(Visit const& visit) {
    visit_selected<Program, element_operands<Program>>([&](auto selected) {
      if constexpr (at<decltype(selected)::value>::is_load) visit(selected);
    });
  }
  [[gnu::cold]] static bool lie_along(bound_layout const& layout, bound_arguments const& call) {
    bool result = true;
    visit_loads([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = at<k>;
      using first = at<slices::leader(k)>;
      constexpr long long bytes = static_cast<long long>(sizeof(storage_t<I::type>)),
                          apart = I::slice.phase - first::slice.phase;
      long long const stride =
          layout.columns.dims > 0 ? layout.loads[I::bits].column_strides[0] : 0;
      result = result && static_cast<char const*>(call.loads[I::bits]) -
                                 static_cast<char const*>(call.loads[first::bits]) ==
                             apart * stride * bytes;
    });
    return result;
  }
  template <int V>
  [[gnu::cold]] static slice_table find_ends(bound_layout const& layout,
                                             bound_arguments const& call, bool are_along) {
    slice_table result;
    result.are_along = are_along;
    visit_loads([&](auto selected) {
      constexpr int k = decltype(selected)::value, reach = slices::reach(k);
      using I = at<k>;
      slice_ends const own = slice_ends_of(layout, layout.loads[I::bits], call.loads[I::bits],
                                           static_cast<int>(sizeof(storage_t<I::type>)), V,
                                           are_along ? I::slice.phase : 0, are_along ? reach : 0,
                                           are_along ? next_elements(reach) : 0);
      result.of[I::bits] = own;
      if (own.without > result.without) result.without = own.without;
    });
    return result;
  }
};

// Of rows.
template <class Program>
struct slice_arguments : kernel_arguments<Program, max_rank, max_rank, 64> {
  using base = kernel_arguments<Program, max_rank, max_rank, 64>;

  slice_table<Program> slices;

  [[gnu::cold]] static slice_arguments of(bound_layout const& layout, bound_arguments const& call,
                                          int vector_width, work_split const& split) {
    return {
        base::of(layout, call, vector_width, split),
        slice_table<Program>::template find<element_operands<Program>::vector_width>(layout, call)};
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
