// SPDX-License-Identifier: Apache-2.0
#pragma once
// Groups of neighbouring columns that a cluster keeps in its shared memory: how threads and blocks
// share them.

#include "tenon/backend/cuda/columns/grouped_kernel.cuh"
#include "tenon/backend/cuda/columns/meeting_plan.cuh"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct kept_groups_planner : meeting_columns_planner {
 protected:
  [[gnu::cold]] static long long common_divisor(long long a, long long b) {
    while (b > 0) {
      long long const rest = a % b;
      a = b, b = rest;
    }
    return a;
  }

  // Null where rows of memory are no whole vectors, or no cluster holds a tile. `all_columns`:
  // `layout` with the columns of a group as an axis of the rows.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_kept_groups(bound_layout const& layout,
                                                  bound_layout const& all_columns,
                                                  bound_arguments const& call,
                                                  cuda_device_facts const& facts) {
    constexpr int v = element_operands<Program>::vector_width;
    if constexpr (v > 1) {
      long long const of_group = layout.columns.extents[1];
      if (of_group % v == 0) return plan_joined<Program, v>(layout, all_columns, call, facts);
      if constexpr (v > 2)
        if (of_group % 2 == 0) return plan_joined<Program, 2>(layout, all_columns, call, facts);
      return plan_joined<Program, 1>(layout, all_columns, call, facts);
    }
    return {};
  }

 private:
  // Neighbouring columns of a thread, of which so many are of one group in any case: 16 bytes, of
  // large states fewer.
  template <class Program, int Joined>
  static constexpr int grouped_width = [] {
    int result = element_operands<Program>::vector_width;
    while (result > Joined && result / Joined * row_state_words < Program >> 16) result /= 2;
    return result;
  }();
  // Whether 64 registers are enough for a thread with one state of each reduction, and 96 for
  // several. A multiprocessor holds 1024 threads then, or 640.
  template <class Program>
  static constexpr bool has_little =
      held<kept_loads<Program, element_operands<Program>::vector_width>,
           program_traits<Program>::size>::all.count == 1 &&
      element_operands<Program>::loads <= 3 && row_state_words<Program> <= 4 &&
      program_traits<Program>::widest_element <= 4;
  template <class Program, int Joined>
  static constexpr configuration grouped{
      .vector_width = grouped_width<Program, Joined>,
      .items = has_little<Program>&& grouped_width<Program, Joined>
                   <8 ? 4 : 2,
                    .threads_per_block = has_little<Program> && grouped_width<Program, Joined>>
                       Joined
                   ? 160
                   : threads,
      .group_dims = run_columns,
      .blocks = has_little<Program> ? 4 : 2,
      .joined = Joined};

  // Vectors of a row of threads, which are a tile; rows of threads of a block; blocks of a cluster.
  // 0: none holds a tile.
  struct group_share {
    long long lanes = 0, height = 0, blocks = 0;
  };
  // Positions of a thread: what a thread and a block do once is a third of a sweep's instructions
  // with half as many. H200, group norm with silu, us, of 256 x 49 x (32 of 64) bf16 45, with ten
  // 54, of 128 x 196 x (32 of 32) 43.5 and 45.7.
  static constexpr long long positions_of_thread = 14;
  // Of a block, so that a multiprocessor has room for four; of the widest clusters for two.
  static constexpr long long wanted_bytes = 52 << 10, most_bytes = 100 << 10;
  static constexpr long long most_blocks = 8, most_lanes = 64;

  // A tile has a line of 128 bytes of each position where one block holds it, else half a line, or
  // as much more as whole groups are: 64 x 784 x (32 of 16) bf16 45 us in one block, 49 in clusters
  // of two. Follows from the shape of a group alone, so that its bits do.
  [[gnu::cold]] static group_share share_groups(long long vectors_of_unit, long long positions,
                                                int bytes, long long most_threads,
                                                bool has_clusters) {
    for (int line : {8, 4, 1}) {
      long long const lanes = divide_up(line, vectors_of_unit) * vectors_of_unit;
      if (lanes > most_lanes) continue;
      long long blocks = 1;
      auto const fits = [&](long long bytes_of_block) {
        return divide_up(positions, blocks) * lanes * bytes <= bytes_of_block;
      };
      while (has_clusters && line < 8 && blocks < most_blocks && !fits(wanted_bytes)) blocks *= 2;
      if (!fits(line > 1 ? wanted_bytes : most_bytes)) continue;
      long long const most_height = most_threads / lanes, whole = 32 / common_divisor(32, lanes);
      long long height = clamped(divide_up(divide_up(positions, blocks), positions_of_thread),
                                 divide_up(32, lanes), most_height);
      // Whole warps.
      long long const of_warps = divide_up(height, whole) * whole;
      if (of_warps <= most_height)
        height = of_warps;
      else if (height > whole)
        height = height / whole * whole;
      return {lanes, height, blocks};
    }
    return {};
  }

  template <class Program, int Joined>
  [[gnu::cold]] static cuda_plan plan_joined(bound_layout const& layout,
                                             bound_layout const& all_columns,
                                             bound_arguments const& call,
                                             cuda_device_facts const& facts) {
    constexpr configuration c = grouped<Program, Joined>;
    constexpr int v = c.vector_width;
    using kept = kept_vectors<Program, v, 1>;
    long long const of_group = layout.columns.extents[1], positions = layout.columns.extents[0];
    if (all_columns.rows.extents[all_columns.rows.dims - 1] % v != 0) return {};
    group_share const share =
        share_groups(of_group / common_divisor(of_group, v), positions, kept::bytes_per_step,
                     c.threads_per_block, facts.has_clusters);
    if (share.blocks == 0) return {};

    kept_groups_arguments<Program> a{};
    set_operands<Program>(a, all_columns, call, v, false);
    a.columns_of_group = index_divider<64>::of(of_group);
    a.groups = a.group_of(layout.rows);
    a.slices_are_neighbours = true;
    a.vectors_of_tile = static_cast<int>(share.lanes);
    a.tiles = static_cast<int>(divide_up(a.rows.size, share.lanes));
    a.slices = static_cast<int>(share.blocks);
    a.slice_length = divide_up(positions, share.blocks);
    long long const threads_of_block = share.lanes * share.height;
    grouped_share& to = a.share;
    to.groups = static_cast<int>(share.lanes * v / of_group);
    to.parts_of_group = static_cast<int>(of_group / Joined);
    to.states_of_group = static_cast<int>(to.parts_of_group * share.height);
    to.lanes = 32;
    while (to.lanes > 1 && to.lanes * to.groups > threads_of_block) to.lanes /= 2;
    to.states_at = static_cast<int>(divide_up(a.slice_length, share.height) * threads_of_block *
                                    kept::bytes_per_step);
    to.others_stay = others_stay<Program, v>(a);

    cuda_plan result{};
    result.function = reinterpret_cast<void const*>(
        &grouped_columns_kernel<Program, specialization_of<c>, build_hash,
                                kept_groups_arguments<Program>>);
    result.chosen = c;
    result.block = dim3(static_cast<unsigned>(share.lanes), static_cast<unsigned>(share.height));
    result.grid = dim3(static_cast<unsigned>(a.tiles * share.blocks));
    result.cluster = static_cast<unsigned>(share.blocks);
    long long const of_cluster = share.blocks > 1 ? 2 * share.blocks : 0;
    result.shared_bytes =
        static_cast<unsigned>(to.states_at + 4ll * words_of_row_phase<Program> * to.groups *
                                                 (to.states_of_group + of_cluster));
    result.why =
        share.blocks > 1
            ? "neighbouring threads on neighbouring columns, groups of these kept in a cluster"
            : "neighbouring threads on neighbouring columns, groups of these kept in shared memory";
    allow_shared_bytes(result.function, facts.shared_bytes_per_block - (1 << 10));
    if (most_resident_groups(result, facts) == 0) return {};  // no room for the cluster
    prepare(result, a);
    return result;
  }

  // Whether what is not kept is the same at each position.
  template <class Program, int V>
  [[gnu::cold]] static bool others_stay(columns_arguments<Program> const& a) {
    bool result = true;
    visit_instructions<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (I::is_load && I::where == place::element && I::moves_elements &&
                    !is_held<Program, kept_loads<Program, V>>(k))
        for (int d = 0; d < a.columns.dims; ++d) result = result && a.load_columns[I::bits][d] == 0;
    });
    return result;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
