// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the grid kernel: how rows are cut, and who does what.

#include "tenon/backend/cuda/parts/row_state_places.cuh"
#include "tenon/backend/cuda/parts/run_arguments.cuh"

namespace tenon::detail {

// How the blocks share the work; the segments and chunks follow from the shape alone.
struct grid_split {
  int segments = 1;  // of each row
  int warps_per_team = 1;
  int tiles_per_segment = 0;
  int chunks = 0;
  int kept_tiles = 0;            // per team, beside those under way
  long long units_per_team = 1;  // consecutive segments
  long long rows_per_chunk = 1;  // rows whose part of a total one team finds
  // The first word of the states. Where it is that of the slots, which are 0 before the launch and
  // after it, whoever wants a state waits for its mark; else the blocks meet between phases.
  int first_state = first_partial;
  TENON_HD bool is_marked() const { return first_state == first_slot; }
};

// What a kernel reads before it can ask for its first vectors lies together, in front: three lines
// of parameters instead of six. H200, one call, 2^22 f32 by their norm 14.0 us instead of 14.3.
struct grid_share {
  grid_split grid;
};
template <class Program> struct grid_arguments : grid_share, run_arguments<Program> {};

// Whether totals are over the rows of a plane each (schedule/levels.hpp), and how rows are these.
template <class C> inline constexpr bool totals_are_of_planes = C::is_looped;
template <class Program> struct level_arguments : grid_arguments<Program> {
  long long planes, rows_per_plane;
  int chunks_per_plane;
};

// Words of the states of Where's reductions before instruction Count; of all of them.
template <class Program, place Where, int Count = program_traits<Program>::size>
inline constexpr int state_words_before = [] {
  return []<int... K>(std::integer_sequence<int, K...>) {
    using traits = program_traits<Program>;
    return (0 + ... +
            (traits::template at<K>::is_reduction && traits::template at<K>::where == Where
                 ? static_cast<int>(sizeof(typename traits::template at<K>::value_type) + 3) / 4
                 : 0));
  }
  (std::make_integer_sequence<int, Count>{});
}();

// Units for whose states there is room in shared memory: 8 KB of a block of 256 threads, or what
// two of them take, whose memory is not that of one by itself.
template <class Program>
inline constexpr int most_waiting_units = words_of_row_phase<Program> <= 8    ? 16
                                          : words_of_row_phase<Program> <= 32 ? 4
                                                                              : 2;

}  // namespace tenon::detail
