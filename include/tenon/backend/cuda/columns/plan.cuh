// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the configuration and the grid of the columns skeleton.

#include "tenon/backend/cuda/columns/kept_plan.cuh"
#include "tenon/backend/cuda/columns/kernel.cuh"
#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/core/config.hpp"
#include "tenon/program/visit.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct columns_planner : kept_columns_planner {
  // What the rows under way may occupy of the second-level cache when later phases read them again.
  static constexpr long long bytes_kept = 40ll << 20;
  // Rows of all slices that leave words with marks, for which the last one waits: more are sooner
  // combined behind a ticket, and so are those of slices of which the last one is shorter. H200,
  // sums of the columns of 4096 x 1000 bf16 5.5 us (6.0 with marks), of 20000 x 3 3.4 (4.2).
  static constexpr long long most_marked = 1 << 11;

  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call,
                                      cuda_device_facts const& facts) {
    constexpr int v = width<Program>, u = items<Program>;
    constexpr configuration vectors{.vector_width = v, .items = u, .threads_per_block = threads};
    auto [result, a] = begun<Program, vectors>(layout, call);
    if constexpr (may_be_sliced<Program> && !gathered_columns<Program>::are_found) {
      // What is no whole vector comes sooner by itself than in pieces. H200, us, 1 x 8191 bf16 1.15
      // (1.53), 2 x 8191 1.15 (1.52), misaligned 2 x 8192 1.20 (1.86), 4 x 4096 f32 1.19 (1.63).
      bool const is_whole = has_whole_vectors<Program>(a, v);
      element_share const share =
          share_elements(layout.rows.size, layout.columns.size, 2 * u,
                         is_whole ? at_least(1, few_positions<Program, v, u>) : 0);
      if (share.lanes > 0) return plan_elements<Program>(layout, call, share);
    }
    // Of so many vectors a tile and its slices are a share, however the rows' axes lie.
    long long const count = divide_up(layout.rows.size, v);
    if constexpr (may_be_brief<Program>)
      if (should_be_brief<Program>(a, count)) return plan_brief<Program>(a);
    if constexpr (may_share<Program>) {
      cuda_plan const shared = plan_shared<Program>(layout, call);
      if (shared.function) return shared;
    }
    if constexpr (may_fold<Program, v>) {
      auto const folded = plan_folded<Program>(layout, call);
      if (folded.function) return folded;
    }
    if constexpr (!may_be_sliced<Program>)
      if (blocks_should_meet<Program>(a, facts)) {
        cuda_plan const meeting = plan_meeting<Program>(layout, call, facts);
        if (meeting.function) return meeting;
      }
    cuda_plan const kept = plan_kept<Program>(layout, call, facts);
    if (kept.function) return kept;
    split<Program>(result, a, count, facts);
    prepare(result, a);
    return result;
  }

 private:
  template <class Program> struct begun_plan {
    cuda_plan plan;
    columns_arguments<Program> arguments;
  };
  template <class Program, configuration C>
  [[gnu::cold]] static begun_plan<Program> begun(bound_layout const& layout,
                                                 bound_arguments const& call) {
    using arguments = columns_arguments<Program>;
    begun_plan<Program> result{};
    result.plan.function = reinterpret_cast<void const*>(
        &columns_kernel<Program, specialization_of<C>, build_hash, arguments>);
    result.plan.chosen = C;
    set_operands<Program>(result.arguments, layout, call, C.vector_width,
                          is_any_kept<Program, width<Program>> && !stores_what_it_reduces<Program>);
    return result;
  }

  template <class Program>
  [[gnu::cold]] static cuda_plan plan_elements(bound_layout const& layout,
                                               bound_arguments const& call,
                                               element_share const& share) {
    constexpr configuration elements{.vector_width = 1,
                                     .items = 2 * items<Program>,
                                     .threads_per_block = threads,
                                     .has_warps = 1};
    auto [result, a] = begun<Program, elements>(layout, call);
    result.why = "neighbouring threads on neighbouring rows, element by element";
    a.tiles = static_cast<int>(divide_up(a.rows.size, share.lanes));
    a.slices = 1, a.slice_length = a.columns.size;
    a.asks_early = a.is_plain && a.tiles >= 16;
    result.block = dim3(static_cast<unsigned>(share.lanes), static_cast<unsigned>(share.height));
    result.grid = dim3(static_cast<unsigned>(a.tiles));
    leave_room(result, a, 0);
    prepare(result, a);
    return result;
  }

  // Whether all blocks do better together than those of a cluster that keep a tile, or one that
  // reads it again. A call whose blocks meet takes 17 us, however little it moves. H200, us, and
  // kept in clusters: standardised columns of 2048 x 4096 f32 33 (38), 4096 x 1024 26 (31), 8192 x
  // 1024 35 (56), 16384 x 256 27 (29), 16384 x 1024 60 (100), 16384 x 4096 206 (248), bf16 131
  // (226), but of 2048 x 256 f32 18.5 (10.8), 8192 x 256 22 (20); softmax over axis 0 of 8192 x
  // 2048 bf16 39 (49), f32 68 (66), 4096 x 512 f32 17.7 (11.6), 4096 x 32768 523 (334).
  template <class Program>
  [[gnu::cold]] static bool blocks_should_meet(columns_arguments<Program> const& a,
                                               cuda_device_facts const& facts) {
    long long const vectors = a.rows.size, positions = a.columns.size;
    if (vectors == 0 || positions == 0) return false;
    if constexpr (is_any_kept<Program, width<Program>>) {
      long long const elements = vectors * width<Program> * positions;
      // Small states of 4 bytes an element are kept as soon as they are read: 64 x 3136 x 256 f32,
      // two sums 196 (125), softmax 206 (136), 16 x 4096 x 320 85 (52), 90 (56); halves alike.
      constexpr bool may_meet = has_large_states<Program> || width < Program >> 4;
      constexpr long long least = has_large_states<Program> ? 3 << 20 : 1 << 23;
      return (may_meet && positions >= 2048 && elements >= least && elements <= 1 << 26) ||
             share_kept<Program, kept_columns_of<Program, width<Program>>>(
                 a, kept_bytes(facts), facts.has_clusters ? 8 : 1)
                     .lanes == 0;
    }
    return divide_up(vectors, 4) < blocks_wanted / 2 && positions >= 1 << 12;
  }
  template <class Program>
  [[gnu::cold]] static void split(cuda_plan& plan, columns_arguments<Program>& a, long long vectors,
                                  cuda_device_facts const& facts) {
    constexpr int u = items<Program>;
    constexpr bool is_sliced = may_be_sliced<Program>;
    // At once on a multiprocessor; two where the compiler need not mind, which 128 registers allow.
    constexpr int blocks_held = at_least(2, columns_blocks_held<Program, width<Program>>);
    using reductions = reductions_of<Program, place::row, 1>;
    long long const positions = at_least(1, a.columns.size);
    tile_share share{1, 1, positions};
    plan.why = "neighbouring threads on neighbouring rows";
    if constexpr (is_sliced) {
      share = share_slices(at_least(1, vectors), positions, u,
                           few_positions<Program, width<Program>, u>, blocks_held);
      if (share.slices > 1)
        plan.why = "neighbouring threads on neighbouring rows, columns over blocks";
    } else {
      while (share.lanes < 32 && share.lanes < vectors) share.lanes *= 2;
      share.lanes = widened(share.lanes, positions, u);
      // Narrower tiles, down to 64 bytes of an operand: until there is one for each block, and
      // until what all blocks have under way stays in the cache for the next phase.
      auto wants_narrower = [&] {
        long long under_way =
            blocks_wanted * share.lanes * bytes_per_vector<Program> * a.columns.size;
        return divide_up(vectors, share.lanes) < blocks_wanted || under_way > bytes_kept;
      };
      while (share.lanes > 4 && share.lanes <= 32 && wants_narrower()) share.lanes /= 2;
      plan.why = "neighbouring threads on neighbouring rows, read again in each phase";
    }
    long long const lanes = share.lanes, tiles = at_least(1, divide_up(a.rows.size, lanes));
    a.tiles = static_cast<int>(tiles), a.slices = static_cast<int>(share.slices);
    a.slice_length = share.slice_length;
    // The blocks of one multiprocessor, number 0 and 132, then have different ones of two tiles.
    // H200, 65536 x 100 f32: 12.3 us instead of 16.6.
    a.slices_are_neighbours = a.slices > 1 && tiles == 2 && is_mostly_empty(lanes, a.rows.size);
    if (may_pass<Program> && a.columns.size == 1 && a.is_plain && lanes == threads &&
        a.innermost % width<Program> == 0)
      a.tiles_passed = static_cast<int>(clamped(divide_up(tiles, blocks_wanted), 1, u));
    plan.block = dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(threads / lanes));
    long long const blocks =
        a.tiles_passed > 0 ? divide_up(tiles, a.tiles_passed) : tiles * a.slices;
    plan.grid = dim3(static_cast<unsigned>(blocks));
    // Where there is room for others, those of the next kernel would lie uneven. H200, sums of the
    // columns of 133 x 16384 bf16 3.65 us instead of 4.03; of 1000 x 12288, 192 blocks, 9.2 instead
    // of 8.4. Calls that are over before feel nothing of it, nor do halves in pieces: 264 x 3000
    // f32 2.77 (3.35), 131 x 50257 bf16 7.5 (8.0), 4096 x 4097 14.0 (14.4), but 1000 x 4097 f32 8.2
    // (7.2). Long calls gain nothing: 1048576 x 128 bf16 + 1 75.5 instead of 72.4.
    constexpr long long places = blocks_wanted / 2 * blocks_held;
    constexpr bool is_half = width < Program >> 4;
    bool const is_short = is_sliced && a.rows.size * positions < 1 << 23;
    long long const moved = a.rows.size * positions * bytes_per_vector<Program>;
    a.may_leave = is_short && blocks <= places &&
                  (blocks > places / 8 * 7 || moved <= 4 << 20 || (is_half && !a.is_plain));
    // Of three places blocks have two; shared memory that nobody uses takes the third. f32: 65536 x
    // 64 6.9 us instead of 7.3, 133 x 16384 4.4 instead of 4.8, but where blocks that are
    // neighbours have one tile 65536 x 100 10.3 instead of 9.9.
    if (is_short && facts.shared_bytes_per_block >= 200 << 10 && blocks_held == 3 && a.is_plain &&
        !a.slices_are_neighbours && blocks <= blocks_wanted && blocks > blocks_wanted / 8 * 7) {
      plan.shared_bytes = 73 << 10;
      allow_shared_bytes(plan.function, plan.shared_bytes);
      a.may_leave = true;
    }

    // H200, us: 133 x 16384 f32 4.16 (4.39), bf16 3.32 (3.68), but 64 x 65536 6.1 (5.5). Of fewer
    // blocks less: 1000 x 512 bf16 2.95 (3.48), f32 3.1 (2.8), 1000 x 100 f32 2.09 (2.32), 1000 x
    // 3000 bf16 4.9 (4.3). In pieces 1000 x 1023 f32 3.82 (4.04), bf16 5.2 (5.5), but misaligned
    // 264 x 4096 f32 4.7 (4.2).
    bool const has_many = blocks > blocks_wanted / 8 * 7 && positions > u &&
                          a.rows.size * width<Program> * positions <= 3 << 20;
    bool const leaves_many = a.may_leave && blocks > blocks_wanted / 2 && moved <= 4 << 20;
    if (a.is_plain)
      a.asks_early = has_many || leaves_many || moved <= (is_half ? 5 << 19 : 7 << 18);
    else
      a.asks_early = a.has_pieces && moved <= (is_half ? 9 << 19 : 4 << 20);

    long long partials = 0;
    if constexpr (is_sliced)
      if (a.slices > 1) {
        long long const rows_left = a.tiles * a.slices * lanes * width<Program>;
        a.are_marked = leaves_words<Program, 1, width<Program>> && rows_left <= most_marked &&
                       a.slices < most_chained * (threads / lanes) &&
                       8 * (a.slices * a.slice_length - positions) <= a.slice_length;
        if (a.are_marked)
          plan.workspace_bytes = sizeof(unsigned) * first_partial;
        else
          partials = rows_left * partial_words<Program, reductions>;
      }
    leave_room(plan, a, partials);
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
