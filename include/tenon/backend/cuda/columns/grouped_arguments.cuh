// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the kernel of groups of columns that a cluster keeps.

#include "tenon/backend/cuda/columns/meeting_arguments.cuh"

namespace tenon::detail {

// What follows from a group's shape alone, for the same bits however many there are.
struct grouped_share {
  int groups;           // of a tile
  int parts_of_group;   // in a row of threads: neighbouring columns of one thread
  int states_of_group;  // of all threads of a block
  int lanes;            // that combine those of a group: a power of two
  int states_at;        // where they begin in shared memory, in bytes
  bool others_stay;     // what is not kept is the same at each position
};
template <class Program> struct kept_groups_arguments : grouped_arguments<Program> {
  grouped_share share;
};

// Neighbours of a thread's vector that are of one group where this many columns are one.
constexpr int joined_of(long long columns, int v) {
  int result = v;
  while (columns % result != 0) result /= 2;
  return result;
}

}  // namespace tenon::detail
