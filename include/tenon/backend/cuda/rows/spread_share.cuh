// SPDX-License-Identifier: Apache-2.0
#pragma once
// Who shares a row that is no whole number of vectors: how many threads and blocks.

#include "tenon/backend/cuda/rows/configurations.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// A function of the row's length, because results depend on it. No lanes: such a row is not spread.
struct spread_share {
  int lanes = 0, blocks = 1;  // threads of each block

  template <class Program> [[gnu::cold]] static spread_share of(bound_layout const& layout) {
    constexpr configuration c = rows_configurations::spread_rows<Program>;
    // Large states of many blocks take longer than the row does. H200, layer norm of 2600 x 50257
    // f32 by 16 blocks 672 us, by way of shared memory 575.
    constexpr limits most{c.vector_width, c.items, c.threads_per_block,
                          has_large_states<Program> ? 4 : most_blocks_per_cluster};
    if constexpr (!rows_configurations::can_spread<Program>) return {};
    // What all rows share is read by runs.
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.is_load && i.moves_elements && !i.varies_over_rows &&
          layout.loads[i.bits].column_strides[0] != 1)
        return {};
    return of(most, layout.columns);
  }

 private:
  struct limits {
    int width, items, threads, blocks;
  };
  [[gnu::cold, gnu::noinline]] static spread_share of(limits const& most,
                                                      group_layout const& columns) {
    spread_share result;
    // Of shorter rows most of a warp would have nothing.
    if (columns.size % most.width == 0 || columns.size <= 16 * most.width || columns.dims > 1)
      return result;
    long long const runs = columns.size / (32 * most.width);
    if (runs > most.threads / 32 * most.items)
      while (result.blocks < most.blocks && 8 * most.items * result.blocks < runs)
        result.blocks *= 2;
    long long const lanes = 32 * at_least(1, divide_up(runs, most.items * result.blocks));
    if (lanes <= most.threads) result.lanes = static_cast<int>(lanes);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
