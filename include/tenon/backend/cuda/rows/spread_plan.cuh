// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows that are no whole number of vectors, whose elements the lanes of their warps take in turn:
// which they are, and who shares them.

#include "tenon/backend/cuda/rows/odd_share.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct spread_rows_planner : odd_rows_sharing {
  // Elements of a lane: sixteen, as a thread has of aligned rows of f32, and one more, because
  // lengths just beyond a power of two are common.
  static constexpr int spread_elements = 17, most_spread_warps = 16;
  static constexpr long long least_spread = 257,
                             most_spread = 32 * spread_elements * most_spread_warps;

  // Registers for what a lane keeps of a row, a word for each element at least.
  template <class Program>
  static constexpr int spread_words = [] {
    int words = 0;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.is_load && i.moves_elements && i.is_own()) words += size_of(i.type) > 4 ? 2 : 1;
    return words * spread_elements;
  }();
  template <class Program>
  static constexpr bool can_be_spread = can_be_odd<Program> && !stores_column_parts<Program> &&
                                        spread_words<Program> <= 2 * spread_elements;
  // Three blocks leave 40 registers, of which much arithmetic has too few: rows of bf16 to int8
  // spilled 16 bytes (ptxas 13.0).
  template <class Program, int Dims>
  static constexpr configuration spread_rows{
      .vector_width = 1,
      .items = spread_elements,
      .threads_per_block = 32 * most_spread_warps,
      .group_dims = Dims > contiguous_columns ? any_spread_columns : spread_columns,
      .index_bits = 32,
      .blocks = spread_words<Program> > spread_elements ||
                        (program_traits<Program>::has_late &&
                         element_operands<Program>::has_much_arithmetic)
                    ? 1
                : has_large_states<Program> || element_operands<Program>::loads > 1 ||
                        element_operands<Program>::has_much_arithmetic
                    ? 2
                    : 3,
      .has_warps = 1};

  // Whether rows are spread is a function of their length, because results depend on it, and of
  // what a device's blocks have room for: all layouts of a length are alike. Null where they are
  // not.
  template <class Program, int Dims>
  [[gnu::cold]] static cuda_plan plan_spread(bound_layout const& layout,
                                             bound_arguments const& call,
                                             cuda_device_facts const& facts, bool is_contiguous) {
    long long const size = layout.columns.size;
    if constexpr (can_be_spread<Program>)
      if (size % width<Program> != 0 && size >= least_spread && size <= most_spread)
        return planned<Program, Dims>(layout, call, facts, is_contiguous);
    return {};
  }

 private:
  template <class Program, int Dims>
  [[gnu::cold]] static cuda_plan planned(bound_layout const& layout, bound_arguments const& call,
                                         cuda_device_facts const& facts, bool is_contiguous) {
    constexpr configuration c = spread_rows<Program, Dims>;
    using special = specialization_of<c>;
    using arguments = rows_arguments<Program, special>;
    cuda_plan result;
    spread_share const share = spread_share_of(layout.columns.size);
    result.function =
        reinterpret_cast<void const*>(&rows_kernel<Program, special, build_hash, arguments>);
    result.chosen = c;
    result.split.vectors_per_block = share.stretch;
    long long const rows_per_group =
        set_threads(result, {32 * share.warps, 1}, moved_as::elements, layout.rows.size);
    if constexpr (c.group_dims == any_spread_columns) {
      constexpr int bytes = spread_memory<Program, special>::bytes_of_warp;
      long long const room = shared_bytes_left<Program, c>(facts);
      if (at_least(4, share.warps) * bytes > room) return {};
      if (!is_contiguous) {
        result.shared_bytes = static_cast<unsigned>(rows_per_group * share.warps * bytes);
        allow_shared_bytes(result.function, room);
      }
    }
    finish<Program, arguments>(result, layout, call,
                               program_traits<Program>::has_total ? parts<Program> : most_blocks,
                               at_least(1, divide_up(layout.rows.size, rows_per_group)));
    return result;
  }

  // Warps of a row, and the elements of each but the last, which has fewer.
  struct spread_share {
    int warps, stretch;
  };
  static constexpr spread_share spread_share_of(long long size) {
    long long const warps = divide_up(size, 32 * spread_elements);
    return {static_cast<int>(warps), static_cast<int>(32 * divide_up(size, 32 * warps))};
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
