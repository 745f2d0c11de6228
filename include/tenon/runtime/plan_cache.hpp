// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shapes of a call → the prepared launch, for one expression: read without a lock, bounded and counted.

#include <cstdint>

#include "tenon/core/atomic.hpp"
#include "tenon/runtime/argument.hpp"

namespace tenon {

struct cache_counters {
  std::uint64_t hits = 0, misses = 0, evictions = 0;
};

namespace detail {

// Everything that a plan depends on, as words: device, then rank, extents, strides and alignment of each array.
template <int Arrays>
struct plan_key {
  static constexpr int capacity = 1 + Arrays * (2 * max_rank + 2);
  std::int64_t words[capacity];
  int count = 0;

  void push(std::int64_t word) { words[count++] = word; }
  void push(argument const& a) {
    push(a.layout.rank);
    for (int k = 0; k < a.layout.rank; ++k) push(a.layout.extents[k]), push(a.layout.strides[k]);
    // Vector accesses are up to 16 bytes wide.
    push(static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(a.data) & 15u));
  }
  std::uint64_t hash() const {
    std::uint64_t h = 0x9e3779b97f4a7c15u;
    for (int k = 0; k < count; ++k) h = (h ^ static_cast<std::uint64_t>(words[k])) * 0xff51afd7ed558ccdu, h ^= h >> 32;
    return h;
  }
  bool operator==(plan_key const& other) const {
    if (count != other.count) return false;
    for (int k = 0; k < count; ++k)
      if (words[k] != other.words[k]) return false;
    return true;
  }
};

// Readers are counted, so that an evicted entry is freed only when nobody can be looking at it.
template <class Key, class Plan>
class plan_cache {
 public:
  static constexpr int capacity = 1024;

  ~plan_cache() {
    free_retired();
    for (auto& slot : slots_) delete slot.load();
  }

  // Calls use(plan) with the plan of `key`, made by make() when there is none. Strong guarantee: when make() raises,
  // the cache is as before.
  template <class Make, class Use>
  decltype(auto) with(Key const& key, Make const& make, Use const& use) {
    reader_scope reading(readers_);
    std::uint64_t h = key.hash();
    for (int probe = 0; probe < probes; ++probe) {
      entry const* found = slots_[(h + static_cast<unsigned>(probe)) % capacity].load();
      if (found && found->hash == h && found->key == key) {
        hits_.fetch_add_relaxed(1);
        return use(found->plan);
      }
    }
    return use(insert(key, h, make)->plan);
  }

  cache_counters counters() const { return {hits_.load(), misses_.load(), evictions_.load()}; }

 private:
  static constexpr int probes = 8;
  struct entry {
    Key key;
    std::uint64_t hash;
    Plan plan;
    entry* next_retired = nullptr;
  };
  struct reader_scope {
    explicit reader_scope(atomic<int>& readers) : count(readers) { count.fetch_add(1); }
    ~reader_scope() { count.fetch_sub(1); }
    atomic<int>& count;
  };

  // A plan is made under the lock: one per key, however many threads ask for it at once.
  template <class Make>
  entry const* insert(Key const& key, std::uint64_t h, Make const& make) {
    lock_guard lock(mutex_);
    atomic<entry*>* target = nullptr;
    for (int probe = 0; probe < probes; ++probe) {
      atomic<entry*>& slot = slots_[(h + static_cast<unsigned>(probe)) % capacity];
      entry* present = slot.load();
      if (present && present->hash == h && present->key == key) {
        hits_.fetch_add_relaxed(1);
        return present;
      }
      if (!present && !target) target = &slot;
    }
    auto* inserted = new entry{key, h, make()};
    misses_.fetch_add_relaxed(1);
    if (!target) {  // every place of this key is taken: the next victim in turn
      target = &slots_[(h + victim_++ % probes) % capacity];
      retire(target->load());
      evictions_.fetch_add_relaxed(1);
    }
    target->store(inserted);
    // This thread is the only reader: no other can still hold a retired entry. That needs sequential consistency of the
    // slots and of the count: a reader that this load does not see must see the store above.
    if (readers_.load() == 1) free_retired();
    return inserted;
  }

  void retire(entry* evicted) {
    evicted->next_retired = retired_;
    retired_ = evicted;
  }
  void free_retired() {
    while (entry* first = retired_) {
      retired_ = first->next_retired;
      delete first;
    }
  }

  atomic<entry*> slots_[capacity] = {};
  atomic<int> readers_ = 0;
  atomic<std::uint64_t> hits_ = 0, misses_ = 0, evictions_ = 0;
  mutex mutex_;
  entry* retired_ = nullptr;  // evicted entries that a reader may still hold, as a list
  unsigned victim_ = 0;
};

}  // namespace detail
}  // namespace tenon
