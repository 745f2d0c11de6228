// SPDX-License-Identifier: Apache-2.0
#pragma once
// The updates that name a block's places, found by reading the indices, in the order of the places
// and, of each place, of the updates.

#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

inline constexpr int listed_threads = 512;
inline constexpr int most_listed = 4096;
// Indices that are read before the list is put into order: their numbers are of 32 bits.
inline constexpr long long most_indices = 1ll << 30;

}  // namespace tenon::detail
TENON_ONCE_END

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

class update_list {
  // Indices that a thread reads at once.
  static constexpr int together = 4;

  unsigned long long entries_[most_listed];  // the place, and the update's number below it
  int found_;

 public:
  // Lists those of `count` updates that have a place: of.read(k) has what that of number k is found
  // from, of.place(what it has), -1: none.
  // @pre all threads call it. @post the result is how many there are; they are in the list, in any
  // order, if it is not more than most_listed
  template <class Places>
  __device__ __forceinline__ int collect(long long count, Places const& of) {
    int const thread = static_cast<int>(threadIdx.x), end = static_cast<int>(count);
    __syncthreads();  // the list has been read
    if (thread == 0) found_ = 0;
    __syncthreads();
    for (int first = thread; first < end; first += together * listed_threads) {
      typename Places::read_values values[together];
#pragma unroll
      for (int u = 0; u < together; ++u) {
        int const number = first + u * listed_threads;
        of.read(values[u], number < end ? number : first);
      }
#pragma unroll
      for (int u = 0; u < together; ++u) {
        int const number = first + u * listed_threads, place = of.place(values[u]);
        if (place < 0 || number >= end) continue;
        int const at = atomicAdd(&found_, 1);
        if (at < most_listed)
          entries_[at] =
              static_cast<unsigned long long>(place) << 32 | static_cast<unsigned>(number);
      }
    }
    __syncthreads();
    return found_;
  }
  // Puts `count` of them into their order: a bitonic network over the next power of two. No two are
  // equal. @pre all threads call it; count <= most_listed
  __device__ __forceinline__ void arrange(int count) {
    int const thread = static_cast<int>(threadIdx.x);
    int length = 1;
    while (length < count) length *= 2;
    for (int k = count + thread; k < length; k += listed_threads) entries_[k] = ~0ull;
    __syncthreads();
    for (int sorted = 2; sorted <= length; sorted *= 2)
      for (int distance = sorted / 2; distance > 0; distance /= 2) {
        for (int k = thread; k < length / 2; k += listed_threads) {
          int const low = 2 * k - (k & (distance - 1)), high = low + distance;
          unsigned long long const x = entries_[low], y = entries_[high];
          if ((x > y) == ((low & sorted) == 0)) entries_[low] = y, entries_[high] = x;
        }
        __syncthreads();
      }
  }

  __device__ __forceinline__ int place(int k) const { return static_cast<int>(entries_[k] >> 32); }
  __device__ __forceinline__ int number(int k) const { return static_cast<int>(entries_[k]); }
  // The first of the entries [from, to) whose place is not below `wanted`; `to`: none.
  __device__ __forceinline__ int find(int from, int to, int wanted) const {
    while (from < to) {
      int const middle = (from + to) / 2;
      if (place(middle) < wanted)
        from = middle + 1;
      else
        to = middle;
    }
    return from;
  }
  // The same, where it is near. @pre all lanes of the warp ask for it
  __device__ __forceinline__ int find_near(int from, int to, int wanted) const {
    for (; from < to; from += 32) {
      int const k = from + static_cast<int>(threadIdx.x) % 32;
      unsigned const found = __ballot_sync(~0u, k >= to || place(k) >= wanted);
      int const nearest = from + __ffs(static_cast<int>(found)) - 1;
      if (found != 0) return nearest < to ? nearest : to;
    }
    return to;
  }
};

}  // namespace tenon::detail
#endif
