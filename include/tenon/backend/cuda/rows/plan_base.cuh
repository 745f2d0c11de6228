// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the plans of all rows skeletons have in common: who shares a row, the grid and the
// workspace.

#include "tenon/backend/cuda/rows/misaligned_configurations.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// How the elements of a call are moved.
enum class moved_as : unsigned char { vectors, parts_of_vectors, elements };

struct rows_planner_base : misaligned_configurations {
  // What a planner says of it.
  static constexpr char const* said(moved_as how, char const* of_vectors, char const* of_parts,
                                    char const* of_elements) {
    return how == moved_as::vectors            ? of_vectors
           : how == moved_as::parts_of_vectors ? of_parts
                                               : of_elements;
  }

  // Lanes that a row has at least: those of half a cache line; fewer of few vectors, because what a
  // warp does once for its rows is most of the work. H200, us, with and without: layer norm of
  // 2^20 x 16 f32 62 (123), softmax 33 (47), misaligned 61 (79), x 7 30 (41), x 32 bf16 36 (58),
  // misaligned 83 (96); of 1000 x 32 bf16, misaligned, 2.6 (2.2). One lane for two vectors of a
  // half type: softmax of 2^20 x 16 bf16 19 instead of 30, but misaligned 91 instead of 53.
  static constexpr int least_lanes_of(long long vectors, bool is_half, int few_vectors = 4) {
    return vectors <= 2 && !is_half ? 1 : vectors <= few_vectors ? 2 : 4;
  }
  // Up to 32 lanes: enough for the vectors if they can be, and `least` of each row.
  static constexpr long long lanes_of(long long vectors, int items, int least) {
    long long lanes = 1;
    while (lanes < 32 && lanes * items < vectors) lanes *= 2;
    while (lanes < least && lanes < vectors) lanes *= 2;
    return lanes;
  }

  // Rows of a block of at most so many threads, `lanes` of each: fewer where that would leave
  // multiprocessors without any. H200, in a graph, sums of 64 x 1024 f32 1.78 us instead of 1.84,
  // of 1000 x 32 1.58 instead of 1.65.
  static constexpr long long rows_of_block(long long rows, long long lanes, long long threads) {
    long long result = at_least(1, threads / lanes);
    while (result * lanes > 32 && result > 1 && divide_up(rows, result) < 132) result /= 2;
    return result;
  }

  // What a block of rows may have of shared memory beside the states that its warps exchange.
  template <class Program, configuration C>
  static constexpr long long shared_bytes_left(cuda_device_facts const& facts) {
    constexpr int blocks = C.has_clusters ? most_blocks_of_row<Program> : 1,
                  states = 2 * (C.threads_per_block / 32) * blocks * words_of_row_phase<Program> *
                           static_cast<int>(sizeof(int));
    return clamped(facts.shared_bytes_per_block - states - (2 << 10), 0, 1 << 20);
  }

  // Calls of which each block asks for its row before it waits, and then lets those of the next
  // call come. H200, in a graph, us, without and with, up to the limits: layer norm bf16 of 1000 x
  // 1000 3.04 and 2.33, of 65536 x 32 4.80 and 4.00, of 4096 x 1024 5.87 and 5.60, of 1000 x
  // 8192 12.4 and 10.2, f32 of 1000 x 1000 3.81 and 3.05, of 4096 x 512 5.44 and 5.29; beyond,
  // softmax f32 of 4096 x 1024 9.5 and 10.3.
  template <class Program> static bool is_short(bound_layout const& layout) {
    return !program_traits<Program>::has_total && !program_traits<Program>::has_planes &&
           !element_operands<Program>::has_much_arithmetic &&
           layout.rows.size * layout.columns.size * own_bytes<Program> <=
               (is_half<Program> ? 17 << 20 : 9 << 20);
  }

