// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the configuration and the grid of the mixed skeleton.

#include "tenon/backend/cuda/mixed.cuh"
#include "tenon/backend/cuda/plan_base.cuh"
#include "tenon/program/visit.hpp"
#include "tenon/schedule/mixed.hpp"

namespace tenon::detail {

struct mixed_planner {
  static constexpr int threads = 256;
  // Two blocks on each of 132 multiprocessors; a constant, so that the order of a sum does not
  // depend on the device.
  static constexpr long long blocks_wanted = 264;

  template <class Program> static constexpr int width = element_operands<Program>::vector_width;
  // Columns of a thread: their states and operands are to fit in 128 registers.
  template <class Program>
  static constexpr int columns_per_thread =
      partial_words<Program, column_reductions<Program, 1>> * 2 +
                  element_operands<Program>::loads <=
              3
          ? 32
          : 16;

  template <class Program>
  static cuda_plan<Program> plan(bound_layout<Program> const& layout,
                                 bound_arguments<Program> const& call,
                                 cuda_device_facts const& facts) {
    constexpr int v = width<Program>;
    constexpr int items = columns_per_thread<Program> / v > 0 ? columns_per_thread<Program> / v : 1;
    constexpr configuration resident{
        .vector_width = v, .items = items, .threads_per_block = threads};
    constexpr configuration looped{.vector_width = v,
                                   .items = items > 2 ? 2 : items,
                                   .threads_per_block = threads,
                                   .is_looped = 1};
    if (layout.columns.size <= static_cast<long long>(threads) * items * v)
      return planned<Program, resident>(layout, call, facts,
                                        "row in registers, columns' states too");
    return planned<Program, looped>(layout, call, facts,
                                    "row read again in each phase, columns' states in a cache");
  }

 private:
  template <class Program, configuration C>
  static cuda_plan<Program> planned(bound_layout<Program> const& layout,
                                    bound_arguments<Program> const& call,
                                    cuda_device_facts const& facts, char const* why) {
    using arguments = mixed_arguments<Program>;
    constexpr int v = C.vector_width;
    cuda_plan<Program> result;
    result.function = reinterpret_cast<void const*>(
        &mixed_kernel<Program, specialization_of<C>, build_hash, arguments>);
    result.chosen = C;
    result.why = why;
    arguments a{};
    set_operands<Program, v>(a, layout, call);
    long long lanes = 4;  // neighbouring threads read 64 bytes at least
    while (lanes < threads && lanes * C.items < a.vectors) lanes *= 2;
    long long const height = threads / lanes;
    a.tiles = at_least(1, divide_up(a.vectors, lanes * C.items));
    long long most = blocks_wanted;
    if (program_traits<Program>::has_total)
      most = clamped(most, 1, most_parts<Program, reductions_of<Program, place::total, 0>>);
    long long const blocks = clamped(divide_up(layout.rows.size, height), 1, most);
    result.grid = dim3(static_cast<unsigned>(blocks));
    result.block = dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(height));
    using stage = typename mixed_worker<Program, specialization_of<C>>::stage;
    result.shared_bytes = stage::bytes;
    // If this fails, so does the launch, whose status is checked.
    (void)cudaFuncSetAttribute(result.function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(result.shared_bytes));
    int resident = 0;
    a.blocks_can_meet =
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, result.function, threads,
                                                      result.shared_bytes) == cudaSuccess &&
        resident * static_cast<long long>(facts.multiprocessors) >= blocks;
    result.workspace_bytes =
        sizeof(unsigned) *
        static_cast<std::size_t>(first_partial +
                                 blocks * a.vectors * v *
                                     partial_words<Program, column_reductions<Program, v>>);
    static_assert(sizeof(arguments) <= sizeof(result.prepared));
    __builtin_memcpy(result.prepared, &a, sizeof(arguments));
    result.launch = launch_together<Program>;
    return result;
  }

  // Blocks that wait for each other are launched cooperatively: all of them or none.
  template <class Program>
  static cudaError_t launch_together(cuda_plan<Program> const& plan,
                                     bound_arguments<Program> const& call, void* workspace,
                                     cudaStream_t stream) {
    mixed_arguments<Program> a;
    __builtin_memcpy(&a, plan.prepared, sizeof(a));
    a.set(call, workspace);
    void* parameters[] = {&a};
    if (a.blocks_can_meet)
      return cudaLaunchCooperativeKernel(plan.function, plan.grid, plan.block, parameters,
                                         plan.shared_bytes, stream);
    return cudaLaunchKernel(plan.function, plan.grid, plan.block, parameters, plan.shared_bytes,
                            stream);
  }

  template <class Program, int V>
  static void set_operands(mixed_arguments<Program>& a, bound_layout<Program> const& layout,
                           bound_arguments<Program> const& call) {
    using traits = program_traits<Program>;
    auto group = [](index_group<max_rank, 64>& to, group_layout const& from) {
      to.dims = from.dims > 1 ? from.dims : 1;
      to.size = from.size;
      for (int d = 0; d < from.dims; ++d)
        if (from.extents[d] > 0) to.by[d] = index_divider<64>::of(from.extents[d]);
    };
    group(a.rows, layout.rows), group(a.columns, layout.columns);
    a.vectors = divide_up(layout.columns.size, V);
    auto copy = [&](long long(&rows)[max_rank], long long(&columns)[max_rank],
                    operand_layout const& from) {
      for (int d = 0; d < max_rank; ++d) {
        rows[d] = d < layout.rows.dims ? from.row_strides[d] : 0;
        columns[d] = d < layout.columns.dims ? from.column_strides[d] : 0;
      }
    };
    auto moves_whole = [&](operand_layout const& from, void const* address, int bytes) {
      bool result =
          layout.columns.dims == 1 && is_aligned_vector(address, bytes, V, from.column_strides[0]);
      for (int d = 0; d < layout.rows.dims; ++d) result = result && from.row_strides[d] % V == 0;
      return result;
    };
    visit_instructions<Program>([&](auto index) {
      using I = typename traits::template at<decltype(index)::value>;
      constexpr int bytes = static_cast<int>(sizeof(storage_t<I::type>));
      if constexpr (I::is_load) {
        copy(a.load_rows[I::bits], a.load_columns[I::bits], layout.loads[I::bits]);
        a.load_moves_whole[I::bits] =
            moves_whole(layout.loads[I::bits], call.loads[I::bits], bytes);
      }
      if constexpr (I::is_store) {
        copy(a.store_rows[I::bits], a.store_columns[I::bits], layout.stores[I::bits]);
        a.store_moves_whole[I::bits] =
            moves_whole(layout.stores[I::bits], call.stores[I::bits], bytes);
      }
    });
    a.is_whole = layout.columns.size % V == 0;
    visit_instructions<Program>([&](auto index) {
      using I = typename traits::template at<decltype(index)::value>;
      if constexpr (I::is_load && I::moves_elements)
        a.is_whole =
            a.is_whole && a.load_moves_whole[I::bits] && travels_alone<storage_t<I::type>, V>;
    });
    for (int k = 0; k < traits::size_count; ++k) a.sizes[k] = layout.sizes[k];
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::mixed> : detail::mixed_planner {};
}  // namespace tenon
