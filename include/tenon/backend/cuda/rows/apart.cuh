// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of few elements that lie apart in memory, as those of a window do: a thread has neighbouring
// rows by itself.

#include "tenon/backend/cuda/parts/ticket.cuh"
#include "tenon/backend/cuda/rows/tiny.cuh"

namespace tenon::detail {

// Neighbours of a thread, where rows are many: where they are is found once for all of them. H200,
// us, by two and by four, windows of 2 x 2 of 32 x 64 x 128 x 128 bf16 38.1 and 27.1, of half as
// many f32 23.8 and 30.0, of 3 x 3 f32 23.0 and 29.5. States of several words leave registers for
// one.
template <class Program>
inline constexpr int rows_apart_together =
    partial_words<Program, reductions_of<Program, place::row, 1>> > 1        ? 1
    : size_of(program_traits<Program>::all[brought_load<Program>].type) <= 2 ? 4
                                                                             : 2;

#if defined(__CUDA_ARCH__)

template <class Program, class C> struct apart_worker : tiny_worker<Program, C> {
  using base = tiny_worker<Program, C>;
  using base::a;
  using base::f;
  using base::items;
  using base::load;
  using base::size;
  static constexpr int rows_together = rows_apart_together<Program>;
  using typename base::I;
  using typename base::T;

  // Rows of the thread: neighbours along the innermost axis of the rows, which `number` counts
  // together. Their elements lie along two axes at most, and `items` of each are under way.
  template <int Rows> __device__ __forceinline__ void finish_apart(long long number) {
    bool const is_inside = number < a.row_count;
    operand_offsets<Program> offsets[Rows];
    find_row<Program>(offsets[0], a, is_inside ? number : 0);
#pragma unroll
    for (int r = 1; r < Rows; ++r) offsets[r] = next_row<Rows>(offsets[r - 1]);
    int const inner = a.columns.dims - 1, length = static_cast<int>(a.columns.by[inner].divisor);
    long long const step = a.load_columns[I::bits][inner],
                    to_next = inner > 0 ? a.load_columns[I::bits][0] - length * step : 0;
    int until_next = inner > 0 ? length : size;
    long long place = 0;
    packed<T, 1> tile[Rows][items];
    auto const fetch = [&](int left) {
#pragma unroll
      for (int u = 0; u < items; ++u) {
#pragma unroll
        for (int r = 0; r < Rows; ++r) {
          tile[r][u] = {};
          load_packed<reuse::expected>(
              tile[r][u], load_address<Program, load>(a, offsets[r].loads[I::bits]) + place,
              u < left);
        }
        place += step;
        if (--until_next == 0) place += to_next, until_next = length;
      }
    };
    await_operands<Program>();
    if (!is_inside) return;
    fetch(size);
    registers<Program, place::row> rows[Rows];
    selected_registers<Program, typename base::gathering> running[Rows];
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      frame<Program> const own{f.launch, rows[r], f.element, f.total};
      selected_registers<Program, row_loads<Program>> values;
      request_row_values<Program>(values, a, offsets[r], true);
      take_row_values<Program>(own, values, a, offsets[r], true);
      evaluate<place::row, 0, 0>(own);
      base::side::template begin<1>(running[r]);
    }
#pragma unroll 1
    for (int left = size;;) {
#pragma unroll
      for (int r = 0; r < Rows; ++r)
        base::template take<0>({f.launch, rows[r], f.element, f.total}, running[r], tile[r], left,
                               size - left);
      left -= items;
      if (left <= 0) break;
      fetch(left);
    }
#pragma unroll
    for (int r = 0; r < Rows; ++r) {
      frame<Program> const own{f.launch, rows[r], f.element, f.total};
      base::side::template finish<1>(rows[r], running[r],
                                     typename base::choices{{a, offsets[r]}, 0, true});
      evaluate<place::row, 1, 1>(own);
      end_row<Program>(own, a, offsets[r], number, this->of_rows);
    }
  }

 private:
  template <int Rows>
  __device__ __forceinline__ operand_offsets<Program> next_row(
      operand_offsets<Program> const& from) const {
    operand_offsets<Program> result = from;
    int const inner = a.rows.dims - 1;
    for_each_selected<Program, row_operands<Program>>([&](auto selected) {
      using one = typename program_traits<Program>::template at<decltype(selected)::value>;
      if constexpr (one::is_store)
        result.stores[one::bits] += a.store_rows[one::bits][inner] / Rows;
      else
        result.loads[one::bits] += a.load_rows[one::bits][inner] / Rows;
    });
    return result;
  }
};

#endif

}  // namespace tenon::detail
