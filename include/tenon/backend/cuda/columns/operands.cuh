// SPDX-License-Identifier: Apache-2.0
#pragma once
// A call's operands → the parameters of the columns skeleton: how wide a thread's vectors are, how
// many it has in flight, and which of them are whole.

#include "tenon/backend/cuda/columns/kernel.cuh"
#include "tenon/backend/cuda/columns/share.cuh"
#include "tenon/core/config.hpp"
#include "tenon/program/visit.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct columns_operands : columns_sharing {
  // Neighbouring rows of a thread: 16 bytes of the widest operand, fewer where each row has much to
  // keep.
  template <class Program>
  static constexpr int width = [] {
    int result = gathered_columns<Program>::are_found ? 16 / gathered_columns<Program>::all.widest
                                                      : element_operands<Program>::vector_width;
    constexpr int words = places_alone<Program> ? swept_words<Program> : row_state_words<Program>;
    while (result > 1 && result * words > 16) result /= 2;
    return result;
  }();
  // Positions in flight: 128 bytes per thread, so that two blocks on a multiprocessor have 64 KB.
  // Where shared memory has them, fewer, so that three blocks have registers.
  template <class Program>
  static constexpr int items = [] {
    int loads = element_operands<Program>::loads;
    int result = loads <= 1 ? 8 : loads <= 3 ? 4 : 2;
    // Of large states beside places of rows half as many: eight spilled 8 bytes of two blocks'.
    if (finds_rows_late<Program, width<Program>>) result /= 2;
    bool const is_kept = is_any_kept<Program, width<Program>> && !stores_what_it_reduces<Program>;
    return is_kept ? result / 2 : result;
  }();

  // Whether every vector of neighbouring rows is one aligned access.
  template <class Program>
  static bool has_whole_vectors(columns_arguments<Program> const& a, int v) {
    return a.is_plain && a.innermost % v == 0;
  }
  template <class Program>
  [[gnu::cold]] static bool has_whole_vectors(bound_layout const& layout,
                                              bound_arguments const& call) {
    columns_arguments<Program> a{};
    set_operands<Program>(a, layout, call, width<Program>, true);
    return has_whole_vectors<Program>(a, width<Program>);
  }
  // Whether all that is fetched is so by whole aligned vectors of neighbouring rows, each at one
  // index.
  template <class Program>
  [[gnu::cold]] static bool gathers_vectors(bound_layout const& layout,
                                            bound_arguments const& call) {
    using traits = program_traits<Program>;
    constexpr int v = width<Program>;
    int const inner = layout.rows.dims - 1;
    if (v == 1 || inner < 0 || layout.columns.dims != 1 || layout.rows.extents[inner] % v != 0)
      return false;
    bool result = true;
    auto const is_whole = [&](long long bytes, int of_vector) { return bytes % of_vector == 0; };
    for (int k = 0; k < traits::size; ++k) {
      instruction_facts const& i = traits::all[k];
      if (!i.is_fetch || i.where != place::element) continue;
      int const bytes = size_of(i.type), of_vector = v * bytes;
      int at = i.operands[0];
      for (; !traits::all[at].is_position; at = traits::all[at].operands[0])
        result =
            result &&
            is_whole(layout.sizes[static_cast<int>(traits::all[traits::all[at].operands[2]].bits)],
                     of_vector);
      auto const operand = static_cast<int>(traits::all[at].bits);
      operand_layout const& from = layout.loads[operand];
      auto const begin =
          static_cast<long long>(reinterpret_cast<std::uintptr_t>(call.loads[operand]) % 16);
      result = result && from.row_strides[inner] == bytes && is_whole(begin, of_vector) &&
               is_whole(from.column_strides[0], of_vector);
      for (int d = 0; d < inner; ++d) result = result && is_whole(from.row_strides[d], of_vector);
    }
    for (int k = 0; k < traits::size; ++k)
      if (traits::all[k].is_load && gathered_columns<Program>::all.leads[k])
        result =
            result && layout.loads[static_cast<int>(traits::all[k].bits)].row_strides[inner] == 0;
    return result;
  }
  // keeps: what several sweeps need is, which is brought otherwise than in pieces.
  template <class Program>
  [[gnu::cold]] static void set_operands(columns_arguments<Program>& a, bound_layout const& layout,
                                         bound_arguments const& call, int v, bool keeps) {
    set_neighbouring_rows(a, layout, call, v);
    // Without a whole vector there is none that stands for threads without one.
    a.is_plain = layout.columns.dims <= 1 && a.rows.size > 0 && a.innermost >= v;
    a.is_even = a.is_plain;
    a.has_pieces = layout.columns.dims <= 1 && a.rows.size > 0 && !keeps;
    a.is_stored_whole = true;
    visit_instructions<Program>([&](auto index) {
      using I = typename program_traits<Program>::template at<decltype(index)::value>;
      if constexpr (I::is_load && I::where == place::element) {
        a.has_pieces = a.has_pieces && (a.load_along[I::bits] == 0 || a.load_along[I::bits] == 1);
        bool const is_one = I::is_of_some_rows && a.load_along[I::bits] == 0;
        a.is_even = a.is_even && (a.load_moves_whole[I::bits] || is_one);
        a.is_plain = a.is_plain && a.load_moves_whole[I::bits];
      }
      if constexpr (I::is_store && I::where == place::element) {
        a.is_even = a.is_even && a.store_moves_whole[I::bits];
        a.is_plain = a.is_plain && a.store_moves_whole[I::bits];
      }
      if constexpr (I::is_store && I::where == place::row)
        a.is_stored_whole = a.is_stored_whole && a.store_moves_whole[I::bits];
    });
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
