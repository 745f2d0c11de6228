// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a kernel is specialised on beside its program: the configuration, and the build that
// compiled it.

#include "tenon/backend/arguments.hpp"
#include "tenon/program/inner_columns.hpp"

namespace tenon {

// What the operands of a kernel may be along the columns: the more, the longer it is.
inline constexpr int sliced_columns = -6;   // slices of whole vectors' rows, in the midst of some
inline constexpr int ordered_columns = -5;  // contiguous, of any length and place, one axis
inline constexpr int run_columns = -4;      // whole aligned vectors in runs at a stride
inline constexpr int spread_columns = -3;   // contiguous, of any place, single elements
inline constexpr int any_spread_columns = -2;  // the same, and any others by shared memory
inline constexpr int shifted_columns = -1;     // whole vectors at any place, in registers
inline constexpr int odd_columns = 0;          // contiguous, of any length and place, in registers
inline constexpr int packed_columns = 1;       // whole aligned vectors
inline constexpr int contiguous_columns = 2;   // misaligned, or of odd length, too
inline constexpr int any_columns = max_rank;   // strided, repeated, and along several axes too
// Whole aligned vectors, of which some are fetched from where their first elements are.
inline constexpr int fetched_columns = -9;
// Whole aligned vectors, of which some are of operands that lie between each other.
inline constexpr int beside_columns = -8;
// Rows beside each other, which have some operands and what comes of them in common.
inline constexpr int shared_columns = -7;
// Rows of planes, to which what these come to is sent back.
inline constexpr int plane_columns = -9;
// Whether all of a row are whole aligned vectors, wherever they lie.
template <int GroupDims>
inline constexpr bool has_whole_vectors =
    GroupDims == packed_columns || GroupDims == run_columns || GroupDims == beside_columns ||
    GroupDims == fetched_columns;
// Of a kernel for all operands that the types of a call allow.
constexpr int columns_allowed(column_order order) {
  return order >= column_order::contiguous ? contiguous_columns : any_columns;
}

// One specialization of a kernel skeleton, as a value: what planners choose and reports show.
struct configuration {
  int vector_width = 1;             // elements per memory access
  int items = 1;                    // accesses per thread and operand that are in flight together
  int threads_per_block = 1;        // the most that are launched
  int group_dims = packed_columns;  // columns: run_columns where rows are groups of them,
                                    // shared_columns where neighbours have something in common,
                                    // plane_columns where planes do
  int is_looped = 0;  // rows: columns are read again in each phase instead of staying in registers;
                      // columns: has_all_rows; moved: each item has a place of its own
  int index_bits = 64;   // flat: width of index arithmetic
  int blocks = 1;        // that a multiprocessor is to hold at once, at least
  int has_warps = 0;     // rows: at least a warp shares each of them; columns: takes_elements;
                         // moved: neighbours in a row are read together
  int has_clusters = 0;  // rows: several blocks may share one; columns: all_blocks_meet
  int joined = 1;        // columns: neighbours in a vector that are of one group in any case

  constexpr bool operator==(configuration const&) const = default;
};

// The same as a type, which kernels are templated on: nvcc 13.0 spells a value of class type in a
// kernel's parameter type by its mangled name, which the host compiler does not know.
template <int VectorWidth, int Items, int ThreadsPerBlock, int GroupDims, int IsLooped,
          int IndexBits, int Blocks, int HasWarps, int HasClusters, int Joined>
struct specialization {
  static constexpr int vector_width = VectorWidth, items = Items,
                       threads_per_block = ThreadsPerBlock, group_dims = GroupDims,
                       index_bits = IndexBits, blocks = Blocks, joined = Joined;
  static constexpr bool is_looped = IsLooped != 0, has_warps = HasWarps != 0,
                        has_clusters = HasClusters != 0;
};
template <configuration C>
using specialization_of =
    specialization<C.vector_width, C.items, C.threads_per_block, C.group_dims, C.is_looped,
                   C.index_bits, C.blocks, C.has_warps, C.has_clusters, C.joined>;

namespace detail {

#if defined(__CUDA_ARCH_LIST__)
inline constexpr long long architectures[] = {__CUDA_ARCH_LIST__};
#else
inline constexpr long long architectures[] = {0};
#endif
// Whether all devices that this is compiled for have clusters.
inline constexpr bool is_for_clusters = [] {
  bool result = true;
  for (long long architecture : architectures) result = result && architecture >= 900;
  return result;
}();

// Two translation units compiled for other architectures or by another version never share a
// kernel: this constant is part of its name. @pre it depends only on what the host and the device
// pass of nvcc see alike
constexpr unsigned long long hash_build() {
  unsigned long long hash = 14695981039346656037ull;  // FNV-1a
  auto add = [&](long long value) {
    hash = (hash ^ static_cast<unsigned long long>(value)) * 1099511628211ull;
  };
  for (long long architecture : architectures) add(architecture);
  add(version_major), add(version_minor), add(version_patch);
#if defined(NDEBUG)
  add(1);
#endif
  add(TENON_CHECK_INDICES);
  return hash;
}
inline constexpr unsigned long long build_hash = hash_build();

// The instructions that Selector::holds, each with a value of the type that it gives.
template <class Program, class Selector>
struct selected_registers : register_file<Selector, held_sequence<Program, Selector>> {};

template <class Program, class Selected>
inline constexpr bool has_selected =
    !std::is_same_v<held_sequence<Program, Selected>, std::integer_sequence<int>>;

#if defined(__CUDA_ARCH__)
// Calls visit(integral_constant<int, K>) for them: without a function between where they are few.
template <class Program, class Selector, class Visit>
__device__ __forceinline__ void for_each_selected(Visit&& visit) {
  using all = held<Selector, program_traits<Program>::size>;
  constexpr int count = all::all.count;
  if constexpr (count > 3) {
    visit_each(visit, held_sequence<Program, Selector>{});
  } else {
    if constexpr (count > 0) visit(std::integral_constant<int, all::all.at[0]>{});
    if constexpr (count > 1) visit(std::integral_constant<int, all::all.at[1]>{});
    if constexpr (count > 2) visit(std::integral_constant<int, all::all.at[2]>{});
  }
}
#endif

}  // namespace detail
}  // namespace tenon
