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
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/element_tile.cuh"
#include "tenon/backend/cuda/parts/shared_access.cuh"

namespace tenon::detail {

// What an item of an operand takes in shared memory: its vectors, and to each run a word more,
// because what is not of whole words may begin in the midst of one.
constexpr TENON_HD int staged_bytes_per_item(int bytes, int lanes, int rows) {
  return rows * (lanes * bytes + 16 * ((lanes + 31) / 32));
}

#if defined(__CUDA_ARCH__)
// A run: neighbouring vectors of a row that lanes of a warp have, one each. There are as many in a
// block for each item as there are warps, or rows where a warp has several.
struct staged_positions : item_positions<int> {
  int lane, lanes;  // of the run
  int size;         // elements of the row
  int run;          // which of the block's
  unsigned memory;  // the address of the first slot

  // Of the row that blockDim.x threads share. @pre blockDim.x is a power of two, or of whole warps
  __device__ __forceinline__ staged_positions(item_positions<int> const& all, int size)
      : item_positions<int>(all),
        lanes(blockDim.x < 32 ? static_cast<int>(blockDim.x) : 32),
        size(size) {
    // Known to be one number or another, it would have nvcc 13.0 compile every loop twice.
    asm volatile("" : "+r"(lanes));
    memory = static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared()));
    asm volatile("" : "+r"(memory));
    int const thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
    lane = thread & (lanes - 1), run = thread >> (31 - __clz(lanes));
    asm volatile("" : "+r"(lane), "+r"(run));
  }
  static __device__ __forceinline__ int bytes_per_item(int bytes) {
    return staged_bytes_per_item(bytes, static_cast<int>(blockDim.x), static_cast<int>(blockDim.y));
  }
  // This thread's run of an item that begins `offset` bytes after the first.
  __device__ __forceinline__ unsigned slot(int bytes, int offset) const {
    return memory + offset + run * (lanes * bytes + 16);
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
  using vector = packed<T, V>;
  using element = packed<T, 1>;

  // Bytes of the word in which an operand begins that are in front of it.
  static __device__ __forceinline__ int beyond(T const* at) {
    return has_parts ? static_cast<int>(reinterpret_cast<std::uintptr_t>(at) % 4) : 0;
  }
  // Where this lane's vector is.
  static __device__ __forceinline__ unsigned own(unsigned slot, staged_positions const& where) {
    return slot + where.lane * bytes;
  }

  // Asks for a run that begins at `from`, from where the row has `all` bytes; what is not of the
  // row becomes 0, but for what is in front of it in its first word.
  static __device__ __forceinline__ void bring(unsigned slot, T const* from, int all,
                                               staged_positions const& where) {
    if (where.lanes == 32)
      bring_words<128>(slot, from, all, where);
    else
      bring_words<4>(slot, from, all, where);
    if constexpr (has_parts) {
      // The word that the row ends in.
      int const end = all + beyond(from), last = end & ~3;
      if (where.lane == 0 && all > 0 && end > last && last <= bytes * where.lanes)
        put_part<T>(slot + last,
                    reinterpret_cast<unsigned char const*>(from) + (all - (end - last)),
                    end - last);
    }
  }
  // @pre the run is there, and the warp knows; is_shifted: bring() asked for it
  static __device__ __forceinline__ vector take(unsigned slot, T const* row,
                                                staged_positions const& where, bool is_shifted) {
    vector result;
    unsigned const mine = own(slot, where);
    load_shared(result, mine);
    if constexpr (has_parts) {
      packed<unsigned, 1> next;
      load_shared(next, mine + bytes);
      unsigned const by = is_shifted ? static_cast<unsigned>(beyond(row)) * 8 : 0;
#pragma unroll
      for (int i = 0; i < words; ++i)
        result.words[i] = __funnelshift_r(result.words[i],
                                          i + 1 < words ? result.words[i + 1] : next.words[0], by);
    }
    return result;
  }
  // Writes a run, of which each lane has a vector, up to column `end`; IsPart: from column
  // `first_column` on. @pre all lanes of the warp are here
  template <bool IsPart>
  static __device__ __forceinline__ void send(unsigned slot, T* row, vector const& mine,
                                              staged_positions const& where, int u,
                                              int first_column, int end) {
    __syncwarp();
    hold(slot, row, mine, where, u);
    __syncwarp();
    send_held<IsPart>(slot, row, where, u, first_column, end);
  }
  // The same in two parts, behind each of which the lanes are to meet: many runs may be held, in a
  // slot each, before the first is written.
  static __device__ __forceinline__ void hold(unsigned slot, T const* row, vector const& mine,
                                              staged_positions const& where, int u) {
    if constexpr (has_parts) {
      int const in_front = beyond(row + where.template begin<V>(u));
      // As the words of memory have them, the first of which begins in front of the run.
      unsigned const before = __shfl_up_sync(~0u, mine.words[words - 1], 1);
      vector shifted;
#pragma unroll
      for (int i = 0; i < words; ++i)
        shifted.words[i] =
            __funnelshift_l(i > 0 ? mine.words[i - 1] : before, mine.words[i], in_front * 8);
      packed<unsigned, 1> const rest{__funnelshift_l(mine.words[words - 1], 0, in_front * 8)};
      store_shared(own(slot, where), shifted);
      if (where.lane == where.lanes - 1) store_shared(slot + where.lanes * bytes, rest);
    } else {
      store_shared(own(slot, where), mine);
    }
  }
  template <bool IsPart>
  static __device__ __forceinline__ void send_held(unsigned slot, T* row,
                                                   staged_positions const& where, int u,
                                                   int first_column, int end) {
    int const begin = where.template begin<V>(u), all = (end - begin) * size,
              most = where.lanes * bytes, left = all < most ? all : most,
              least = IsPart && first_column > begin ? (first_column - begin) * size : 0;
    T* const to = row + begin;
    int const in_front = beyond(to);
    // The lanes of a whole warp begin with a cache line.
    if (where.lanes == 32)
      send_words<128, IsPart>(slot, to, least, left,
                              static_cast<int>(reinterpret_cast<std::uintptr_t>(to) % 128),
                              in_front, where);
    else
      send_words<0, IsPart>(slot, to, least, left, in_front, in_front, where);
    if constexpr (has_parts) {
      // What is not of whole words at both ends.
      int const head = -(least + in_front) & 3, tail = (left + in_front) & 3;
#pragma unroll
      for (int i = 0; i < 4 - size; i += size) {
        int const first = least + i, last = left - size - i;
        send_element(to, slot + in_front, first, where.lane == 0 && i < head && first < left);
        send_element(to, slot + in_front, last,
                     where.lane == where.lanes - 1 && i < tail && last >= least);
      }
    }
  }

 private:
  // Step: bytes from word to word of a lane: neighbouring words of a whole warp at a time, or of
  // each lane those of its own vector.
  template <int Step>
  static __device__ __forceinline__ void bring_words(unsigned slot, T const* from, int all,
                                                     staged_positions const& where) {
    constexpr bool is_own = Step == 4;
    int const in_front = beyond(from), place = where.lane * (is_own ? bytes : 4);
    // Of this lane's first word, where it is in the run, and what is left of the row from there.
    int const first = place - in_front, left = all - first;
    unsigned char const* const at = reinterpret_cast<unsigned char const*>(from) + first;
    unsigned const to = slot + place;
#pragma unroll
    for (int i = 0; i < words + has_parts; ++i) {
      bool const is_word = left >= i * Step + 4;
      bool const has_word =
          i < words || (in_front > 0 && where.lane == (is_own ? where.lanes - 1 : 0));
      if constexpr (!has_parts)
        copy_word(to + i * Step, at + i * Step, is_word);
      else
        copy_word(to + i * Step, at + i * Step, is_word, has_word && (is_word || left <= i * Step));
    }
  }
  // Step is 0 where only the launch says how many bytes they are.
  template <int Step, bool IsPart>
  static __device__ __forceinline__ void send_words(unsigned slot, T* to, int least, int left,
                                                    int line, int in_front,
                                                    staged_positions const& where) {
    int const at = 4 * where.lane - line, step = Step > 0 ? Step : 4 * where.lanes;
    unsigned char* const base = reinterpret_cast<unsigned char*>(to) + at;
    unsigned const from = slot + at + in_front;
#pragma unroll
    for (int i = 0; i < words + (Step > 0 || has_parts); ++i) {
      bool const is_wanted =
          ((!IsPart && i > 0) || at + i * step >= least) && left - at >= i * step + 4;
      // What is not wanted is read from the slot all the same: a load that is left out keeps what
      // its register had before.
      bool const is_inside = i > 0 && i < words;
      packed<unsigned, 1> value;
      load_shared(value, is_inside || is_wanted ? from + i * step : slot);
      store_packed(reinterpret_cast<unsigned*>(base + i * step), value, is_wanted);
    }
  }
  static __device__ __forceinline__ void send_element(T* to, unsigned slot, int at,
                                                      bool is_wanted) {
    if (!is_wanted) return;
    element one;
    load_shared(one, slot + at);
    store_packed(to + at / size, one);
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
