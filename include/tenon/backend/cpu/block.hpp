// SPDX-License-Identifier: Apache-2.0
#pragma once
// Up to block_size columns of one row → their reductions and stores, by a loop that a compiler turns into vector code.

#include "tenon/backend/cpu/reduction_states.hpp"
#include "tenon/backend/cpu/strided_block.hpp"

namespace tenon::cpu_backend {

// A lane adds at most block_size / lane_count = 64 terms one after the other. With the tree above it, the sum of n
// positive numbers is off by at most (64 + log2 n) units of roundoff. 16 lanes are one or two vector registers of float.
inline constexpr int block_size = 1024;
inline constexpr int lane_count = 16;

// Whether load or store K, at place element, takes part in the sweep that ends phase Phase and, if Stores, stores.
template <class Program, int Phase, bool Stores, int K>
inline constexpr bool is_block_operand = [] {
  using I = typename program_traits<Program>::template at<K>;
  if constexpr (I::is_store)
    return Stores && I::where == place::element;
  else
    return I::is_load && I::where == place::element && element_needs<Program>::template at<Phase, Stores>.needed[K];
}();

template <int K, class T>
struct block_address {
  T* address;
};
template <class Program, int K, bool IsOperand>
struct block_address_slot {};
template <class Program, int K>
struct block_address_slot<Program, K, true>
    : block_address<K, std::conditional_t<program_traits<Program>::template at<K>::is_load,
                                          storage_t<program_traits<Program>::template at<K>::type> const,
                                          storage_t<program_traits<Program>::template at<K>::type>>> {};
template <class Program, int Phase, bool Stores, class Sequence>
struct block_address_file;
template <class Program, int Phase, bool Stores, int... K>
struct block_address_file<Program, Phase, Stores, std::integer_sequence<int, K...>>
    : block_address_slot<Program, K, is_block_operand<Program, Phase, Stores, K>>... {};

// Where the elements of a block lie: every operand contiguous.
template <class Program, int Phase, bool Stores>
struct block_addresses : block_address_file<Program, Phase, Stores, typename program_traits<Program>::sequence> {};

template <int K, class T>
T*& address_in(block_address<K, T>& a) {
  return a.address;
}

// Calls visit(integral_constant<int, K>) for each load and store of the block.
template <class Program, int Phase, bool Stores, class Visit>
void for_each_block_operand(Visit const& visit) {
  visit_instructions<Program>([&](auto index) {
    if constexpr (is_block_operand<Program, Phase, Stores, decltype(index)::value>) visit(index);
  });
}

// @pre addresses are distinct or equal, element by element: a store may replace what was loaded at its own position.
// @post `result` is the reduction of the block's columns, a tree that depends on count alone
//
// Everything is inlined here and the outer registers are copied, so that the loop works on locals that no store can
// reach: otherwise each store to the result would make the compiler read them again. Per element and operand, one read
// or write of its storage type; nothing else leaves the registers.
template <int Phase, bool Stores, class Program>
[[gnu::flatten]] void evaluate_block(registers<Program, place::launch> launch, registers<Program, place::row> row,
                                     block_addresses<Program, Phase, Stores> addresses, int count,
                                     reduction_states<Program, place::row, Phase>& result) {
  using states = reduction_states<Program, place::row, Phase, lane_count>;
  registers<Program, place::total> no_total;
  states in_lanes;
  set_identity(in_lanes);
  auto visit = [&](int i, int lane) {
    registers<Program, place::element> element;
    frame<Program> f{launch, row, element, no_total};
    for_each_block_operand<Program, Phase, Stores>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (I::is_load) value_of<k>(f) = static_cast<typename I::value_type>(address_in<k>(addresses)[i]);
    });
    evaluate_element<Phase, Stores>(f);
    accumulate(f, in_lanes, lane);
    for_each_block_operand<Program, Phase, Stores>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (I::is_store)
        address_in<k>(addresses)[i] = static_cast<storage_t<I::type>>(value_of<I::first_operand>(f));
    });
  };
  if constexpr (states::is_empty) {
#pragma GCC ivdep
    for (int i = 0; i < count; ++i) visit(i, 0);
  } else {
    int done = 0;
    for (; done + lane_count <= count; done += lane_count) {
#pragma GCC ivdep
      for (int lane = 0; lane < lane_count; ++lane) visit(done + lane, lane);
    }
    for (int lane = 0; done + lane < count; ++lane) visit(done + lane, lane);
    combine_lanes(in_lanes, count < lane_count ? count : lane_count, result);
  }
}

}  // namespace tenon::cpu_backend
