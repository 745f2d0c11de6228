// SPDX-License-Identifier: Apache-2.0
#pragma once
// Neighbouring rows that a block or a cluster keeps in its shared memory: how threads and blocks
// share them.

#include "tenon/backend/cuda/columns/kept_kernel.cuh"
#include "tenon/backend/cuda/columns/shared_plan.cuh"

TENON_ONCE_BEGIN
namespace tenon::detail {

template <class Facts> concept gathering_facts = requires {
  typename Facts::op::template gathered<typename Facts::number>;
};
// What a thread does once for its rows is much where they are gathered: half as many threads have
// twice the positions of each.
template <class Program>
inline constexpr bool gathers_columns = []<int... K>(std::integer_sequence<int, K...>) {
  return (false || ... || gathering_facts<reduction_facts<Program, K>>);
}
(held_sequence<Program, reductions_at<Program, place::row>>{});

struct kept_columns_planner : shared_columns_planner {
  // Positions of which a tile is as wide as its block. H200, us, as wide as a warp and so: softmax
  // over axis 1 of 16 x 19 x 262144 bf16 227 and 89, f32 345 and 169, of 8 x 8 x 262144 bf16 103
  // and 25, of 16 x 21 x 65536 61 and 33, of 8 x 64 x 65536 49 and 45; of more positions not tried.
  static constexpr long long few_kept_positions = 64;
  // Shared memory that one block may keep rows in.
  static long long kept_bytes(cuda_device_facts const& facts) {
    return clamped(facts.shared_bytes_per_block - (24 << 10), 0, most_kept_bytes);
  }

  template <class Program, int V>
  static constexpr bool may_keep_columns =
      !stores_what_it_reduces<Program> && has_selected<Program, kept_loads<Program, V, 1, V == 1>>;
  // V: as wide as may be, or 1.
  template <class Program, int V>
  static constexpr configuration kept_columns_of{
      .vector_width = V,
      .items = V == 1 || gathers_columns<Program> ? 4 : items<Program>,
      .threads_per_block = V > 1 && gathers_columns<Program> ? threads / 2 : threads,
      .blocks = V > 1 && gathers_columns<Program>
                    ? 6
                    : kept_blocks_held<Program, V * row_state_words<Program>>};

  // How a tile of rows that is read once is shared; a function of the shape alone.
  struct kept_share {
    long long lanes, blocks;  // vectors of a tile, and blocks of its cluster
  };
  template <class Program, configuration C>
  static kept_share share_kept(columns_arguments<Program> const& a, long long most_bytes,
                               int most_blocks) {
    constexpr int v = C.vector_width, threads = C.threads_per_block;
    using kept = kept_vectors<Program, v, threads, v == 1>;
    long long const vectors = a.rows.size;
    kept_share share{1, 1};
    // Up to a warp, and more where threads would be without a position; of few positions as many as
    // a block has, each of which then combines with few others or with none.
    while (share.lanes < vectors &&
           (share.lanes < 32 || a.columns.size <= few_kept_positions ||
            2 * share.lanes * a.columns.size <= threads) &&
           share.lanes < threads)
      share.lanes *= 2;
    // 128 bytes: a whole cache line of each position.
    constexpr long long line = v == 1 ? 32 : 8;
    long long const least_lanes = share.lanes < line ? share.lanes : line;
    auto const steps = [&] {
      return divide_up(divide_up(a.columns.size, share.blocks), threads / share.lanes);
    };
    auto const fits = [&] { return steps() * kept::bytes_per_step <= most_bytes; };
    auto const fills_device = [&] {
      return divide_up(vectors, share.lanes) * share.blocks >= blocks_wanted;
    };
    while (share.lanes > least_lanes && !(fits() && fills_device())) share.lanes /= 2;
    while (share.blocks < most_blocks && !fits()) share.blocks *= 2;
    if (!fits()) return {0, 0};
    while (share.blocks < most_blocks && steps() > 1 && !fills_device()) share.blocks *= 2;
    return share;
  }

  // Where more than one sweep needs a load and a cluster's shared memory holds a tile of rows; else
  // no function. Rows of memory that are no whole number of vectors are taken one by one.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_kept(bound_layout const& layout, bound_arguments const& call,
                                           cuda_device_facts const& facts) {
    constexpr int v = width<Program>;
    if (layout.columns.size == 0 || layout.rows.size == 0) return {};
    if constexpr (v > 1 && may_keep_columns<Program, 1>)
      if (layout.columns.dims == 1 && layout.rows.extents[layout.rows.dims - 1] % v != 0)
        return plan_kept_by<Program, kept_columns_of<Program, 1>>(layout, call, facts);
    if constexpr (may_keep_columns<Program, v>)
      return plan_kept_by<Program, kept_columns_of<Program, v>>(layout, call, facts);
    return {};
  }

 private:
  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan plan_kept_by(bound_layout const& layout,
                                              bound_arguments const& call,
                                              cuda_device_facts const& facts) {
    constexpr int v = C.vector_width, threads = C.threads_per_block;
    using kept = kept_vectors<Program, v, threads, v == 1>;
    columns_arguments<Program> a{};
    set_operands<Program>(a, layout, call, v, true);
    int const most_blocks = facts.has_clusters ? 8 : 1;
    long long const available = kept_bytes(facts);
    // While one block of a multiprocessor waits, the others read or write.
    for (int held : {C.blocks, 2 * kept_columns_planner::threads / threads,
                     kept_columns_planner::threads / threads}) {
      long long const most_bytes = most_kept_bytes / held;
      if (most_bytes > available) break;
      kept_share const share = share_kept<Program, C>(a, most_bytes, most_blocks);
      if (share.blocks == 0) continue;
      long long const height = threads / share.lanes;
      a.slices_are_neighbours = true;
      a.tiles = static_cast<int>(divide_up(a.rows.size, share.lanes));
      a.slices = static_cast<int>(share.blocks);
      a.slice_length = divide_up(divide_up(a.columns.size, share.blocks), height) * height;
      cuda_plan plan{};
      plan.function = reinterpret_cast<void const*>(
          &kept_columns_kernel<Program, specialization_of<C>, build_hash,
                               columns_arguments<Program>>);
      plan.chosen = C;
      plan.block = dim3(static_cast<unsigned>(share.lanes), static_cast<unsigned>(height));
      plan.grid = dim3(static_cast<unsigned>(a.tiles * share.blocks));
      plan.cluster = static_cast<unsigned>(share.blocks);
      plan.shared_bytes = static_cast<unsigned>(a.slice_length / height * kept::bytes_per_step);
      plan.why = share.blocks > 1
                     ? "neighbouring threads on neighbouring rows, kept in a cluster"
                     : "neighbouring threads on neighbouring rows, kept in shared memory";
      allow_shared_bytes(plan.function, available);
      leave_room(plan, a, 0);
      prepare(plan, a);
      return plan;
    }
    return {};
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
