// SPDX-License-Identifier: Apache-2.0
#pragma once
// Shapes of a call → the prepared launch, for one expression: read without a lock, bounded and
// counted.

#include <cstdint>
#include <utility>

#include "tenon/core/atomic.hpp"
#include "tenon/core/config.hpp"
#include "tenon/core/mutex.hpp"
#include "tenon/core/static_vector.hpp"
#include "tenon/runtime/cache_counters.hpp"
#include "tenon/runtime/plan_key.hpp"

namespace tenon {

namespace detail {

// Readers are counted, so that an evicted entry is freed only when nobody can be looking at it.
template <class Plan> class plan_cache {
  struct entry;

 public:
  static constexpr int capacity = 1024;

  ~plan_cache() {
    free_retired();
    for (auto& slot : slots_) delete slot.load();
  }

  // A plan while a call uses it.
  class reading {
   public:
    reading(reading&& other) noexcept
        : cache_(std::exchange(other.cache_, nullptr)),
          found_(other.found_),
          ends_with_(other.ends_with_) {}
    ~reading() {
      if (cache_) cache_->readers_and_hits_.fetch_add(ends_with_);
    }

    Plan const& operator*() const { return found_->plan; }
    Plan const* operator->() const { return &found_->plan; }

   private:
    friend plan_cache;
    explicit reading(plan_cache& cache) : cache_(&cache) { cache.readers_and_hits_.fetch_add(1); }

    plan_cache* cache_;
    entry const* found_ = nullptr;
    std::uint64_t ends_with_ = static_cast<std::uint64_t>(-1);
  };

  // The plan of `key`, made by make() when there is none. Strong guarantee: when make() raises, the
  // cache is as before.
  template <class Make> reading plan_of(plan_key const& key, Make const& make) {
    return plan_of(
        key, [](void const* maker) { return (*static_cast<Make const*>(maker))(); }, &make);
  }

  cache_counters counters() const {
    return {readers_and_hits_.load() / one_hit, misses_.load(), evictions_.load()};
  }

 private:
  static constexpr unsigned probes = 8;
  struct entry {
    constexpr_vector<std::int64_t> words;
    std::uint64_t hash;
    Plan plan;
    entry* next_retired = nullptr;
  };
  using plan_maker = Plan (*)(void const*);
  // Readers and hits are one word, because a locked addition is a fifth of what a lookup costs:
  // beyond 65536 readers at a time they would mix.
  static constexpr std::uint64_t one_hit = 1 << 16;

  [[gnu::noinline]] reading plan_of(plan_key const& key, plan_maker make, void const* maker) {
    reading result(*this);
    std::uint64_t const h = key.hash();
    result.found_ = find(key, h);
    if (result.found_)
      result.ends_with_ = one_hit - 1;
    else
      insert(result, key, h, make, maker);
    return result;
  }

  atomic<entry*>& slot(std::uint64_t h, unsigned probe) {
    return slots_[((h >> 32) + probe) % capacity];
  }
  entry* find(plan_key const& key, std::uint64_t h) {
    for (unsigned probe = 0; probe < probes; ++probe) {
      entry* present = slot(h, probe).load();
      if (present && present->hash == h && plan_key{present->words.begin(), key.count} == key)
        return present;
    }
    return nullptr;
  }

  TENON_ONCE_BEGIN
  // A plan is made under the lock: one per key, however many threads ask for it at once.
  [[gnu::cold, gnu::noinline]] void insert(reading& to, plan_key const& key, std::uint64_t h,
                                           plan_maker make, void const* maker) {
    lock_guard lock(mutex_);
    to.found_ = find(key, h);
    if (to.found_) {
      to.ends_with_ = one_hit - 1;
      return;
    }
    auto* inserted = new entry{{}, h, make(maker)};
    for (int k = 0; k < key.count; ++k) inserted->words.push_back(key.words[k]);
    to.found_ = inserted;
    misses_.fetch_add_relaxed(1);
    slot_for(h).store(inserted);
    // This thread is the only reader: no other can still hold a retired entry. That needs
    // sequential consistency of the slots and of the count: a reader that this load does not see
    // must see the store above.
    if (readers_and_hits_.load() % one_hit == 1) free_retired();
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
  TENON_ONCE_END

  atomic<entry*> slots_[capacity] = {};
  atomic<std::uint64_t> readers_and_hits_ = 0, misses_ = 0, evictions_ = 0;
  mutex mutex_;
  entry* retired_ = nullptr;  // evicted entries that a reader may still hold, as a list
  unsigned victim_ = 0;
};

}  // namespace detail
}  // namespace tenon
