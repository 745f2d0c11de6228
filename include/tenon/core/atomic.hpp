// SPDX-License-Identifier: Apache-2.0
#pragma once
// A word that several threads read and write: what the run time needs of <atomic>.
//
// That header, <mutex> and <memory> cost every translation unit 0.6 s of its compile time under
// nvcc 13.0, more than all of the run time itself.

namespace tenon::detail {

// As std::atomic; without an order it is sequentially consistent.
template <class T> class atomic {
 public:
  constexpr atomic() = default;
  constexpr atomic(T value) : value_(value) {}
  atomic(atomic const&) = delete;
  atomic& operator=(atomic const&) = delete;

  T load() const { return __atomic_load_n(&value_, __ATOMIC_SEQ_CST); }
  T load_relaxed() const { return __atomic_load_n(&value_, __ATOMIC_RELAXED); }
  void store(T value) { __atomic_store_n(&value_, value, __ATOMIC_SEQ_CST); }
  void store_relaxed(T value) { __atomic_store_n(&value_, value, __ATOMIC_RELAXED); }
  // Both return the value before.
  T fetch_add(T more) { return __atomic_fetch_add(&value_, more, __ATOMIC_SEQ_CST); }
  T fetch_sub(T less) { return __atomic_fetch_sub(&value_, less, __ATOMIC_SEQ_CST); }
  T fetch_add_relaxed(T more) { return __atomic_fetch_add(&value_, more, __ATOMIC_RELAXED); }

 private:
  T value_ = {};
};

}  // namespace tenon::detail
