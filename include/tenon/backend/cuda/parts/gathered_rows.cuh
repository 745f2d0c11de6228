// SPDX-License-Identifier: Apache-2.0
#pragma once
// A row's own indices → where the rows lie that they name, of each operand whose rows are gathered.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"

namespace tenon::detail {

// What is computed for a row to find these.
template <class Program> struct leads_to_gathered {
  using traits = program_traits<Program>;
  struct table {
    bool needed[traits::size > 0 ? traits::size : 1] = {};
  };
  static consteval table compute() {
    table t;
    // Users come after their operands.
    for (int k = traits::size - 1; k >= 0; --k) {
      instruction_facts const& i = traits::all[k];
      if (i.is_gathered || (t.needed[k] && i.where == place::row))
        for (int n = 0; n < i.operand_count; ++n) t.needed[i.operands[n]] = true;
    }
    return t;
  }
  static constexpr table all = compute();
  static consteval bool holds(int k) { return all.needed[k] && traits::all[k].where == place::row; }
};
template <class Program> struct gathered_loads {
  static consteval bool holds(int k) { return program_traits<Program>::all[k].is_gathered; }
};

#if defined(__CUDA_ARCH__)
// The row at `offsets`, if it is inside, of which `values` have been loaded: what is gathered for
// it has its place added to these. A row that an index does not name lies where the first one does,
// or, if there is none, in the workspace; what is loaded of it is not looked at.
template <class Program, class Values, class Arguments>
__device__ __forceinline__ void find_gathered(operand_offsets<Program>& offsets, Arguments const& a,
                                              registers<Program, place::launch>& launch,
                                              Values const& values, bool is_inside) {
  if constexpr (program_traits<Program>::has_gathered) {
    registers<Program, place::row> row;
    registers<Program, place::element> none;
    registers<Program, place::total> total;
    frame<Program> const f{launch, row, none, total};
    for_each_selected<Program, leads_to_gathered<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (I::is_load) {
        read_register<k>(row) =
            static_cast<typename I::value_type>(element_of(read_register<k>(values), 0));
      } else if constexpr (I::is_position) {
        read_register<k>(row) = position_of<Program, k>(a, offsets.loads[I::bits], is_inside);
      } else {
        step<k>(f, typename I::operands{});
      }
    });
    for_each_selected<Program, gathered_loads<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      constexpr long long bytes = sizeof(storage_t<I::type>);
      long long const where = read_register<I::first_operand>(row);
      if (where != no_address)
        offsets.loads[I::bits] += (where - first_place) / bytes;
      else if (a.is_nowhere[I::bits])
        offsets.loads[I::bits] = (reinterpret_cast<long long>(a.workspace) + a.rooms[I::bits] -
                                  reinterpret_cast<long long>(a.loads[I::bits])) /
                                 bytes;
    });
  }
}
#endif

}  // namespace tenon::detail
