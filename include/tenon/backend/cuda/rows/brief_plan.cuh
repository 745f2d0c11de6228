// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans many rows of few elements that are held: which they are, how many lanes share one, and how
// many of them a warp has at a time.

#include "tenon/backend/cuda/rows/brief.cuh"
#include "tenon/backend/cuda/rows/spread_plan.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct brief_rows_planner : spread_rows_planner {
  static constexpr int brief_elements = 32;  // of a lane, at most
  static constexpr long long most_brief = 256, least_brief_rows = 1 << 14,
                             least_brief_elements = 3 << 17;

  // Whether the reductions are those whose order the kernel has: the states of vectors by
  // themselves, or moments.
  template <class Program>
  static constexpr bool has_brief_order = [] {
    bool result = true;
    visit_selected<Program, reductions_at<Program, place::row>>([&](auto selected) {
      using facts = reduction_facts<Program, decltype(selected)::value>;
      constexpr int v = width<Program>;
      if constexpr (requires { facts::op::combines_pairs; })
        result = result && v >= 4 && v * medium_items<Program> <= 32;  // in one batch
      else
        result = result && !std::is_class_v<typename facts::state> &&
                 !takes_many<typename facts::op, typename facts::operand, v>;
    });
    return result;
  }();
  template <class Program>
  static constexpr bool can_be_brief =
      can_be_spread<Program>&& has_brief_order<Program> && !program_traits<Program>::has_total &&
      !program_traits<Program>::has_planes && program_traits<Program>::widest_element <= 4 &&
      brief_elements % width<Program> == 0;
  template <class Program>
  static constexpr configuration brief_rows{.vector_width = width<Program>,
                                            .items = brief_elements / width<Program>,
                                            .threads_per_block = 256,
                                            .group_dims = odd_columns,
                                            .index_bits = 32,
                                            .blocks = spread_words<Program> > spread_elements ? 1
                                                      : row_state_words<Program> > 3          ? 2
                                                                                              : 3};

  // Null where rows are not brief. Their bits are those of odd rows.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_brief(bound_layout const& layout, bound_arguments const& call,
                                            cuda_device_facts const& facts) {
    if constexpr (can_be_brief<Program>) {
      constexpr configuration c = brief_rows<Program>;
      using special = specialization_of<c>;
      using arguments = rows_arguments<Program, special>;
      int const lanes = brief_lanes_of<Program>(layout, facts);
      if (lanes == 0 || !are_runs<Program>(layout)) return {};
      cuda_plan result;
      result.function = reinterpret_cast<void const*>(
          &brief_rows_kernel<Program, special, build_hash, arguments>);
      result.chosen = c;
      result.why = "rows of few elements, as they lie, in registers";
      set_brief_shares(result, layout, lanes, program_traits<Program>::widest_element,
                       c.threads_per_block);
      result.split.bytes_per_warp = brief_memory<Program, special>::bytes_of_warp(
          result.split.rows_per_warp, static_cast<int>(layout.columns.size), lanes);
      int const warps = static_cast<int>(result.block.x * result.block.y / 32);
      result.shared_bytes = static_cast<unsigned>(warps * result.split.bytes_per_warp);
      long long const room = shared_bytes_left<Program, c>(facts);
      if (result.shared_bytes > room) return {};
      allow_shared_bytes(result.function, room);
      finish<Program, arguments>(
          result, layout, call, at_least(1, most_resident_groups(result, facts)),
          at_least(1, divide_up(layout.rows.size, warps * result.split.rows_per_warp)));
      return result;
    }
    return {};
  }

 private:
  // None where rows are not brief. States that are gathered are those of twice as many lanes.
  template <class Program>
  [[gnu::cold]] static int brief_lanes_of(bound_layout const& layout,
                                          cuda_device_facts const& facts) {
    constexpr int items = brief_elements / width<Program>;
    long long const size = layout.columns.size, vectors = divide_up(size, width<Program>);
    // Vectors that are whole meet in the banks of shared memory.
    if (size % width<Program> == 0 || size > most_brief || layout.rows.size < least_brief_rows ||
        layout.rows.size * size < least_brief_elements)
      return 0;
    // Wide elements of which odd rows leave no lane without are as fast there. H200, softmax of
    // 2^20 f32, us, here and there: x 63 145 and 161, x 127 290 and 277, x 129 320 and 419, x 255
    // 595 and 548.
    if (!is_half<Program> && !has_large_states<Program> && size > 64) {
      long long places = 128;
      while (places < size) places *= 2;
      if (10 * size > 7 * places) return 0;
    }
    int lanes = 1;
    if constexpr (has_large_states<Program>) {
      row_share const odd = odd_share_of<Program>(layout, facts);
      if (odd.blocks > 1 || odd.lanes > 32 || (odd.lanes < 2 && vectors > 1)) return 0;
      lanes = odd.lanes > 1 ? static_cast<int>(odd.lanes) / 2 : 1;
    } else {
      while (lanes * items < vectors) lanes *= 2;
    }
    return lanes * items < vectors ? 0 : lanes;
  }
  // A warp has some 2 KB in flight, whole vectors if that is not much more.
  [[gnu::cold, gnu::noinline]] static void set_brief_shares(cuda_plan& plan,
                                                            bound_layout const& layout, int lanes,
                                                            int bytes, int threads) {
    int const at_once = 32 / lanes, of_vectors = 16 / bytes;
    long long const bytes_of_turn = layout.columns.size * at_once * bytes;
    int turns = static_cast<int>(clamped(2048 / bytes_of_turn, 1, 8));
    while (turns * at_once % of_vectors != 0 && (turns + 1) * bytes_of_turn <= 3072) ++turns;
    while (turns > 1 && layout.rows.size < turns * at_once * 132 * 16) turns /= 2;
    plan.split.rows_per_warp = turns * at_once;
    plan.block = dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(threads / lanes));
  }
  // Whether the rows of every operand follow one another as their elements do.
  template <class Program> [[gnu::cold]] static bool are_runs(bound_layout const& layout) {
    if (layout.rows.dims > 1 || layout.columns.dims > 1) return false;
    bool result = true;
    visit_selected<Program, moving_elements<Program>>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      operand_layout const& operand = layout_of<I>(layout);
      result = result && (layout.columns.size == 1 || operand.column_strides[0] == 1) &&
               ((I::is_load && !I::varies_over_rows) || layout.rows.size == 1 ||
                operand.row_strides[0] == layout.columns.size);
    });
    return result;
  }
  template <class I> static operand_layout const& layout_of(bound_layout const& layout) {
    if constexpr (I::is_load)
      return layout.loads[I::bits];
    else
      return layout.stores[I::bits];
  }
  template <class Program> struct moving_elements {
    static consteval bool holds(int k) { return program_traits<Program>::all[k].moves_elements; }
  };
};

}  // namespace tenon::detail
TENON_ONCE_END
