// SPDX-License-Identifier: Apache-2.0
#pragma once
// Threads that wait, and what lets them go on.

#include <cstdint>

#include "ptx/machine.hpp"

namespace emulator {

void threads_exit(warp& w, std::uint32_t lanes);
void barrier_check(block& b, unsigned id);
void cluster_check(cluster& c);
void park(warp& w, std::uint32_t lanes, wait_kind kind, std::uint32_t const* value,
          instruction const* at);
void wake_mbarriers(cluster& c);

bool before_has_ended(grid_run& g);
void said_dependents(block& b);

}  // namespace emulator
