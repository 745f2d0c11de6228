// SPDX-License-Identifier: Apache-2.0
#pragma once
// A callable that launches work → microseconds per call: in a steady stream of calls, or one call
// after an L2 flush.

#include <algorithm>
#include <vector>

#include "harness/cuda_objects.cuh"

namespace bench {

// steady: a CUDA graph of many calls over rotating buffers, replayed between two events, divided by
// the calls. single: one call between two events, the L2 cache filled with other data before it.
enum class timing { steady, single };
inline char const* name_of(timing how) {
  return how == timing::steady ? "steady state, rotating buffers"
                               : "one call between two events, L2 flushed";
}

struct effort {
  int steady_repetitions = 15;
  int single_repetitions = 40;
  double replay_us = 20e3;    // of one graph
  double warm_up_us = 200e3;  // until clocks settle
};
inline constexpr effort quick_effort{
    .steady_repetitions = 5, .single_repetitions = 10, .replay_us = 5e3, .warm_up_us = 20e3};

struct measurement {
  double median_us = 0, p10_us = 0, p90_us = 0;
};

inline measurement summary_of(std::vector<double> us) {
  std::sort(us.begin(), us.end());
  auto at = [&](double fraction) {
    return us[static_cast<std::size_t>(fraction * static_cast<double>(us.size() - 1) + 0.5)];
  };
  return {at(0.5), at(0.1), at(0.9)};
}

// Keeps the device busy for a while, so that the host is ahead of it when the timed work begins.
static __global__ void wait_kernel(long long nanoseconds) {
  long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - begin < nanoseconds);
}

// launch(k, stream) makes call number k; it must not allocate or synchronise. @pre it ran once on
// this stream before
template <class Launch>
measurement time_steady(Launch const& launch, int sets, cudaStream_t on, effort const& how) {
  event_pair events;
  int probes = std::min(sets, 4);
  events.begin(on);
  for (int k = 0; k < probes; ++k) launch(k, on);
  double estimate_us = events.end_us(on) / probes;

  // Every set takes part, and equally often.
  int rounds = std::max(1, static_cast<int>(how.replay_us / (estimate_us * sets)));
  int calls = sets * std::min(rounds, std::max(1, 1024 / sets));
  captured_graph graph(on, [&] {
    for (int k = 0; k < calls; ++k) launch(k, on);
  });
  for (double spent_us = 0; spent_us < how.warm_up_us;) {
    events.begin(on);
    graph.replay(on);
    spent_us += events.end_us(on);
  }
  std::vector<double> us;
  for (int repetition = 0; repetition < how.steady_repetitions; ++repetition) {
    events.begin(on);
    graph.replay(on);
    us.push_back(events.end_us(on) / calls);
  }
  return summary_of(us);
}

template <class Launch>
measurement time_single(Launch const& launch, cudaStream_t on, effort const& how) {
  static constexpr std::size_t flush_bytes = 256u << 20;
  static constexpr long long head_start_ns = 100'000;
  device_memory flush(flush_bytes);
  event_pair events;
  std::vector<double> us;
  for (int repetition = -5; repetition < how.single_repetitions;
       ++repetition) {  // the first five warm up
    wait_kernel<<<1, 1, 0, on>>>(head_start_ns);
    tenon::check(cudaGetLastError(), "time_single");
    tenon::check(cudaMemsetAsync(flush.data(), repetition & 0xff, flush_bytes, on), "time_single");
    events.begin(on);
    launch(repetition + 5, on);
    double elapsed_us = events.end_us(on);
    if (repetition >= 0) us.push_back(elapsed_us);
  }
  return summary_of(us);
}

template <class Launch>
measurement time_calls(Launch const& launch, int sets, cudaStream_t on, timing what,
                       effort const& how) {
  return what == timing::steady ? time_steady(launch, sets, on, how) : time_single(launch, on, how);
}

}  // namespace bench
