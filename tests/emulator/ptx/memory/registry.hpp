// SPDX-License-Identifier: Apache-2.0
#pragma once
// What memory there is: allocations of the host, shared memory of resident blocks, rows of
// constants.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ptx/machine.hpp"

namespace emulator {

struct allocation {
  std::uintptr_t from, to;
  std::vector<std::uint8_t> written;
  bool tracks = false;
};

extern std::uintptr_t hit_from[2], hit_to[2];  // the allocations hit last
allocation* find_allocation(std::uintptr_t at);
constexpr std::size_t arena_slots = 16384;
char* shared_arena();
block* block_of_slot(unsigned slot);

void set_block_of_slot(unsigned slot, block* b);
void forget_last();

}  // namespace emulator
