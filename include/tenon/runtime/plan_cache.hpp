// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shapes of a call → the prepared launch, for one expression: read without a lock, bounded and
// counted.

#include <cstdint>

#include "tenon/core/atomic.hpp"

namespace tenon {

struct cache_counters {
  std::uint64_t hits = 0, misses = 0, evictions = 0;
};

namespace detail {

// Readers are counted, so that an evicted entry is freed only when nobody can be looking at it.
template <class Key, class Plan> class plan_cache {
 public:
  static constexpr int capacity = 1024;

  ~plan_cache() {
    free_retired();
    for (auto& slot : slots_) delete slot.load();
  }

  // Calls use(plan) with the plan of `key`, made by make() when there is none. Strong guarantee:
  // when make() raises, the cache is as before.
  template <class Make, class Use>
  decltype(auto) with(Key const& key, Make const& make, Use const& use) {
    reader_scope reading(readers_and_hits_);
    std::uint64_t const h = key.hash();
    entry const* found = find(key, h);
    if (found)
      reading.ends_with = one_hit - 1;
    else
      found = insert(key, h, make, reading);
    return use(found->plan);
  }

  cache_counters counters() const {
    return {readers_and_hits_.load() / one_hit, misses_.load(), evictions_.load()};
  }

 private:
  static constexpr unsigned probes = 8;
  struct entry {
    Key key;
    std::uint64_t hash;
    Plan plan;
    entry* next_retired = nullptr;
  };
  // Readers and hits are one word, because a locked addition is a fifth of what a lookup costs:
  // beyond 65536 readers at a time they would mix.
  static constexpr std::uint64_t one_hit = 1 << 16;
  struct reader_scope {
    explicit reader_scope(atomic<std::uint64_t>& counted) : count(counted) { count.fetch_add(1); }
    ~reader_scope() { count.fetch_add(ends_with); }
    atomic<std::uint64_t>& count;
    std::uint64_t ends_with = static_cast<std::uint64_t>(-1);
  };

  atomic<entry*>& slot(std::uint64_t h, unsigned probe) {
    return slots_[((h >> 32) + probe) % capacity];
  }
  entry* find(Key const& key, std::uint64_t h) {
    for (unsigned probe = 0; probe < probes; ++probe) {
      entry* present = slot(h, probe).load();
      if (present && present->hash == h && present->key == key) return present;
    }
    return nullptr;
  }

  // A plan is made under the lock: one per key, however many threads ask for it at once.
  template <class Make>
  [[gnu::cold, gnu::noinline]] entry const* insert(Key const& key, std::uint64_t h,
                                                   Make const& make, reader_scope& reading) {
    lock_guard lock(mutex_);
    if (entry const* present = find(key, h)) {
      reading.ends_with = one_hit - 1;
      return present;
    }
    auto* inserted = new entry{key, h, make()};
    misses_.fetch_add_relaxed(1);
    slot_for(h).store(inserted);
    // This thread is the only reader: no other can still hold a retired entry. That needs
    // sequential consistency of the slots and of the count: a reader that this load does not see
    // must see the store above.
    if (readers_and_hits_.load() % one_hit == 1) free_retired();
    return inserted;
  }

  // A free place of the key, or that of the next victim in turn.
  atomic<entry*>& slot_for(std::uint64_t h) {
    for (unsigned probe = 0; probe < probes; ++probe)
      if (!slot(h, probe).load()) return slot(h, probe);
    atomic<entry*>& taken = slot(h, victim_++ % probes);
    retire(taken.load());
    evictions_.fetch_add_relaxed(1);
    return taken;
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
  atomic<std::uint64_t> readers_and_hits_ = 0, misses_ = 0, evictions_ = 0;
  mutex mutex_;
  entry* retired_ = nullptr;  // evicted entries that a reader may still hold, as a list
  unsigned victim_ = 0;
};

}  // namespace detail
}  // namespace tenon
