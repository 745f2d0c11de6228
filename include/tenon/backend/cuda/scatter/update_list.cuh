// SPDX-License-Identifier: Apache-2.0
#pragma once
// The updates that name a block's places, found by reading the indices, in the order of the places
// and, of each place, of the updates.

#include "tenon/backend/cuda/scan/block.cuh"
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
  static constexpr int together = 8;
  static constexpr int warps = listed_threads / 32, log_digits = 8, digits = 1 << log_digits;
  static constexpr int most_items = most_listed / listed_threads, few = 256;

  int numbers_[most_listed], places_[most_listed];
  unsigned short counts_[warps][digits];
  unsigned char ranks_[most_listed];

 public:
  struct found {
    int updates, indices;
  };
  // Lists, in their order, those of `count` updates that have a place: of.read(to, k) has what that
  // of number k is found from, of.place(what it has), -1: none. If it may stop, it does before
  // indices whose updates are not listed any more; else they are counted.
  // @pre all threads call it
  template <class Places>
  __device__ __forceinline__ found collect(int count, bool may_stop, Places const& of) {
    constexpr int at_once = together * listed_threads;
    static_assert(at_once <= most_listed);
    int const lane = static_cast<int>(threadIdx.x) % 32,
              own = static_cast<int>(threadIdx.x) / 32 * (32 * together) + lane;
    int updates = 0;
    for (int first = 0; first < count; first += at_once) {
      typename Places::read_values values[together];
#pragma unroll
      for (int u = 0; u < together; ++u) {
        int const number = first + own + 32 * u;
        of.read(values[u], number < count ? number : first);
      }
      int places[together], of_warp = 0;
      unsigned found[together];
#pragma unroll
      for (int u = 0; u < together; ++u)
        places[u] = first + own + 32 * u < count ? of.place(values[u]) : -1;
#pragma unroll
      for (int u = 0; u < together; ++u) {
        found[u] = __ballot_sync(~0u, places[u] >= 0);
        of_warp += __popc(found[u]);
      }
      // Behind a barrier: the list has been read.
      int before, buffer = first / at_once % 2;
      int const all = scan_warps<ops::sum, listed_threads>(of_warp, 0, before, buffer);
      if (may_stop && updates + all > most_listed) {
        count = first;
        break;
      }
      if (updates + all <= most_listed) {
        int at = updates + before;
#pragma unroll
        for (int u = 0; u < together; ++u) {
          if (places[u] >= 0) {
            int const own_at = at + __popc(found[u] & ((1u << lane) - 1));
            numbers_[own_at] = first + own + 32 * u;
            places_[own_at] = places[u];
          }
          at += __popc(found[u]);
        }
      }
      updates += all;
    }
    __syncthreads();
    return {updates, count};
  }
  // Puts the first `count` of them into the order of their places, below 2^bits; those of one place
  // stay as they are. @pre as for collect; count <= most_listed
  __device__ __forceinline__ void arrange(int count, int bits) {
    if (count <= few) return arrange_few(count);
#pragma unroll 1
    for (int shift = 0; shift < bits; shift += log_digits) arrange_by_digit(count, shift);
  }

  __device__ __forceinline__ int place(int k) const { return places_[k]; }
  __device__ __forceinline__ int number(int k) const { return numbers_[k]; }
  // Whether `many` of the first `count` have one place. @pre all threads call it
  __device__ __forceinline__ bool has_many(int count, int many) const {
    bool result = false;
    for (int k = static_cast<int>(threadIdx.x) + many - 1; k < count; k += listed_threads)
      result = result || place(k) == place(k - many + 1);
    return __syncthreads_or(result);
  }
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

 private:
  // Every entry counts those that go in front of it.
  __device__ __forceinline__ void arrange_few(int count) {
    int const k = static_cast<int>(threadIdx.x);
    int place = 0, number = 0, at = 0;
    if (k < count) {
      place = places_[k], number = numbers_[k];
#pragma unroll 4
      for (int other = 0; other < count; ++other)
        at += places_[other] < place + (other < k ? 1 : 0);
    }
    __syncthreads();
    if (k < count) places_[at] = place, numbers_[at] = number;
    __syncthreads();
  }
  // A warp has neighbouring entries: it counts its digits, and so knows how many of an entry's
  // digit are in front of it.
  __device__ __forceinline__ void arrange_by_digit(int count, int shift) {
    int const thread = static_cast<int>(threadIdx.x), warp = thread / 32, lane = thread % 32,
              items = (count + listed_threads - 1) / listed_threads,
              first = warp * items * 32 + lane;
    static_assert(32 * most_items <= 256);  // of ranks in a warp
    for (int k = thread; k < warps * digits; k += listed_threads) (&counts_[0][0])[k] = 0;
    __syncthreads();
#pragma unroll 1
    for (int k = first; k < first + items * 32; k += 32) {
      int const digit = k < count ? digit_of(places_[k], shift) : 0;
      unsigned same = __ballot_sync(~0u, k < count);
#pragma unroll
      for (int b = 0; b < log_digits; ++b) {
        bool const is_one = digit >> b & 1;
        unsigned const ones = __ballot_sync(~0u, is_one);
        same &= is_one ? ones : ~ones;
      }
      int const counted = counts_[warp][digit], in_front = __popc(same & ((1u << lane) - 1));
      __syncwarp();
      if (k < count) {
        ranks_[k] = static_cast<unsigned char>(counted + in_front);
        if (in_front == 0)
          counts_[warp][digit] = static_cast<unsigned short>(counted + __popc(same));
      }
      __syncwarp();
    }
    __syncthreads();
    int all = 0, before, buffer = 0;
    if (thread < digits)
#pragma unroll 4
      for (int w = 0; w < warps; ++w) all += counts_[w][thread];
    scan_block<ops::sum, listed_threads>(all, 0, before, buffer);
    if (thread < digits)
#pragma unroll 4
      for (int w = 0; w < warps; ++w) {
        int const of_warp = counts_[w][thread];
        counts_[w][thread] = static_cast<unsigned short>(before);
        before += of_warp;
      }
    // The numbers first: where an entry goes, its place says.
    move(numbers_, places_, first, items, count, shift);
    move(places_, places_, first, items, count, shift);
    __syncthreads();
  }
  // @post all threads have read what they move, and what they read last
  __device__ __forceinline__ void move(int* values, int const* places, int first, int items,
                                       int count, int shift) {
    int own[most_items];
#pragma unroll
    for (int i = 0; i < most_items; ++i)
      if (i < items && first + 32 * i < count) own[i] = values[first + 32 * i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < most_items; ++i)
      if (i < items && first + 32 * i < count) {
        int const place = values == places ? own[i] : places[first + 32 * i];
        values[counts_[threadIdx.x / 32][digit_of(place, shift)] + ranks_[first + 32 * i]] = own[i];
      }
  }
  __device__ __forceinline__ static int digit_of(int place, int shift) {
    return place >> shift & (digits - 1);
  }
};

}  // namespace tenon::detail
#endif
