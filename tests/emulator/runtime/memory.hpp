// SPDX-License-Identifier: Apache-2.0
#pragma once
// Blocks of memory that there are, and the pools that keep some of them.

#include <map>
#include <set>

#include "runtime/state.hpp"

namespace emulator::runtime {

struct pool {
  std::uint64_t threshold = 0;
  std::set<block*> kept;  // freed, or about to be
  std::size_t reserved = 0;
};

constexpr std::size_t granule = 512;

extern std::map<char*, block*> blocks;  // by address: live, kept by a pool, or owned by a graph
extern std::set<pool*> pools;

// Null where the device has no memory left.
block* make_block(std::size_t bytes, kind of);
void destroy_block(block* b);

}  // namespace emulator::runtime