  // Whether the rows of every operand that is kept lie at one distance from each other.
  template <class Program> [[gnu::cold]] static bool follow_each_other(bound_layout const& layout) {
    group_layout const& rows = layout.rows;
    if (rows.dims == 1 || rows.dims == 0 || !program_traits<Program>::has_late)
      return rows.dims == 1;
    bool result = true;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.is_load && i.moves_elements && i.is_own())
        for (int d = 0; d + 1 < rows.dims; ++d)
          result = result && layout.loads[i.bits].row_strides[d] ==
                                 rows.extents[d + 1] * layout.loads[i.bits].row_strides[d + 1];
    return result;
  }

  // How many rows further on a block asks for one, or 0. Half as much again as is best is worse
  // than nothing: H200, us, without and by 5, 8.6 and 13 MB, layer norm of 65536 x 4096 f32 501,
  // 501, 516 and 618, of 16384 x 8192 bf16 141, 131, 132 and 157; RMS norm of 65536 x 4096 f32
  // without and by 5 and 6.5 MB 517, 502 and 500. Multiprocessors that hold more than 8 MB have
  // enough under way: with and without, softmax of 2048 f32 134 and 127, bias + residual + layer
  // norm of 4096 f32 704 and 503, of 4096 bf16 264 and 254, but of 8192 bf16 263 and 291. Short
  // rows that fit the L2 cache may be there: four RMS norms of 1024 f32, 32 MB each and of the one
  // before, 68.6 and 64.7, of 2048 68.9 and 65.4. Of several rows to a block those of half types
  // gain: softmax of 2^20 x 256 bf16 253 and 260, of 65536 x 768 50.6 and 53.8, x 512 33.5 and
  // 34.4, but of 2^20 x 64, which ask for half a cache line at a time, 74 and 68; where a state is
  // several numbers large calls: layer norm of 65536 x 768 57.2 and 61.3, of 2^20 x 256 253 and
  // 256, but of 65536 x 256 19.8 and 19.4.
  template <class Program, configuration C>
  [[gnu::cold]] static int rows_ahead(bound_layout const& layout, cuda_plan const& plan,
                                      cuda_device_facts const& facts) {
    constexpr bool is_large = has_large_states<Program>;
    constexpr int held_bytes =
        C.blocks * C.threads_per_block * C.items * C.vector_width * own_bytes<Program>;
    long long const bytes_of_row = layout.columns.size * own_bytes<Program>,
                    bytes = layout.rows.size * bytes_of_row,
                    vectors = divide_up(layout.columns.size, width<Program>);
    if (bytes == 0 || !follow_each_other<Program>(layout) ||
        (layout.columns.size <= 2048 && bytes <= facts.cache_bytes))
      return 0;
    if (plan.block.y > 1 && (!is_half<Program> || shares_little<Program> || plan.block.x < 8 ||
                             (is_large && 2 * bytes < 3 * facts.cache_bytes)))
      return 0;
    // Shifted vectors: H200, softmax f32, us, with and without, 1000 x 8192 20.5 and 21.7, 4096
    // rows 73.5 and 77.5, but 65536 x 4096 521 and 505, x 1024 133 and 128.
    if (C.group_dims == shifted_columns && vectors <= 1024) return 0;
    if (held_bytes > 64 << 10 && !(is_half<Program> && vectors >= 1024)) return 0;
    return static_cast<int>((is_large ? 5 << 20 : 13 << 19) / bytes_of_row);
  }

  // Rows of so many segments that there are slots for at a time.
  template <class Program> static constexpr long long most_shared_rows(long long segments) {
    return slot_count / (2 * segments * at_least(1, row_state_words<Program>));
  }

  // Gives a row to several blocks where few rows would leave multiprocessors without work.
  // @post the groups of blocks that the device holds at once
  [[gnu::cold, gnu::noinline]] static long long share_rows(cuda_plan& plan, long long rows,
                                                           long long most_rows,
                                                           cuda_device_facts const& facts) {
    long long const resident_blocks = most_resident_groups(plan, facts);
    long long blocks = resident_blocks / rows;
    if (blocks > 1) blocks = at_least(divide_up(resident_blocks, most_rows), blocks);
    blocks = clamped(blocks, 1, plan.split.segments);
    plan.is_cooperative = blocks > 1;
    plan.split.blocks_per_row = static_cast<int>(blocks);
    return at_least(1, resident_blocks / blocks);
  }

  // Blocks that leave a part of the totals.
  template <class Program>
  static constexpr long long parts = most_parts<Program, reductions_of<Program, place::total, 0>>;
  // Of so many threads: in whole turns of what 132 multiprocessors hold, so that none of them run
  // by themselves when the others have ended. H200, us, 528 of which 396 are held, and 396: the
  // mean of 1 - cosine of 16384 x 4096 f32 155.0 and 123.9, of 32768 x 4096 bf16 190.5 and 160.8,
  // the mean dice loss of their rows 196 and 151, 337 and 249; of 1000 x 1024 f32 4.5 and 4.7.
  template <class Program, configuration C>
  static constexpr long long parts_in_turns(long long threads) {
    long long const held = 132 * (C.blocks * C.threads_per_block / threads);
    return held < parts<Program> ? parts<Program> / held * held : parts<Program>;
  }

  // At most `most` groups of blocks go through the groups of rows, of which there is one even
  // without rows: values that no row enters are wanted in any case.
  template <class Program, class Arguments>
  [[gnu::cold]] static void finish(cuda_plan& plan, bound_layout const& layout,
                                   bound_arguments const& call, long long most, long long groups) {
    set_grid(plan, most, groups, program_traits<Program>::has_total, row_state_words<Program>);
    prepare_arguments<Arguments>(plan, layout, call);
  }

 private:
  [[gnu::cold, gnu::noinline]] static void set_grid(cuda_plan& plan, long long most,
                                                    long long groups, bool has_total,
                                                    int state_words) {
    plan.split.groups = groups;
    plan.grid = dim3(static_cast<unsigned>(clamped(groups, 1, at_least(1, most))) *
                     static_cast<unsigned>(plan.split.blocks_per_row));
    if (has_total) add_slots(plan);
    if (plan.split.segments > 1) {
      std::size_t words = first_partial;
      words += static_cast<std::size_t>(plan.grid.x / plan.split.blocks_per_row) * 2 *
               at_least(most_segments, 2 * plan.split.segments) * state_words;
      plan.workspace_bytes = words * sizeof(unsigned);
    }
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
