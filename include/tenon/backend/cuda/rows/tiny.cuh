// SPDX-License-Identifier: Apache-2.0
#pragma once
// Rows of few elements that pass once: a warp brings some to shared memory as they lie, by aligned
// vectors where they lie one behind another, and reduces them element by element.

#include "tenon/backend/cuda/parallel/side_by_side.cuh"
#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/chosen_vectors.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/shared_access.cuh"
#include "tenon/backend/cuda/rows/values_ahead.cuh"
#include "tenon/backend/cuda/rows/warp_image.cuh"

namespace tenon {
namespace detail {

// The load that differs from row to row; -1 unless it is the only one of elements.
template <class Program>
inline constexpr int brought_load = [] {
  int result = -1, loads = 0;
  for (int k = 0; k < program_traits<Program>::size; ++k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    if (!i.is_load || !i.moves_elements) continue;
    ++loads;
    if (i.varies_over_rows) result = k;
  }
  return loads == 1 ? result : -1;
}();

// Some elements of an operand in shared memory, which begin where they do in memory's own vectors:
// the bytes that they take. A thread reads a few behind its own.
template <class T> constexpr int bytes_of_image(long long elements) {
  return static_cast<int>((elements * static_cast<int>(sizeof(T)) + 15) / 16 * 16) + 64;
}

#if defined(__CUDA_ARCH__)
// One thread's view of the rows that its warp has.
template <class Program, class C> struct tiny_worker {
  static constexpr int items = C::items, load = brought_load<Program>;
  using I = typename program_traits<Program>::template at<load>;
  using T = storage_t<I::type>;
  using arguments = rows_arguments<Program, C>;
  using side = rows_side_by_side<Program, 1, C::threads_per_block>;
  using states = typename side::template states<1>;
  using collected = typename side::template collected<1, items>;
  static constexpr int bytes = static_cast<int>(sizeof(T));

  arguments const& a;
  frame<Program> const& f;
  int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x) % 32,
            warp = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x) / 32;
  int const size = static_cast<int>(a.vectors);  // elements of a row
  row_totals<Program> of_rows = {};

