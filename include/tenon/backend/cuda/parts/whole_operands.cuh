// SPDX-License-Identifier: Apache-2.0
#pragma once
// Whether the kernels of whole aligned vectors have the operands of a call.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Packed ones; and, where a program has such, those that repeat an element, or their vectors, along
// the innermost of a few axes, which no vector crosses.
template <class Program, class Arguments>
[[gnu::cold]] bool has_whole_operands(Arguments const& a) {
  using traits = program_traits<Program>;
  if constexpr (!traits::has_repeated) {
    return a.is_packed;
  } else {
    constexpr int most_axes = 4;
    bool result = a.tail == 0 && (!traits::has_positions || !traits::has_reduction) &&
                  a.columns.dims <= most_axes && a.columns.size >> 31 == 0;
    for (instruction_facts const& i : traits::all) {
      if (!i.moves_elements || i.is_window) continue;
      access const how = (i.is_load ? a.load_access : a.store_access)[i.bits];
      result = result && how == (i.is_splat  ? access::splat
                                 : i.repeats ? access::blocked
                                             : access::packed);
      if (i.repeats)
        for (long long const stride : a.load_columns[i.bits])
          result = result && stride >= -(1ll << 31) && stride < 1ll << 31;
    }
    return result;
  }
}

}  // namespace tenon::detail
TENON_ONCE_END
