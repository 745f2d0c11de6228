// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans many rows of few elements that are held: which they are, how many lanes share one, and how
// many of them a warp has at a time.

#include "tenon/backend/cuda/rows/brief.cuh"
#include "tenon/backend/cuda/rows/few.cuh"
#include "tenon/backend/cuda/rows/spread_plan.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct brief_rows_planner : spread_rows_planner {
  // Of a lane, at most; fewer of rows of whole vectors, of which four blocks are held: with 32, and
  // three, the kernel is half as long again. H200, us, misaligned, with 16 and 32: layer norm bf16
  // of 2^20 x 32 56.5 and 58.6, f32 82 and 80, of 65536 x 64 bf16, which has no room, 16.5 and
  // 10.5; softmax of 65536 x 256 f32 41.2 and 42.6, bf16 28.7 and 25.3. Three blocks leave too few
  // registers for f32 with a weight and a bias: layer norm of 65793 x 255 with three, which spill
  // 28 bytes, 49.2 us, with two 43.0, of 508400 x 33 45.2 and 39.0, of 167772 x 100 36.2 and 36.3.
  static constexpr int brief_elements = 32, whole_elements = 16;
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
      !program_traits<Program>::has_planes && !program_traits<Program>::has_gathered &&
      program_traits<Program>::widest_element <= 4 && brief_elements % width<Program> == 0;
  // Whether three blocks have no registers for rows of any place: ptxas 13.0, layer norm of f32
  // without weights, which spilled 20 bytes of 80 registers.
  template <class Program>
  static constexpr bool is_narrowly_held = shares_two<Program> ||
                                           (row_state_words<Program> > 2 &&
                                            program_traits<Program>::widest_element == 4);
  template <class Program, int Dims>
  static constexpr configuration brief_rows{
      .vector_width = width<Program>,
      .items = (Dims == contiguous_columns ? whole_elements : brief_elements) / width<Program>,
      .threads_per_block = 256,
      .group_dims = Dims,
      .index_bits = 32,
      .blocks = spread_words<Program> > spread_elements ? 1
                : row_state_words<Program> > 3 || (Dims == odd_columns && is_narrowly_held<Program>)
                    ? 2
                : Dims == contiguous_columns ? 4
                                             : 3};

  // Rows of up to eight elements, which a lane has by itself; a warp brings all that it is to have
  // by at most four vectors of each lane, wherever they begin.
  static constexpr int few_elements = 8, most_few_bytes = 2032;
  template <class Program>
  static constexpr bool can_be_few = can_be_brief<Program> &&
                                     (width<Program> == 4 || width<Program> == 8);
  template <class Program>
  static constexpr configuration few_rows{.vector_width = width<Program>,
                                          .items = few_elements / width<Program>,
                                          .threads_per_block = 256,
                                          .group_dims = odd_columns,
                                          .index_bits = 32,
                                          .blocks = 4};

  // Null where rows are not brief. Their bits are those of odd rows, or of aligned ones.
  template <class Program, column_order Columns>
  [[gnu::cold]] static cuda_plan plan_brief(bound_layout const& layout, bound_arguments const& call,
                                            cuda_device_facts const& facts, bool is_packed) {
    if constexpr (can_be_brief<Program> && !program_traits<Program>::has_late) {
      if constexpr (may_be_odd(Columns))
        if (layout.columns.size % width<Program> != 0)
          return planned_brief<Program, odd_columns>(layout, call, facts,
                                                     brief_lanes_of<Program>(layout, facts));
      if constexpr (has_whole_vectors<Program> &&
                    (takes_aligned<Program> || may_begin_anywhere(Columns)))
        return planned_brief<Program, contiguous_columns>(
            layout, call, facts, whole_lanes_of<Program>(layout, facts, is_packed));
    }
    return {};
  }
  // Null where a lane has no row by itself.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_few(bound_layout const& layout, bound_arguments const& call,
                                          cuda_device_facts const& facts) {
    if constexpr (can_be_few<Program> && !program_traits<Program>::has_late) {
      constexpr configuration c = few_rows<Program>;
      using special = specialization_of<c>;
      using arguments = rows_arguments<Program, special>;
      long long const size = layout.columns.size;
      if (size == 0 || size > few_elements || size % width<Program> == 0 || layout.rows.size == 0 ||
          !are_runs<Program>(layout))
        return {};
      if constexpr (has_large_states<Program>)
        if (odd_share_of<Program>(layout, facts).lanes != 1) return {};
      cuda_plan result;
      result.function =
          reinterpret_cast<void const*>(&few_rows_kernel<Program, special, build_hash, arguments>);
      result.chosen = c;
      result.why = "rows of few elements, as they lie, one to a lane";
      set_few_shares(result, layout, program_traits<Program>::widest_element, c);
      if (!has_room<Program, c>(result, layout, facts) || groups_of(result, layout) > most_blocks)
        return {};
      finish<Program, arguments>(result, layout, call, most_blocks, groups_of(result, layout));
      return result;
    }
    return {};
  }

 private:
  template <class Program, int Dims>
  [[gnu::cold]] static cuda_plan planned_brief(bound_layout const& layout,
                                               bound_arguments const& call,
                                               cuda_device_facts const& facts, int lanes) {
    constexpr configuration c = brief_rows<Program, Dims>;
    using special = specialization_of<c>;
    using arguments = rows_arguments<Program, special>;
    if (lanes == 0 || !are_runs<Program>(layout)) return {};
    cuda_plan result;
    result.function =
        reinterpret_cast<void const*>(&brief_rows_kernel<Program, special, build_hash, arguments>);
    result.chosen = c;
    result.why = "rows of few elements, as they lie, in registers";
    set_brief_shares(result, layout, lanes, program_traits<Program>::widest_element,
                     c.threads_per_block);
    result.split.order =
        image_order::of(static_cast<int>(layout.columns.size / width<Program>), lanes);
    if (!has_room<Program, c>(result, layout, facts)) return {};
    finish<Program, arguments>(result, layout, call,
                               at_least(1, most_resident_groups(result, facts)),
                               groups_of(result, layout));
    return result;
  }
  // @pre the block and the rows of a warp are known. @post so is its shared memory, if there is
  // room
  template <class Program, configuration C>
  [[gnu::cold]] static bool has_room(cuda_plan& plan, bound_layout const& layout,
                                     cuda_device_facts const& facts) {
    plan.split.bytes_per_warp = brief_memory<Program, specialization_of<C>>::bytes_of_warp(
        plan.split.rows_per_warp, static_cast<int>(layout.columns.size),
        static_cast<int>(plan.block.x));
    plan.shared_bytes = static_cast<unsigned>(warps_of(plan) * plan.split.bytes_per_warp);
    long long const room = shared_bytes_left<Program, C>(facts);
    if (plan.shared_bytes > room) return false;
    allow_shared_bytes(plan.function, room);
    return true;
  }
  static int warps_of(cuda_plan const& plan) {
    return static_cast<int>(plan.block.x * plan.block.y / 32);
  }
  static long long groups_of(cuda_plan const& plan, bound_layout const& layout) {
    return at_least(1, divide_up(layout.rows.size, warps_of(plan) * plan.split.rows_per_warp));
  }

  // As many rows to a warp as it takes for all blocks to be there at once, as far as a warp brings
  // that many: with half as many, two warps after each other, softmax of 2^20 x 1 bf16 takes 4.4 us
  // instead of 3.5 (H200). Fewer warps to a block where there are few rows.
  [[gnu::cold, gnu::noinline]] static void set_few_shares(cuda_plan& plan,
                                                          bound_layout const& layout, int bytes,
                                                          configuration const& c) {
    long long const rows = layout.rows.size,
                    most = clamped(most_few_bytes / (layout.columns.size * 32 * bytes), 1, 16);
    int warps = c.threads_per_block / 32;
    while (warps > 1 && rows < 32 * 132 * warps) warps /= 2;
    long long const all = divide_up(rows, 32 * 132 * warps * c.blocks),
                    rounds = divide_up(all, most);
    plan.split.rows_per_warp = static_cast<int>(32 * divide_up(all, rounds));
    plan.block = dim3(1, static_cast<unsigned>(32 * warps));
  }
  // None where rows are not brief. States that are gathered are those of twice as many lanes.
  template <class Program>
  [[gnu::cold]] static int brief_lanes_of(bound_layout const& layout,
                                          cuda_device_facts const& facts) {
    constexpr int items = brief_elements / width<Program>;
    long long const size = layout.columns.size, vectors = divide_up(size, width<Program>);
    if (size > most_brief || layout.rows.size < least_brief_rows ||
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
  // Whether some rows of whole aligned vectors are brief.
  template <class Program> static constexpr bool takes_aligned = has_large_states<Program>;
  // The same of rows of whole vectors: of as many lanes as aligned ones have, where states are
  // gathered. Of the others f32 has to be more: H200, softmax of f32, misaligned, of 32768 x 16
  // 3.84 us instead of 3.69, x 32 5.08 (5.49), of 16384 x 64 5.03 (4.81), of 65536 x 16 5.13
  // (5.33).
  template <class Program>
  [[gnu::cold]] static int whole_lanes_of(bound_layout const& layout,
                                          cuda_device_facts const& facts, bool is_packed) {
    constexpr int items = brief_rows<Program, contiguous_columns>.items;
    constexpr bool has_large = has_large_states<Program>;
    long long const size = layout.columns.size, vectors = size / width<Program>,
                    rows = layout.rows.size;
    constexpr bool is_quick = !is_half<Program> && !has_large;
    if (size > most_brief || rows < (is_quick ? 1 << 15 : least_brief_rows) ||
        rows * size < (is_quick ? 1 << 20 : least_brief_elements))
      return 0;
    // Few elements, of which an aligned row leaves most of the places of its kernel without. H200,
    // layer norm of 2^20 x 16 f32 39.8 us instead of 57.6, of 262144 x 32 19.9 (21.3), of 2^20 x 16
    // bf16 30.1 (44.7), of 65536 x 32 bf16 5.3 (4.7).
    if (is_packed &&
        (!takes_aligned<Program> || rows < 1 << 16 || vectors > (is_half<Program> ? 2 : 8)))
      return 0;
    int lanes = 1;
    if constexpr (has_large) {
      row_share const share = odd_share_of<Program>(layout, facts);
      if (share.blocks == 1 && share.lanes <= 32) lanes = share.lanes;
    } else {
      while (lanes < 32 && lanes * items < vectors) lanes *= 2;
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
  // Whether the vectors of rows are those of shared memory, and of one operand.
  template <class Program>
  static constexpr bool has_whole_vectors = [] {
    bool result = spread_words<Program> <= spread_elements;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.moves_elements && (i.is_store || i.varies_over_rows))
        result = result && size_of(i.type) * width<Program> == 16 && size_of(i.type) > 1;
    return result;
  }();
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
