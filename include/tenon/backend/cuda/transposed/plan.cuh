// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses between the tiles of the transposed skeleton and the flat one, by the strides of a call.

#include "tenon/backend/cuda/flat/plan.cuh"
#include "tenon/backend/cuda/transposed/kernel.cuh"
#include "tenon/core/config.hpp"
#include "tenon/program/visit.hpp"
#include "tenon/schedule/transposed.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct transposed_planner {
  template <class Program> static constexpr int width = element_operands<Program>::vector_width;
  static constexpr int most_shared_bytes = 96 << 10;

  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    transposed_arguments<Program> a{};
    if (layout.columns.size > 0) {
      int const outer = outer_axis<Program>(layout);
      if (outer >= 0 && layout.columns.extents[outer] >= 16 &&
          layout.columns.extents[layout.columns.dims - 1] >= 16) {
        int const shared_bytes = set_operands<Program>(a, layout, call, outer);
        if (shared_bytes > 0 && shared_bytes <= most_shared_bytes) return planned(a, shared_bytes);
      }
    }
    return flat_planner::plan<Program>(layout, call, facts);
  }

 private:
  static long long magnitude(long long stride) { return stride < 0 ? -stride : stride; }
  // The axis along which an operand is contiguous that is not so along the innermost axis; -1 if
  // none.
  template <class Program> static int outer_axis(bound_layout const& layout) {
    int const inner = layout.columns.dims - 1;
    int found = -1;
    visit_selected<Program, element_operands<Program>>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      auto const& strides = operand_of<I>(layout).column_strides;
      if (inner < 0 || magnitude(strides[inner]) <= 1) return;
      for (int d = 0; d < inner; ++d)
        if (magnitude(strides[d]) == 1 && layout.columns.extents[d] > 1) found = d;
    });
    return found;
  }

  // @post the bytes of shared memory that the operands to be turned take
  template <class Program>
  static int set_operands(transposed_arguments<Program>& a, bound_layout const& layout,
                          bound_arguments const& call, int outer) {
    using traits = program_traits<Program>;
    constexpr int v = width<Program>;
    group_layout const& axes = layout.columns;
    int const inner = axes.dims - 1;
    a.inner = axes.extents[inner], a.outer = axes.extents[outer];
    a.inner_tiles = static_cast<unsigned>(divide_up(a.inner, tile_extent<Program>));
    a.outer_tiles = static_cast<unsigned>(divide_up(a.outer, tile_extent<Program>));
    a.batch.dims = 0, a.batch.size = 1, a.turns_stores = false;
    for (int d = 0; d < inner; ++d) {
      if (d == outer) continue;
      a.batch.by[a.batch.dims++] = index_divider<64>::of(axes.extents[d]);
      a.batch.size *= axes.extents[d];
    }
    auto copy = [&](long long(&batch)[max_rank], long long& to_inner, long long& to_outer,
                    operand_layout const& from) {
      int at = 0;
      for (int d = 0; d < inner; ++d)
        if (d != outer) batch[at++] = from.column_strides[d];
      to_inner = from.column_strides[inner], to_outer = from.column_strides[outer];
    };
    // may_be_reversed: the first of the elements may lie last.
    auto is_whole = [&](operand_layout const& from, void const* address, int bytes, int along,
                        bool may_be_reversed) {
      bool const is_reversed = may_be_reversed && from.column_strides[along] == -1;
      if (is_reversed) address = static_cast<char const*>(address) - (v - 1) * bytes;
      bool result =
          is_aligned_vector(address, bytes, v, is_reversed ? 1 : from.column_strides[along]);
      for (int d = 0; d < axes.dims; ++d)
        result = result && (d == along || from.column_strides[d] % v == 0);
      return result;
    };
    int shared_bytes = 0;
    visit_instructions<Program>([&](auto index) {
      using I = typename traits::template at<decltype(index)::value>;
      using T = storage_t<I::type>;
      constexpr int bytes = static_cast<int>(sizeof(T));
      if constexpr (I::is_load && I::moves_elements) {
        operand_layout const& from = layout.loads[I::bits];
        void const* address = call.loads[I::bits];
        copy(a.load_batch[I::bits], a.load_inner[I::bits], a.load_outer[I::bits], from);
        bool is_turned =
            magnitude(a.load_outer[I::bits]) == 1 && magnitude(a.load_inner[I::bits]) > 1;
        bool whole = is_whole(from, address, bytes, is_turned ? outer : inner, I::is_reversed);
        a.load_access[I::bits] = is_turned
                                     ? whole ? tile_access::turned : tile_access::turned_singly
                                 : whole ? tile_access::whole
                                         : tile_access::singly;
        a.load_shared[I::bits] = shared_bytes;
        if (is_turned) shared_bytes += turned_tile<Program, T>::bytes;
      }
      if constexpr (I::is_store && I::moves_elements) {
        operand_layout const& from = layout.stores[I::bits];
        copy(a.store_batch[I::bits], a.store_inner[I::bits], a.store_outer[I::bits], from);
        bool const is_turned =
            may_turn_stores<Program> && a.store_outer[I::bits] == 1 && a.store_inner[I::bits] > 1;
        a.store_is_turned[I::bits] = is_turned;
        a.store_moves_whole[I::bits] =
            is_whole(from, call.stores[I::bits], bytes, is_turned ? outer : inner, false);
        a.store_shared[I::bits] = shared_bytes;
        if (is_turned) shared_bytes += turned_tile<Program, T>::bytes, a.turns_stores = true;
      }
    });
    for (int k = 0; k < traits::size_count; ++k) a.sizes[k] = layout.sizes[k];
    a.tiles = a.batch.size * a.inner_tiles * a.outer_tiles;
    return shared_bytes;
  }

  template <class Program>
  [[gnu::cold]] static cuda_plan planned(transposed_arguments<Program> const& a, int shared_bytes) {
    using arguments = transposed_arguments<Program>;
    constexpr int v = width<Program>;
    constexpr configuration chosen{.vector_width = v,
                                   .items = tile_extent<Program> / 4 / v,
                                   .threads_per_block = tile_threads<Program>};
    cuda_plan result;
    result.function = reinterpret_cast<void const*>(
        &transposed_kernel<Program, specialization_of<chosen>, build_hash, arguments>);
    result.chosen = chosen;
    result.why = a.turns_stores
                     ? "square tiles, transposed operands and results turned in shared memory"
                     : "square tiles, transposed operands turned in shared memory";
    result.shared_bytes = static_cast<unsigned>(shared_bytes);
    allow_shared_bytes(result.function, most_shared_bytes);  // the same for all of its plans
    constexpr bool reduces = program_traits<Program>::has_reduction;
    using reductions = reductions_of<Program, place::row, 1>;
    // Of 132 multiprocessors; a constant, so that the order of a sum does not depend on the device.
    constexpr long long held = 132 * square_blocks_held<Program>;
    long long const most =
        !reduces ? most_blocks : clamped(held, 1, most_slotted_parts<Program, reductions>);
    result.grid = dim3(static_cast<unsigned>(clamped(a.tiles, 1, most)));
    if constexpr (reduces) add_slots(result);
    result.block = dim3(tile_threads<Program>);
    prepare(result, a);
    return result;
  }
};

}  // namespace tenon::detail

namespace tenon {
template <> struct cuda_skeleton<&schedules::transposed> : detail::transposed_planner {};
}  // namespace tenon
TENON_ONCE_END