  // The rows from number `first` on, of which there are `rows`, to shared memory if they lie in
  // runs: where the first of them is. What these have beside their elements is asked for meanwhile,
  // of those from `row` on that are `step` apart.
  template <class Beside>
  __device__ __forceinline__ unsigned bring(long long first, int rows, Beside& beside, int row,
                                            int step) const {
    unsigned const image = static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared())) +
                           warp * a.split.bytes_per_warp;
    T const* const from = load_address<Program, load>(a, first * size);
    if (a.split.asks_early) {  // a line by each lane
      constexpr int line = 128 / bytes;
      int const all = rows * size, at = thread * line;
      T const* first_of_line = from + (at < all ? at : all - 1);
      ask_early(first_of_line, at < all + line);
    }
    await_operands<Program>(a.split.asks_early);
    if (a.split.lies_in_runs) {
      long long const rows_behind = a.row_count - first - rows;
      bring_whole<1>(image, from, rows * size, thread, first == 0,
                     static_cast<int>(rows_behind < 16 ? rows_behind : 16) * size);
    }
    beside.begin(a, first, row, step, rows);
    if (a.split.lies_in_runs) {
      wait_for_sent();
      __syncwarp();
    }
    unsigned first_row = image + in_front(from);
    asm volatile("" : "+r"(first_row));  // not found again for each turn
    return first_row;
  }
  __device__ __forceinline__ void finish_rows(long long first, int rows) {
    int const by = __ffs(static_cast<int>(blockDim.x)) - 1, mine = thread >> by, step = 32 >> by;
    values_ahead<Program, 2> beside;
    unsigned const first_row = bring(first, rows, beside, mine, step);
    int const begin = static_cast<int>(threadIdx.x) * a.split.elements_per_lane,
              behind = begin + a.split.elements_per_lane;
#pragma unroll 1
    for (int turn = 0; turn < rows; turn += step) {
      int const row = turn + mine;
      bool const is_inside = row < rows;
      operand_offsets<Program> offsets;
      find_row<Program>(offsets, a, is_inside ? first + row : 0);
      take_row_values<Program>(f, beside.next(a, first, row, step, rows), a, offsets, is_inside);
      evaluate<place::row, 0, 0>(f);
      int const end = !is_inside ? 0 : behind < size ? behind : size;
      unsigned const own = first_row + row * size * bytes;
      if (!a.split.lies_in_runs) {
        // Lanes read a few elements of their neighbours, which they do not use.
        __syncwarp();
        bring_singly(own, offsets, begin, end);
        __syncwarp();
      }
      reduce(own, begin, end, offsets);
      evaluate<place::row, 1, 1>(f);
      if (threadIdx.x == 0 && is_inside) end_row<Program>(f, a, offsets, first + row, of_rows);
    }
  }

  // The same of rows of at most `few` elements that lie in runs, each of one lane.
  static constexpr int few = 2 * items;
  __device__ __forceinline__ void finish_few(long long first, int rows) {
    values_ahead<Program, 8> beside;
    unsigned const first_row = bring(first, rows, beside, thread, 32);
    bool const are_whole = (first_row | size * bytes) % 16 == 0;
#pragma unroll 1
    for (int row = thread; row < rows; row += 32) {
      operand_offsets<Program> offsets;
      find_row<Program>(offsets, a, first + row);
      unsigned const own = first_row + row * size * bytes;
      finish_row(first + row, offsets, beside.next(a, first, row, 32, rows), [&](auto& tile) {
        if (are_whole)
          fetch_wide(tile, own);
        else
#pragma unroll
          for (int u = 0; u < few; ++u) load_shared(tile[u], own + u * bytes);
      });
    }
  }
  // One of at most `few` neighbouring elements, all of which the lane asks for by itself. Where
  // they are is known before the wait.
  __device__ __forceinline__ void finish_alone(long long row) {
    bool const is_inside = row < a.row_count;
    operand_offsets<Program> offsets;
    find_row<Program>(offsets, a, is_inside ? row : 0);
    T const* from = load_address<Program, load>(a, offsets.loads[I::bits]);
    ask_early(from, is_inside);
    await_operands<Program>(true);
    if (!is_inside) return;
    selected_registers<Program, row_loads<Program>> beside;
    request_row_values<Program>(beside, a, offsets, true);
    finish_row(row, offsets, beside, [&](auto& tile) {
#pragma unroll
      for (int u = 0; u < few; ++u) {
        tile[u] = {};
        load_packed<reuse::expected>(tile[u], from + u, u < size);
      }
    });
  }

 protected:
  using gathering = choosing_in_order<Program, typename side::template gathering<1>>;
  using choices = columns_in_order<Program, arguments>;

  // Elements by vectors: of rows that are whole ones, those of several lanes are in the same bank.
  static __device__ __forceinline__ void fetch_wide(packed<T, 1> (&tile)[few], unsigned own) {
    constexpr int v = 16 / bytes < few ? 16 / bytes : few;
    packed<T, v> vectors[few / v];
#pragma unroll
    for (int n = 0; n < few / v; ++n) load_shared(vectors[n], own + n * v * bytes);
#pragma unroll
    for (int u = 0; u < few; ++u) {
      T const element = element_of(vectors[u / v], u % v);
      tile[u] = {};
      __builtin_memcpy(tile[u].words, &element, sizeof(T));
    }
  }
  // fetch(tile): a row's elements, all of which are asked for before the first is taken in.
  template <class Fetch>
  __device__ __forceinline__ void finish_row(
      long long row, operand_offsets<Program> const& offsets,
      selected_registers<Program, row_loads<Program>> const& beside, Fetch const& fetch) {
    packed<T, 1> tile[few];
    fetch(tile);
    take_row_values<Program>(f, beside, a, offsets, true);
    evaluate<place::row, 0, 0>(f);
    selected_registers<Program, gathering> running;
    side::template begin<1>(running);
    take<0>(f, running, tile, size, 0);
    if (size > items) take<items>(f, running, tile, size - items, items);
    side::template finish<1>(f.row, running, choices{{a, offsets}, 0, true});
    evaluate<place::row, 1, 1>(f);
    end_row<Program>(f, a, offsets, row, of_rows);
  }

  // The thread's own elements, wherever they are.
  __device__ __forceinline__ void bring_singly(unsigned own,
                                               operand_offsets<Program> const& offsets, int begin,
                                               int end) const {
    T const* const row = load_address<Program, load>(a, offsets.loads[I::bits]);
#pragma unroll 1
    for (int e = begin; e < end; ++e) {
      long long offset = e;
      if constexpr (C::group_dims > contiguous_columns) {
        offset = 0;
        for_each_digit(a.columns, e, [&](int d, long long digit) {
          offset += digit * a.load_columns[I::bits][d];
        });
      }
      packed<T, 1> one;
      load_packed<reuse::expected>(one, row + offset);
      store_shared(own + e * bytes, one);
    }
  }
  // Elements begin, ..., end - 1 of the row at `own`, a few at a time, and then those of all lanes
  // of the row. Of those behind the end the values are anything: branches would keep neighbours
  // from being computed together.
  __device__ __forceinline__ void reduce(unsigned own, int begin, int end,
                                         operand_offsets<Program> const& offsets) const {
    selected_registers<Program, gathering> running;
    side::template begin<1>(running);
    own += begin * bytes;
#pragma unroll 1
    for (int left = end - begin; left > 0; left -= few, own += few * bytes) {
      packed<T, 1> tile[few];
#pragma unroll
      for (int u = 0; u < few; ++u) load_shared(tile[u], own + u * bytes);
      take<0>(f, running, tile, left, end - begin - left);
      if (left > items) take<items>(f, running, tile, left - items, end - begin - left + items);
    }
    side::template finish<1>(f.row, running, choices{{a, offsets}, begin, begin < end});
    if (blockDim.x == 1) return;
    for_each_selected<Program, states>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      auto& state = read_register<k>(f.row);
      state = combine_lanes<op, 32>(state, static_cast<int>(blockDim.x));
    });
  }
  // Elements First, ..., First + items - 1 of a tile, of which `live` are there, from `step` on.
  template <int First, class Running, int Count>
  static __device__ __forceinline__ void take(frame<Program> const& of_row, Running& running,
                                              packed<T, 1> const (&tile)[Count], int live,
                                              int step) {
    selected_registers<Program, collected> values;
#pragma unroll
    for (int u = 0; u < items; ++u) {
      registers<Program, place::element> element;
      frame<Program> at{of_row.launch, of_row.row, element, of_row.total};
      read_register<load>(element) =
          static_cast<typename I::value_type>(element_of(tile[First + u], 0));
      evaluate_element<1, false>(at);
      for_each_selected<Program, collected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(values).at[u] = take_of<k>(at);
      });
    }
    side::template accumulate<collected, items>(running, values, live >= items, live,
                                                static_cast<unsigned>(step));
  }
};
#endif

}  // namespace detail

