// SPDX-License-Identifier: Apache-2.0
#pragma once
// A counted loop of independent tasks → all threads of OpenMP, or one thread without it.

#include <exception>

#include "tenon/backend/cpu/streamed_store.hpp"

namespace tenon::cpu_backend {

// Calls task(mine, i) once for every i in [0, count), in any order; `mine` is a thread's own copy
// of `local`, which one task leaves to the next.
// @pre a task writes nothing that another one reads or writes
// @post what the tasks stored, streamed or not, is seen by the calling thread; an exception that a
// task threw is thrown again, when all tasks are done: none may leave a thread of OpenMP's
template <class Local, class Task>
void parallel_for(long long count, Local const& local, Task const& task) {
#if defined(_OPENMP) && defined(__cpp_exceptions)
  std::exception_ptr thrown;
#pragma omp parallel if (count > 1)
  {
    Local mine = local;
#pragma omp for schedule(static) nowait
    for (long long i = 0; i < count; ++i) {
      try {
        task(mine, i);
      } catch (...) {
#pragma omp critical(tenon_parallel_for)
        if (!thrown) thrown = std::current_exception();
      }
    }
    finish_streamed_stores();
  }
  if (thrown) std::rethrow_exception(thrown);
#else
#if defined(_OPENMP)
#pragma omp parallel if (count > 1)
#endif
  {
    Local mine = local;
#if defined(_OPENMP)
#pragma omp for schedule(static) nowait
#endif
    for (long long i = 0; i < count; ++i) task(mine, i);
    finish_streamed_stores();
  }
#endif
}

struct nothing {};
// Calls task(i).
template <class Task> void parallel_for(long long count, Task const& task) {
  parallel_for(count, nothing{}, [&](nothing, long long i) { task(i); });
}

}  // namespace tenon::cpu_backend
