// SPDX-License-Identifier: Apache-2.0
#pragma once
// Plans short calls of rows of few elements that are held, and begin anywhere or are no whole
// number of vectors: which they are, and how many lanes share one.

#include "tenon/backend/cuda/rows/brief_plan.cuh"
#include "tenon/backend/cuda/rows/lone.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct lone_rows_planner : brief_rows_planner {
  // Elements of a call, at most. H200, us, as other kernels have them and so: softmax f32 of 4096 x
  // 256, misaligned, 5.1 and 3.3, bf16 of 16384 x 32, misaligned, 3.1 and 2.3, of 2048 x 255 3.05
  // and 3.06, of 16384 x 63 3.9 and 6.4; layer norm f32 of 2048 x 255 4.1 and 3.1, but of 16384 x
  // 33 4.1 and 4.5, bf16 of 16384 x 9 2.6 and 2.0, of 1024 x 255 2.7 and 2.8; softmax of 65536 x 3
  // f32 1.87 and 1.47, x 7 2.7 and 3.1.
  template <class Program> static bool is_lone(bound_layout const& layout) {
    long long const rows = layout.rows.size, size = layout.columns.size, elements = rows * size;
    if (elements == 0 || size > most_brief) return false;
    if (size <= few_elements) return elements <= 1 << 18;
    if (!has_large_states<Program>) return elements <= (is_half<Program> ? 1 << 19 : 1 << 20);
    if (is_half<Program>) return elements <= 5 << 15;
    return elements <= (rows < least_brief_rows ? 1 << 19 : least_brief_elements - 1);
  }
  // Elements of a lane, at most. States that are gathered have lanes as the other kernels do; with
  // much arithmetic sixteen are 38 KB of code.
  template <class Program>
  static constexpr int lone_elements_of_lane =
      has_large_states<Program> && !element_operands<Program>::has_much_arithmetic ? 16 : 8;
  template <class Program>
  static constexpr configuration lone_rows{.vector_width = width<Program>,
                                           .items = lone_elements_of_lane<Program> / width<Program>,
                                           .threads_per_block = 128,
                                           .group_dims = odd_columns,
                                           .index_bits = 32,
                                           .blocks = element_operands<Program>::loads > 3 ? 4 : 5};

  // Null where lanes have no elements by themselves. The bits are those of odd rows, or of aligned
  // ones.
  template <class Program>
  [[gnu::cold]] static cuda_plan plan_lone(bound_layout const& layout, bound_arguments const& call,
                                           cuda_device_facts const& facts) {
    if constexpr (can_be_few<Program>) {
      constexpr configuration c = lone_rows<Program>;
      using special = specialization_of<c>;
      using arguments = rows_arguments<Program, special>;
      if (!is_lone<Program>(layout)) return {};
      auto operands = widest_arguments<Program>::of(layout, call, width<Program>, work_split{});
      int const lanes = lone_lanes_of<Program>(layout, facts);
      if (operands.is_packed || !operands.is_contiguous || lanes == 0) return {};
      cuda_plan result;
      result.function =
          reinterpret_cast<void const*>(&lone_rows_kernel<Program, special, build_hash, arguments>);
      result.chosen = c;
      result.why = lanes == 1 ? "rows of few elements, one to a lane"
                              : "single elements, row in registers of a warp or less";
      long long const rows = rows_of_block(layout.rows.size, lanes, c.threads_per_block);
      result.block = dim3(static_cast<unsigned>(lanes), static_cast<unsigned>(rows));
      finish<Program, arguments>(result, layout, call, most_blocks,
                                 divide_up(layout.rows.size, rows));
      return result;
    }
    return {};
  }

 private:
  // None where rows have too many elements for it.
  template <class Program>
  [[gnu::cold]] static int lone_lanes_of(bound_layout const& layout,
                                         cuda_device_facts const& facts) {
    constexpr int items = lone_rows<Program>.items;
    long long const size = layout.columns.size, vectors = divide_up(size, width<Program>);
    int lanes = 1;
    if constexpr (has_large_states<Program>) {
      row_share const share = odd_share_of<Program>(layout, facts);
      lanes = share.blocks == 1 && share.lanes <= 32 ? share.lanes : 0;
    } else {
      while (size > few_elements && lanes < 32 && lanes < vectors) lanes *= 2;
    }
    bool const has_one = lanes == 1 && size <= few_elements;
    return lanes * items < vectors || (lanes == 1 && !has_one) ? 0 : lanes;
  }
};

}  // namespace tenon::detail
TENON_ONCE_END
