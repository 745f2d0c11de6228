// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread's vectors of an operand of any layout → its slots in shared memory: a function for all
// kernels and programs of a translation unit, called where nothing else is under way.

#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/misaligned_access.cuh"
#include "tenon/backend/cuda/parts/operand_access.cuh"
#include "tenon/backend/cuda/parts/whole_move.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// What an element of so many bytes is moved as.
template <int Bytes>
using bits_of = std::conditional_t<
    Bytes == 8, unsigned long long,
    std::conditional_t<Bytes == 4, unsigned,
                       std::conditional_t<Bytes == 2, unsigned short, unsigned char>>>;

// Where the vectors of one thread go, as bytes of the block's shared memory: the first one, and
// from one to the next.
struct vector_slots {
  int first, step;
};
// Which ones they are: vector `at` of a row and every blockDim.x-th after it. Before the end are
// `whole` vectors from `at` on, and after them a vector's first `partial` elements.
struct vector_run {
  long long at;
  int whole, partial;
};

// Where a column is in an operand that has them side by side.
struct side_by_side {
  __device__ __forceinline__ long long operator()(long long column) const { return column; }
};

// The first `items` of a run in the row that begins at `from`. What travels by itself is under way
// afterwards; elements beyond the end become 0, vectors beyond it stay as they are.
// @pre place_of(column) is that column's element unless the operand is contiguous
template <class T, int V, class Places>
__device__ __forceinline__ void put_vectors(vector_slots slots, T const* from, access how,
                                            Places const& place_of, vector_run run, int items) {
  constexpr bool is_contiguous = std::is_same_v<Places, side_by_side>;
  int const beyond = elements_beyond<V>(from);
  int const threads = static_cast<int>(blockDim.x);
#pragma unroll 1
  for (int by; items > 0; items -= by) {
    by = 1;
    int const count = run.whole > 0 ? V : run.whole == 0 ? run.partial : 0;
    if (count == 0) return;
    T* const slot = reinterpret_cast<T*>(dynamic_shared() + slots.first);
    T const* const begin = from + run.at * V;
    if (how == access::packed && count >= V) {
      send_to_shared<T, V>(slot, begin);
    } else if (is_contiguous || how <= access::elements) {
      if constexpr (travels_alone<T, 1>) {
#pragma unroll
        for (int i = 0; i < V; ++i) copy_or_clear<sizeof(T)>(slot + i, begin + i, i < count);
      } else if (has_words<T, V> && run.at > 0 && run.whole > 1) {
        // Both aligned vectors are of the row, and so it is with some that follow, which do not
        // wait for each other. H200, softmax of 64 x 1048576 bf16, misaligned, 218 us, with single
        // elements 296; of f32, which travel by themselves, 347 us, so with elements 291.
        constexpr int most = 2;
        packed<T, V> low[most] = {}, high[most] = {};
        auto const is_inner = [&](int j) {
          return j == 0 || (j < items && run.whole - j * threads > 1);
        };
#pragma unroll
        for (int j = 0; j < most; ++j) {
          T const* const at = begin - beyond + j * threads * V;
          load_packed<reuse::expected>(low[j], at, is_inner(j));
          load_packed<reuse::expected>(high[j], at + V, is_inner(j));
        }
#pragma unroll
        for (int j = 0; j < most; ++j) {
          if (!is_inner(j)) break;
          if (j > 0) ++by;
          store_whole(
              *reinterpret_cast<packed<T, V>*>(dynamic_shared() + slots.first + j * slots.step),
              part_of(low[j], high[j], beyond));
        }
      } else {
#pragma unroll 1
        for (int i = 0; i < V; ++i) {
          packed<T, 1> one{};
          load_packed<reuse::expected>(one, begin + i, i < count);
          slot[i] = element_of(one, 0);
        }
      }
    } else if constexpr (!is_contiguous) {
#pragma unroll 1
      for (int i = 0; i < V; ++i) {
        T const* const place = from + place_of(run.at * V + i);
        if constexpr (travels_alone<T, 1>) {
          copy_or_clear<sizeof(T)>(slot + i, place, i < count);
        } else {
          packed<T, 1> one{};
          load_packed<reuse::expected>(one, place, i < count);
          slot[i] = element_of(one, 0);
        }
      }
    }
    run.at += by * threads, run.whole -= by * threads, slots.first += by * slots.step;
  }
}
// The same of contiguous operands, as a function that all kernels of a translation unit share. With
// places to compute a call takes registers that sweeps have in use (ptxas 13.0 spills 56 bytes of
// layer norm f32).
template <class T, int V>
__device__ __noinline__ void put_contiguous(vector_slots slots, T const* from, access how,
                                            vector_run run, int items) {
  put_vectors<T, V>(slots, from, how, side_by_side{}, run, items);
}

}  // namespace tenon::detail
#endif
