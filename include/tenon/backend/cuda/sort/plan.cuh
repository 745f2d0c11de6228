// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the grid and the memory of the skeleton with sorts.

#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/backend/cuda/sort/kernel.cuh"
#include "tenon/core/config.hpp"
#include "tenon/core/error.hpp"
#include "tenon/schedule/list.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct sort_planner {
  static constexpr int items = 4;
  // Blocks of rows in the workspace: four for each of 132 multiprocessors, in 1 GiB if more than
  // one.
  static constexpr long long most_workspace_bytes = 1ll << 30;

  template <class Program>
  static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                        cuda_device_facts const&) {
    long long const columns = layout.columns.size;
    if (columns > 0x7FFFFFFFll)
      raise({.operation = "sort",
             .problem = "the axis has " + to_string(columns) +
                        " elements, and positions are kept in 31 bits on this device",
             .remedy = "sort parts of the axis"});
    using memory_of = sort_memory<Program>;
    constexpr configuration chosen{.items = items,
                                   .threads_per_block = memory_of::threads,
                                   .group_dims = max_rank,
                                   .is_looped = 1};
    using arguments = widest_arguments<Program>;
    memory_of const memory(columns);
    long long const bytes = memory.bytes_per_block();
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &sort_kernel<Program, specialization_of<chosen>, build_hash, arguments>);
    result.chosen = chosen;
    result.block = dim3(memory_of::threads);
    long long most = most_blocks;
    if (memory.is_shared) {
      result.why = "one block per row, which it sorts in shared memory";
      result.shared_bytes = static_cast<unsigned>(bytes);
      allow_shared_bytes(result.function, memory_of::most_shared_bytes);
    } else {
      result.why = "one block per row, whose sorted tiles are merged in the workspace";
      most = clamped(most_workspace_bytes / bytes, 1, most_partials);
    }
    long long const blocks = clamped(layout.rows.size, 1, most);
    result.grid = dim3(static_cast<unsigned>(blocks));
    if (!memory.is_shared)
      result.workspace_bytes =
          sizeof(unsigned) * first_partial + static_cast<std::size_t>(blocks * bytes);
    prepare_arguments<arguments>(result, layout, call);
    return result;
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::sort> : detail::sort_planner {};
}  // namespace tenon
TENON_ONCE_END
