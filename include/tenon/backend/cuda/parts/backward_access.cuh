// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows that are moved from their ends to their beginnings, by vectors whose elements registers turn
// around.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"

namespace tenon::detail {

// Whether some load has its neighbours in that order because the expression says so.
template <class Program>
inline constexpr bool has_reversed =
    program_traits<Program>::all.count(&instruction_facts::is_reversed) > 0;

// Of vectors along one axis that may begin at its end.
[[gnu::cold]] inline access backward_access(bound_layout const& layout, operand_layout operand,
                                            void const* address, int bytes, int width) {
  if (layout.columns.dims != 1 || operand.column_strides[0] != -1) return access::strided;
  operand.column_strides[0] = 1;
  address = static_cast<char const*>(address) - (width - 1) * bytes;
  return find_access(layout.rows, layout.columns, operand, address, bytes, width) == access::packed
             ? access::backward
             : access::strided;
}

#if defined(__CUDA_ARCH__)
// The elements of a vector from the last to the first.
template <class T, int V>
__device__ __forceinline__ packed<T, V> backward(packed<T, V> const& vector) {
  packed<T, V> result;
  constexpr int size = static_cast<int>(sizeof(T)), count = sizeof(result.words) / sizeof(unsigned),
                of_element = size > 4 ? size / 4 : 1, unused = 32 * count - 8 * size * V;
#pragma unroll
  for (int w = 0; w < count; ++w) {
    unsigned const word = vector.words[count - of_element - w + w % of_element * 2];
    result.words[w] = size < 4 ? __byte_perm(word, 0, size == 1 ? 0x0123 : 0x1032) >> unused : word;
  }
  return result;
}
#endif

}  // namespace tenon::detail
