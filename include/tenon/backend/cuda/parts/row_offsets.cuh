// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a row lies in each operand: its offset from the first one's.

#include "tenon/backend/cuda/parts/configuration.cuh"
#include "tenon/backend/cuda/parts/indexing.cuh"
#include "tenon/backend/cuda/parts/operand_access.cuh"
#include "tenon/backend/cuda/parts/operand_table.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Offsets in elements of the current row, or of the current vector of columns, in every operand
// that has any. Until they are found they are 0, as they are of what all rows share, which is
// loaded before.
template <class Program> struct operand_offsets {
  using traits = program_traits<Program>;
  long long loads[at_least_one(traits::load_count)] = {};
  long long stores[at_least_one(traits::store_count)] = {};
};

// Which operands move at one of these places.
template <class Program, place... Where> struct operands_at {
  static consteval bool loads(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && !i.is_fetched && (false || ... || (i.where == Where));
  }
  static consteval bool stores(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_store && (false || ... || (i.where == Where));
  }
};
// Operands in memory that have an offset in each row; and those that no memory has.
template <class Program> struct row_operands {
  using moving = operands_at<Program, place::row, place::element, place::plane>;
  static consteval bool holds(int k) { return moving::loads(k) || moving::stores(k); }
};
template <class Program> struct positions_of_rows {
  static consteval bool holds(int k) { return program_traits<Program>::all[k].is_position; }
};

#if defined(__CUDA_ARCH__)
// How a kernel finds a row's position along each axis. Most rows have one axis: one product for
// each operand. A kernel with all registers in use divides along every axis but the outermost
// (ptxas 13.0: the gradient of kl_div spills eight bytes otherwise); one that has some left divides
// in 32 bits where they hold all rows, which is a loop more. H200, us, so and in 64: slopes of
// positions before a softmax of 8 x 16 x 1024 x 1024 bf16 169 and 181, f32 with half as many rows
// 128 and 138, norms of 8 x 32 x 1024 heads of 128 bf16 33.7 and 36.3.
enum class row_digits { of_all_axes, of_64_bits, of_32_bits };
inline constexpr row_digits wide_digits = row_digits::of_64_bits,
                            narrow_digits = row_digits::of_32_bits;
// Rows of any layout have all registers in use where sweeps keep their sums.
template <class C>
inline constexpr row_digits digits_of_rows =
    C::group_dims == any_columns ? wide_digits : narrow_digits;
// The offsets of row `row` in the selected operands that vary over the rows.
template <class Program, class Selected, row_digits Digits = wide_digits, class Arguments>
__device__ __forceinline__ void find_row_of(operand_offsets<Program>& offsets, Arguments const& a,
                                            long long row, divided_axes const& divided) {
  auto const visit = [&](auto const& of_load, auto const& of_store) {
    for_each_selected<Program, Selected>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      if constexpr (I::is_store)
        of_store(offsets.stores[I::bits], I::bits);
      else if constexpr (moves_with_rows<Program, I>)
        of_load(offsets.loads[I::bits], I::bits);
    });
  };
  visit([](long long& to, int) { to = 0; }, [](long long& to, int) { to = 0; });
  if constexpr (Digits == row_digits::of_all_axes) {
    for_each_digit(a.rows, row, [&](int d, long long position) {
      visit([&](long long& to, int k) { to += position * a.load_rows[k][d]; },
            [&](long long& to, int k) { to += position * a.store_rows[k][d]; });
    });
    return;
  }
  auto rest = static_cast<unsigned long long>(row);
  if (Digits == narrow_digits && divided.how == division::of_32_bits) {
    auto left = static_cast<unsigned>(row);
    int d = a.rows.dims;
#pragma unroll 1
    do {
      --d;
      unsigned const next = a.rows.by[d].narrow_quotient(left);
      auto const position =
          static_cast<int>(left - next * static_cast<unsigned>(a.rows.by[d].divisor));
      auto const add = [&](long long& to, long long const* strides) {
        to += wide_product(position, static_cast<int>(strides[d]));
      };
      visit([&](long long& to, int k) { add(to, a.load_rows[k]); },
            [&](long long& to, int k) { add(to, a.store_rows[k]); });
      left = next;
    } while (d > divided.first);
    rest = left;
  } else if (divided.how != division::none) {
    int d = a.rows.dims;
#pragma unroll 1
    do {
      --d;
      auto const next = a.rows.by[d].quotient(rest);
      auto const position = static_cast<long long>(rest - next * a.rows.by[d].divisor);
      visit([&](long long& to, int k) { to += position * a.load_rows[k][d]; },
            [&](long long& to, int k) { to += position * a.store_rows[k][d]; });
      rest = next;
    } while (d > divided.first);
  }
  auto const last = static_cast<int>(rest);
  visit([&](long long& to, int k) { to += wide_product(last, a.steps.loads[k]); },
        [&](long long& to, int k) { to += wide_product(last, a.steps.stores[k]); });
}
// Apart where a row's operands are wanted first.
template <class Program, row_digits Digits, class Arguments>
__device__ __forceinline__ void find_row_operands(operand_offsets<Program>& offsets,
                                                  Arguments const& a, long long row) {
  find_row_of<Program, row_operands<Program>, Digits>(offsets, a, row, a.divided);
}
template <class Program, row_digits Digits, class Arguments>
__device__ __forceinline__ void find_row_positions(operand_offsets<Program>& offsets,
                                                   Arguments const& a, long long row) {
  if constexpr (program_traits<Program>::has_positions)
    find_row_of<Program, positions_of_rows<Program>, Digits>(offsets, a, row, a.of_positions);
}
template <class Program, class C, class Arguments>
__device__ __forceinline__ void find_row_operands(operand_offsets<Program>& offsets,
                                                  Arguments const& a, long long row) {
  find_row_operands<Program, digits_of_rows<C>>(offsets, a, row);
}
template <class Program, class C, class Arguments>
__device__ __forceinline__ void find_row_positions(operand_offsets<Program>& offsets,
                                                   Arguments const& a, long long row) {
  find_row_positions<Program, digits_of_rows<C>>(offsets, a, row);
}
template <class Program, row_digits Digits = wide_digits, class Arguments>
__device__ __forceinline__ void find_row(operand_offsets<Program>& offsets, Arguments const& a,
                                         long long row) {
  find_row_operands<Program, Digits>(offsets, a, row);
  find_row_positions<Program, Digits>(offsets, a, row);
}
#endif

}  // namespace tenon::detail
TENON_ONCE_END
