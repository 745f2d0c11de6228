// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows that are neighbours in memory → strips of them, which blocks scan side by side, and how many
// positions a block has at a time.

#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// Warps of a block that have elements; two more tell other blocks and hear from them.
inline constexpr int strip_warps = 8, strip_threads = 32 * strip_warps;
// Parts of a strip whose states are combined with each other first, and groups of parts.
inline constexpr int parts_of_group = 16, groups_of_round = 16;

// How many words say which states are there: one for a group of parts, and one for a round of
// groups.
struct strip_groups {
  long long of_parts, of_groups;  // of a strip
  [[gnu::cold]] static strip_groups of(long long parts) {
    long long const groups = divide_up(parts, parts_of_group);
    return {groups, divide_up(groups, groups_of_round)};
  }
  long long count() const { return of_parts + of_groups; }
  // Of the parts, the groups, and what comes before a round.
  static long long states(long long parts) { return parts + of(parts).count(); }
};

// A tile: `beside` strips of `lanes` vectors, each of as many warps as have its positions, of which
// a thread has `steps` that follow each other. Strips that lie beside each other have one part.
struct strip_share {
  int lanes = 1, warps_along = strip_warps, steps = 1;
  long long parts = 1;     // tiles one after the other
  bool is_walked = false;  // by one block from part to part

  int beside() const { return strip_warps / warps_along; }
  int vectors() const { return lanes * beside(); }
  int positions() const { return warps_along * (32 / lanes) * steps; }
};

// Of a device of any size: the order in which states are combined follows from the shape.
inline constexpr long long strip_blocks = 264;

// `vectors` as if all rows were one axis, so that the order in which states are combined does not
// tell how the rows' axes lie: where they do not merge there are up to v times as many. @pre rows
// and positions are above 0
[[gnu::cold]] inline strip_share share_strips(long long rows, long long positions, int v,
                                              int most_lanes, int most_steps, int scans) {
  long long const vectors = divide_up(rows, v);
  strip_share result;
  while (result.lanes < most_lanes && result.lanes < vectors) result.lanes *= 2;
  long long const groups = 32 / result.lanes;
  // Of few positions warps have different strips, where there are some for each block.
  while (result.warps_along > 1 && result.warps_along / 2 * groups * most_steps >= positions &&
         divide_up(vectors, 2 * result.vectors()) >= strip_blocks)
    result.warps_along /= 2;
  long long const along = result.warps_along * groups;
  long long const strips = divide_up(vectors, result.vectors());
  result.steps = static_cast<int>(clamped(divide_up(positions, along), 1, most_steps));
  // Smaller tiles where there would be fewer than blocks.
  while (result.steps > 2 && result.beside() == 1 &&
         strips * divide_up(positions, along * result.steps) < strip_blocks)
    result.steps = (result.steps + 1) / 2;
  result.parts = divide_up(positions, along * result.steps);
  result.steps = static_cast<int>(divide_up(positions, along * result.parts));
  result.parts = divide_up(positions, along * result.steps);
  // So many strips that blocks that have one after the other are done at about the same time, or
  // more than there may be words for.
  result.is_walked = result.parts > 1 &&
                     (strips >= 8 * strip_blocks ||
                      v * scans * strips * strip_groups::of(result.parts).count() > 2 * slot_count);
  return result;
}

}  // namespace tenon::detail
TENON_ONCE_END
