// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows that lie one behind another and are no whole number of vectors: a block brings those of a
// group to shared memory as they lie, by aligned vectors, and each thread takes its own vectors
// from there, wherever they begin.

#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/element_tile.cuh"
#include "tenon/backend/cuda/parts/shared_runs.cuh"

namespace tenon::detail {

// The load that an image is of: the only one, or -1.
template <class Program>
inline constexpr int image_load = [] {
  int result = -1, loads = 0;
  for (int k = 0; k < program_traits<Program>::size; ++k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    if (!i.is_load || !i.moves_elements) continue;
    ++loads;
    if (i.varies_over_rows) result = k;
  }
  using traits = program_traits<Program>;
  return loads == 1 && !traits::has_positions && !traits::has_planes ? result : -1;
}();

template <class Program, class C> struct row_image {
  static constexpr int v = C::vector_width, load = image_load<Program>;
  static constexpr bool exists = load >= 0 && C::group_dims > packed_columns;
  static constexpr int size = exists ? size_of(program_traits<Program>::all[load].type) : 1;

  // Of the rows of two groups, one of which is under way. A thread may read a vector and a word
  // behind its own.
  static constexpr TENON_HD int bytes_of(int rows, int columns) {
    return 2 * group_bytes(rows * columns * size);
  }

#if defined(__CUDA_ARCH__)
  using T = storage_t<program_traits<Program>::template at<exists ? load : 0>::type>;
  unsigned row = 0;  // the address of the thread's own
  int next = 0;      // which part the next group comes to

  // Asks for the rows of a group, the first of which is row number `first`. What is not of whole
  // aligned vectors at both ends of the operand comes an element a thread.
  // @pre all threads of the block call it, and none reads what was in that part
  template <class Arguments> __device__ __forceinline__ void ask(Arguments const& a, int first) {
    int const left = static_cast<int>(a.row_count) - first, most = static_cast<int>(blockDim.y);
    if (left > 0) {
      int const row_bytes = bytes_of_row(a), rows = left < most ? left : most;
      auto const address = address_of(a, first);
      auto const* const base =
          reinterpret_cast<unsigned char const*>(address & ~std::uintptr_t{15});
      int const begin = static_cast<int>(address % 16), end = begin + rows * row_bytes,
                whole = begin > 0 && first == 0 ? 16 : 0,
                last = left - rows < 16 && (left - rows) * row_bytes < 16 ? end & ~15 : end,
                thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x),
                step = static_cast<int>(blockDim.x * blockDim.y) * 16;
      unsigned const to = part(a, next);
      await_operands<Program>();
#pragma unroll 4
      for (int at = whole + thread * 16; at < last; at += step)
        send_to_shared<uint4, 1>(to + at, reinterpret_cast<uint4 const*>(base + at));
      auto const copy = [&](int at, int until) {
        packed<T, 1> one;
        if (at >= until) return;
        load_packed<reuse::expected>(one, reinterpret_cast<T const*>(base + at));
        store_shared(to + at, one);
      };
      copy(begin + thread * size, whole < end ? whole : end);
      copy((last > whole ? last : whole) + thread * size, end);
    }
    end_of_copies();
    next ^= 1;
  }
  // Waits for a group that was asked for before the latest one. @pre all threads of the block call
  // it
  template <class Arguments> __device__ __forceinline__ void await(Arguments const& a, int first) {
    wait_for_copies<1>();
    __syncthreads();
    row = part(a, next) + static_cast<unsigned>(address_of(a, first) % 16) +
          threadIdx.y * bytes_of_row(a);
  }
  // Vector `index` of the thread's row. What is behind the row is anything.
  __device__ __forceinline__ packed<T, v> vector(int index) const {
    unsigned const at = row + index * packed<T, v>::bytes;
    return load_run<T, v>(at & ~3u, at % 4);
  }
#endif

 private:
  static constexpr TENON_HD int group_bytes(int bytes) { return (bytes + 15 + 16 + 4 + 15) & ~15; }
#if defined(__CUDA_ARCH__)
  template <class Arguments>
  static __device__ __forceinline__ int bytes_of_row(Arguments const& a) {
    return a.steps.loads[program_traits<Program>::template at<load>::bits] * size;
  }
  template <class Arguments>
  static __device__ __forceinline__ std::uintptr_t address_of(Arguments const& a, int row) {
    auto const first = reinterpret_cast<std::uintptr_t>(load_address<Program, load>(a, 0));
    return first + static_cast<std::uintptr_t>(wide_product(row, bytes_of_row(a)));
  }
  template <class Arguments>
  static __device__ __forceinline__ unsigned part(Arguments const& a, int which) {
    unsigned const memory = static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared()));
    return which == 0 ? memory
                      : memory + group_bytes(bytes_of_row(a) * static_cast<int>(blockDim.y));
  }
#endif
};

}  // namespace tenon::detail
