// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shares the result of a scatter among blocks that list their updates.

#include "tenon/backend/cuda/scatter/listed_kernel.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct listed_planner {
  static constexpr int most_log_lanes = 7, log_threads = 9;
  // Threads that have a row, or neighbouring rows, of 1 KB of vectors.
  static constexpr int log_stored_at_once = 6;
  static_assert(1 << log_threads == listed_threads);

  static scatter_shares shares_of(scatter_axes const& axes, int vector, long long updates,
                                  int most_blocks_at_once) {
    scatter_shares result;
    if (axes.targets == 0 || axes.others == 0) return result;
    long long const vectors = divide_up(axes.others, vector), wanted = most_blocks_at_once;
    int& lanes = result.log_lanes;
    int& teams = result.log_teams;
    while (lanes < most_log_lanes && 1ll << lanes < vectors) ++lanes;
    teams = log_threads - lanes;
    long long pieces, units;
    auto const count = [&] {
      pieces = divide_up(vectors, 1ll << lanes), units = divide_up(axes.targets, 1ll << teams);
      return pieces * units;
    };
    // A few rows that take in many updates each would otherwise be few blocks'.
    while (count() < wanted && teams > 0) --teams;
    while (count() < wanted && lanes > (vector > 1 ? log_least_lanes : 5)) --lanes;
    // In a second step of updates that fill the list they would read all indices once more.
    if (teams < log_threads - lanes && count() > wanted && updates / units > most_listed / 2)
      ++teams, count();
    // Neighbours that are stored at once are one block's, others are several blocks': rows that
    // many updates name are often neighbours.
    if (vector > 1 || lanes >= log_least_lanes)
      result.log_near = static_cast<int>(clamped(log_stored_at_once - lanes, 0, teams));
    else
      result.log_near = teams;
    result.log_far = teams - result.log_near;
    result.last_near = (1 << result.log_near) - 1, result.last_far = (1 << result.log_far) - 1;
    // As many as are there at once, or several times as many where there are many pieces, so that
    // the last ones to begin are few.
    long long const blocks = pieces * 4 > wanted ? wanted * 4 : wanted;
    long long const groups = clamped(blocks / pieces, 1, units);
    result.groups = static_cast<unsigned>(groups);
    result.by_groups = index_divider<32>::of(groups);
    result.blocks = groups * pieces;
    result.steps = static_cast<int>(divide_up(units, groups));
    while (1ll << result.bits < result.steps << teams) ++result.bits;
    // What is for a step on average, of updates that are spread evenly.
    long long const of_step = divide_up(updates, units);
    result.span =
        static_cast<int>(clamped(most_listed / 2 / at_least(1, of_step), 1, result.steps));
    if (updates > most_indices) result.span = 1;
    return result;
  }

  template <class Program>
  static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                        cuda_device_facts const& facts) {
    scatter_axes const axes = scatter_axes::of<Program>(layout);
    if constexpr (scatter_vector < Program >> 1)
      if (has_scatter_vectors<Program, scatter_vector<Program>>(layout, call, axes))
        return plan_of<Program, scatter_vector<Program>>(layout, call, facts, axes);
    return plan_of<Program, 1>(layout, call, facts, axes);
  }

 private:
  template <class Program, int V>
  static cuda_plan plan_of(bound_layout const& layout, bound_arguments const& call,
                           cuda_device_facts const& facts, scatter_axes const& axes) {
    constexpr configuration chosen{
        .vector_width = V, .threads_per_block = listed_threads, .group_dims = max_rank};
    using arguments = listed_arguments<Program>;
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &listed_scatter_kernel<Program, specialization_of<chosen>, build_hash, arguments>);
    result.chosen = chosen;
    result.why = V > 1
                     ? "blocks list the updates of their rows; vectors take them in in their order"
                     : "blocks list the updates of their rows, and take them in in their order";
    result.block = dim3(listed_threads);
    arguments prepared{};
    static_cast<widest_arguments<Program>&>(prepared) =
        widest_arguments<Program>::of(layout, call, 1, result.split);
    prepared.axes = axes;
    scatter_shares& shares = prepared.shares;
    shares = shares_of(axes, V, layout.columns.size, facts.multiprocessors);
    shares.kept = policy_of_stores(bytes_stored<Program>(layout), facts.cache_bytes);
    result.grid = dim3(static_cast<unsigned>(clamped(shares.blocks, 1, most_blocks)));
    int const bytes = sizeof(update_registers<Program>);
    if (V > 1 && has_one_state<Program> && prepared.columns.dims == 1) {
      // Of as many updates as are listed, if there is room for them.
      int const bytes_of_part = V * bytes << shares.log_lanes, most = most_bytes_of_parts(facts);
      shares.parts =
          static_cast<int>(clamped(most / bytes_of_part, 0, most_listed / updates_of_part));
      result.shared_bytes = static_cast<unsigned>(shares.parts * bytes_of_part);
      allow_shared_bytes(result.function, most);
    }
    if (V == 1 && shares.log_lanes < log_least_lanes) {
      result.shared_bytes = listed_threads * bytes;
      allow_shared_bytes(result.function, result.shared_bytes);
    }
    prepare(result, prepared);
    return result;
  }
  static int most_bytes_of_parts(cuda_device_facts const& facts) {
    return static_cast<int>(clamped(facts.shared_bytes_per_block - (48 << 10), 0, 128 << 10));
  }
  template <class Program> static long long bytes_stored(bound_layout const& layout) {
    long long result = 0;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.is_store) result += layout.rows.size * size_of(i.type);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
