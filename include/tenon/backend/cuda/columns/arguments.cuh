// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the columns kernel.

#include "tenon/backend/cuda/parts/side_arguments.cuh"

namespace tenon::detail {

// Rows count vectors of neighbouring rows: the innermost row axis is divided by the vector width.
template <class Program> struct columns_arguments : side_arguments<Program> {
  long long innermost;  // rows along the innermost row axis
  long long tiles, slices, slice_length;
  // Blocks next to each other have slices of one tile, else tiles of one slice.
  bool slices_are_neighbours;
  bool is_plain;    // one reduced axis, and every vector of every operand is one aligned access
  bool has_pieces;  // one reduced axis, and the vectors of every load are of neighbours or of one
  bool is_kept;     // loads of several sweeps are; then a cluster has the slices of a tile
  long long first_total;  // word of the workspace where the partial totals begin
};

}  // namespace tenon::detail
