// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a plan cache counts: read by both of nvcc's passes, the cache itself by the host's alone.

#include <cstdint>

namespace tenon {

struct cache_counters {
  std::uint64_t hits = 0, misses = 0, evictions = 0;
};

}  // namespace tenon
