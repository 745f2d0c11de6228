// SPDX-License-Identifier: Apache-2.0
#pragma once
// The row that follows in a block's place comes to the L2 cache while the block has its own.

#include "tenon/backend/cuda/rows/own_loads.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Rows of one block each, in the kernel that has the registers for it. H200: softmax of 2048 f32
// 260 us against 275, of 4096 f32 259.6 against 261.8, of 8192 bf16 131.6 against 135.2; half as
// far ahead gains less, and once and a half as far costs f32 4 %. Much arithmetic leaves no time
// for it: layer norm + gelu of 4096 bf16 184 us against 174.
template <class Program, class C>
inline constexpr bool asks_ahead =
    C::group_dims == packed_columns && !C::has_clusters && !program_traits<Program>::has_planes &&
    !element_operands<Program>::has_much_arithmetic;

// Asks for what the blocks of 132 multiprocessors are beyond `row`, whose operands lie at `offsets`
// and of which this thread has the vectors at `positions`.
template <class Program, class C, class Arguments, class Positions>
__device__ __forceinline__ void prefetch_next(Arguments const& a,
                                              operand_offsets<Program> const& offsets,
                                              Positions const& positions, long long row) {
  int const ahead = 132 * (C::blocks * C::threads_per_block / static_cast<int>(blockDim.x));
  if (blockDim.y > 1 || a.rows.dims > 1 || row + ahead >= a.rows.size) return;
  for_each_selected<Program, own_loads<Program, C>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    auto const* from =
        load_address<Program, k>(a, offsets.loads[I::bits] + ahead * a.load_rows[I::bits][0]) +
        static_cast<long long>(positions.first) * C::vector_width;
#pragma unroll
    for (int u = 0; u < C::items; ++u)
      if (positions.is_whole(u))
        asm volatile(
            "prefetch.global.L2 [%0];" ::"l"(from + positions.template offset<C::vector_width>(u)));
  });
}

}  // namespace tenon::detail
#endif
