// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where a thread is in a tile of strips, and how the elements of its positions come to shared
// memory.

#include "tenon/backend/cuda/parts/row_context.cuh"
#include "tenon/backend/cuda/parts/row_pieces.cuh"
#include "tenon/backend/cuda/parts/shared_access.cuh"
#include "tenon/backend/cuda/scan/strip_memory.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C>
struct strip_loader : row_context<Program, strip_arguments<Program>> {
  using base = row_context<Program, strip_arguments<Program>>;
  using base::a;
  using typename base::traits;
  template <int K> using at = typename traits::template at<K>;
  using memory = strip_memory<Program, C>;
  static constexpr int v = C::vector_width, items = C::items;

  __device__ __forceinline__ explicit strip_loader(strip_arguments<Program> const& arguments)
      : base(arguments) {
    int const along = warp() & (a.warps_along - 1), beside = warp() >> a.warps_log2,
              group = static_cast<int>(threadIdx.x % 32) >> a.lanes_log2;
    vector_in_tile_ = (beside << a.lanes_log2) + lane();
    position_in_tile_ = ((along << (5 - a.lanes_log2)) + group) * a.steps;
  }

  // Where a thread is in a tile.
  struct thread_place {
    operand_offsets<Program> offsets = {};  // of the first row at the first position
    vector_part<v> part{0};                 // rows that are inside: the first ones
    long long position = 0;
    int live = 0;  // positions of the tile
  };

  __device__ __forceinline__ int lane() const {
    return static_cast<int>(threadIdx.x) & (a.lanes - 1);
  }
  static __device__ __forceinline__ int warp() { return static_cast<int>(threadIdx.x) / 32; }

  // Asks for the elements of a tile. @post those of half types that are not whole vectors are there
  __device__ __forceinline__ void bring(strip_tile const& tile, int buffer) {
    thread_place const mine = find<strip_loads<Program, v>>(tile);
    if (mine.live == 0) return;
    for_each_selected<Program, strip_loads<Program, v>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = at<k>;
      using T = storage_t<I::type>;
      T const* const from = load_address<Program, k>(a, mine.offsets.loads[I::bits]);
      long long const step = a.load_steps[I::bits];
      bool const is_whole = a.load_moves_whole[I::bits] && mine.part.is_whole();
      if constexpr (travels_alone<T, v>)
        if (is_whole) {
#pragma unroll
          for (int u = 0; u < items; ++u)
            copy_under_way<static_cast<int>(sizeof(T)) * v>(slot<k>(buffer, u), from + u * step,
                                                            u < mine.live);
          return;
        }
      if constexpr (sizeof(T) >= 4)
        bring_singly<k>(buffer, mine, from, step);
      else
        put<k>(buffer, mine, from, step, is_whole);
    });
  }

  template <class Selected>
  __device__ __forceinline__ thread_place find(strip_tile const& tile) const {
    thread_place result;
    long long const vector =
        static_cast<long long>(tile.strip) * a.vectors_of_tile + vector_in_tile_;
    result.position = static_cast<long long>(tile.part) * a.positions_of_tile + position_in_tile_;
    long long const left = a.columns.size - result.position;
    if (vector >= a.rows.size || left <= 0) return result;
    result.live = left < a.steps ? static_cast<int>(left) : a.steps;
    auto const move = [&](int d, bool is_innermost, long long position) {
      if (is_innermost) result.part.left = a.innermost - position;
      for_each_instruction<Program>([&](auto index) {
        constexpr int k = decltype(index)::value;
        using I = at<k>;
        if constexpr (is_selected<Selected, k>) {
          if constexpr (I::is_store)
            result.offsets.stores[I::bits] += position * a.store_rows[I::bits][d];
          else
            result.offsets.loads[I::bits] += position * a.load_rows[I::bits][d];
        }
      });
    };
    if (a.is_single)
      move(0, true, vector * v);
    else
      for_each_digit(a.rows, vector, [&](int d, long long position) {
        bool const is_innermost = d == a.rows.dims - 1;
        move(d, is_innermost, is_innermost ? position * v : position);
      });
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = at<k>;
      if constexpr (is_selected<Selected, k> && I::where == place::element) {
        if constexpr (I::is_store)
          result.offsets.stores[I::bits] += result.position * a.store_steps[I::bits];
        else
          result.offsets.loads[I::bits] += result.position * a.load_steps[I::bits];
      }
    });
    return result;
  }
  template <class Selected, int K>
  static constexpr bool is_selected = is_held<Program, Selected>(K);

  template <int K> __device__ __forceinline__ unsigned slot(int buffer, int u) const {
    return static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared())) +
           memory::template offset_of<K>(buffer, u);
  }

 private:
  int vector_in_tile_, position_in_tile_;

  template <int K, class T>
  __device__ __forceinline__ void bring_singly(int buffer, thread_place const& mine, T const* from,
                                               long long step) const {
    long long const along = a.load_along[at<K>::bits];
#pragma unroll 1
    for (int u = 0; u < mine.live; ++u, from += step)
#pragma unroll
      for (int i = 0; i < v; ++i)
        copy_under_way<static_cast<int>(sizeof(T))>(
            slot<K>(buffer, u) + i * static_cast<unsigned>(sizeof(T)), from + i * along,
            i < mine.part.left);
  }
  // The same of elements that do not come by themselves.
  template <int K, class T>
  __device__ __forceinline__ void put(int buffer, thread_place const& mine, T const* from,
                                      long long step, bool is_whole) const {
    constexpr int at_once = items < 4 ? items : 4;
    long long const along = a.load_along[at<K>::bits];
#pragma unroll 1
    for (int begin = 0; begin < mine.live; begin += at_once, from += at_once * step) {
      packed<T, v> all[at_once] = {};
      auto const is_inside = [&](int u) { return begin + u < mine.live; };
      if (along == 0)
        load_splat(all, from, step, is_inside);
      else if (along == 1 && !is_whole && a.innermost >= v)
        load_rows_in_pieces(all, from, step, mine.part.count(), is_inside);
      else
#pragma unroll
        for (int u = 0; u < at_once; ++u)
          if (is_whole)
            load_packed<reuse::passing>(all[u], from + u * step, is_inside(u));
          else
            load_singly(all[u], from + u * step, along, is_inside(u) ? mine.part.count() : 0);
#pragma unroll
      for (int u = 0; u < at_once; ++u)
        if (is_inside(u)) store_shared(slot<K>(buffer, begin + u), all[u]);
    }
  }
};

}  // namespace tenon::detail
#endif
