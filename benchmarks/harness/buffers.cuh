// SPDX-License-Identifier: Apache-2.0
#pragma once
// A workload's arrays, and as many sets of them as push each other out of the L2 cache.

#include <algorithm>
#include <cstddef>
#include <vector>

#include "harness/cuda_objects.cuh"
#include "harness/random.cuh"

namespace bench {

// Several times the largest L2 cache of today (60 MB): one rotation over the sets leaves nothing of
// the first.
inline constexpr std::size_t rotation_bytes = 3 * 60'000'000;
inline constexpr std::size_t most_sets = 512;

// One input, with what fills it, or one output, without.
struct array_spec {
  std::size_t bytes = 0;
  long long count = 0;
  void (*fill)(void*, long long, unsigned long long, cudaStream_t) = nullptr;
};
using arrays = std::vector<array_spec>;

template <class T> array_spec normal(long long count) {
  return {count * sizeof(T), count, &fill<T, distribution::normal>};
}
template <class T> array_spec magnitude(long long count) {
  return {count * sizeof(T), count, &fill<T, distribution::magnitude>};
}
template <class T> array_spec output(long long count) {
  return {count * sizeof(T), count, nullptr};
}

// The arrays of one call.
class buffer_set {
 public:
  explicit buffer_set(std::vector<void*> arrays) : arrays_(std::move(arrays)) {}
  template <class T> T* get(int k) const {
    return static_cast<T*>(arrays_[static_cast<std::size_t>(k)]);
  }

 private:
  std::vector<void*> arrays_;
};

// All sets of a workload in one allocation; every array begins at a multiple of 512 bytes.
class buffer_sets {
 public:
  buffer_sets(std::vector<array_spec> const& specs, cudaStream_t on)
      : specs_(specs), memory_(bytes_of_set(specs) * count_for(bytes_of_set(specs))) {
    char* next = memory_.as<char>();
    unsigned long long seed = fixed_seed;
    for (std::size_t set = 0; set < count_for(bytes_of_set(specs)); ++set) {
      std::vector<void*> arrays;
      for (array_spec const& spec : specs) {
        arrays.push_back(next);
        if (spec.fill) spec.fill(next, spec.count, seed++, on);
        next += padded(spec.bytes);
      }
      sets_.emplace_back(arrays);
    }
    poison(on);
  }

  int count() const { return static_cast<int>(sets_.size()); }
  // Sets take turns.
  buffer_set const& operator[](int k) const { return sets_[static_cast<std::size_t>(k % count())]; }

  // Outputs become NaN in every floating type, so that an element that nobody wrote is found.
  void poison(cudaStream_t on) const {
    for (buffer_set const& set : sets_)
      for (std::size_t k = 0; k < specs_.size(); ++k)
        if (!specs_[k].fill)
          tenon::check(
              cudaMemsetAsync(set.get<void>(static_cast<int>(k)), 0xff, specs_[k].bytes, on),
              "poison");
  }

 private:
  static std::size_t padded(std::size_t bytes) { return (bytes + 511) / 512 * 512; }
  static std::size_t bytes_of_set(std::vector<array_spec> const& specs) {
    std::size_t bytes = 0;
    for (array_spec const& spec : specs) bytes += padded(spec.bytes);
    return bytes;
  }
  static std::size_t count_for(std::size_t set_bytes) {
    return std::clamp((rotation_bytes + set_bytes - 1) / set_bytes, std::size_t{2}, most_sets);
  }

  std::vector<array_spec> specs_;
  device_memory memory_;
  std::vector<buffer_set> sets_;
};

}  // namespace bench
