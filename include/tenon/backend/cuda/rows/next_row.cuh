// SPDX-License-Identifier: Apache-2.0
#pragma once
// The row that follows in a block's place comes to the L2 cache while the block has its own, and
// that of a short call before the kernels in front have ended.

#include "tenon/backend/cuda/parts/misaligned_access.cuh"
#include "tenon/backend/cuda/rows/own_loads.cuh"

namespace tenon::detail {

// Rows of one block each, in the kernels that have the registers for it: of shifted vectors where
// what is computed of one operand of f32 has few. Much arithmetic leaves no time for it: layer norm
// + gelu of 4096 bf16 on an H200 184 us against 174.
template <class Program, class C>
inline constexpr bool asks_ahead = (C::group_dims == packed_columns ||
                                    (C::group_dims == shifted_columns &&
                                     element_operands<Program>::loads == 1 &&
                                     !has_large_states<Program> &&
                                     program_traits<Program>::widest_element == 4)) &&
                                   !C::has_clusters && !program_traits<Program>::has_planes &&
                                   !element_operands<Program>::has_much_arithmetic;
// Rows of short calls, whose blocks begin when those in front have begun to end.
template <class Program, class C>
inline constexpr bool asks_before_wait =
    asks_ahead<Program, C>&& C::group_dims == packed_columns && !program_traits<Program>::has_total;
// Odd rows that clusters share, of one operand or of f32. States of several numbers of half types
// leave no registers for it: layer norm of 264 x 50257 bf16 32.5 us instead of 29.6.
template <class Program, class C>
inline constexpr bool asks_for_stretches =
    C::group_dims == odd_columns && !program_traits<Program>::has_total &&
    (has_large_states<Program> ? program_traits<Program>::widest_element == 4
                               : element_operands<Program>::loads == 1);

#if defined(__CUDA_ARCH__)
// From a row of operand K to the next one. @pre they follow each other at one distance
template <class Program, int K, class Arguments>
__device__ __forceinline__ long long row_step(Arguments const& a) {
  using I = typename program_traits<Program>::template at<K>;
  return a.load_rows[I::bits][program_traits<Program>::has_late ? a.rows.dims - 1 : 0];
}
// Asks for the row that is as far beyond `row` as the plan says, which is to leave the cache last,
// as what is loaded; the operands of `row` lie at `offsets`, and this thread has the vectors at
// `positions`.
template <class Program, class C, class Arguments, class Positions>
__device__ __forceinline__ void prefetch_next(Arguments const& a,
                                              operand_offsets<Program> const& offsets,
                                              Positions const& positions, long long row) {
  int const ahead = a.split.rows_ahead;
  if (ahead == 0 || row + ahead >= a.row_count) return;
  for_each_selected<Program, own_loads<Program, C>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::is_gathered || I::is_fetched) return;
    auto const* from =
        load_address<Program, k>(a, offsets.loads[I::bits] + ahead * row_step<Program, k>(a)) +
        static_cast<long long>(positions.first) * C::vector_width;
#pragma unroll
    for (int u = 0; u < C::items; ++u)
      if (positions.is_whole(u))
        asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(
            from + positions.template offset<C::vector_width>(u)));
  });
}
// Asks for the lines of the vectors at `positions` of the row at `offsets`, which lie side by side
// in neighbouring threads. @pre nothing, not even the wait for the kernels in front
template <class Program, class C, class Arguments, class Positions>
__device__ __forceinline__ void ask_before_wait(Arguments const& a,
                                                operand_offsets<Program> const& offsets,
                                                Positions const& positions) {
  constexpr int vectors_of_line = 8;
  bool const has_line = threadIdx.x % vectors_of_line == 0;
  for_each_selected<Program, own_loads<Program, C>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::is_gathered || I::is_fetched) return;
    auto const* from = load_address<Program, k>(a, offsets.loads[I::bits]) +
                       static_cast<long long>(positions.first) * C::vector_width;
#pragma unroll
    for (int u = 0; u < C::items; ++u)
      if (has_line && positions.is_whole(u))
        asm volatile(
            "prefetch.global.L2 [%0];" ::"l"(from + positions.template offset<C::vector_width>(u)));
  });
}
// Before the row at `offsets` is looked at.
template <class Program, class C, class Arguments, class Positions>
__device__ __forceinline__ void await_row(Arguments const& a,
                                          operand_offsets<Program> const& offsets,
                                          Positions const& positions) {
  if constexpr (asks_before_wait<Program, C>)
    if (a.is_short) ask_before_wait<Program, C>(a, offsets, positions);
  await_operands<Program>(a.is_short);
}
// As prefetch_next, `count` vectors of a row, from number `first` on, by one thread of a block, on
// devices that can. IsAnywhere: those of memory that are all of the row, one less.
template <class Program, class C, bool IsAnywhere, class Arguments>
__device__ __forceinline__ void prefetch_stretch(Arguments const& a,
                                                 operand_offsets<Program> const& offsets, int first,
                                                 int count, long long row) {
#if __CUDA_ARCH__ >= 900
  int const ahead = a.split.rows_ahead;
  if (threadIdx.x > 0 || count <= IsAnywhere || ahead == 0 || row + ahead >= a.row_count) return;
  for_each_selected<Program, own_loads<Program, C>>([&](auto selected) {
    constexpr int k = decltype(selected)::value, v = C::vector_width;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (packed<storage_t<I::type>, v>::bytes == 16 && !I::is_gathered && !I::is_fetched) {
      auto const* from =
          load_address<Program, k>(a, offsets.loads[I::bits] + ahead * a.load_rows[I::bits][0]) +
          static_cast<long long>(first) * v;
      if constexpr (IsAnywhere) from += -elements_beyond<v>(from) & (v - 1);
      fill_cache(from, (count - IsAnywhere) * 16);
    }
  });
#endif
}
#endif

}  // namespace tenon::detail
