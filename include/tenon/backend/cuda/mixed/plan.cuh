// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the configuration and the grid of the mixed skeleton.

#include "tenon/backend/cuda/mixed/kernel.cuh"
#include "tenon/backend/cuda/mixed/tile_plan.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/core/config.hpp"
#include "tenon/program/visit.hpp"
#include "tenon/schedule/mixed.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct mixed_planner {
  static constexpr int threads = 256;
  // Two blocks on each of 132 multiprocessors; a constant, so that the order of a sum does not
  // depend on the device.
  static constexpr long long blocks_wanted = 264;
  // Rounds of rows from which blocks keep pace. H200, gradients of a layer norm of f32, us, with
  // and without: 8192 x 1024 (8 rounds) 33.8 and 33.6, 4096 x 4096 (16) 59.5 and 60.4; 24 rounds of
  // rows of 96, of which several are a warp's, 74.4 and 70.3.
  static constexpr long long paced_rounds = 12;

  template <class Program> static constexpr int width = element_operands<Program>::vector_width;
  // Columns of a thread: their states and operands are to fit in 128 registers.
  template <class Program>
  static constexpr int columns_per_thread =
      stages_rows<Program> || partial_words<Program, column_reductions<Program, 1>> * 2 +
                                      element_operands<Program>::loads <=
                                  3
          ? 32
          : 16;
  template <class Program>
  static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                        cuda_device_facts const& facts) {
    if constexpr (meets_in_tiles<Program>)
      return tile_planner::plan<Program>(layout, call);
    else
      return plan_rows<Program>(layout, call, facts);
  }

 private:
  // Blocks have whole rows.
  template <class Program>
  static cuda_plan plan_rows(bound_layout const& layout, bound_arguments const& call,
                             cuda_device_facts const& facts) {
    constexpr int v = width<Program>;
    constexpr int items = columns_per_thread<Program> / v > 0 ? columns_per_thread<Program> / v : 1;
    constexpr configuration resident{
        .vector_width = v, .items = items, .threads_per_block = threads};
    constexpr configuration looped{.vector_width = v,
                                   .items = items > 2 ? 2 : items,
                                   .threads_per_block = threads,
                                   .is_looped = 1};
    using resident_worker = mixed_worker<Program, specialization_of<resident>>;
    int const lanes = lanes_for(divide_up(layout.columns.size, v), items);
    if (layout.columns.size <= static_cast<long long>(resident_worker::most_lanes) * items * v &&
        resident_worker::shared_bytes(lanes) <= most_shared_bytes(facts))
      return planned<Program, resident>(layout, call, facts,
                                        "row in registers, columns' states too");
    return planned<Program, looped>(layout, call, facts,
                                    "row read again in each phase, columns' states in a cache");
  }
  // Beside what the kernel declares.
  static long long most_shared_bytes(cuda_device_facts const& facts) {
    return facts.shared_bytes_per_block - (1 << 10);
  }
  // Of a row: neighbouring threads read 64 bytes at least.
  static int lanes_for(long long vectors, int items) {
    int lanes = 4;
    while (lanes < threads && static_cast<long long>(lanes) * items < vectors) lanes *= 2;
    return lanes;
  }

  template <class Program, configuration C>
  static cuda_plan planned(bound_layout const& layout, bound_arguments const& call,
                           cuda_device_facts const& facts, char const* why) {
    using arguments = mixed_arguments<Program>;
    constexpr int v = C.vector_width;
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &mixed_kernel<Program, specialization_of<C>, build_hash, arguments>);
    result.chosen = C;
    result.why = why;
    arguments a{};
    set_operands<Program, v>(a, layout, call);
    long long const lanes = lanes_for(a.vectors, C.items), height = threads / lanes;
    a.tiles = at_least(1, divide_up(a.vectors, lanes * C.items));
    long long most = blocks_wanted;
    constexpr bool is_late = has_column_totals<Program>;
    if (program_traits<Program>::has_total && !is_late)
      most = clamped(most, 1, most_parts<Program, all_totals<Program>>);
    long long const blocks = clamped(divide_up(layout.rows.size, height), 1, most);
    a.blocks = static_cast<int>(blocks);
    a.is_paced = blocks > 1 && lanes >= 32 && layout.rows.size >= paced_rounds * blocks * height;
    result.grid = dim3(static_cast<unsigned>(blocks));
    result.block = dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(height));
    using worker = mixed_worker<Program, specialization_of<C>>;
    result.shared_bytes = worker::shared_bytes(static_cast<int>(lanes));
    allow_shared_bytes(result.function, clamped(worker::shared_bytes(worker::most_lanes), 0,
                                                most_shared_bytes(facts)));
    long long const of_totals =
        is_late ? words_of_totals<Program>(blocks + shares_of_columns<v>(a.vectors, true)) : 0;
    result.workspace_bytes =
        sizeof(unsigned) *
        static_cast<std::size_t>(first_partial + blocks * a.vectors * v * worker::words_per_column +
                                 of_totals);
    prepare(result, a);
    return result;
  }

  template <class Program, int V>
  static void set_operands(mixed_arguments<Program>& a, bound_layout const& layout,
                           bound_arguments const& call) {
    using traits = program_traits<Program>;
    a.rows = a.group_of(layout.rows);
    a.columns = a.group_of(layout.columns);
    a.vectors = divide_up(layout.columns.size, V);
    a.set_operands(layout, call, [&](operand_layout const& from, void const* address, int bytes) {
      bool result =
          layout.columns.dims == 1 && is_aligned_vector(address, bytes, V, from.column_strides[0]);
      for (int d = 0; d < layout.rows.dims; ++d) result = result && from.row_strides[d] % V == 0;
      return result;
    });
    a.is_whole = layout.columns.size % V == 0;
    visit_instructions<Program>([&](auto index) {
      using I = typename traits::template at<decltype(index)::value>;
      if constexpr (I::is_load && I::moves_elements)
        a.is_whole =
            a.is_whole && a.load_moves_whole[I::bits] && travels_alone<storage_t<I::type>, V>;
    });
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::mixed> : detail::mixed_planner {};
}  // namespace tenon
TENON_ONCE_END
