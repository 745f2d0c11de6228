// SPDX-License-Identifier: Apache-2.0
#pragma once
// Keys in memory that a block shares → the same keys in order: tiles by their digits, then runs by
// merging.

#include <cub/block/block_radix_sort.cuh>  // in both passes: the host registers its variables

namespace tenon::detail {

// A key with where it came from.
template <class Bits> struct placed_key {
  Bits key;
  unsigned place;
};

#if defined(__CUDA_ARCH__)
template <class Bits, int Threads, int Items>
using tile_sort = cub::BlockRadixSort<Bits, Threads, Items, unsigned>;

// @pre count <= Threads * Items; keys have Width bits. @post equal keys stay in order
template <int Threads, int Items, int Width, class Bits>
__device__ __forceinline__ void sort_tile(
    placed_key<Bits>* tile, long long count,
    typename tile_sort<Bits, Threads, Items>::TempStorage& memory) {
  Bits keys[Items];
  unsigned places[Items];
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    int const position = static_cast<int>(threadIdx.x) * Items + i;
    // What is beyond the end comes last of all that are equal to it.
    placed_key<Bits> const one = position < count ? tile[position] : placed_key<Bits>{~Bits(0), 0};
    keys[i] = one.key;
    places[i] = one.place;
  }
  __syncthreads();
  tile_sort<Bits, Threads, Items>(memory).SortBlockedToStriped(keys, places, 0, Width);
#pragma unroll
  for (int i = 0; i < Items; ++i) {
    int const position = static_cast<int>(threadIdx.x) + i * Threads;
    if (position < count) tile[position] = {keys[i], places[i]};
  }
  __syncthreads();
}

// Merges pairs of neighbouring runs of `run` keys each. A thread makes 16 neighbouring keys of the
// result: it finds by bisection how many of those before them come from the first run.
// @pre run is a multiple of 16. @post equal keys stay in order
template <class Bits>
__device__ __forceinline__ void merge_runs(placed_key<Bits> const* from, placed_key<Bits>* to,
                                           long long count, long long run) {
  constexpr int items = 16;
  auto const least = [](long long x, long long y) { return x < y ? x : y; };
  for (long long first = static_cast<long long>(threadIdx.x) * items; first < count;
       first += static_cast<long long>(blockDim.x) * items) {
    long long const begin = first / (2 * run) * (2 * run), left = least(2 * run, count - begin);
    long long const a_count = least(run, left), b_count = left - a_count, before = first - begin;
    placed_key<Bits> const *a = from + begin, *b = a + a_count;
    long long low = before > b_count ? before - b_count : 0, high = least(before, a_count);
    while (low < high) {
      long long const middle = (low + high) / 2;
      if (a[middle].key <= b[before - 1 - middle].key)
        low = middle + 1;
      else
        high = middle;
    }
    long long i = low, j = before - low;
    for (long long k = 0; k < items && before + k < left; ++k) {
      bool const takes_a = i < a_count && (j >= b_count || a[i].key <= b[j].key);
      to[first + k] = takes_a ? a[i++] : b[j++];
    }
  }
  __syncthreads();
}
#endif

// Keys that one tile holds: they are sorted in registers.
template <int Threads> inline constexpr int keys_per_tile = 16 * Threads;

#if defined(__CUDA_ARCH__)
// Where the keys are in order then: in `keys`, or in `other`, which has room for as many and is not
// touched when one tile holds them.
// @pre all threads of a block of Threads call it, behind a barrier that follows the writing of the
// keys. @post a barrier has followed the last write
// Not inlined: compiled once for all kernels of a translation unit, it is most of what they cost.
// Width is a template's: ptxas 13.0 propagates a constant argument into such a function and then
// takes min(4, begin - width) for CUB's min(4, width - begin), as
// tests/run/expressions/sorts_test.cpp showed.
template <int Threads, int Width, class Bits>
__device__ __noinline__ placed_key<Bits>* sort_keys(placed_key<Bits>* keys, placed_key<Bits>* other,
                                                    long long count) {
  constexpr long long tile = keys_per_tile<Threads>;
  __shared__ union {
    typename tile_sort<Bits, Threads, 4>::TempStorage of_few;
    typename tile_sort<Bits, Threads, 16>::TempStorage of_many;
  } memory;
  if (count <= 4 * Threads) {
    sort_tile<Threads, 4, Width>(keys, count, memory.of_few);
    return keys;
  }
  for (long long first = 0; first < count; first += tile)
    sort_tile<Threads, 16, Width>(keys + first, count - first < tile ? count - first : tile,
                                  memory.of_many);
  for (long long run = tile; run < count; run *= 2) {
    merge_runs(keys, other, count, run);
    placed_key<Bits>* const sorted = other;
    other = keys;
    keys = sorted;
  }
  return keys;
}
#endif

}  // namespace tenon::detail