// Owners: a warp takes rows_per_warp rows at a time, that lie one behind another; blockDim.x
// threads, a power of two, share one, each with a run of elements_per_lane of its elements.
// Registers: C::items elements, one state per reduction. Shared memory: the rows of each warp.
// Global memory: the operand is read once.
// @pre nothing of a row is needed twice; a row has at most blockDim.x * elements_per_lane elements;
// the grid is a function of the shape if there are totals, and then the ticket in the workspace is
// 0
// @post every store is written once per position; a row's bits depend on its elements and their
// number alone; the ticket is 0 again
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, C::blocks)
    tiny_rows_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  registers<Program, place::launch> launch;
  registers<Program, place::row> row;
  registers<Program, place::element> element;
  registers<Program, place::total> total;
  frame<Program> f{launch, row, element, total};
  start_early(f, a);
  start_totals(f);
  tiny_worker<Program, C> worker{a, f};
  long long const rows = a.split.rows_per_warp,
                  warps = static_cast<int>(blockDim.x * blockDim.y) / 32;
  long long first = (blockIdx.x * warps + worker.warp) * rows;
  for (; first < a.row_count; first += gridDim.x * warps * rows) {
    long long const left = a.row_count - first;
    int const here = static_cast<int>(left < rows ? left : rows);
    if (program_traits<Program>::has_total && a.is_short)
      worker.finish_few(first, here);
    else
      worker.finish_rows(first, here);
    __syncwarp();  // before the next rows come
  }
  // Warps that have no rows.
  if (program_traits<Program>::has_total || a.row_count == 0) await_operands<Program>();
  int buffer = 0;
  end_launch<C::threads_per_block>(f, a, worker.of_rows, buffer);
#endif
}

}  // namespace tenon
