// SPDX-License-Identifier: Apache-2.0
#pragma once
// A range of positions → tasks of a fixed size on all threads, and the combination of the states
// that they return.

#include "tenon/backend/cpu/buffer.hpp"
#include "tenon/backend/cpu/pairwise.hpp"
#include "tenon/backend/cpu/parallel.hpp"
#include "tenon/backend/cpu/reduction_states.hpp"

namespace tenon::cpu_backend {

// Calls run(mine, begin, end) for consecutive parts of [0, size), of `step` positions each but for
// the last; `mine` is a thread's own copy of `local`.
// @pre run combines pairwise what belongs to its part; step is a power of two times the number of
// positions per leaf
// @post the result is that of run(mine, 0, size), bit by bit, for any number of threads
template <class States, class Local, class Run>
States combine_parts(long long size, long long step, Local const& local, Run const& run) {
  long long const count = (size + step - 1) / step;
  if (count <= 1) {
    Local mine = local;
    return run(mine, 0, size);
  }
  buffer<States> parts(States::is_empty ? 0 : count);
  parallel_for(count, local, [&](Local& mine, long long part) {
    long long begin = part * step, end = begin + step < size ? begin + step : size;
    States result = run(mine, begin, end);
    if constexpr (!States::is_empty) parts[part] = result;
  });
  States identity;
  set_identity(identity);
  pairwise<States, combine_states> total{combine_states{}};
  for (States const& part : parts) total.push(part);
  return total.result(identity);
}

}  // namespace tenon::cpu_backend
