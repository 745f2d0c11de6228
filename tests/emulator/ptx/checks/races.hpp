// SPDX-License-Identifier: Apache-2.0
#pragma once
// Races in shared memory and reads of shared memory that nothing has written.

#include <cstdint>

#include "ptx/machine.hpp"

namespace emulator {

void race_begin(block& b);
void race_access(warp& w, unsigned lane, block& owner, std::uint32_t offset, unsigned bytes,
                 bool writes, bool atomic, bool begins);
void race_barrier(block& b, std::uint32_t const* arrived, bool whole);
void race_warp(warp& w, std::uint32_t lanes);
void race_warp_reads(warp& w, std::uint32_t lanes);
void race_cluster(cluster& c, bool relaxed);
void race_acquire(warp& w, unsigned lane, block& of, std::uint32_t offset);
void race_release(warp& w, unsigned lane, block& of, std::uint32_t offset);

}  // namespace emulator
