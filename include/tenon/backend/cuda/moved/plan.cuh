// SPDX-License-Identifier: Apache-2.0
#pragma once
// Chooses the moved skeleton where all vectors of a call are whole.

#include "tenon/backend/cuda/flat/plan.cuh"
#include "tenon/backend/cuda/moved/kernel.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Indices that memory holds are no vectors, and of what they lead to there are.
template <class Program>
inline constexpr int moved_width =
    moved_values<Program>::has_found ? 16 / moved_values<Program>::widest
                                     : element_operands<Program>::vector_width;

struct moved_planner {
  // Where a vector of each operand takes few registers, 64 of them are enough for a thread, and a
  // multiprocessor holds 1024. H200, rotation of 4 x 4096 x (32 + 8) x 128 bf16: 106 us against 117
  // with 68 registers. Several operands wait for each other in small blocks: the same, four blocks
  // of 256 threads 94.1 us, eight of 128 92.4; 2 x 4096 54.5 and 52.6, 1 x 4096 31.4 and 30.9.
  template <class Program>
  static constexpr int bytes_held = half_values<Program>::bytes_read* moved_width<Program>;
  template <class Program>
  static constexpr int threads = bytes_held<Program> <= 64   ? 256
                                 : bytes_held<Program> <= 96 ? 128
                                                             : 256;
  template <class Program>
  static constexpr int blocks_held = bytes_held<Program> <= 96 ? 1024 / threads<Program> : 1;

  // @post without a function where some vector is not whole: another skeleton is to be chosen
  template <class Program>
  [[gnu::cold]] static cuda_plan plan(bound_layout const& layout, bound_arguments const& call) {
    constexpr configuration chosen = configured<Program, threads<Program>, blocks_held<Program>>;
    return planned<Program, chosen>(
        layout, call, 1,
        reinterpret_cast<void const*>(
            &moved_kernel<Program, specialization_of<chosen>, build_hash>),
        half_values<Program>::is_found
            ? "vectors of either half of an axis, whose place is found once for all their elements"
            : "vectors whose place is found once for all their elements");
  }

 protected:
  template <class Program, int Threads, int Blocks>
  static constexpr configuration configured{.vector_width = moved_width<Program>,
                                            .threads_per_block = Threads,
                                            .group_dims = moved_dims,
                                            .index_bits = 32,
                                            .blocks = Blocks};
  // `lanes` threads share a row, or there are none.
  template <class Program, configuration C>
  [[gnu::cold]] static cuda_plan planned(bound_layout const& layout, bound_arguments const& call,
                                         int lanes, void const* function, char const* why) {
    cuda_plan result;
    if (layout.columns.dims > moved_dims) return result;
    moved_vectors<Program> const vectors =
        vector_facts<Program, C.vector_width>(layout, call).find();
    if (!vectors.are_whole || layout.columns.size / C.vector_width >= 1ll << 31 ||
        !moved_arguments<Program>::holds_sizes(layout))
      return result;
    result.function = function;
    result.chosen = C;
    result.why = why;
    int const items = items_of<Program, C>(layout);
    auto operands = moved_arguments<Program>::template of<C.vector_width>(layout, vectors, items);
    operands.lanes = lanes;
    result.grid = dim3(static_cast<unsigned>(divide_up(operands.threads, C.threads_per_block)));
    result.block = dim3(C.threads_per_block);
    prepare(result, operands);
    return result;
  }

 private:
  // Blocks that are worth more than arithmetic shared by a thread's vectors: eight on each of 132
  // multiprocessors.
  static constexpr long long least_blocks = 1056;

  template <class Program, configuration C>
  [[gnu::cold]] static int items_of(bound_layout const& layout) {
    using arguments = moved_arguments<Program>;
    if (!arguments::can_share(layout)) return 1;
    int items = arguments::shares_row ? 4 : 8;
    long long const extent = layout.columns.extents[arguments::shared_axis(layout.columns)] /
                             (arguments::shares_row ? C.vector_width : 1);
    long long const per_block =
        static_cast<long long>(C.vector_width) * C.threads_per_block * half_values<Program>::parts;
    while (items > 1 &&
           (extent % items != 0 || layout.columns.size / (per_block * items) < least_blocks))
      items /= 2;
    return items;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
