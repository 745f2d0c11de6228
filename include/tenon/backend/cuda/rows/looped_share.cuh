// SPDX-License-Identifier: Apache-2.0
#pragma once
// A block's share of a row that is longer than registers: which segments it has, and what several
// sweeps need of them, in shared memory.

#include "tenon/backend/cuda/parts/kept_vectors.cuh"
#include "tenon/backend/cuda/parts/single_vector.cuh"
#include "tenon/backend/cuda/rows/values.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct looped_share {
  static constexpr int v = C::vector_width, items = C::items, dims = C::group_dims,
                       threads = C::threads_per_block;
  static constexpr long long tile_size = static_cast<long long>(threads) * items;
  static constexpr bool may_keep = is_any_kept<Program, v>;
  using kept = kept_vectors<Program, v, threads>;
  // Tiles that are brought at once.
  static constexpr int most_sent =
      may_keep ? static_cast<int>(most_kept_bytes / (kept::bytes_per_step * items)) : 0;

  rows_arguments<Program, C> const& a;
  int blocks, rank;  // blocks that share a row, and which of them this is
  int const own = (a.split.segments - 1 - rank) / blocks + 1;  // segments that this block has
  // Whether all of them that is kept has room at once; else each sweep brings a stretch after the
  // other.
  bool const is_whole = own * a.split.tiles_per_segment <= a.split.kept_tiles;

  // Odd sweeps go forwards and even ones backwards, so that each begins with what the one before
  // read last.
  template <int Sweep> __device__ __forceinline__ int place_of(int turn) const {
    return Sweep % 2 == 1 ? turn : own - 1 - turn;
  }
  // Number `place` of the block's segments.
  __device__ __forceinline__ int segment_at(int place) const { return rank + place * blocks; }

  // Tiles that a segment has.
  __device__ __forceinline__ int tiles_of(int segment) const {
    long long const most = a.split.tiles_per_segment,
                    left = divide_up(a.vectors - segment * most * tile_size, tile_size);
    return static_cast<int>(left < most ? left : most);
  }
  // This thread's vectors of a segment.
  __device__ __forceinline__ far_positions positions_of(int segment) const {
    long long const size = a.split.tiles_per_segment * tile_size, origin = segment * size,
                    left = a.vectors - origin;
    // 32 bits hold the number of a segment's vectors, the last of which may be one in part.
    int const vectors = static_cast<int>(left < size ? left : size),
              partial = left <= size ? a.tail : 0;
    return {{static_cast<int>(threadIdx.x), threads, vectors - (partial != 0), partial}, origin};
  }

  // The step of shared memory where segment number `place` begins. @pre is_whole
  __device__ __forceinline__ int step_of(int place) const {
    return place * a.split.tiles_per_segment * items;
  }

  // Brings all that is kept of a row. @pre is_whole
  __device__ __forceinline__ void bring_all(operand_offsets<Program> const& row) const {
    int sent = 0;
    for (int place = 0; place < own; ++place) {
      int const segment = segment_at(place);
      far_positions positions = positions_of(segment);
      int step = step_of(place);
      int const last = step + tiles_of(segment) * items;
#pragma unroll 1
      for (int by = items; step < last; step += by, positions.first += by * threads, ++sent) {
        // What does not travel by itself is asked for together. H200, us, softmax with a call for
        // each vector and without: 4 x 1048576 f32 13.3 and 12.5 in the caches, bf16 of one row 8.3
        // and 7.9, layer norm 9.0 and 8.5.
        if (a.is_packed)
          send_items<items>(step, positions, row);
        else
          bring(step, positions, by = last - step, row);
        end_of_copies();
      }
    }
    // They always count as most_sent tiles: what the first sweep waits for is a constant.
#pragma unroll 1
    for (; sent < most_sent; ++sent) end_of_copies();
  }
  // The first `count` of `positions` to step `step` and those that follow.
  __device__ __forceinline__ void bring(int step, far_positions const& positions, int count,
                                        operand_offsets<Program> const& row) const {
    kept::template bring_all<dims>(step, a, row, positions, count);
  }
  // Writes misaligned results of `count` steps, which wait where the row did. @pre all threads of
  // the block call it, and again before the places are used
  __device__ __forceinline__ void send(int step, far_positions const& positions, int count,
                                       operand_offsets<Program> const& row) const {
    __syncthreads();
    for_each_selected<Program, element_stores<Program, v>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      if (a.store_access[I::bits] != access::elements) return;
      int const thread = static_cast<int>(threadIdx.x),
                left = (positions.end - (positions.first - thread)) * v + positions.partial,
                most = count * threads * v;
      kept::template send<k>(
          store_address<Program, k>(a, row.stores[I::bits]) + (positions.at(0) - thread) * v, step,
          left < most ? left : most);
    });
    __syncthreads();
  }
  // @pre every operand is packed
  template <int Count, class Positions>
  __device__ __forceinline__ void send_items(int step, Positions const& positions,
                                             operand_offsets<Program> const& row) const {
    for_each_selected<Program, kept_loads<Program, v>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      auto const* from = load_address<Program, k>(a, row.loads[I::bits]) + positions.at(0) * v;
#pragma unroll
      for (int u = 0; u < Count; ++u)
        if (positions.is_whole(u)) kept::template bring<k>(step + u, from + u * threads * v);
    });
  }
  // What all rows share, where vectors come one by one: parts of misaligned ones are asked for
  // before anything waits. H200, us, layer norm, misaligned, by elements and so: 1 x 1048576 bf16
  // 15.8 and 13.9, f32 12.9 and 12.0, 64 x 1048576 bf16 239 and 225, f32 391 and 340.
  template <class Loads> struct shared_among {
    template <int K> using at = typename program_traits<Program>::template at<K>;
    static consteval bool holds(int k) {
      return Loads::holds(k) && !program_traits<Program>::all[k].varies_over_rows;
    }
    template <int K> using type = halved_vector<Program, K, storage_t<at<K>::type>, v>;
  };
  // The first items of `positions`: what is kept, from step `step` on.
  template <int Dims, int K, int Count, class Vector, class Positions>
  __device__ __forceinline__ void load_operand(Vector (&vectors)[Count], int step,
                                               Positions const& positions,
                                               operand_offsets<Program> const& row) const {
    if constexpr (is_held<Program, kept_loads<Program, v>>(K)) {
#pragma unroll
      for (int u = 0; u < Count; ++u) kept::template take<K>(vectors[u], step + u);
    } else {
      load_vectors<Program, K, v, Count, Dims, false>(vectors, a, row, positions);
    }
  }
  template <int Dims, int Count, class Loads, class Positions, int... K>
  __device__ __forceinline__ void load(register_file<Loads, std::integer_sequence<int, K...>>& tile,
                                       int step, Positions const& positions,
                                       operand_offsets<Program> const& row) const {
    if constexpr (Dims > packed_columns && Count == 1) {
      using shared = shared_among<Loads>;
      long long const at = positions.at(0);
      int const count = positions.template count<v>(0);
      selected_registers<Program, shared> asked;
      for_each_selected<Program, shared>([&](auto selected) {
        read_register<decltype(selected)::value>(asked).ask(a, row, at, count);
      });
      for_each_selected<Program, Loads>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        auto& to = read_register<k>(tile).at;
        if constexpr (shared::holds(k))
          to[0] = read_register<k>(asked).template join<Dims>(a, row, at, count);
        else
          load_operand<Dims, k>(to, step, positions, row);
      });
    } else {
      (load_operand<Dims, K>(read_register<K>(tile).at, step, positions, row), ...);
    }
  }
};

// Positions from step `step` on, where results wait.
template <class Program, int V, int Threads> struct result_positions : far_positions {
  static constexpr bool keeps_results = true;
  int step;

  template <int K, class T>
  __device__ __forceinline__ void keep(packed<T, V> const& vector, int u) const {
    using kept = kept_vectors<Program, V, Threads>;
    constexpr int l = kept_place_for<Program, V>(K);
    kept::template put<l>(step + u, __builtin_bit_cast(typename kept::template vector<l>, vector));
  }
};

}  // namespace tenon::detail
#endif
