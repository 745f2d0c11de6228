// SPDX-License-Identifier: Apache-2.0
#pragma once
// Contiguous vectors that memory does not have as such, because they are misaligned or the last is
// not whole: a warp moves theirs through shared memory, in words of neighbouring lanes.
//
// Memory is touched where it is aligned, and each lane has the elements of its own vector all the
// same: which thread has which is the same as of whole aligned vectors, and so are the bits. No
// other warp takes part, so that there is no barrier.

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/element_tile.cuh"

namespace tenon::detail {

// A run: neighbouring vectors of a row that lanes of a warp have, one each. There are as many in a
// block for each item as there are warps, or rows where a warp has several.
struct staged_positions : item_positions<int> {
  int lane, lanes;  // of the run
  int size;         // elements of the row
  int run;          // which of the block's

  // Of the row that blockDim.x threads share. @pre blockDim.x is a power of two, or of whole warps
  __device__ __forceinline__ staged_positions(item_positions<int> const& all, int size)
      : item_positions<int>(all),
        lane(static_cast<int>(threadIdx.x % 32)),
        lanes(blockDim.x < 32 ? static_cast<int>(blockDim.x) : 32),
        size(size),
        run(static_cast<int>(blockDim.x < 32 ? threadIdx.y
                                             : (threadIdx.y * blockDim.x + threadIdx.x) / 32)) {}
  // What an item of an operand takes in shared memory: its vectors, and to each run a word more,
  // because what is not of whole words may begin in the midst of one.
  static constexpr TENON_HD int bytes_per_item(int bytes, int lanes, int rows) {
    return rows * (lanes * bytes + 16 * (lanes < 32 ? 1 : lanes / 32));
  }
  // This thread's run of an item that begins `offset` bytes after the first.
  __device__ __forceinline__ unsigned char* slot(int bytes, int offset) const {
    extern __shared__ __align__(16) unsigned char staged[];
    return staged + offset + run * (lanes * bytes + 16);
  }

