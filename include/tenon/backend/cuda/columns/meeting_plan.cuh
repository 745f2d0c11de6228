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
    long long lanes, tiles, groups, slices, turns_of_slice, tiles_together = 1;
  };
  // @pre vectors is above 0
  [[gnu::cold]] static meeting_split split_meeting(long long vectors, long long positions,
                                                   int items) {
    meeting_split to{};
    to.lanes = 1;
    while (to.lanes < 32 && to.lanes < vectors) to.lanes *= 2;
    to.tiles = divide_up(vectors, to.lanes);
    share_positions(to, positions, items);
    return to;
  }
  // To groups of blocks, each of which has tiles_together, and to slices.
  [[gnu::cold]] static void share_positions(meeting_split& to, long long positions, int items) {
    long long const all = divide_up(to.tiles, to.tiles_together),
                    at_once = at_least(1, most_meeting_groups / to.tiles_together),
                    step = threads / to.lanes * items;
    to.groups = divide_up(all, divide_up(all, at_once));
    to.slices = clamped(blocks_wanted / (to.groups * to.tiles_together), 1,
                        at_least(1, divide_up(positions, step)));
    to.turns_of_slice =
        clamped(divide_up(divide_up(positions, to.slices), step), 1, most_turns_of_slice);
    to.slices = at_least(1, divide_up(positions, to.turns_of_slice * step));
  }

  // No function: the device cannot hold the blocks.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_meeting(bound_layout const& layout,
                                              bound_arguments const& call,
                                              cuda_device_facts const& facts) {
    meeting_arguments<Program> a{};
    set_operands<Program>(a, layout, call, width<Program>, false);
    meeting_split const split =
        split_meeting(at_least(1, a.rows.size), a.columns.size, items<Program>);
    return planned_meeting<Program, packed_columns, items<Program>>(a, split, facts);
  }
  // @pre the operands are set
  template <class Program, int GroupDims, int Items, class Arguments>
  [[gnu::cold]] static cuda_plan planned_meeting(Arguments& a, meeting_split const& split,
                                                 cuda_device_facts const& facts) {
    // Elements of eight bytes leave no registers for two blocks: a softmax of f64 spilled eight.
    constexpr int v = width<Program>, u = Items,
                  blocks_held = program_traits<Program>::widest_element > 4 ? 1 : 2;
    using kept = kept_vectors<Program, v, threads>;
    constexpr configuration meeting{.vector_width = v,
                                    .items = u,
                                    .threads_per_block = threads,
                                    .group_dims = GroupDims,
                                    .blocks = blocks_held,
                                    .has_clusters = 1};
    constexpr bool are_groups = has_groups<specialization_of<meeting>>;
    cuda_plan result{};
    result.function = reinterpret_cast<void const*>(
        &meeting_columns_kernel<Program, specialization_of<meeting>, build_hash, Arguments>);
    result.chosen = meeting;
    a.tiles = static_cast<int>(
        a.rows.size > 0 ? divide_up(split.tiles, split.tiles_together) * split.tiles_together : 1);
    a.slices = static_cast<int>(split.slices);
    result.block =
        dim3(static_cast<unsigned>(split.lanes), static_cast<unsigned>(threads / split.lanes));

    // With all shared memory first, then with what is used of it.
    constexpr int bytes_of_turn = u * kept::bytes_per_step,
                  under_way = turns_under_way<Program, v, u, threads>;
    long long const most_bytes =
        bytes_of_turn > 0 ? shared_bytes<Program>(facts, blocks_held, are_groups) : 0;
    allow_shared_bytes(result.function, most_bytes);
    result.shared_bytes = static_cast<unsigned>(most_bytes);
    long long const resident = most_resident_groups(result, facts) / split.tiles_together;
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
    to.tiles_together = static_cast<int>(split.tiles_together);
    long long combined = split.lanes;
    if constexpr (has_planes<specialization_of<meeting>>) combined *= split.tiles_together;
    if constexpr (are_groups)
      combined = split.lanes * v / static_cast<long long>(a.columns_of_group.divisor);
    while (to.vectors_of_one * split.slices < combined && to.vectors_of_one < threads)
      to.vectors_of_one *= 2;
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
    result.grid = dim3(static_cast<unsigned>(to.groups * to.tiles_together * to.blocks));
    result.is_cooperative = result.grid.x > 1;
    result.why = "neighbouring threads on neighbouring rows, columns over blocks, which meet";
    constexpr int places_of_slices = has_planes<specialization_of<meeting>> ? 2 : 1;
    long long partials = groups * split.tiles_together * (places_of_slices * split.slices + 1) *
                         words_of_row_phase<Program> * split.lanes * v;
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
  static long long shared_bytes(cuda_device_facts const& facts, int blocks_held, bool are_groups) {
    long long const states =
        4ll * threads * (width<Program> + are_groups) * words_of_row_phase<Program>;
    return at_least(0, (facts.shared_bytes_per_block + 1024) / blocks_held - 1024 - states - 1024);
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
