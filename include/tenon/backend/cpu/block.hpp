// SPDX-License-Identifier: Apache-2.0
#pragma once
// Up to block_size columns of one row → their reductions and stores, by a loop that a compiler
// turns into vector code.

#include "tenon/backend/cpu/ahead_block.hpp"
#include "tenon/backend/cpu/blockwise.hpp"
#include "tenon/backend/cpu/reduction_lanes.hpp"
#include "tenon/backend/cpu/scan_states.hpp"
#include "tenon/program/kept_value.hpp"

namespace tenon::cpu_backend {

template <class Program> using kept_in = tenon::detail::kept_value<Program, true>;

// Computes a block's elements in their order, for scans and reductions by blocks, and hands each to
// take_in(frame, i).
template <int Phase, bool Stores, class Program, class TakeIn>
[[gnu::always_inline]] inline void evaluate_ordered_block(
    ahead_block<Program, Phase, Stores> const& ahead, registers<Program, place::launch>& launch,
    registers<Program, place::row>& row, registers<Program, place::total>& total,
    block_addresses<Program, Phase, Stores>& addresses, int count,
    scan_states<Program, Phase, Stores>& scanned, TakeIn const& take_in) {
  constexpr int most_together = sweeps_blocks<Program, Phase, Stores> ? ops::longest_block : 1;
  registers<Program, place::element> elements[most_together];
  auto frame_of = [&](int i) { return frame<Program>{launch, row, elements[i], total}; };
  for (int first = 0; first < count; first += most_together) {
    int const together = count - first < most_together ? count - first : most_together;
    for (int i = 0; i < together; ++i) {
      read_element<Phase, Stores>(frame_of(i), addresses, first + i);
      ahead.take(frame_of(i), first + i);
    }
    using given = typename ahead_block<Program, Phase, Stores>::given;
    if constexpr (most_together > 1)
      evaluate_blockwise<Phase, Stores, given, Program>(together, frame_of, scanned);
    else
      evaluate_in_order<Phase, Stores, given>(frame_of(0), scanned);
    for (int i = 0; i < together; ++i) take_in(frame_of(i), first + i);
  }
}

// @pre addresses are distinct or equal, element by element: a store may replace what was loaded at
// its own position.
// @post `result` is the reduction of the block's columns, a tree that depends on count alone
//
// Everything is inlined here and the outer registers are copied, so that the loop works on locals
// that no store can reach: otherwise each store to the result would make the compiler read them
// again. Per element and operand, one read or write of its storage type; nothing else leaves the
// registers.
//
// Keeps: element i of `kept` is the value that kept_value names, which the sweep of its phase
// leaves there and later ones find there.
template <int Phase, bool Stores, bool Keeps, class Program>
[[gnu::flatten]] void evaluate_block(registers<Program, place::launch> launch,
                                     registers<Program, place::row> row,
                                     registers<Program, place::total> total,
                                     block_addresses<Program, Phase, Stores> addresses, int count,
                                     scan_states<Program, Phase, Stores>& carried_on,
                                     [[maybe_unused]] float* kept,
                                     reduction_states<Program, place::row, Phase>& result) {
  scan_states<Program, Phase, Stores> scanned = carried_on;
  reduction_lanes<Program, Phase> lanes;
  auto take_in = [&](frame<Program> const& f, int i, int lane) {
    lanes.take(f, lane);
    for_each_block_operand<Program, Phase, Stores>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (I::is_store)
        store_value<k>(f, address_in<k>(addresses) + (I::is_window ? 0 : i));
    });
  };
  registers<Program, place::element> none;
  ahead_block<Program, Phase, Stores> const ahead({launch, row, none, total}, addresses, count);
  auto visit = [&](int i, int lane) {
    registers<Program, place::element> element;
    frame<Program> f{launch, row, element, total};
    read_element<Phase, Stores>(f, addresses, i);
    if constexpr (Keeps && Phase > kept_in<Program>::phase) {
      value_of<kept_in<Program>::number>(f) = kept[i];
      evaluate_rest<Phase, Stores, kept_in<Program>>(f);
    } else {
      ahead.evaluate(f, i);
      if constexpr (Keeps) kept[i] = value_of<kept_in<Program>::number>(f);
    }
    take_in(f, i, lane);
  };
  if constexpr (!scan_states<Program, Phase, Stores>::is_empty) {
    evaluate_ordered_block(ahead, launch, row, total, addresses, count, scanned,
                           [&](frame<Program> const& f, int i) {
                             take_in(f, i, i % lane_count);
                             if ((i + 1) % (lane_count * terms_per_lane) == 0) lanes.raise();
                           });
    carried_on = scanned;
    lanes.finish(count < lane_count ? count : lane_count, result);
  } else if constexpr (reduction_lanes<Program, Phase>::is_empty) {
    vector_loop<Program>(count, [&](int i) { visit(i, 0); });
  } else {
    int done = 0;
    while (done + lane_count <= count) {
      int const left = (count - done) / lane_count;
      int const end = done + (left < terms_per_lane ? left : terms_per_lane) * lane_count;
      for (; done < end; done += lane_count)
        vector_loop<Program>(lane_count, [&](int lane) { visit(done + lane, lane); });
      if (left >= terms_per_lane) lanes.raise();
    }
    for (int lane = 0; done + lane < count; ++lane) visit(done + lane, lane);
    lanes.finish(count < lane_count ? count : lane_count, result);
  }
}

}  // namespace tenon::cpu_backend
