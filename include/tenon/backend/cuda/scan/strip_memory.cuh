// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a block that scans strips has in shared memory: elements of three tiles, and for each scan
// what the warps of a tile combine to; and the tiles that a block has.

#include "tenon/backend/cuda/parts/arrivals.cuh"
#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/scan/strip_arguments.cuh"

namespace tenon::detail {

// One tile is finished, one told, and one asked for.
inline constexpr int strip_tiles_held = 3;

// Vectors of a strip: 128 bytes, a cache line, of the widest operand.
template <class Program, int V>
inline constexpr int strip_lanes = [] {
  int const bytes = V * program_traits<Program>::widest_element;
  int result = 8;
  while (result < 32 && result * bytes < 128) result *= 2;
  return result;
}();

// States of Rows rows: what comes before each warp's positions in the tile; what all of them
// combine to; and what comes before the tile.
template <class State, int Rows> struct alignas(16) strip_states {
  State of_warps[strip_warps][Rows];
  State all[Rows], before[Rows];
};

template <class Program, class C> struct strip_memory {
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;
  static constexpr int v = C::vector_width, items = C::items, rows = strip_lanes<Program, v> * v;
  using loads = strip_loads<Program, v>;
  template <int K> using vector = packed<storage_t<at<K>::type>, v>;
  template <int K>
  using states = strip_states<typename at<K>::op::template state<arithmetic_t<at<K>::type>>, rows>;

  // The first scan is told of a tile before the one in front is finished.
  template <int K> static constexpr int places = K == first_scan<Program> ? 2 : 1;

  template <int K> static constexpr int bytes_of_vector() {
    if constexpr (is_held<Program, loads>(K))
      return static_cast<int>(sizeof(vector<K>));
    else
      return 0;
  }
  template <int K> static constexpr int bytes_of_states() {
    if constexpr (at<K>::is_scan)
      return static_cast<int>(sizeof(states<K>)) * places<K>;
    else
      return 0;
  }
  template <int... K> static constexpr int sum_vectors(std::integer_sequence<int, K...>) {
    return (0 + ... + bytes_of_vector<K>());
  }
  template <int... K> static constexpr int sum_states(std::integer_sequence<int, K...>) {
    return (0 + ... + bytes_of_states<K>());
  }
  template <int K>
  static constexpr int vectors_before =
      strip_threads* sum_vectors(std::make_integer_sequence<int, K>{});
  template <int K>
  static constexpr int states_before = sum_states(std::make_integer_sequence<int, K>{});
  static constexpr int bytes_per_item = strip_threads * sum_vectors(typename traits::sequence{}),
                       bytes_of_tile = items * bytes_per_item,
                       bytes_of_tiles = strip_tiles_held * bytes_of_tile;
  static constexpr int bytes = bytes_of_tiles + sum_states(typename traits::sequence{});

#if defined(__CUDA_ARCH__)
  // This thread's vector of load K at its position u of the tile that is held at `buffer`.
  template <int K> static __device__ __forceinline__ unsigned offset_of(int buffer, int u) {
    return buffer * bytes_of_tile + u * bytes_per_item + vectors_before<K> +
           threadIdx.x * static_cast<unsigned>(sizeof(vector<K>));
  }
  // What a block has of scan K of its tile `number`: where, and how often something else was there,
  // modulo 2.
  template <int K> static __device__ __forceinline__ int place_of(int number) {
    return places<K> == 2 ? number & 1 : 0;
  }
  template <int K> static __device__ __forceinline__ unsigned turn_of(int number) {
    return static_cast<unsigned>(places<K> == 2 ? number >> 1 : number) & 1;
  }
  template <int K> static __device__ __forceinline__ states<K>& states_of(int number) {
    return reinterpret_cast<states<K>*>(dynamic_shared() + bytes_of_tiles +
                                        states_before<K>)[place_of<K>(number)];
  }
  // Of scan K: all warps with elements have told what theirs combine to; one has found what comes
  // before each of them in the tile; and the other one what comes before the tile.
  struct counters {
    arrivals told, added, heard;
  };
  template <int K> static __device__ __forceinline__ counters& counters_of(int number) {
    __shared__ counters all[places<K>];
    return all[place_of<K>(number)];
  }
#endif
};

#if defined(__CUDA_ARCH__)
// A block's tiles: every so many of all, or all parts of a strip one after the other. A tile comes
// behind all that it waits for.
struct strip_tile {
  int strip, part;

  template <class Arguments>
  __device__ __forceinline__ explicit strip_tile(Arguments const& a)
      : strip(static_cast<int>(blockIdx.x)), part(0) {
    if (a.is_walked) return;
    part = strip / a.strips;
    strip -= part * a.strips;
  }
  template <class Arguments> __device__ __forceinline__ bool exists(Arguments const& a) const {
    return strip < a.strips && part < a.parts;
  }
  template <class Arguments> __device__ __forceinline__ void go_on(Arguments const& a) {
    if (a.is_walked) {
      if (++part < a.parts) return;
      part = 0;
      strip += a.strips_by;
    } else {
      strip += a.strips_by, part += a.parts_by;
      if (strip >= a.strips) strip -= a.strips, ++part;
    }
  }
};
#endif

}  // namespace tenon::detail
