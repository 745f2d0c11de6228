// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the columns kernel.

#include "tenon/backend/cuda/parts/reduce.cuh"
#include "tenon/backend/cuda/parts/side_arguments.cuh"
#include "tenon/program/shared_values.hpp"

namespace tenon::detail {

// What every thread reads first, and most threads only: the parameters come to a multiprocessor by
// cache lines, each of which is waited for.
template <class Program> struct columns_share {
  long long innermost;  // rows along the innermost row axis
  long long slice_length;
  int tiles, slices;
  // Blocks next to each other have slices of one tile, else tiles of one slice.
  bool slices_are_neighbours;
  bool may_leave;   // the blocks have the device to themselves and one turn each
  bool asks_early;  // for the lines of the first positions, before it waits
  bool is_single;   // one row axis
  bool is_plain;    // one reduced axis, and every whole vector is one aligned access
  bool has_pieces;  // one reduced axis, and the vectors of every load are of neighbours or of one
  bool is_stored_whole;  // every whole vector of values per row is aligned, and of neighbours
  bool is_kept;          // loads of several sweeps are, by blocks that meet
  bool are_marked;       // the words that slices leave
  bool is_even;          // is_plain, or vectors are one element that neighbouring rows share
  int tiles_passed;      // of a block, where positions are one and vectors whole; else 0
  int folded_rows;       // of a block that has all
  // Elements to the next position along the outermost reduced axis, and to the next row along the
  // innermost row axis.
  long long load_steps[side_arguments<Program>::loads_held];
  long long load_along[side_arguments<Program>::loads_held];
  long long store_along[side_arguments<Program>::stores_held];
  long long first_total;  // word of the workspace where the partial totals begin
};

// Whether elements are only reduced, in one sweep.
template <class Program>
inline constexpr bool only_reduces =
    program_traits<Program>::row_phases == 1 && !has_element_stores<Program>;

// Whether an element knows its place: positions are told apart by 32 bits.
template <class Program>
inline constexpr bool elements_know_positions =
    has_selected<Program, positions_at<Program, place::element>>;

// Whether what is stored of elements follows from no reduction of theirs, and so is stored by the
// one sweep that reduces them.
template <class Program>
inline constexpr bool stores_what_it_reduces = [] {
  using traits = program_traits<Program>;
  bool result = traits::row_phases == 1 && has_element_stores<Program> && !traits::has_fetches &&
                !elements_know_positions<Program>;
  for (instruction_facts const& i : traits::all)
    if (i.is_store && i.where == place::element)
      result = result && !i.is_window && traits::all[i.operand(0)].phase == 0;
  return result;
}();

// Whether blocks may share the reduced positions.
template <class Program>
inline constexpr bool may_be_sliced = only_reduces<Program> || stores_what_it_reduces<Program>;
// Whether rows that neighbour each other have this kernel: without positions, or where rows know
// theirs, or elements that are only reduced. What is fetched is there once for a row.
template <class Program>
inline constexpr bool may_know_positions = [] {
  bool result = only_reduces<Program> || !elements_know_positions<Program>;
  for (instruction_facts const& i : program_traits<Program>::all) {
    bool const is_of_element = i.where == place::element && i.kind == op_kind::source;
    if (i.is_position) result = result && (is_of_element || i.where == place::row);
    result = result && !(i.is_fetch && i.where == place::element) && !i.is_window;
  }
  return result;
}();

// Whether what leads to a row's own element waits until the row is reduced, whose states need the
// registers. H200, cross-entropy of 16 x 19 x 262144 f32, whose states do not, 155 us, late 165.
template <class Program, int V>
inline constexpr bool finds_rows_late = [] {
  bool result = only_reduces<Program> && V * row_state_words<Program> > 8 &&
                has_selected<Program, positions_at<Program, place::row>>;
  for (instruction_facts const& i : program_traits<Program>::all)
    for (int n = 0; n < i.operand_count && i.where == place::element; ++n)
      result = result && program_traits<Program>::all[i.operand(n)].where != place::row;
  return result;
}();

// Whether a thread has one row and at most `items` positions of it, which are all under way
// together: of so few elements that the blocks need neither slices nor vectors. What a vector saves
// in instructions a call that is over at once loses again in looking for what is whole and aligned.
template <class C> inline constexpr bool takes_elements = C::has_warps;

// Whether what is missing, which is loaded as 0, may be taken in like the rest: it is 0 in every
// sum. One piece of code takes in both, of a fifth fewer instructions; the bits are the same.
template <class Program>
inline constexpr bool adds_zeros = [] {
  using traits = program_traits<Program>;
  bool are_zero[traits::size] = {}, result = traits::row_phases == 1;
  for (int k = 0; k < traits::size; ++k) {
    instruction_facts const& i = traits::all[k];
    are_zero[k] = (i.is_load && i.moves_elements) ||
                  (i.is_product && are_zero[i.operand(0)] && are_zero[i.operand(1)]);
  }
  visit_selected<Program, reductions_at<Program, place::row>>([&](auto selected) {
    using I = typename traits::template at<decltype(selected)::value>;
    result = result && std::is_same_v<typename I::op, ops::sum> && are_zero[I::first_operand];
  });
  return result;
}();

// Whether a block has all rows, whose positions are folded (folded.cuh), and for which programs.
template <class C> inline constexpr bool has_all_rows = C::is_looped;
template <class Program, int V>
inline constexpr bool may_fold =
    only_reduces<Program> && !program_traits<Program>::has_total && V >= 8 &&
    !program_traits<Program>::has_positions &&
    !has_selected<Program, loaded_at<Program, place::row>> && row_state_words<Program> == 1;

// Whether the blocks meet between the sweeps (meeting.cuh).
template <class C> inline constexpr bool all_blocks_meet = C::has_clusters;
// Whether a row is a group of neighbouring columns, each of which a thread has by itself until the
// blocks meet (group_rows.cuh).
template <class C> inline constexpr bool has_groups = C::group_dims == run_columns;

// Whether rows are those of planes that send back what they come to: tiles do not span planes.
template <class C> inline constexpr bool has_planes = C::group_dims == plane_columns;

// Whether rows beside each other share some operands and what comes of them, and those of a block
// are along one axis (shared.cuh).
template <class C> inline constexpr bool shares_values = C::group_dims == shared_columns;
// Whether a sweep stores elements, too.
template <class Program, class C>
inline constexpr bool stores_in_sweep =
    stores_what_it_reduces<Program> && !has_groups<C> && !all_blocks_meet<C>;
template <class Program, class C, int K>
inline constexpr bool has_one = shares_values<C>&& is_shared<Program>(K);

// Positions of a thread that are few enough for code of their own; 0: there is none. H200, sums of
// the columns of 2 x 2048 bf16 1.13 us instead of 2.56.
template <class Program, int V, int Items>
inline constexpr int few_positions = !only_reduces<Program> || Items < 8                ? 0
                                     : V > 4 && !program_traits<Program>::has_positions ? 2
                                                                                        : 4;

// Whether a thread may have the only position of rows in several tiles.
template <class Program>
inline constexpr bool may_pass = only_reduces<Program> && !program_traits<Program>::has_total &&
                                 !program_traits<Program>::has_positions &&
                                 !has_selected<Program, loaded_at<Program, place::row>>;

// Rows count vectors of neighbouring rows: the innermost row axis is divided by the vector width.
template <class Program>
struct columns_arguments : columns_share<Program>, side_arguments<Program> {};
// Where a tile is of one innermost axis.
template <class Program> struct shared_arguments : columns_arguments<Program> {
  int vectors_of_axis, tiles_of_axis;

#if defined(__CUDA_ARCH__)
  // The first vector of the axis of a tile, and the thread's, or one that there is not.
  __device__ __forceinline__ long long first(int tile) const {
    return tile / tiles_of_axis * static_cast<long long>(vectors_of_axis);
  }
  __device__ __forceinline__ long long vector(int tile) const {
    int const at = tile % tiles_of_axis * static_cast<int>(blockDim.x) + threadIdx.x;
    return at < vectors_of_axis ? first(tile) + at : this->rows.size;
  }
#endif
};

}  // namespace tenon::detail