  __device__ __forceinline__ staged_positions from(int u) const {
    staged_positions result = *this;
    result.first = at(u);
    return result;
  }
  // Whether any lane of the run has elements of it: the lanes go together.
  __device__ __forceinline__ bool is_live(int u) const {
    return at(u) - lane < end + (partial != 0);
  }
  template <int V> __device__ __forceinline__ int count(int u) const {
    return is_whole(u) ? V : at(u) == end ? partial : 0;
  }
  // The run's first element.
  template <int V> __device__ __forceinline__ int begin(int u) const { return (at(u) - lane) * V; }
  // Writes the vectors of item u to the row at `row`. @pre all lanes of the warp are here
  template <class T, int V>
  __device__ __forceinline__ void send(T* row, packed<T, V> const& vector, int u) const;
};

// What a vector of V elements of T is moved in.
template <class T, int V> struct staged_vectors {
  static constexpr int bytes = packed<T, V>::bytes, words = bytes / 4,
                       size = static_cast<int>(sizeof(T)), per_word = size < 4 ? 4 / size : 1;
  // Bytes of the word in which an operand begins that are in front of it.
  static __device__ __forceinline__ int beyond(T const* at) {
    return size < 4 ? static_cast<int>(reinterpret_cast<std::uintptr_t>(at) % 4) : 0;
  }
  static __device__ __forceinline__ unsigned& word(unsigned char* slot, int j) {
    return reinterpret_cast<unsigned*>(slot)[j];
  }

  // Where this lane's vector is.
  static __device__ __forceinline__ unsigned char* own(unsigned char* slot,
                                                       staged_positions const& where) {
    return slot + where.lane * bytes;
  }

  // Asks for a run of the row that begins at `row`; what is not of the row becomes 0.
  static __device__ __forceinline__ void bring(unsigned char* slot, T const* row,
                                               staged_positions const& where, int u) {
    int const begin = where.template begin<V>(u), left = (where.size - begin) * size,
              before = begin * size;
    T const* const from = row + begin;
    int const in_front = beyond(from);
    auto const* const base =
        reinterpret_cast<unsigned char const*>(from) - (size < 4 ? in_front : 0);
#pragma unroll
    for (int i = 0; i < words + (size < 4); ++i) {
      int const j = i * where.lanes + where.lane, at = 4 * j - in_front;
      if (size < 4 && i == words && where.lane > 0) break;
      bool const is_whole = at + 4 <= left && (size >= 4 || at + before >= 0);
      if (size >= 4 || is_whole || at >= left || at + 4 <= -before) {
        copy_or_clear<4>(&word(slot, j), base + 4 * j, is_whole);
        continue;
      }
      unsigned some = 0;
#pragma unroll
      for (int e = 0; e < per_word; ++e) {
        packed<T, 1> one{};
        int const here = at + e * size;
        load_packed<reuse::expected>(one, reinterpret_cast<T const*>(base + 4 * j) + e,
                                     here + before >= 0 && here < left);
        some |= one.words[0] << e * size * 8 % 32;
      }
      word(slot, j) = some;
    }
  }
  // @pre the run is there, and the warp knows; is_shifted: bring() asked for it
  static __device__ __forceinline__ packed<T, V> take(unsigned char* slot, T const* row,
                                                      staged_positions const& where, int u,
                                                      bool is_shifted) {
    packed<T, V> result;
    unsigned char* const mine = own(slot, where);
    if constexpr (bytes == 16) {
      uint4 const four = *reinterpret_cast<uint4 const*>(mine);
      result.words[0] = four.x, result.words[1] = four.y, result.words[2] = four.z,
      result.words[3] = four.w;
    } else {
#pragma unroll
      for (int i = 0; i < words; ++i) result.words[i] = word(mine, i);
    }
    if constexpr (size < 4) {
      unsigned const by = is_shifted
                              ? static_cast<unsigned>(beyond(row + where.template begin<V>(u))) * 8
                              : 0,
                     next = word(mine, words);
#pragma unroll
      for (int i = 0; i < words; ++i)
        result.words[i] =
            __funnelshift_r(result.words[i], i + 1 < words ? result.words[i + 1] : next, by);
    }
    return result;
  }
  // Writes a run, of which each lane has a vector. @pre all lanes of the warp are here
  static __device__ __forceinline__ void send(unsigned char* slot, T* row,
                                              packed<T, V> const& vector,
                                              staged_positions const& where, int u) {
    unsigned char* const mine = own(slot, where);
    __syncwarp();
    if constexpr (bytes == 16) {
      *reinterpret_cast<uint4*>(mine) =
          uint4{vector.words[0], vector.words[1], vector.words[2], vector.words[3]};
    } else {
#pragma unroll
      for (int i = 0; i < words; ++i) word(mine, i) = vector.words[i];
    }
    __syncwarp();
    int const begin = where.template begin<V>(u), most = where.lanes * bytes,
              all = (where.size - begin) * size, left = all < most ? all : most;
    T* const to = row + begin;
    int const in_front = beyond(to);
    auto* const base = reinterpret_cast<unsigned char*>(to) - (size < 4 ? in_front : 0);
    // The lanes of a warp begin with a cache line.
    int const shift =
        where.lanes == 32 ? static_cast<int>(reinterpret_cast<std::uintptr_t>(base) / 4 % 32) : 0;
#pragma unroll
    for (int i = 0; i <= words; ++i) {
      int const j = i * where.lanes + where.lane - shift, at = 4 * j - in_front;
      if (at >= 0 && at + 4 <= left) {
        unsigned value = word(slot, j);
        if constexpr (size < 4)
          value = __funnelshift_rc(word(slot, in_front != 0 ? j - 1 : j), value,
                                   32 - static_cast<unsigned>(in_front) * 8);
        store_packed(reinterpret_cast<unsigned*>(base) + j, packed<unsigned, 1>{{value}});
      } else if constexpr (size < 4) {
#pragma unroll
        for (int e = 0; e < per_word; ++e) {
          int const here = at + e * size;
          if (here >= 0 && here < left)
            reinterpret_cast<T*>(base + 4 * j)[e] = *reinterpret_cast<T const*>(slot + here);
        }
      }
    }
  }
};

template <class T, int V>
__device__ __forceinline__ void staged_positions::send(T* row, packed<T, V> const& vector,
                                                       int u) const {
  // Of 16 bytes whatever T is: warps that store one type meet none that store another.
  staged_vectors<T, V>::send(slot(16, 0), row, vector, *this, u);
}

}  // namespace tenon::detail
