// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the moved skeleton where the vectors of a call are whole, or all but few of them, or for
// single elements.

#include "tenon/backend/cuda/flat/plan.cuh"
#include "tenon/backend/cuda/moved/kernel.cuh"
#include "tenon/backend/cuda/moved/shared_reads.cuh"
#include "tenon/backend/strips_of_columns.hpp"
#include "tenon/backend/window_facts.hpp"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct moved_planner {
  // Where a vector of each operand takes few registers, 64 of them are enough for a thread, and a
  // multiprocessor holds 1024. H200, rotation of 4 x 4096 x (32 + 8) x 128 bf16: 106 us against 117
  // with 68 registers. Several operands wait for each other in small blocks: the same, four blocks
  // of 256 threads 94.1 us, eight of 128 92.4; 2 x 4096 54.5 and 52.6, 1 x 4096 31.4 and 30.9.
  template <class Program>
  static constexpr int bytes_held = half_values<Program>::bytes_read* moved_width<Program>;
  template <class Program>
  static constexpr int blocks_held = bytes_held<Program> <= 64               ? 4
                                     : bytes_held<Program> <= few_bytes_held ? 8
                                     : has_few_taps<Program>                 ? 4
                                                                             : 1;
  template <class Program>
  static constexpr int threads = bytes_held<Program> > 64 && blocks_held<Program> > 1 ? 128 : 256;

  // @post without a function where some vector is not whole: another skeleton is to be chosen
  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call) {
    constexpr configuration chosen = configured<Program, threads<Program>, blocks_held<Program>>;
    long long const strip = moves_elements<Program> ? strip_of<Program, chosen>(layout, call) : 0;
    bound_layout const walked = in_strips<chosen>(layout, strip);
    moved_items items = items_of<Program, chosen>(walked, strip > 0 || has_taps<Program>);
    items.strip = strip;
    return planned_items<Program, chosen>(
        layout, walked, call, 1, items,
        reinterpret_cast<void const*>(
            &moved_kernel<Program, specialization_of<chosen>, build_hash>),
        half_values<Program>::is_found
            ? "vectors of either half of an axis, whose place is found once for all their elements"
        : shares_tables<Program>
            ? "vectors of rows, several of a thread, which reads once what they share"
            : "vectors whose place is found once for all their elements");
  }
  template <class Program>
  static constexpr bool moves_elements =
      !half_values<Program>::is_found && !moved_values<Program>::has_found;
  // Vectors of rows of which few are not whole, and which are read wherever they begin.
  // @post without a function where there are more, or 32 bits are not enough
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_anywhere(bound_layout const& layout,
                                               bound_arguments const& call) {
    constexpr configuration chosen = anywhere<Program>;
    if (layout.columns.dims < 1) return {};
    long long const strip = strip_of<Program, chosen>(layout, call);
    bound_layout const walked = in_strips<chosen>(layout, strip);
    return planned_elements<Program, chosen>(
        layout, walked, call, {.axis = walked.columns.dims - 1, .strip = strip},
        "vectors, each with a place of its own, which may begin anywhere");
  }
  // Vectors of what is read in windows of rows, all of whose accesses are whole.
  // @post without a function where some are not, or 32 bits are not enough
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_windows(bound_layout const& layout,
                                              bound_arguments const& call) {
    constexpr configuration chosen = of_windows<Program>;
    if (!reads_whole_windows<Program>(layout, call)) return {};
    long long const strip = strip_of<Program, chosen>(layout, call);
    bound_layout const walked = in_strips<chosen>(layout, strip);
    moved_items items = neighbours_across_rows<chosen>(walked.columns);
    items.strip = strip;
    return planned_elements<Program, chosen>(
        layout, walked, call, items, "vectors; neighbours in a row are read once for all of them");
  }
  // Single elements, several of a thread: along an axis along which nothing is decided, so that
  // their places are as far apart; or else along the innermost axis, each with a place of its own.
  // @post without a function where 32 bits are not enough
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_elements(bound_layout const& layout,
                                               bound_arguments const& call) {
    group_layout const& columns = layout.columns;
    if (columns.dims < 1) return {};
    // Of many reads, as windows of 15 elements have, eight would be more than there are registers.
    constexpr int in_flight = moved_values<Program>::read_count > 10 ? 4 : 8;
    constexpr configuration apart = elements<Program, in_flight, false>,
                            found = elements<Program, 4, true>;
    moved_items items;
    long long extent = 1;
    for (int d = 0; d < columns.dims; ++d)
      if (columns.extents[d] > extent && moved_arguments<Program>::can_share(layout, d))
        extent = columns.extents[items.axis = d];
    if (extent < apart.items / 2) {
      items = {.count = found.items, .axis = columns.dims - 1};
      items.apart = divide_up(columns.extents[items.axis], items.count);
      return planned_elements<Program, found>(layout, layout, call, items,
                                              "single elements, each with a place of its own");
    }
    items.count = apart.items;
    while (items.count < most_elements && 2 * items.count <= extent &&
           columns.size / (2 * items.count * apart.threads_per_block) >= least_blocks)
      items.count *= 2;
    items.apart = divide_up(extent, items.count);
    return planned_elements<Program, apart>(
        layout, layout, call, items,
        "single elements, whose place is found once for several of them");
  }

 protected:
  // Vectors of a thread that share an index, which are in flight together.
  static constexpr int of_shared_row = 2;
  template <class Program, int Threads, int Blocks>
  static constexpr configuration configured{
      .vector_width = moved_width<Program>,
      .items = moved_arguments<Program>::shares_row ? of_shared_row : 1,
      .threads_per_block = Threads,
      .group_dims = moved_dims<Program>,
      .index_bits = 32,
      .blocks = Blocks};
  // Items of a thread that are in flight together.
  template <class Program, int Items, bool AreFound>
  static constexpr configuration elements{.vector_width = 1,
                                          .items = Items,
                                          .threads_per_block = 256,
                                          .group_dims = moved_dims<Program>,
                                          .is_looped = AreFound,
                                          .index_bits = 32};
  // One vector of a thread. H200, us, one and two: five neighbours of 8192 x 8192, around the ends
  // of both axes, f32 191 and 236, bf16 149 and 214.
  template <class Program>
  static constexpr configuration anywhere{.vector_width = moved_width<Program>,
                                          .threads_per_block = 256,
                                          .group_dims = moved_dims<Program>,
                                          .is_looped = true,
                                          .index_bits = 32};
  template <class Program>
  static constexpr configuration of_windows{.vector_width = read_windows<Program>::width,
                                            .threads_per_block = 256,
                                            .group_dims = moved_dims<Program>,
                                            .index_bits = 32,
                                            .has_warps = 1};
  // `lanes` threads share a row, or there are none.
  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan planned(bound_layout const& layout, bound_arguments const& call,
                                         int lanes, void const* function, char const* why) {
    return planned_items<Program, C>(layout, layout, call, lanes,
                                     items_of<Program, C>(layout, false), function, why);
  }
  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan planned_items(bound_layout const& layout,
                                               bound_layout const& walked,
                                               bound_arguments const& call, int lanes,
                                               moved_items const& items, void const* function,
                                               char const* why) {
    cuda_plan result;
    if (layout.columns.dims > moved_dims<Program>) return result;
    constexpr bool may_break = C.is_looped && C.vector_width > 1;
    moved_vectors<Program> const vectors =
        vector_facts<Program, C.vector_width>(layout, call, may_break, C.has_warps).find();
    if (!vectors.are_whole || layout.columns.size / C.vector_width >= 1ll << 31 ||
        !moved_arguments<Program>::holds_sizes(layout) ||
        vectors.breaks.count * least_whole >
            layout.columns.extents[layout.columns.dims - 1] / C.vector_width)
      return result;
    result.function = function;
    result.chosen = C;
    result.why = why;
    auto operands = moved_arguments<Program>::template of<C.vector_width>(walked, vectors, items);
    operands.lanes = lanes;
    result.grid = dim3(static_cast<unsigned>(divide_up(operands.threads, C.threads_per_block)));
    result.block = dim3(C.threads_per_block);
    prepare(result, operands);
    return result;
  }

 private:
  // Vectors. H200, us, without strips, of 16 and of 32: the sum of three rows beside each other,
  // 8192 x 8192 bf16, two vectors to a thread 96, 80 and 80, f32 167, 147 and 147.
  static constexpr int widest_strip = 32, least_strip = 8;
  // Of rows with fewer vectors for each that is broken threads would wait for those.
  static constexpr int least_whole = 32;
  // Blocks that are worth more than arithmetic shared by a thread's vectors: eight on each of 132
  // multiprocessors.
  static constexpr long long least_blocks = 1056;

  // Of a thread. H200, us, 16 and 32: 64 x 64 x 112 x 112 bf16 with a border of zeros 58.9
  // and 60.8.
  static constexpr int most_elements = 16;
  // Neighbours across the rows. H200, us, two, four and eight, with a border: five neighbours of
  // 8192 x 8192 bf16 88.6, 79.9 and 80.6, f32 153, 143 and 151; the greatest of 3 x 3, every second
  // one, 4096 x 112 x 112 bf16 33.6, 34.3 and 36.3, every one 78.5, 73.6 and 72.4.
  static constexpr int most_across_rows = 4;

  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan planned_elements(bound_layout const& layout,
                                                  bound_layout const& walked,
                                                  bound_arguments const& call,
                                                  moved_items const& items, char const* why) {
    return planned_items<Program, C>(
        layout, walked, call, 1, items,
        reinterpret_cast<void const*>(&moved_kernel<Program, specialization_of<C>, build_hash>),
        why);
  }
  // Vectors of a strip of rows whose neighbours are read, too, and by the same block if they are
  // near; 0: rows are taken as a whole.
  template <class Program, configuration C>
  [[gnu::cold]] static long long strip_of(bound_layout const& layout, bound_arguments const& call) {
    group_layout const& columns = layout.columns;
    if (columns.dims < 2 || columns.dims == moved_dims<Program>) return 0;
    if (!reads_neighbours<Program>(layout, call)) return 0;
    for (long long strip = widest_strip; strip >= least_strip; strip /= 2)
      if (columns.extents[columns.dims - 1] % (strip * C.vector_width) == 0) return strip;
    return 0;
  }
  template <configuration C>
  [[gnu::cold]] static bound_layout in_strips(bound_layout const& layout, long long strip) {
    return strip > 0 ? strips_of_columns(layout, strip * C.vector_width) : layout;
  }
  template <class Program>
  [[gnu::cold]] static bool reads_whole_windows(bound_layout const& layout,
                                                bound_arguments const& call) {
    using windows = read_windows<Program>;
    window_facts<Program, windows::access> facts(layout, call);
    bool result = facts.has_stepped_positions(windows::width);
    visit_instructions<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      if constexpr (windows::template is_leader<k>)
        result = result && facts.template reads_whole_columns<k>();
    });
    return result;
  }
  template <configuration C>
  [[gnu::cold]] static moved_items neighbours_across_rows(group_layout const& columns) {
    moved_items items;
    if (columns.dims < 2) return items;
    items.axis = columns.dims - 2;
    items.count = most_across_rows;
    while (items.count > 1 &&
           (items.count / 2 >= columns.extents[items.axis] ||
            columns.size / (C.vector_width * C.threads_per_block * items.count) < least_blocks))
      items.count /= 2;
    return items;
  }
  // Whether two of what is read begin few rows from each other: a later call of the plan may have
  // them elsewhere, and is as right.
  template <class Program>
  [[gnu::cold]] static bool reads_neighbours(bound_layout const& layout,
                                             bound_arguments const& call) {
    using values = moved_values<Program>;
    constexpr long long most_rows = 16;
    long long const most =
        most_rows * values::widest * layout.columns.extents[layout.columns.dims - 1];
    std::intptr_t from[at_least_one(values::read_count)];
    bool result = false;
    visit_instructions<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      if constexpr (values::template reads<k>) {
        constexpr int number = values::template read_number<k>;
        from[number] =
            reinterpret_cast<std::intptr_t>(call.loads[values::template operand_of<k>()]);
        for (int other = 0; other < number; ++other)
          result = result || std::abs(from[number] - from[other]) <= most;
      }
    });
    return result;
  }
  template <class Program, configuration C>
  [[gnu::cold]] static moved_items items_of(bound_layout const& layout, bool has_places) {
    using arguments = moved_arguments<Program>;
    group_layout const& columns = layout.columns;
    moved_items items{.axis = arguments::shares_row ? columns.dims - 1 : 0};
    if constexpr (shares_tables<Program>) items.axis = most_repeated_axis<Program>(layout);
    if (!arguments::can_share(layout, items.axis)) return {};
    // Few, where a place is soon found. H200, us, two items to a thread and eight, bf16: 4 x 4096 x
    // 8 heads of 128, each four times, 42.6 and 45.3, 8192 x 4096 rolled by 8 along the rows 33.6
    // and 35.3, with 8 columns more on either side 33.6 and 35.8, two of 16384 x 2048 side by
    // side 63.9 and 66.5, gelu of what is rolled 39.7 and 39.8.
    // Of a row that an index names, both at once. Four, one after the other, and two, both at once:
    // 32 x 1024 rows of 50000 x 1024 bf16 and a position's row 36.3 and 32.9, 65536 rows of
    // 256 15.6 and 14.7. Where operands are near each other there are more places: two, four and
    // eight, convolution of four of 8 x 4096 x 2048 139, 118 and 108.
    bool const are_many = half_values<Program>::is_found || shares_tables<Program> || has_places;
    items.count = arguments::shares_row ? of_shared_row : are_many ? 8 : 2;
    long long const extent =
        columns.extents[items.axis] / (arguments::shares_row ? C.vector_width : 1);
    long long const per_block =
        static_cast<long long>(C.vector_width) * C.threads_per_block * half_values<Program>::parts;
    while (items.count > 1 &&
           (extent % items.count != 0 || columns.size / (per_block * items.count) < least_blocks))
      items.count /= 2;
    if (arguments::shares_row) items.apart = columns.extents[items.axis] / items.count;
    return items;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
