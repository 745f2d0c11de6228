// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shares the result of a scatter among blocks that list their updates.

#include "tenon/backend/cuda/scatter/listed_kernel.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct listed_planner {
  // That a multiprocessor holds: states of one element of a plain sum leave registers for two.
  template <class Program, int V>
  static constexpr int blocks_held = V == 1 && sizeof(taken_updates<Program>) <= 8 &&
                                             program_traits<Program>::load_count
                                                     + program_traits<Program>::store_count
                                                 <= 5
                                         ? 2
                                         : 1;
  // Every block reads all indices: so many elements of the result for each are worth more blocks.
  // H200, us, with two blocks and one: 2^18 updates of single elements of 2^24 389 and 581, 2^20 of
  // 1000 elements 2763 and 1471.
  static constexpr long long elements_per_index = 16;
  static constexpr int most_log_lanes = 7, log_threads = 9;
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
    while (count() < wanted && lanes > 5) --lanes;
    // As many as are there at once, or several times as many where there are many pieces, so that
    // the last ones to begin are few.
    long long const blocks = pieces * 4 > wanted ? wanted * 4 : wanted;
    long long const groups = clamped(blocks / pieces, 1, units);
    result.groups = static_cast<unsigned>(groups);
    result.by_groups = index_divider<32>::of(groups);
    result.blocks = groups * pieces;
    result.steps = static_cast<int>(divide_up(units, groups));
    // What is for a step on average, of updates that are spread evenly.
    long long const of_step = divide_up(updates, units);
    result.span =
        static_cast<int>(clamped(most_listed / 2 / at_least(1, of_step), 1, result.steps));
    result.length = clamped(updates, 0, most_indices);
    if (of_step > most_listed / 2)
      result.length = clamped(updates / of_step * (most_listed / 2), most_listed, most_indices);
    if (result.length < updates) result.span = 1;
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
    constexpr configuration chosen{.vector_width = V,
                                   .threads_per_block = listed_threads,
                                   .group_dims = max_rank,
                                   .blocks = blocks_held<Program, V>};
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
    bool const are_many = layout.rows.size / elements_per_index >= layout.columns.size;
    shares = shares_of(axes, V, layout.columns.size,
                       facts.multiprocessors * (are_many ? blocks_held<Program, V> : 1));
    shares.kept = policy_of_stores(bytes_stored<Program>(layout), facts.cache_bytes);
    result.grid = dim3(static_cast<unsigned>(clamped(shares.blocks, 1, most_blocks)));
    if (shares.log_lanes < log_least_lanes) {
      result.shared_bytes = listed_threads * sizeof(update_registers<Program>);
      allow_shared_bytes(result.function, result.shared_bytes);
    }
    prepare(result, prepared);
    return result;
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
