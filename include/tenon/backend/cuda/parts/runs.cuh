// SPDX-License-Identifier: Apache-2.0
#pragma once
// Columns that are runs of vectors at a stride: where a vector lies in each operand, by one
// division in 32 bits, and a tile of such vectors through the program.

#include "tenon/backend/cuda/parts/run_arguments.cuh"
#include "tenon/backend/cuda/parts/sweep.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// `row` with what the run of vector `at` adds beyond at * V elements.
template <class Program, class... Selected, class Arguments>
__device__ __forceinline__ operand_offsets<Program> in_run(operand_offsets<Program> const& row,
                                                           Arguments const& a, int at) {
  operand_offsets<Program> result = row;
  long long const run = a.runs.by_run.quotient(static_cast<unsigned>(at));
  auto shift = [&](auto selected) {
    using I = typename program_traits<Program>::template at<decltype(selected)::value>;
    if constexpr (I::is_load)
      result.loads[I::bits] += run * a.load_leaps[I::bits];
    else
      result.stores[I::bits] += run * a.store_leaps[I::bits];
  };
  (for_each_selected<Program, Selected>(shift), ...);
  return result;
}

// Loads a tile of the selected operands.
template <class Program, class Selected, int V, int Items, class Tile, class Arguments,
          class Positions>
__device__ __forceinline__ void load_in_runs(Tile& tile, Arguments const& a,
                                             operand_offsets<Program> const& row,
                                             Positions const& positions) {
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    auto& to = read_register<k>(tile).at;
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      to[u] = {};
      auto const run = in_run<Program, Selected>(row, a, positions.at(u));
      load_packed<expected_reuse<Program, I, true>>(
          to[u],
          load_address<Program, k>(a, run.loads[I::bits]) +
              static_cast<long long>(positions.at(u)) * V,
          positions.is_whole(u));
    }
  });
}

// As process_tile, with each item in its run.
template <int Phase, bool Stores, int V, int Items, class Loads, class Program, class Tile,
          class States, class Arguments, class Positions>
__device__ __forceinline__ void process_runs(Tile const& tile, States& states,
                                             frame<Program> const& around, Arguments const& a,
                                             operand_offsets<Program> const& row,
                                             Positions const& positions) {
  constexpr int batch_items = running_states<Program, V, Items, Phase>::batch_items;
  selected_registers<Program, collected_values<Program, V, Items, Phase>> values = {};
  selected_registers<Program, no_loads> none;
  common_divisors<Program, Phase, Stores> const divisors(around);
  int live_elements = 0;
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    process_item<Phase, Stores, V, Items, 1, Loads, no_loads, no_loads>(
        u, tile, none, none, values, states, around, divisors, a,
        in_run<Program, element_stores<Program, V>>(row, a, positions.at(u)), positions, u, true);
    live_elements += positions.template count<V>(u);
    if ((u + 1) % batch_items != 0) continue;
    accumulate_batch<Program, V, Items, Phase>(states, values, live_elements, unordered_batch{});
    live_elements = 0;
  }
}

}  // namespace tenon::detail
#endif
