// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements that lie next to each other in shared memory, from any byte on → vectors, and a row of
// global memory that begins anywhere, by its own aligned vectors.

#include "tenon/backend/cuda/parts/misaligned_access.cuh"
#include "tenon/backend/cuda/parts/row_words.cuh"
#include "tenon/backend/cuda/parts/shared_access.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Threads of a block that share a row: its threadIdx.x is `lane`.
struct row_lanes {
  int lane, lanes;

  __device__ __forceinline__ row_lanes(int lane, int lanes) : lane(lane), lanes(lanes) {}
  __device__ __forceinline__ row_lanes()
      : lane(static_cast<int>(threadIdx.x)), lanes(static_cast<int>(blockDim.x)) {}
  // @post what each of them wrote to shared memory is there for all
  __device__ __forceinline__ void meet() const {
    if (lanes > 32)
      __syncthreads();
    else
      __syncwarp();
  }
};

// What shared memory is read by: words as far apart as lanes' vectors of 16 bytes are would meet in
// the same banks.
template <class T, int V>
inline constexpr unsigned run_unit = row_words<T, V>::bytes == 16 ? 16 : 4;

// The vector that begins `beyond` bytes behind the unit at `from`.
template <class T, int V>
__device__ __forceinline__ packed<T, V> load_run(unsigned from, unsigned beyond) {
  using of = row_words<T, V>;
  if constexpr (run_unit<T, V> == 16) {
    packed<T, V> low, high;
    load_shared(low, from);
    load_shared(high, from + (beyond > 0 ? 16 : 0));
    return part_of(low, high, static_cast<int>(beyond) / of::size);
  } else {
    packed<unsigned, 1> all[of::words + 1];
#pragma unroll
    for (int i = 0; i < of::words + of::has_parts; ++i)
      load_shared(all[i], i < of::words || beyond > 0 ? from + 4 * i : from);
    return of::join(all, static_cast<int>(beyond));
  }
}

// Writes the `count` elements at `from`, the width of whose vectors is V, to `to`.
template <int V, int Unroll = 4, class T>
__device__ __forceinline__ void send_run(T* to, unsigned from, int count, row_lanes const& of_row) {
  using of = row_words<T, V>;
  auto const [lane, lanes] = of_row;
  // Elements in front of the first whole vector of memory.
  int const head = -static_cast<int>(reinterpret_cast<std::uintptr_t>(to) / of::size) & (V - 1),
            whole = count > head ? (count - head) / V : 0;
  unsigned const begin = from + head * of::size, beyond = begin % run_unit<T, V>;
  T* next = to + head + lane * V;
  unsigned at = begin - beyond + lane * of::bytes;
#pragma unroll Unroll
  for (int j = lane; j < whole; j += lanes, next += lanes * V, at += lanes * of::bytes) {
    store_packed(next, load_run<T, V>(at, beyond));
  }
  // What is in front of them and behind.
#pragma unroll 1
  for (int e = lane; e < count - whole * V; e += lanes) {
    int const place = e < head ? e : whole * V + e;
    packed<T, 1> one;
    load_shared(one, from + place * of::size);
    store_packed(to + place, one);
  }
}
// The same to elements `stride` from each other.
template <class T>
__device__ __forceinline__ void send_steps(T* to, unsigned from, int count, long long stride,
                                           row_lanes const& of_row) {
#pragma unroll 1
  for (int i = of_row.lane; i < count; i += of_row.lanes) {
    packed<T, 1> one;
    load_shared(one, from + i * static_cast<int>(sizeof(T)));
    store_packed(to + i * stride, one);
  }
}

}  // namespace tenon::detail
#endif
