// SPDX-License-Identifier: Apache-2.0
#pragma once
// A loop over a block's elements that a compiler turns into vector code, and what it begins with:
// the values that are read.

#include "tenon/backend/cpu/block_operands.hpp"

namespace tenon::cpu_backend {

template <class Program> struct checked_indices {
  template <int K>
  static constexpr bool holds =
      program_traits<Program>::all[K].where ==
      place::element&& ops::checks_index<typename program_traits<Program>::template at<K>::op>;
};
// Whether an element may be a mistake of the user's, which is thrown.
template <class Program>
inline constexpr bool may_throw = holds_any<Program, checked_indices<Program>>;

// Calls body(i) for i in [0, count), in vectors unless a call may throw: no exception may leave
// such a loop of OpenMP's. With OpenMP also where the compiler is not asked to look for such loops:
// g++ 12 at -O2 finds few. Sixteen at a time are for g++ vectors of 512 bits where there are any;
// tuned for Intel's processors it takes 256 otherwise.
// @pre no call writes what another one reads or writes
template <class Program, class Body>
[[gnu::always_inline]] inline void vector_loop(int count, Body const& body) {
  if constexpr (may_throw<Program>) {
    for (int i = 0; i < count; ++i) body(i);
  } else {
#if defined(_OPENMP)
#pragma omp simd simdlen(16)
#else
#pragma GCC ivdep
#endif
    for (int i = 0; i < count; ++i) body(i);
  }
}

// Reads element i of a block's loads.
template <int Phase, bool Stores, class Program>
[[gnu::always_inline]] inline void read_element(frame<Program> const& f,
                                                block_addresses<Program, Phase, Stores>& addresses,
                                                int i) {
  for_each_block_operand<Program, Phase, Stores>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::is_read)
      value_of<k>(f) = static_cast<typename I::value_type>(address_in<k>(addresses)[i]);
  });
}

}  // namespace tenon::cpu_backend
