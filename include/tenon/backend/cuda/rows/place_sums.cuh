// SPDX-License-Identifier: Apache-2.0
#pragma once
// Sums along rows: a chain for each place in a vector, so that a row that begins anywhere is read
// by aligned vectors, whose elements are those of other places; what the chains of a tile have
// become moves to the places and the lanes that it belongs to. Of whole aligned vectors nothing
// moves.
//
// H200, us, against vectors in pieces: 65536 x 1023 f32 61 (71), 4096 x 4097 f32 17.1 (23.6), bf16
// 10.7 (16.8), 4096 x 8193 bf16 18.7 (30.0), 2 x 8193 f32 1.5 (2.6).

#include "tenon/backend/cuda/parts/long_chains.cuh"
#include "tenon/backend/cuda/parts/runs.cuh"
#include "tenon/backend/cuda/rows/tiny.cuh"

namespace tenon::detail {

// Whether a program's rows are sums of one operand: nothing of an element depends on where it is.
template <class Program>
inline constexpr bool sums_by_place = [] {
  constexpr int load = brought_load<Program>;
  bool result = load >= 0 && row_state_words<Program> == 1 &&
                !program_traits<Program>::has_positions && !program_traits<Program>::has_planes;
  if constexpr (load >= 0)
    result = result && size_of(program_traits<Program>::all[load].type) *
                               element_operands<Program>::vector_width ==
                           16;
  visit_selected<Program, reductions_at<Program, place::row>>([&](auto selected) {
    using I = typename program_traits<Program>::template at<decltype(selected)::value>;
    result = result && std::is_same_v<typename I::op, ops::sum> &&
             std::is_floating_point_v<typename I::value_type>;
  });
  return result;
}();

// Whether vectors may be brought to the second-level cache before the kernel waits.
template <class Program>
inline constexpr bool may_ask_early = sums_by_place<Program> && !program_traits<Program>::has_total;

#if defined(__CUDA_ARCH__)
// One thread's part in a segment of a row, of which each warp has neighbouring vectors; a row of
// fewer lanes is one of several that a warp has.
template <class Program, class C> struct place_sums {
  static constexpr int v = C::vector_width, items = C::items;
  static constexpr int few = items > 1 ? items / 2 : 1;  // of a lane of a short row
  static constexpr bool is_packed = C::group_dims == packed_columns;
  static constexpr int load = brought_load<Program>;
  using arguments = rows_arguments<Program, C>;
  using reductions = reductions_of<Program, place::row, 1>;
  template <int Count> using loads_of = needed_loads<Program, v, Count, 1, false>;
  using I = typename program_traits<Program>::template at<load>;
  using T = storage_t<I::type>;
  struct place_chains : reductions {
    template <int K> using type = value_list<typename reduction_facts<Program, K>::state, v>;
  };

  arguments const& a;
  frame<Program> const& f;
  operand_offsets<Program> const& offsets;
  int const lanes = static_cast<int>(blockDim.x), lane = static_cast<int>(threadIdx.x) % 32,
            width = lanes < 32 ? lanes : 32,  // lanes that have neighbouring vectors
      apart = width * v;                      // the vectors of a lane, in elements
  selected_registers<Program, place_chains> chains;

  // @pre blockDim.x is a number of whole warps or a power of two below
  // @post the thread's state is in its row registers
  __device__ __forceinline__ void sweep(int segment, bool is_inside, bool leaves) {
    int const warp = static_cast<int>(threadIdx.x) / 32, step = lanes * items;
    // A vector behind the last tile is the last warp's, of rows of no whole number of them.
    int const behind = !has_whole_vectors<C::group_dims> && a.tail != 0;
    long_chains<Program, reductions> wholes;
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(f.row) = reduction_facts<Program, k>::identity();
    });
    long long const size = static_cast<long long>(a.split.tiles_per_segment) * step;
    long long first = segment * size;
    int left = static_cast<int>(a.vectors - first <= size + behind ? a.vectors - first : size);
#pragma unroll 1
    do {
      // The warps have as much of a last tile.
      int const each = left < step ? a.split.vectors_of_last : items, own = warp * 32 * each;
      int vectors = left - own < 32 * each ? left - own : 32 * each;
      if (behind > 0 && left == step + 1 && own + vectors == step) ++vectors;
      take(first + own, is_inside ? vectors : 0, leaves);
      wholes.carry(f.row);
      first += step, left -= step;
    } while (left > behind);
    wholes.finish(f.row);
  }

  // The vectors of a tile that the lanes have together. IsLong: only a row's last tile has few.
  // Waits when it knows where they are.
  template <bool IsLong = false>
  __device__ __forceinline__ void take(long long first, int vectors, bool leaves) {
    first += lane;
    // Elements from the first of the lane's on that these have, but not behind the row.
    int held = vectors > 0 ? (vectors - lane) * v : 0;
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      fill(read_register<k>(chains).at, reduction_facts<Program, k>::identity());
    });
    if constexpr (is_packed) {
      T const* from = load_address<Program, load>(a, offsets.loads[I::bits]) + first * v;
      await(from, vectors, leaves);
      if (vectors == width * items)
        take_whole<items>(from);
      else if (!IsLong && vectors == width * few)
        take_whole<few>(from);
      else
        take_aligned<items, read_once<Program>>(from, from, held, 0);
    } else if constexpr (C::group_dims == run_columns) {
      // 32 bits hold the number of such vectors.
      int const own = static_cast<int>(first), end = own - lane + vectors;
      await_operands<Program>(leaves);
      if (vectors == width * items)
        take_in_runs<items>(whole_positions<int>{own, width});
      else
        take_in_runs<items>(rest_positions{{own, width, end}});
    } else {
      long long const in_row = a.columns.size - first * v;
      if (held > in_row) held = static_cast<int>(in_row);
      int beyond = 0;
      if (C::group_dims == contiguous_columns || a.is_contiguous) {
        T const* const row = load_address<Program, load>(a, offsets.loads[I::bits]);
        beyond = elements_beyond<v>(row);
        T const *from = row - beyond + first * v, *const end = row + a.columns.size;
        int const low = lane == 0 ? beyond : 0;
        held += beyond;
        await(from, vectors, leaves);
        if (vectors > (IsLong ? 0 : width * few))
          take_aligned<items, read_once<Program>>(from, end, held, low);
        else if (!IsLong && vectors > 0)
          take_aligned<few, reuse::expected>(from, end, held, low);
      } else {
        await_operands<Program>(leaves);
#pragma unroll 1
        for (; held > 0; held -= apart, first += width) {
          selected_registers<Program, loads_of<1>> one = {};
          int const count = held < v ? held : v;
          load_by_digits<Program, loads_of<1>, v>(one, a, offsets, first, count, true);
          add(read_register<load>(one).at[0], 0, count);
        }
      }
      turn(beyond);
    }
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename reduction_facts<Program, k>::op;
      auto& state = read_register<k>(f.row);
      state = op::combine(state, fold<op>(read_register<k>(chains).at));
    });
  }

 private:
  // Waits when it is known where the lane's first vector is: what leads there is done while the
  // kernel before ends. Short calls ask the second-level cache for the lines of all vectors, too.
  __device__ __forceinline__ void await(T const*& from, int vectors, bool leaves) const {
    if constexpr (may_ask_early<Program>) {
      constexpr int vectors_of_line = 8;
      asm volatile("" : "+l"(from));
      if (a.split.asks_early) {
        T const* line = from + lane * ((vectors_of_line - 1) * v);
        ask_early(line, lane * vectors_of_line < vectors);
      }
    }
    await_operands<Program>(leaves);
  }
  // Count aligned vectors, all inside.
  template <int Count> __device__ __forceinline__ void take_whole(T const* from) {
    packed<T, v> all[Count];
#pragma unroll
    for (int u = 0; u < Count; ++u) {
      load_packed<read_once<Program>>(all[u], from);
      from += apart;
      asm volatile("" : "+l"(from));  // else all are found before
    }
#pragma unroll
    for (int u = 0; u < Count; ++u) add(all[u], 0, v);
  }
  // Count vectors, each in its run, as far as they are inside.
  template <int Count, class Positions>
  __device__ __forceinline__ void take_in_runs(Positions const& positions) {
    selected_registers<Program, loads_of<Count>> all;
    load_in_runs<Program, loads_of<Count>, v, Count>(all, a, offsets, positions);
#pragma unroll
    for (int u = 0; u < Count; ++u)
      if (positions.is_whole(u)) add(read_register<load>(all).at[u], 0, v);
  }
  // Aligned vectors from `from` on, Count or what the last vector behind them has a part of, of
  // which the lane has `held` elements but the first `low`, which are in front of the warp's.
  template <int Count, reuse Reuse>
  __device__ __forceinline__ void take_aligned(T const* from, T const* end, int held, int low) {
    // Whole vectors, and then one in part or none: the row's last, or what the first lane has for
    // the last one. Of a row's last elements an aligned vector may have others behind that are no
    // one's.
    packed<T, v> all[Count], rest{};
    int part = 0, whole = 0;
    if constexpr (!is_packed) {
      whole = held >> (31 - __clz(apart));
      part = held > 0 ? held & (apart - 1) : 0;
      if (part >= v) part = whole == Count ? v : 0;
    }
    T const* const last = from + static_cast<long long>(whole) * apart;
    int const most = held - v;
#pragma unroll
    for (int u = 0; u < Count; ++u) {
      if (u == few && most < u * apart) break;
      all[u] = {};
      load_packed<Reuse>(all[u], from, most >= u * apart);
      from += apart;
      asm volatile("" : "+l"(from));
    }
    if (part > 0) {
      if (last + v <= end)
        load_packed<Reuse>(rest, last);
      else
        rest = load_some<v>(last, part);
    }
#pragma unroll
    for (int u = 0; u < Count; ++u) {
      if (u == few && most < u * apart) break;
      if (most >= u * apart) add(all[u], u == 0 ? low : 0, v);
    }
    if (part > 0) add(rest, whole == 0 ? low : 0, part);
  }
  // Adds elements low, ..., high - 1 of a vector. Nothing is added of what is outside: a sum that
  // begins with 0 stays as it is.
  __device__ __forceinline__ void add(packed<T, v> const& vector, int low, int high) {
#pragma unroll
    for (int i = 0; i < v; ++i) {
      registers<Program, place::element> element;
      frame<Program> const here{f.launch, f.row, element, f.total};
      read_register<load>(element) = static_cast<typename I::value_type>(element_of(vector, i));
      evaluate_element<1, false>(here);
      for_each_selected<Program, reductions>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using op = typename reduction_facts<Program, k>::op;
        auto next = take_of<k>(here);
        if (i < low || i >= high) next = {};
        auto& chain = read_register<k>(chains).at[i];
        if constexpr (sums_products<Program, k>)
          chain = math::product_plus(next.x, next.y, chain);
        else
          chain = op::combine(chain, op::lift(next));
      });
    }
  }
  // Moves the chains of places `beyond`, ... to 0, ..., and those before to the lane before.
  __device__ __forceinline__ void turn(int beyond) {
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using state = typename reduction_facts<Program, k>::state;
      auto& own = read_register<k>(chains).at;
      state all[2 * v];
#pragma unroll
      for (int i = 0; i < v; ++i) {
        all[i] = own[i];
        all[v + i] = i + 1 < v ? __shfl_sync(~0u, own[i], lane + 1, width) : own[i];
      }
#pragma unroll
      for (int by = 8; by > 0; by /= 2) {
        if (by >= v) continue;
        bool const moves = (beyond & by) != 0;
#pragma unroll
        for (int i = 0; i < 2 * v; ++i)
          if (i + by < 2 * v) all[i] = moves ? all[i + by] : all[i];
      }
#pragma unroll
      for (int i = 0; i < v; ++i) own[i] = all[i];
    });
  }
};
#endif

}  // namespace tenon::detail
