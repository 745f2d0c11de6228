// SPDX-License-Identifier: Apache-2.0
#pragma once
// What is computed and stored of a thread's rows, of loads of an element's neighbours.

#include "tenon/backend/cuda/flat/stencil_windows.cuh"
#include "tenon/backend/cuda/parts/opaque.cuh"
#include "tenon/backend/cuda/parts/shared_access.cuh"

namespace tenon {
#if defined(__CUDA_ARCH__)
namespace detail {

template <class Program, bool OfPlanes = false> struct stencil_operands {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return stencil_groups<Program, OfPlanes>::leads(k) || (i.is_store && i.moves_elements);
  }
};

// Where the lanes that share a strip of columns exchange what they store: rows of results begin
// anywhere, so neighbouring lanes store neighbouring elements.
struct stencil_strip {
  unsigned shared;  // of the warp
  int lane, lanes, lane_of_warp;
  int columns;  // of its elements that there are, or more
};
// Of a thread whose first column is `column` of `end`, as vectors of V.
template <int V, class Vector>
__device__ __forceinline__ stencil_strip strip_of(Vector* exchanged, int lane_bits,
                                                  long long column, long long end) {
  stencil_strip strip;
  strip.lane_of_warp = static_cast<int>(threadIdx.x) & 31;
  strip.lanes = lane_bits < 5 ? 1 << lane_bits : 32;
  strip.lane = strip.lane_of_warp & (strip.lanes - 1);
  long long const columns = end - column + strip.lane * V;
  strip.columns = columns < 32 * V ? static_cast<int>(columns) : 32 * V;
  strip.shared =
      static_cast<unsigned>(__cvta_generic_to_shared(exchanged + threadIdx.x - strip.lane_of_warp));
  return strip;
}
// Vectors of a strip, whose first element is to be at `to`, in the first `count` columns.
template <class T, int V>
__device__ __forceinline__ void store_strip(T* to, packed<T, V> const& own,
                                            stencil_strip const& strip, int count,
                                            cache_policy kept) {
  constexpr unsigned size = sizeof(T);
  __syncwarp();
  store_shared(strip.shared + strip.lane_of_warp * V * size, own);
  __syncwarp();
  unsigned const from = strip.shared + (strip.lane_of_warp - strip.lane) * V * size;
  // Addresses of all rows would take all registers.
  T* const first = as_one_number(to + strip.lane);
#pragma unroll
  for (int i = 0; i < V; ++i) {
    int const column = i * strip.lanes;
    packed<T, 1> one;
    load_shared(one, from + (column + strip.lane) * size);
    store_packed(first + column, one, column + strip.lane < count, kept);
  }
}

// What is computed and stored of a thread's elements. Windows: has what the group of a load has,
// and is told which row of the thread is next. @pre of vectors: all lanes of a warp
template <class Program, int V, int R, bool IsWhole, bool OfPlanes, class Arguments, class Windows>
__device__ __forceinline__ void process_stencil_rows(frame<Program> const& around,
                                                     Arguments const& a,
                                                     operand_offsets<Program> const& origin,
                                                     stencil_elements const& own,
                                                     stencil_strip const& strip, Windows& windows) {
  using groups = stencil_groups<Program, OfPlanes>;
  constexpr int of_rows = OfPlanes ? 1 : 0;
#pragma unroll
  for (int r = 0; r < R; ++r) {
    windows.begin_row(r);
    selected_registers<Program, element_stores<Program, V>> results;
#pragma unroll
    for (int i = 0; i < V; ++i) {
      registers<Program, place::element> element;
      frame<Program> const f{around.launch, around.row, element, around.total};
      for_each_selected<Program, needed_loads<Program, 1, 1, 1, true>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        read_register<k>(element) = static_cast<typename I::value_type>(
            windows.template window_of<k>().element(r + groups::row(k), i + groups::column(k)));
      });
      evaluate_element<1, true>(f);
      collect_stores(results, f, i);
    }
    for_each_selected<Program, element_stores<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      using T = storage_t<I::type>;
      T* const row = store_address<Program, k>(a, origin.stores[I::bits]) +
                     (own.row + r) * a.store_columns[I::bits][of_rows];
      auto const all = pack<T>(read_register<k>(results).at);
      bool const is_wanted = IsWhole || r < own.count;
      if constexpr (V == 1)
        store_packed(row + own.column * a.store_columns[I::bits][of_rows + 1], all, is_wanted,
                     a.stored);
      else
        store_strip(row + own.column - strip.lane * V, all, strip, is_wanted ? strip.columns : 0,
                    a.stored);
    });
  }
}

}  // namespace detail
#endif

namespace detail {

// Blocks that a multiprocessor is to hold at once. For sm_80 ptxas 13.0 takes some registers more.
template <class C>
inline constexpr int stencil_blocks_held =
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
    C::blocks > 2 ? 2 :
#endif
                  C::blocks;

}  // namespace detail

}  // namespace tenon
