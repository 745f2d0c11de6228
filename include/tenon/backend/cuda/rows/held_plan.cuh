// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses how many blocks of a cluster hold a row in their shared memory.

#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/backend/cuda/rows/held.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct held_rows_planner {
  // Blocks of a multiprocessor that shares are made for: while some wait for their rows, others
  // write theirs.
  static constexpr int blocks_held = 4;
  // Elements of an operand that a thread has at a time, in vectors: with more, 64 registers would
  // not be enough.
  template <class Program>
  static constexpr int items = [] {
    constexpr int elements = element_operands<Program>::loads <= 1 ? 16 : 8,
                  vectors = elements / element_operands<Program>::vector_width;
    return vectors > 4 ? 4 : vectors < 1 ? 1 : vectors;
  }();
  // What 64 registers are not enough for in any case.
  template <class Program>
  static constexpr bool is_heavy =
      element_operands<Program>::loads > 2 || element_operands<Program>::has_much_arithmetic ||
      program_traits<Program>::widest_element > 4;
  template <class Program, int Dims>
  static constexpr configuration held{.vector_width = element_operands<Program>::vector_width,
                                      .items = items<Program>,
                                      .threads_per_block = 256,
                                      .group_dims = Dims,
                                      .index_bits = 32,
                                      .blocks = Dims > packed_columns ? 1
                                                : is_heavy<Program>   ? 2
                                                                      : blocks_held,
                                      .has_warps = 1,
                                      .has_clusters = 1};
  template <class Program>
  using kept_type = kept_tiles<Program, held<Program, 1>.vector_width, held<Program, 1>.items,
                               held<Program, 1>.threads_per_block>;
  // Of a block: a share of the 228 KB of a multiprocessor, less what the system and the states
  // take.
  template <class Program>
  static constexpr long long most_bytes = (228 << 10) / blocks_held - (1 << 10) -
                                          2ll *
                                              (held<Program, 1>.threads_per_block / 32 +
                                               most_blocks_per_cluster) *
                                              words_of_row_phase<Program> * 4 -
                                          64 - most_bytes_of_alignment;

  // How a row of that many vectors is shared, and the shared memory that takes; no blocks: too
  // long.
  struct share {
    held_split split;
    long long bytes = 0;
  };
  template <class Program> static share share_of(long long vectors) {
    constexpr int tile = held<Program, 1>.items * held<Program, 1>.threads_per_block,
                  bytes_per_tile = kept_type<Program>::bytes_per_tile;
    // Of one operand the last tile ends with its last vector.
    constexpr bool is_one = bytes_per_tile == tile * 16;
    for (int blocks = 2; blocks <= most_blocks_per_cluster; blocks *= 2) {
      long long const whole = vectors / (blocks * tile), left = vectors - whole * blocks * tile;
      long long const last = divide_up(left, blocks);
      long long const bytes = whole * bytes_per_tile + (last == 0 ? 0
                                                        : is_one  ? last * 16
                                                                  : bytes_per_tile);
      if (bytes <= most_bytes<Program>)
        return {{blocks, static_cast<int>(whole), static_cast<int>(last)}, bytes};
    }
    return {{0}};
  }

  // Null where no cluster holds a row.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    share const chosen =
        share_of<Program>(divide_up(layout.columns.size, held<Program, 1>.vector_width));
    if (chosen.split.blocks == 0 || !facts.has_clusters) return {};
    auto arguments = held_arguments<Program>{
        run_arguments<Program>::of(layout, call, held<Program, 1>.vector_width)};
    arguments.held = chosen.split;
    if constexpr (!kept_type<Program>::has_small)
      if (arguments.runs.vectors > 0)
        return planned<Program, packed_columns>(arguments, chosen, facts);
    return planned<Program, any_columns>(arguments, chosen, facts);
  }

 private:
  template <class Program, int Dims>
  [[gnu::cold]] static cuda_plan planned(held_arguments<Program> const& arguments,
                                         share const& chosen, cuda_device_facts const& facts) {
    constexpr configuration c = held<Program, Dims>;
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &held_rows_kernel<Program, specialization_of<c>, build_hash, held_arguments<Program>>);
    result.chosen = c;
    result.why = "row in shared memory of a cluster";
    result.block = dim3(c.threads_per_block);
    result.cluster = static_cast<unsigned>(chosen.split.blocks);
    result.grid = dim3(static_cast<unsigned>(arguments.rows.size * chosen.split.blocks));
    result.shared_bytes = static_cast<unsigned>(chosen.bytes);
    allow_shared_bytes(result.function, most_bytes<Program>);
    if (most_resident_groups(result, facts) == 0) return {};  // no room for the cluster
    prepare(result, arguments);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
