// SPDX-License-Identifier: Apache-2.0
#pragma once
// Instructions that do the same for each lane: rows of operands -> a row of results.

#include <cstddef>
#include <utility>

#include "ptx/machine.hpp"

namespace emulator {

// d = F(a...) in the lanes that run.
template <auto F, class D, class... A> inline void elementwise_rows(warp& w, D* d, const A*... a) {
  if (w.mask == ~0u) {
#pragma GCC ivdep
    for (int l = 0; l < 32; ++l) d[l] = F(a[l]...);
  } else {
    std::uint32_t m = w.mask;
    while (m != 0) {
      unsigned l = __builtin_ctz(m);
      m &= m - 1;
      d[l] = F(a[l]...);
    }
  }
}
template <auto F, class D, class... A, std::size_t... N>
inline void elementwise_at(warp& w, instruction const& i, std::index_sequence<N...>) {
  elementwise_rows<F, D, A...>(w, row<D>(w, i.o[0]), row<A>(w, i.o[1 + N])...);
}
template <auto F, class D, class... A> void elementwise(warp& w, instruction const& i) {
  elementwise_at<F, D, A...>(w, i, std::index_sequence_for<A...>());
}

}  // namespace emulator
