// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements that lie one behind another, global memory <-> shared memory of a warp, by memory's own
// aligned vectors.

#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/shared_access.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Bytes of memory's own vector in front of what lies there.
template <class T> __device__ __forceinline__ int in_front(T const* from) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(from) % 16);
}

// Where byte `at` of what lies in memory is in an image.
struct as_it_lies {
  __device__ __forceinline__ int operator()(int at) const { return at; }
};

// visit(i): the places of a thread's vectors, from `begin` on, that are in front of `end`, Together
// in one turn of a loop. IsAll: there are no more of them, and no loop.
template <int Together, bool IsAll, class Visit>
__device__ __forceinline__ void for_each_vector_of_warp(int begin, int end, Visit const& visit) {
  constexpr int step = 32 * 16;
  if constexpr (IsAll) {
#pragma unroll
    for (int u = 0; u < Together; ++u)
      if (begin + u * step < end) visit(begin + u * step);
  } else {
#pragma unroll Together
    for (int i = begin; i < end; i += step) visit(i);
  }
}

// In front of the operand and behind it is nothing that may be read: vectors of which it has a
// part come element by element. behind: elements of it behind these, 16 or more if there are as
// many. Together, IsAll: vectors of a thread that are asked for in one turn of the loop. They are
// there for all threads of the warp after wait_for_sent and __syncwarp.
template <int Together, bool IsAll = false, class T, class Order = as_it_lies>
__device__ __forceinline__ void bring_whole(unsigned image, T const* from, int elements, int thread,
                                            bool is_first, int behind, Order const& order = {}) {
  constexpr int bytes = static_cast<int>(sizeof(T));
  int const front = in_front(from);
  auto const* const base = reinterpret_cast<unsigned char const*>(from) - front;
  int const end = front + elements * bytes, head = front > 0 && is_first ? 16 : 0,
            whole = (end + behind * bytes) & ~15, last = whole < end ? whole : end,
            tail = last > head ? last : head;
  for_each_vector_of_warp<Together, IsAll>(head + thread * 16, last, [&](int i) {
    send_to_shared<unsigned char, 16>(image + order(i), base + i);
  });
  // A half of the warp has what is in front, the other what is behind.
  bool const is_behind = thread >= 16;
  int const alone = is_behind ? tail + (thread - 16) * bytes : front + thread * bytes;
  if (alone < (is_behind || head > end ? end : head)) {
    packed<T, 1> one;
    load_packed<reuse::expected>(one, reinterpret_cast<T const*>(base + alone));
    store_shared(image + order(alone), one);
  }
}
// An image as it lies in memory.
template <class T> struct lying_image {
  unsigned image;

  template <int V> __device__ __forceinline__ packed<T, V> at(int byte) const {
    packed<T, V> result;
    load_shared(result, image + byte);
    return result;
  }
};
// What is of these rows alone, image.at<V>(byte), leaves by whole vectors, the rest element by
// element.
template <int Together, bool IsAll = false, class T, class Image>
__device__ __forceinline__ void send_whole(Image const& image, T* to, int elements, int thread,
                                           cache_policy kept) {
  constexpr int bytes = static_cast<int>(sizeof(T));
  int const front = in_front(to);
  auto* const base = reinterpret_cast<unsigned char*>(to) - front;
  int const end = front + elements * bytes, head = front > 0 ? 16 : 0, whole = end & ~15,
            tail = whole > head ? whole : head;
  for_each_vector_of_warp<Together, IsAll>(head + thread * 16, whole, [&](int i) {
    store_packed(reinterpret_cast<T*>(base + i), image.template at<16 / bytes>(i), true, kept);
  });
  bool const is_behind = thread >= 16;
  int const alone = is_behind ? tail + (thread - 16) * bytes : front + thread * bytes;
  if (alone < (is_behind || head > end ? end : head))
    store_packed(reinterpret_cast<T*>(base + alone), image.template at<1>(alone));
}

// Two elements of two bytes are one conversion; a store takes the lower half of a word.
template <class T, class Value, int Count>
__device__ __forceinline__ void pack_singly(packed<T, 1> (&to)[Count],
                                            Value const (&values)[Count]) {
  constexpr int together = sizeof(T) == 2 && Count % 2 == 0 ? 2 : 1;
#pragma unroll
  for (int i = 0; i < Count; i += together) {
    Value some[together];
    for (int j = 0; j < together; ++j) some[j] = values[i + j];
    packed<T, together> const word = pack<T>(some);
    if constexpr (together == 1)
      to[i] = word;
    else
      to[i].words[0] = word.words[0], to[i + 1].words[0] = word.words[0] >> 16;
  }
}

}  // namespace tenon::detail
#endif
