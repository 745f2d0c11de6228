// SPDX-License-Identifier: Apache-2.0
#pragma once
// A lock: what the run time needs of <mutex>, whose cost under nvcc is told in core/atomic.hpp.

#include <pthread.h>

namespace tenon::detail {

class mutex {
 public:
  mutex() = default;
  mutex(mutex const&) = delete;
  mutex& operator=(mutex const&) = delete;
  void lock() { pthread_mutex_lock(&handle_); }
  void unlock() { pthread_mutex_unlock(&handle_); }

 private:
  pthread_mutex_t handle_ = PTHREAD_MUTEX_INITIALIZER;  // needs no destruction
};

// Holds a mutex for a scope.
class lock_guard {
 public:
  explicit lock_guard(mutex& held) : held_(held) { held_.lock(); }
  lock_guard(lock_guard const&) = delete;
  lock_guard& operator=(lock_guard const&) = delete;
  ~lock_guard() { held_.unlock(); }

 private:
  mutex& held_;
};

}  // namespace tenon::detail
