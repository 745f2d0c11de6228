// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the sorts of a program have ordered of the row a block is at: where it lies, and its
// elements as values.

#include "tenon/backend/cuda/parts/configuration.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The sorts whose result a sweep reads.
template <class Program, int Phase, bool Stores> struct needed_orders {
  static consteval bool holds(int k) {
    return program_traits<Program>::all[k].is_sort &&
           element_needs<Program>::template at<Phase, Stores>.needed[k];
  }
};

// The order that sort I has made, in memory that the block shares; ordered_element, of the opt-in
// header that sorts, makes an element of it.
template <class I> struct row_order { void const* keys; };
template <class Program> struct sorts_of {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) { return program_traits<Program>::all[k].is_sort; }
  template <int K> using type = row_order<at<K>>;
};
template <class Program> struct row_orders : selected_registers<Program, sorts_of<Program>> {};

}  // namespace tenon::detail
#endif
