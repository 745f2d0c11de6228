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
    int result = element_operands<Program>::vector_width;
    while (result > 1 && result * row_state_words < Program >> 16) result /= 2;
    return result;
  }();
  // Positions in flight: 128 bytes per thread, so that two blocks on a multiprocessor have 64 KB.
  // Where shared memory has them, fewer, so that three blocks have registers.
  template <class Program>
  static constexpr int items = [] {
    int loads = element_operands<Program>::loads;
    int result = loads <= 1 ? 8 : loads <= 3 ? 4 : 2;
    return is_any_kept<Program, width<Program>> ? result / 2 : result;
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
  // keeps: what several sweeps need is, which is brought otherwise than in pieces.
  template <class Program>
  [[gnu::cold]] static void set_operands(columns_arguments<Program>& a, bound_layout const& layout,
                                         bound_arguments const& call, int v, bool keeps) {
    set_neighbouring_rows(a, layout, call, v);
    // Without a whole vector there is none that stands for threads without one.
    a.is_plain = layout.columns.dims <= 1 && a.rows.size > 0 && a.innermost >= v;
    a.is_even = a.is_plain;
    a.has_pieces = layout.columns.dims <= 1 && a.rows.size > 0 && !keeps;
    a.is_stored_whole = a.is_single;
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
