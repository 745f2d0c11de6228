// SPDX-License-Identifier: Apache-2.0
#pragma once
// A range of positions → tasks of a fixed size on all threads, and the combination of the states
// that they return.

#include "tenon/backend/cpu/buffer.hpp"
#include "tenon/backend/cpu/pairwise.hpp"
#include "tenon/backend/cpu/parallel.hpp"
#include "tenon/backend/cpu/reduction_states.hpp"

namespace tenon::cpu_backend {

// Calls run(begin, end) for consecutive parts of [0, size), of `step` positions each but for the
// last.
// @pre run combines pairwise what belongs to its part; step is a power of two times the number of
// positions per leaf
// @post the result is that of run(0, size), bit by bit, for any number of threads
template <class States, class Run>
States combine_parts(long long size, long long step, Run const& run) {
  long long const count = (size + step - 1) / step;
  if (count <= 1) return run(0, size);
  buffer<States> parts(States::is_empty ? 0 : count);
  parallel_for(count, [&](long long part) {
    long long begin = part * step, end = begin + step < size ? begin + step : size;
    States result = run(begin, end);
    if constexpr (!States::is_empty) parts[part] = result;
  });
  States identity;
  set_identity(identity);
  pairwise<States, combine_states> total{combine_states{}};
  for (States const& part : parts) total.push(part);
  return total.result(identity);
}

}  // namespace tenon::cpu_backend
