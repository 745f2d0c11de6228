// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where an element of neighbouring rows is, for programs whose elements know it.

#include "tenon/backend/cuda/columns/arguments.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The positions of row i's element at reduced position `column`. @pre one reduced axis; `offsets`
// are those of the first of the rows
template <class Program>
__device__ __forceinline__ void take_element_positions(registers<Program, place::element>& element,
                                                       columns_arguments<Program> const& a,
                                                       operand_offsets<Program> const& offsets,
                                                       long long column, int i) {
  for_each_selected<Program, positions_at<Program, place::element>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    long long const along = I::varies_over_rows ? i * a.load_along[I::bits] : 0;
    long long const offset = offsets.loads[I::bits] + column * a.load_steps[I::bits] + along;
    read_register<k>(element) = position_of<Program, k>(a, offset, true);
  });
}

}  // namespace tenon::detail
#endif
