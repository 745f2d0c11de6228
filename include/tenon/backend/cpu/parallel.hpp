// SPDX-License-Identifier: Apache-2.0
#pragma once
// A counted loop of independent tasks → all threads of OpenMP, or one thread without it.

namespace tenon::cpu_backend {

// Calls task(i) once for every i in [0, count), in any order.
// @pre a task writes nothing that another one reads or writes
template <class Task> void parallel_for(long long count, Task const& task) {
#ifdef _OPENMP
#pragma omp parallel for schedule(static) if (count > 1)
#endif
  for (long long i = 0; i < count; ++i) task(i);
}

}  // namespace tenon::cpu_backend
