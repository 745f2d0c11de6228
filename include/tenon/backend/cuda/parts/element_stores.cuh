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
// Whether the reductions of rows need number k of an element: it may be kept from then on, and what
// it comes from is not.
template <class Program> consteval bool is_reduced(int k) {
  for (int phase = 1; phase <= program_traits<Program>::row_phases; ++phase)
    if (element_needs<Program>::compute(phase, false).needed[k]) return true;
  return false;
}
// What store K converts to float8_e4m3: what was clamped to the numbers that this has, if it was.
template <class Program, int K> consteval int saturated_operand() {
  using traits = program_traits<Program>;
  using store = typename traits::template at<K>;
  using operand = typename traits::template at<store::first_operand>;
  if constexpr (store::type == dtype::f8_e4m3 && std::is_same_v<typename operand::op, ops::clamp>) {
    using number = typename traits::template at<operand::first_operand>;
    using low = typename traits::template at<operand::second_operand>;
    using high = typename traits::template at<operand::third_operand>;
    if constexpr (operand::type == dtype::f32 && number::type == dtype::f32 &&
                  std::is_same_v<typename low::op, ops::literal> &&
                  std::is_same_v<typename high::op, ops::literal>)
      if (floating_literal<low::bits> == -448 && floating_literal<high::bits> == 448 &&
          !is_reduced<Program>(store::first_operand))
        return operand::first_operand;
  }
  return store::first_operand;
}
// Whether the conversion of a vector clamps by itself.
template <class Program, int K, int V>
inline constexpr bool is_saturated =
    __CUDA_ARCH__ >= 890 && V % 2 == 0 &&
    saturated_operand<Program, K>() != program_traits<Program>::template at<K>::first_operand;

// What store K is collected from; Saturates: for pack_stored.
template <class Program, int K, int V, bool Saturates> consteval int collected_operand() {
  if (Saturates && is_saturated<Program, K, V>) return saturated_operand<Program, K>();
  return program_traits<Program>::template at<K>::first_operand;
}

// What the stores write of element i.
template <class Program, int V, bool Saturates = false, int... K>
__device__ __forceinline__ void collect_stores(
    register_file<element_stores<Program, V>, std::integer_sequence<int, K...>>& results,
    frame<Program> const& f, int i) {
  ((read_register<K>(results).at[i] = value_of<collected_operand<Program, K, V, Saturates>()>(f)),
   ...);
}
// A vector of what store K writes, as it was collected.
template <class Program, int K, class Number, int V>
__device__ __forceinline__ auto pack_stored(Number const (&values)[V]) {
  if constexpr (is_saturated<Program, K, V>)
    return pack_e4m3(values, true);
  else
    return pack<storage_t<program_traits<Program>::template at<K>::type>>(values);
}
#endif

// Whether some store is at place element.
template <class Program>
inline constexpr bool has_element_stores = has_selected<Program, element_stores<Program, 1>>;

}  // namespace tenon::detail
