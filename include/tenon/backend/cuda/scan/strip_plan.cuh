// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the configuration and the grid of scans of rows that are neighbours in memory.

#include "tenon/backend/cuda/scan/strip_kernel.cuh"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct strip_planner {
  // Neighbouring rows of a thread: 16 bytes of the widest operand, fewer where each row has much to
  // keep.
  template <class Program>
  static constexpr int width = [] {
    int result = element_operands<Program>::vector_width;
    while (result > 1 && result * words_of_scans < Program >> 16) result /= 2;
    return result;
  }();
  // Positions of a thread in a tile, of which three of two blocks are in a multiprocessor's shared
  // memory: 128 bytes of all operands.
  template <class Program>
  static constexpr int items = [] {
    int bytes = 0;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.is_load && i.moves_elements) bytes += width<Program> * size_of(i.type);
    int result = 8;
    while (result > 1 && result * bytes > 128) result /= 2;
    return result;
  }();
  template <class Program>
  static constexpr configuration chosen{.vector_width = width<Program>,
                                        .items = items<Program>,
                                        .threads_per_block = strip_threads + 64,
                                        .group_dims = max_rank,
                                        .is_looped = true,
                                        .blocks = 2};

  // A null function: the layout is none for it.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    constexpr configuration c = chosen<Program>;
    constexpr int v = c.vector_width;
    using memory = strip_memory<Program, specialization_of<c>>;
    using arguments = strip_arguments<Program>;
    cuda_plan result;
    if (layout.rows.size == 0 || layout.columns.size == 0 || layout.columns.dims > 1 ||
        memory::bytes > facts.shared_bytes_per_block || !rows_are_neighbours<Program>(layout))
      return result;
    arguments a{};
    set_neighbouring_rows(a, layout, call, v);
    for (int k = 0; k < a.stores_held; ++k) a.store_steps[k] = a.store_columns[k][0];
    strip_share const share =
        share_strips(layout.rows.size, layout.columns.size, v, strip_lanes<Program, v>, c.items,
                     scans_before<Program>(program_traits<Program>::size));
    long long const strips = divide_up(a.rows.size, share.vectors());
    if (strips * share.parts >= most_blocks) return result;
    a.lanes = share.lanes, a.warps_along = share.warps_along, a.steps = share.steps;
    a.strips = static_cast<int>(strips), a.parts = static_cast<int>(share.parts);
    a.is_walked = share.is_walked;
    while (1 << a.lanes_log2 < a.lanes) ++a.lanes_log2;
    while (1 << a.warps_log2 < a.warps_along) ++a.warps_log2;
    a.vectors_of_tile = share.vectors();
    a.positions_of_tile = share.positions();
    result.function = reinterpret_cast<void const*>(
        &strip_scan_kernel<Program, specialization_of<c>, build_hash, arguments>);
    result.chosen = c;
    result.why = "neighbouring rows side by side";
    result.block = dim3(static_cast<unsigned>(c.threads_per_block));
    result.shared_bytes = memory::bytes;
    allow_shared_bytes(result.function, memory::bytes);
    // As many blocks as there is room for, whatever their number: no bits depend on it.
    long long const tiles = share.is_walked ? strips : strips * share.parts,
                    blocks = clamped(most_resident_groups(result, facts), 0, tiles);
    if (blocks == 0) return {};
    result.grid = dim3(static_cast<unsigned>(blocks));
    a.strips_by = static_cast<int>(share.is_walked ? blocks : blocks % strips);
    a.parts_by = static_cast<int>(share.is_walked ? 0 : blocks / strips);
    if (share.parts > 1 && !share.is_walked) {
      result.why = "neighbouring rows side by side, positions over blocks";
      result.is_cooperative = true;
      long long const words =
          strips * strip_groups::states(share.parts) * share.lanes * v * words_of_scans<Program>;
      result.workspace_bytes = sizeof(unsigned) * static_cast<std::size_t>(first_partial + words);
    }
    prepare(result, a);
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
