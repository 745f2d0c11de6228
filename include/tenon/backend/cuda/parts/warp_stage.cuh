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

// What an item of an operand takes in shared memory: its vectors, and to each run a word more,
// because what is not of whole words may begin in the midst of one.
constexpr TENON_HD int staged_bytes_per_item(int bytes, int lanes, int rows) {
  return rows * (lanes * bytes + 16 * (lanes < 32 ? 1 : lanes / 32));
}

#if defined(__CUDA_ARCH__)
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
  static __device__ __forceinline__ int bytes_per_item(int bytes) {
    return staged_bytes_per_item(bytes, static_cast<int>(blockDim.x), static_cast<int>(blockDim.y));
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
  // What is of columns first, ..., end - 1.
  template <class T, int V>
  __device__ __forceinline__ void send_part(T* row, packed<T, V> const& vector, int u, int first,
                                            int end) const;
};

// What a vector of V elements of T is moved in.
template <class T, int V> struct staged_vectors {
  static constexpr int bytes = packed<T, V>::bytes, words = bytes / 4,
                       size = static_cast<int>(sizeof(T));
  static constexpr bool has_parts = size < 4;  // of words

  // Bytes of the word in which an operand begins that are in front of it.
  static __device__ __forceinline__ int beyond(T const* at) {
    return has_parts ? static_cast<int>(reinterpret_cast<std::uintptr_t>(at) % 4) : 0;
  }
  template <class Byte> static __device__ __forceinline__ auto& word(Byte* at) {
    if constexpr (std::is_const_v<Byte>)
      return *reinterpret_cast<unsigned const*>(at);
    else
      return *reinterpret_cast<unsigned*>(at);
  }

  // Where this lane's vector is.
  static __device__ __forceinline__ unsigned char* own(unsigned char* slot,
                                                       staged_positions const& where) {
    return slot + where.lane * bytes;
  }

  // Asks for a run of the row that begins at `row`; what is not of the row becomes 0.
  static __device__ __forceinline__ void bring(unsigned char* slot, T const* row,
                                               staged_positions const& where, int u) {
    int const begin = where.template begin<V>(u), before = begin * size;
    T const* const from = row + begin;
    int const in_front = beyond(from);
    // Of this lane's first word, where it is in the run, and what is left of the row from there.
    int const first = 4 * where.lane - in_front, all = (where.size - begin) * size;
    unsigned char const* const base = reinterpret_cast<unsigned char const*>(from) + first;
    unsigned char* const to = slot + 4 * where.lane;
    int const step = 4 * where.lanes;
    if constexpr (!has_parts) {
      if (where.lanes == 32)
        bring_words<32>(to, base, all - first, step);
      else
        bring_words<0>(to, base, all - first, step);
    } else if (all >= step * words + (in_front > 0 ? 4 - in_front : 0) && before >= in_front) {
      // Most are inside.
#pragma unroll
      for (int i = 0; i < words; ++i) copy_under_way<4>(to + i * step, base + i * step, true);
      copy_under_way<4>(to + words * step, base + words * step, where.lane == 0 && in_front > 0);
    } else {
#pragma unroll 1
      for (int at = 0; at + 4 * where.lane < step * words + 4; at += step) {
        int const here = first + at;
        bool const is_whole = here + 4 <= all && here + before >= 0;
        if (is_whole || here >= all || here + 4 <= -before)
          copy_or_clear<4>(to + at, base + at, is_whole);
        else
          word(to + at) = some_of(base + at, -before - here, all - here);
      }
    }
  }
  // Lanes of the run, or 0 where only the launch says how many there are.
  template <int Lanes>
  static __device__ __forceinline__ void bring_words(unsigned char* to, unsigned char const* from,
                                                     int left, int step) {
    if (Lanes > 0) step = 4 * Lanes;
#pragma unroll
    for (int i = 0; i < words; ++i)
      copy_or_clear<4>(to + i * step, from + i * step, left >= i * step + 4);
  }
  // The elements of a word from byte `first` to before byte `end`.
  static __device__ __forceinline__ unsigned some_of(unsigned char const* at, int first, int end) {
    unsigned some = 0;
#pragma unroll
    for (int byte = 0; byte < 4; byte += size) {
      packed<T, 1> one{};
      load_packed<reuse::expected>(one, reinterpret_cast<T const*>(at + byte),
                                   byte >= first && byte < end);
      some |= one.words[0] << byte * 8;
    }
    return some;
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
      for (int i = 0; i < words; ++i) result.words[i] = word(mine + 4 * i);
    }
    if constexpr (has_parts) {
      unsigned const by = is_shifted
                              ? static_cast<unsigned>(beyond(row + where.template begin<V>(u))) * 8
                              : 0,
                     next = word(mine + bytes);
#pragma unroll
      for (int i = 0; i < words; ++i)
        result.words[i] =
            __funnelshift_r(result.words[i], i + 1 < words ? result.words[i + 1] : next, by);
    }
    return result;
  }
  // Writes a run, of which each lane has a vector, up to column `end`; IsPart: from column
  // `first_column` on. @pre all lanes of the warp are here
  template <bool IsPart>
  static __device__ __forceinline__ void send(unsigned char* slot, T* row,
                                              packed<T, V> const& vector,
                                              staged_positions const& where, int u,
                                              int first_column, int end) {
    unsigned char* const mine = own(slot, where);
    __syncwarp();
    if constexpr (bytes == 16) {
      *reinterpret_cast<uint4*>(mine) =
          uint4{vector.words[0], vector.words[1], vector.words[2], vector.words[3]};
    } else {
#pragma unroll
      for (int i = 0; i < words; ++i) word(mine + 4 * i) = vector.words[i];
    }
    __syncwarp();
    int const begin = where.template begin<V>(u), all = (end - begin) * size,
              step = 4 * where.lanes, left = all < step * words ? all : step * words,
              least = IsPart && first_column > begin ? (first_column - begin) * size : 0;
    T* const to = row + begin;
    int const in_front = beyond(to);
    // The lanes of a whole warp begin with a cache line.
    int const line =
        where.lanes == 32 ? static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % 128) : in_front;
    int const first = 4 * where.lane - line;  // of this lane's first word in the run
    unsigned char* const base = reinterpret_cast<unsigned char*>(to) + first;
    unsigned char const* const from = slot + first;
    if constexpr (!has_parts) {
      if (where.lanes == 32)
        send_words<32, IsPart>(base, from, first, least, left, step);
      else
        send_words<0, IsPart>(base, from, first, least, left, step);
    } else if (where.lanes == 32 && left == 128 * words && least == 0) {
      put(base, from, first, 0, left, in_front);
#pragma unroll
      for (int i = 1; i < words; ++i) put_word(base + 128 * i, from + 128 * i, in_front);
      put(base + 128 * words, from + 128 * words, first + 128 * words, 0, left, in_front);
    } else {
#pragma unroll 1
      for (int at = 0; first + at < left; at += step)
        put(base + at, from + at, first + at, least, left, in_front);
    }
  }
  template <int Lanes, bool IsPart>
  static __device__ __forceinline__ void send_words(unsigned char* to, unsigned char const* from,
                                                    int first, int least, int left, int step) {
    if (Lanes > 0) step = 4 * Lanes;
#pragma unroll
    for (int i = 0; i < words + (Lanes > 0); ++i)
      if (((!IsPart && (i > 0 || Lanes == 0)) || first + i * step >= least) &&
          left - first >= i * step + 4)
        put_word(to + i * step, from + i * step, 0);
  }

 private:
  // Writes the word that is at byte `at` of a run, as far as it is of bytes least, ..., left - 1.
  static __device__ __forceinline__ void put(unsigned char* to, unsigned char const* from, int at,
                                             int least, int left, int in_front) {
    if (at >= least && at + 4 <= left) {
      put_word(to, from, in_front);
    } else if constexpr (has_parts) {
#pragma unroll
      for (int byte = 0; byte < 4; byte += size)
        if (at + byte >= least && at + byte < left)
          *reinterpret_cast<T*>(to + byte) = *reinterpret_cast<T const*>(from + byte);
    }
  }
  static __device__ __forceinline__ void put_word(unsigned char* to, unsigned char const* from,
                                                  int in_front) {
    unsigned value;
    if constexpr (has_parts)
      value = __funnelshift_rc(word(from + (in_front != 0 ? in_front - 4 : 0)),
                               word(from + in_front), 32 - static_cast<unsigned>(in_front) * 8);
    else
      value = word(from);
    __stcs(reinterpret_cast<unsigned*>(to), value);
  }
};

template <class T, int V>
__device__ __forceinline__ void staged_positions::send(T* row, packed<T, V> const& vector,
                                                       int u) const {
  // Of 16 bytes whatever T is: warps that store one type meet none that store another.
  staged_vectors<T, V>::template send<false>(slot(16, 0), row, vector, *this, u, 0, size);
}
template <class T, int V>
__device__ __forceinline__ void staged_positions::send_part(T* row, packed<T, V> const& vector,
                                                            int u, int first, int end) const {
  staged_vectors<T, V>::template send<true>(slot(16, 0), row, vector, *this, u, first,
                                            end < size ? end : size);
}
#endif

}  // namespace tenon::detail
