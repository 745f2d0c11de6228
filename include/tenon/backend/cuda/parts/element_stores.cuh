// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which values the element stores of a program write.

#include <utility>

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"

namespace tenon::detail {

template <class T, int N> struct value_list { T at[N]; };

// Element stores, with the V values that each is to write: a cast to what lies in memory is the
// store's own (reify).
template <class Program, int V> struct element_stores {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_store && i.where == place::element;
  }
  template <int K> using type = value_list<typename at<at<K>::first_operand>::value_type, V>;
};

#if defined(__CUDA_ARCH__)
// What the stores write of element i.
template <class Program, int V, int... K>
__device__ __forceinline__ void collect_stores(
    register_file<element_stores<Program, V>, std::integer_sequence<int, K...>>& results,
    frame<Program> const& f, int i) {
  ((read_register<K>(results).at[i] =
        value_of<program_traits<Program>::template at<K>::first_operand>(f)),
   ...);
}
#endif

// Whether some store is at place element.
template <class Program>
inline constexpr bool has_element_stores = has_selected<Program, element_stores<Program, 1>>;

}  // namespace tenon::detail
