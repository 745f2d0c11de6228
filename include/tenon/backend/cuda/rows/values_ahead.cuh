// SPDX-License-Identifier: Apache-2.0
#pragma once
// What rows have beside their elements, of the next turns of a thread: asked for while the elements
// are under way. H200, us, so and one turn at a time, mass * sum(v * v) of 2^24 x 3 f32: 79 and 95.

#include "tenon/backend/cuda/rows/values.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Of rows first + row, first + row + step, ... that are in front of first + rows; Words: registers.
template <class Program, int Words> struct values_ahead {
  static constexpr int loads = static_cast<int>(held_sequence<Program, row_loads<Program>>::size());
  static constexpr int turns = loads == 0 ? 0 : loads <= Words ? Words / loads : 1;
  using values = selected_registers<Program, row_loads<Program>>;
  values at[turns > 0 ? turns : 1];

  template <class Arguments>
  __device__ __forceinline__ void begin(Arguments const& a, long long first, int row, int step,
                                        int rows) {
#pragma unroll
    for (int n = 0; n < turns; ++n) request(n, a, first, row + n * step, rows);
  }
  // Those of `row`, whose place the last turn's take.
  template <class Arguments>
  __device__ __forceinline__ values next(Arguments const& a, long long first, int row, int step,
                                         int rows) {
    values const result = at[0];
#pragma unroll
    for (int n = 1; n < turns; ++n) at[n - 1] = at[n];
    if (turns > 0) request(turns - 1, a, first, row + turns * step, rows);
    return result;
  }

 private:
  template <class Arguments>
  __device__ __forceinline__ void request(int n, Arguments const& a, long long first, int row,
                                          int rows) {
    bool const is_inside = row < rows;
    operand_offsets<Program> offsets;
    if (is_inside) find_row<Program>(offsets, a, first + row);
    request_row_values<Program>(at[n], a, offsets, is_inside);
  }
};

}  // namespace tenon::detail
#endif
