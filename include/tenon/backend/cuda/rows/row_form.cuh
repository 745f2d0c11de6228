// SPDX-License-Identifier: Apache-2.0
#pragma once
// A configuration of the rows kernel → how a thread has its part of a row, and when it finds where
// that lies.

#include "tenon/backend/cuda/parts/item_positions.cuh"
#include "tenon/backend/cuda/parts/run_positions.cuh"
#include "tenon/backend/cuda/rows/own_loads.cuh"
#include "tenon/backend/cuda/rows/paired_lanes.cuh"
#include "tenon/backend/cuda/rows/shifted_positions.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct row_form {
  static constexpr int v = C::vector_width, items = C::items, dims = C::group_dims;
  static constexpr bool is_spread = dims == spread_columns || dims == any_spread_columns;
  static constexpr bool is_odd = dims == odd_columns, is_staged = dims > packed_columns;
  static constexpr bool is_paired = lanes_of_thread<C> == 2;
  // Whole vectors, which registers hold as they lie in the row.
  static constexpr bool is_direct = has_whole_vectors<dims> || dims == shifted_columns;
  // What the operands may be for those who move vectors by themselves.
  static constexpr int whole_vectors = is_direct ? packed_columns : dims;
  static constexpr int phases = program_traits<Program>::row_phases;
  // A row beyond the end has no vectors: whether one is inside is asked once. Where elements know
  // their positions it has all of them, and what is found by these is somewhere.
  static constexpr bool has_none_beyond =
      is_spread || (is_direct && !program_traits<Program>::has_positions);
  // Found again, late, offsets cost fewer registers; positions, unless they lead to the row.
  static constexpr bool finds_again = (is_direct || is_spread) && !needs_places<Program>;
  static constexpr bool finds_late =
      finds_again && !program_traits<Program>::has_gathered && dims != fetched_columns;
  static constexpr int tiles = tiles_held<C>;  // of a long row several
  using vectors_at = std::conditional_t<
      dims == shifted_columns, shifted_positions<v>,
      std::conditional_t<dims == run_columns, run_positions, item_positions<int>>>;
};

}  // namespace tenon::detail
#endif
