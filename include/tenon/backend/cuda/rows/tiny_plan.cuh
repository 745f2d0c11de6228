// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans rows of few elements that leave nothing but values: how many lanes share one, and how many
// of them a warp has at a time.

#include "tenon/backend/cuda/rows/few_sums.cuh"
#include "tenon/backend/cuda/rows/plan_base.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct tiny_rows_planner : rows_planner_base {
  // Programs that read one operand once, and leave nothing but values per row. Of positions only
  // those of what is chosen are known, twice at most: five choices spilled 28 bytes.
  template <class Program>
  static constexpr bool may_be_tiny =
      brought_load<Program> >= 0 && passes_once<Program> &&
      !program_traits<Program>::has_gathered &&
      (!program_traits<Program>::has_positions ||
       (has_only_choices<Program> && row_state_words<Program> <= 8)) &&
      !program_traits<Program>::has_planes;
  // Rows of no whole number of vectors, of which other kernels take an access for each element, up
  // to about 1 KB, and those of up to 8 elements; a function of the length alone, because bits
  // depend on it. H200, sums, us, against whole blocks that brought rows, and vectors that lie
  // anywhere: of 2^20 x 3 f32 8.1 (14.2), x 7 10.8 (15.5), x 33 38.7 (41.9), x 7 bf16 9.4 (16.3),
  // x 31 21.3 (23.9), x 8 9.4 (12.9), misaligned 9.6 (20.5); of 65536 x 3 f32 1.71 (2.12), x 1023
  // bf16 41.0 (41.3), x 255 14.6 (13.8); of 1000 x 33 f32 1.28 (2.23). Longer rows of whole vectors
  // meet in the banks of shared memory: 2^20 x 16 f32 40 us, by vectors 20.
  template <class Program> static bool is_tiny(bound_layout const& layout) {
    constexpr int bytes = program_traits<Program>::widest_element;
    long long const size = layout.columns.size;
    if (program_traits<Program>::has_positions && layout.columns.dims > 1) return false;
    if (size % width<Program> == 0) return size > 0 && size <= 8 && size * bytes <= 32;
    return size <= (bytes < 4 ? 1050 : 1050 / bytes);
  }

  // Rows of so many elements that a lane has all of one at once, with totals, too, and as many of
  // these as lanes ask for by themselves. H200, sums, us, so and through shared memory: of 65536 x
  // 7 f32 1.90 (2.29), bf16 1.52 (1.94), of 2^20 x 7 9.76 (9.30) and 6.81 (6.40).
  static constexpr long long most_summed = 8, most_summed_alone = 1 << 20;
  // Calls whose warps ask for their rows while the kernel before ends, and let the next one come.
  static constexpr long long most_bytes_asked = 5 << 20;

  template <class Program, int Dims>
  static constexpr configuration tiny_rows{.vector_width = 1,
                                           .items = 4,
                                           .threads_per_block = 256,
                                           .group_dims = Dims,
                                           .index_bits = 32,
                                           .blocks = 5};

  template <class Program, int Dims>
  [[gnu::cold]] static cuda_plan plan_tiny(bound_layout const& layout, bound_arguments const& call,
                                           cuda_device_facts const& facts) {
    constexpr configuration c = tiny_rows<Program, Dims>;
    using special = specialization_of<c>;
    using arguments = rows_arguments<Program, special>;
    using operand = typename program_traits<Program>::template at<brought_load<Program>>;
    cuda_plan result;
    result.function =
        reinterpret_cast<void const*>(&tiny_rows_kernel<Program, special, build_hash, arguments>);
    result.chosen = c;
    result.split.lies_in_runs = lies_in_runs<Program>(layout);
    if constexpr (!program_traits<Program>::has_total) {
      bool const are_few = layout.columns.size <= most_summed,
                 are_together = are_neighbours<Program>(layout);
      result.split.is_short =
          are_few && are_together && layout.rows.size * layout.columns.size <= most_summed_alone;
      if constexpr (Dims > contiguous_columns)
        if (!are_together && layout.columns.size <= most_of_lane && layout.columns.dims <= 2)
          result.split.rows_apart = rows_of_thread<Program>(layout);
      if (result.split.is_short || result.split.rows_apart > 0 ||
          (are_few && result.split.lies_in_runs))
        result.function = reinterpret_cast<void const*>(
            &few_sums_kernel<Program, special, build_hash, arguments>);
    }
    if constexpr (program_traits<Program>::has_total)
      result.split.is_short = layout.columns.size <= most_summed && result.split.lies_in_runs;
    result.why = result.split.lies_in_runs ? "rows of few elements, as they lie"
                 : result.split.rows_apart ? "rows of few elements, each a thread's"
                                           : "single elements, rows of few of them";
    set_shares(result, layout, program_traits<Program>::widest_element, c.threads_per_block);
    if (!program_traits<Program>::has_total &&
        (result.split.is_short || result.split.rows_apart > 0))
      result.split.rows_per_warp = 32;
    result.split.asks_early =
        !program_traits<Program>::has_total && result.split.lies_in_runs &&
        layout.rows.size * layout.columns.size * program_traits<Program>::widest_element <=
            most_bytes_asked;
    if (result.split.rows_apart == 0)
      result.split.bytes_per_warp = bytes_of_image<storage_t<operand::type>>(
          result.split.rows_per_warp * layout.columns.size);
    int const warps = static_cast<int>(result.block.x * result.block.y / 32);
    result.shared_bytes = static_cast<unsigned>(warps * result.split.bytes_per_warp);
    allow_shared_bytes(result.function, shared_bytes_left<Program, c>(facts));
    auto const finish_rows = [&](bound_layout const& rows) {
      finish<Program, arguments>(
          result, rows, call, program_traits<Program>::has_total ? parts<Program> : most_blocks,
          at_least(1, divide_up(rows.rows.size, warps * result.split.rows_per_warp)));
    };
    if (result.split.rows_apart > 1)
      finish_rows(rows_together(layout, result.split.rows_apart));
    else
      finish_rows(layout);
    return result;
  }

 private:
  static constexpr long long most_of_lane = 32;
  // Rows of which there are enough for all multiprocessors, be they taken together.
  static constexpr long long least_rows_together = 1 << 19;
  // Rows that lie apart of a thread.
  template <class Program> [[gnu::cold]] static short rows_of_thread(bound_layout const& layout) {
    constexpr int together = rows_apart_together<Program>;
    bool const are_many = layout.rows.size >= least_rows_together &&
                          layout.rows.extents[layout.rows.dims - 1] % together == 0;
    return are_many ? together : 1;
  }
  // So many neighbouring rows counted as one.
  [[gnu::cold]] static bound_layout rows_together(bound_layout const& from, int count) {
    bound_layout result = from;
    int const inner = from.rows.dims - 1;
    result.rows.extents[inner] /= count;
    result.rows.size /= count;
    for (operand_layout& one : result.loads) one.row_strides[inner] *= count;
    for (operand_layout& one : result.stores) one.row_strides[inner] *= count;
    return result;
  }
  // A lane has a run of elements, up to so many of them: an odd number, so that those of its
  // neighbours are in other banks of shared memory. A warp has some 2 KB in flight; less, and fewer
  // warps to a block, where there are too few rows for all multiprocessors. Where lanes have whole
  // rows all warps are there at once if they can be. H200, sums of 2^20 rows, us, so and with a
  // third of the rows to a warp: x 3 f32 6.9 (7.7), bf16 6.0 (7.4), x 7 bf16 8.3 (8.8).
  [[gnu::cold, gnu::noinline]] static void set_shares(cuda_plan& plan, bound_layout const& layout,
                                                      int bytes, int most_threads) {
    long long const size = layout.columns.size, rows = layout.rows.size;
    int lanes = 1, warps = most_threads / 32;
    while (lanes < 32 && lanes * most_of_lane < size) lanes *= 2;
    int const at_once = 32 / lanes;
    long long turns = clamped(divide_up(2048, size * at_once * bytes), 1, 8);
    if (lanes == 1)
      turns = clamped(divide_up(rows, at_once * 132 * 40), 1, turns);
    else
      while (turns > 1 && rows < turns * at_once * 132 * 96) --turns;
    while (warps > 1 && rows < turns * at_once * warps * 132) warps /= 2;
    plan.split.elements_per_lane = static_cast<short>(divide_up(size, lanes) | (lanes > 1));
    plan.split.rows_per_warp = static_cast<int>(turns * at_once);
    plan.block = dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(warps * at_once));
  }
  // Whether the elements of a row are neighbours.
  template <class Program> [[gnu::cold]] static bool are_neighbours(bound_layout const& layout) {
    using I = typename program_traits<Program>::template at<brought_load<Program>>;
    return layout.columns.dims <= 1 &&
           (layout.columns.size == 1 || layout.loads[I::bits].column_strides[0] == 1);
  }
  // Whether the rows of the operand follow one another as their elements do.
  template <class Program> [[gnu::cold]] static bool lies_in_runs(bound_layout const& layout) {
    using I = typename program_traits<Program>::template at<brought_load<Program>>;
    operand_layout const& operand = layout.loads[I::bits];
    return layout.rows.dims <= 1 && layout.columns.dims <= 1 &&
           (layout.columns.size == 1 || operand.column_strides[0] == 1) &&
           (layout.rows.size == 1 || operand.row_strides[0] == layout.columns.size);
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
