// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a thread of the flat skeleton has of the elements at a time, and how many blocks a
// multiprocessor is to hold.

#include "tenon/backend/cuda/flat/rows.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

template <class Program> struct flat_resources {
  using operands = element_operands<Program>;
  using traits = program_traits<Program>;
  static constexpr int loads = operands::loads;
  // A thread's elements are unrolled, so the code grows with their number. Where arithmetic is the
  // bound, wide accesses gain nothing, and one element at a time keeps long expressions quick to
  // compile: 256 nodes of tanh, sin, + and * took 44 s of nvcc 13.0, and take 12 s.
  static constexpr bool is_bound_by_arithmetic = operands::is_bound_by_arithmetic;
  static constexpr int width = is_bound_by_arithmetic  ? 1
                               : traits::has_reduction ? operands::vector_width
                                                       : operands::own_width;
  // Accesses in flight per thread: one where every element is written, because full multiprocessors
  // then have 32 KB of each operand under way, and a copy with one access per thread is faster than
  // one with four (H200, 268 MB each way: 126 against 133 us); two where much is computed, whose
  // addresses and waits they share (sin(x) + cos(x) of 8192 x 8192 f32: 134 against 152 us); 16
  // bytes of narrow operands beside what is there more than once or is fetched (bytes of 8192 x
  // 8192 scaled by rows, to f32: 83 against 100 us). A reduction keeps few registers, and combines
  // the sooner the fewer blocks there are: about 128 bytes of operands.
  static constexpr int items = [] {
    if (!traits::has_reduction) {
      constexpr int bytes = operands::template bytes_of_own<width>, count = loads;
      if (count > 2) return 1;
      if (operands::has_much_arithmetic) return 2;
      constexpr bool is_served = traits::has_repeated || traits::has_fetches;
      return is_served && bytes > 0 && bytes < 16 ? 16 / bytes : 1;
    }
    return loads <= 2 ? 4 : loads <= 4 ? 2 : 1;
  }();
  // Whole vectors of a row that a thread has, where not all elements are contiguous: H200, heads of
  // 8 x 4096 x 16 x 128 bf16 brought together 65 us with two, 71 with one, 67 with four. Of shorter
  // ones, which operands between each other have, four: gelu(odd) * even columns of 8192 x 16384
  // bf16 96.2 us, with two 106.5. Of fetched elements sixteen: along rows of 8192 x 4096 f32 by i64
  // 127 us, with four 153.
  static constexpr int row_vectors = operands::has_much_arithmetic ? 1
                                     : traits::has_fetches         ? 16 / width
                                                                   : 2;
  // Of operands between each other's elements a vector of all of them is 16 bytes.
  static constexpr bool has_narrow_rows =
      has_neighbours<Program> && neighbours_width<Program> < width;
  // H200, us, four vectors and two: products of 2^22 quaternions f32 52.4 and 48.7.
  static constexpr int narrow_vectors = has_wide_neighbours<Program> ? 2 : 4;
  static constexpr int row_width = has_narrow_rows ? neighbours_width<Program> : width;
  // Four blocks of 256 threads have 64 registers to a thread, which is enough for two operands.
  // H200, gelu(odd) * even columns of 8192 x 8192 f32 95 us instead of 103.
  static constexpr int blocks_of_elements = operands::has_much_arithmetic && loads <= 2 &&
                                                    traits::widest_element <= 4 &&
                                                    !traits::has_fetches
                                                ? 4
                                                : 1;
  // The same, of rows of one axis, with enough accesses in flight to need more: H200, three
  // neighbours of 8192 x 8192 bf16 80.8 us instead of 87.6, of 4096 x 8192 41.6 instead of 44.8.
  static constexpr int blocks_of_one_axis =
      has_kernel_of_two_axes<Program> && loads >= 2 && loads <= 3 &&
              flat_elements_of_thread<Program> * loads >= 32 && !operands::has_much_arithmetic &&
              traits::widest_element <= 4 && !traits::has_fetches
          ? 4
          : blocks_of_elements;
  // The widest blocks, where a multiprocessor holds two of them and there are many: H200, f32
  // relu((x + y) * 2) of 2^26 elements 183.2 us against 184.1 with 256 threads, of 2^20 4.71
  // against 4.67. With more operands registers decide (seven: 472 against 461). One alone goes
  // faster in small ones: relu(x * a) of 8192 x 8192 f32 125 us against 132, bf16 63.4 against
  // 66.6.
  static constexpr bool has_few_registers =
      !traits::has_reduction && loads <= 2 && items == 1 && !operands::has_much_arithmetic;
  static constexpr bool has_widest_blocks =
      has_few_registers && loads != 1 && !traits::has_repeated;
  // Blocks of 256 threads on a multiprocessor where much is computed of one operand. H200, us, six
  // and as many as there are: gelu of 8192 x 8192 f32 126.1 and 133.9, bf16 64.2 and 68.1, sin(x) +
  // cos(x) of bf16 85.5 and 97.4; of two operands none is faster.
  static constexpr int blocks_of_one =
      operands::has_much_arithmetic && operands::has_few_values && operands::moves == 2 &&
              items == 2 && !traits::has_reduction && !traits::has_fetches && !traits::has_positions
          ? 6
          : 1;
  // Blocks of 256 threads on a multiprocessor, as many as have registers: what is waited for counts
  // more than what is issued.
  static constexpr int blocks_held =
      has_few_registers && !traits::has_fetches && !traits::has_positions ? 6 : 1;
};

}  // namespace tenon::detail
TENON_ONCE_END
