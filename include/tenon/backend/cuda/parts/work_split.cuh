// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the blocks of a kernel share its rows, and what each has of them at a time.

#include "tenon/backend/cuda/parts/image_order.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

struct work_split {
  long long groups = 1;    // rows: groups of rows that blocks, or clusters, do one after the other
  int blocks_per_row = 1;  // rows: neighbouring blocks that share a row
  int segments = 1;        // looped rows: parts of a row whose states are combined in order
  int tiles_per_segment = 0;
  int kept_tiles = 0;  // looped rows: a row's tiles that a block's shared memory has room for
  int vectors_per_block = 0;  // long rows: the stretch of a row that a block has
  int pieces_per_block = 1;   // long rows: parts of it that are reduced by themselves
  int tiles_per_piece = 0;
  bool keeps_shared = false;  // long rows: what all rows share is in shared memory, too
  bool lies_in_runs = false;  // tiny rows: one behind another, as their elements
  bool is_short = false;      // rows: so few that all are asked for before the call in front ends
  bool asks_early = false;    // sums by place: for their first tiles' lines, before the wait
  int vectors_of_last = 0;    // sums by place: that a lane has in the last tile of a row
  int rows_ahead = 0;         // rows: how much further the L2 cache is filled; 0: it is not
  // Tiny rows: that a warp has at a time, elements of a lane, neighbours that a thread has by
  // itself and which are counted as one, where elements lie apart, and shared memory of a warp.
  int rows_per_warp = 0;
  short elements_per_lane = 0, rows_apart = 0;
  int bytes_per_warp = 0;
  image_order order;  // brief rows of whole vectors: where these are in shared memory
};

}  // namespace tenon::detail
TENON_ONCE_END
