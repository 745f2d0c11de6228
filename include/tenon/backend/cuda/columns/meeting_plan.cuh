// SPDX-License-Identifier: Apache-2.0
#pragma once
// The configuration and the grid of the columns skeleton whose blocks meet.

#include "tenon/backend/cuda/columns/folded_plan.cuh"
#include "tenon/backend/cuda/columns/meeting_kernel.cuh"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct meeting_columns_planner : folded_columns_planner {
  // A function of the shape alone, because the order of a sum follows from it. Tiles have 512 bytes
  // of each position, and as many as can have blocks are under way together: of fewer more would
  // stay in shared memory and the second-level cache, but between two tiles of a block is its
  // meeting. H200, us, standardised columns of 65536 x 1024 f32 in 8 tiles at once 210, four at a
  // time 225, of 32768 x 4096 in 32 tiles 400 and 467, bf16 254 and 308.
  struct meeting_split {
    long long lanes, tiles, groups, slices, turns_of_slice;
  };
  // @pre vectors is above 0
  [[gnu::cold]] static meeting_split split_meeting(long long vectors, long long positions,
                                                   int items) {
    meeting_split to{};
    to.lanes = 1;
    while (to.lanes < 32 && to.lanes < vectors) to.lanes *= 2;
    to.tiles = divide_up(vectors, to.lanes);
    to.groups = divide_up(to.tiles, divide_up(to.tiles, most_meeting_groups));
    long long const step = threads / to.lanes * items;
    to.slices = clamped(blocks_wanted / to.groups, 1, at_least(1, divide_up(positions, step)));
    to.turns_of_slice =
        clamped(divide_up(divide_up(positions, to.slices), step), 1, most_turns_of_slice);
    to.slices = at_least(1, divide_up(positions, to.turns_of_slice * step));
    return to;
  }

  // No function: the device cannot hold the blocks.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_meeting(bound_layout const& layout,
                                              bound_arguments const& call,
                                              cuda_device_facts const& facts) {
    constexpr int v = width<Program>, u = items<Program>, blocks_held = 2;
    using arguments = meeting_arguments<Program>;
    using kept = kept_vectors<Program, v, threads>;
    constexpr configuration meeting{.vector_width = v,
                                    .items = u,
                                    .threads_per_block = threads,
                                    .blocks = blocks_held,
                                    .has_clusters = 1};
    cuda_plan result{};
    result.function = reinterpret_cast<void const*>(
        &meeting_columns_kernel<Program, specialization_of<meeting>, build_hash, arguments>);
    result.chosen = meeting;
    arguments a{};
    set_operands<Program>(a, layout, call, v, false);
    meeting_split const split = split_meeting(at_least(1, a.rows.size), a.columns.size, u);
    a.tiles = static_cast<int>(a.rows.size > 0 ? split.tiles : 1);
    a.slices = static_cast<int>(split.slices);
    result.block =
        dim3(static_cast<unsigned>(split.lanes), static_cast<unsigned>(threads / split.lanes));

    // With all shared memory first, then with what is used of it.
    constexpr int bytes_of_turn = u * kept::bytes_per_step,
                  under_way = turns_under_way<Program, v, u, threads>;
    long long const most_bytes = bytes_of_turn > 0 ? shared_bytes<Program>(facts, blocks_held) : 0;
    allow_shared_bytes(result.function, most_bytes);
    result.shared_bytes = static_cast<unsigned>(most_bytes);
    long long const resident = most_resident_groups(result, facts);
    if (resident == 0) return {};
    long long const groups = resident < split.groups ? resident : split.groups,
                    slices_of_block = divide_up(split.slices, resident / groups);
    meeting_share& to = a.share;
    to.groups = static_cast<int>(groups);
    to.blocks = static_cast<int>(divide_up(split.slices, slices_of_block));
    to.turns = static_cast<int>(divide_up(a.columns.size, threads / split.lanes * u));
    to.turns_of_slice = static_cast<int>(split.turns_of_slice);
    to.turns_of_block = static_cast<int>(slices_of_block * split.turns_of_slice);
    to.vectors_of_one = 1;
    while (to.vectors_of_one * split.slices < split.lanes) to.vectors_of_one *= 2;
    if constexpr (bytes_of_turn > 0) {
      int const places = static_cast<int>(most_bytes / bytes_of_turn);
      bool const is_all = to.turns_of_block <= places;
      a.is_kept = is_all || places >= under_way;
      to.kept_turns = is_all ? to.turns_of_block : a.is_kept ? places - under_way : 0;
      int const used = is_all      ? places < to.turns_of_block ? places : to.turns_of_block
                       : a.is_kept ? places
                                   : 0;
      result.shared_bytes = static_cast<unsigned>(used * bytes_of_turn);
    }
    result.grid = dim3(static_cast<unsigned>(to.groups * to.blocks));
    result.is_cooperative = result.grid.x > 1;
    result.why = "neighbouring threads on neighbouring rows, columns over blocks, which meet";
    long long partials =
        groups * (split.slices + 1) * words_of_row_phase<Program> * split.lanes * v;
    a.first_total = first_partial + partials;
    partials += a.tiles * partial_words<Program, reductions_of<Program, place::total, 0>>;
    result.workspace_bytes = sizeof(unsigned) * static_cast<std::size_t>(first_partial + partials);
    prepare(result, a);
    return result;
  }

 protected:
  // Bytes of the element operands at one position of a vector of rows.
  template <class Program>
  static constexpr int bytes_per_vector = [] {
    int bytes = 0;
    visit_instructions<Program>([&](auto index) {
      using I = typename program_traits<Program>::template at<decltype(index)::value>;
      if constexpr (I::is_load && I::moves_elements) bytes += width<Program> * size_of(I::type);
    });
    return bytes;
  }();

 private:
  // A block's part of a multiprocessor's, less what the states of its threads take.
  template <class Program>
  static long long shared_bytes(cuda_device_facts const& facts, int blocks_held) {
    constexpr long long states = 4ll * threads * width<Program> * words_of_row_phase<Program>;
    return at_least(0, (facts.shared_bytes_per_block + 1024) / blocks_held - 1024 - states - 1024);
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
