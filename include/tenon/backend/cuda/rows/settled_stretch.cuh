// SPDX-License-Identifier: Apache-2.0
#pragma once
// A block's share of a row that begins anywhere and has any length, in shared memory: it comes and
// leaves by memory's own aligned vectors, and is moved into the row's vectors once.
//
// Neighbouring lanes' vectors of a row have parts of the same vectors of memory. The first sweep
// reads the two that a vector has parts of, and leaves it where the first one was, so that later
// sweeps read it in one access; no other warp takes part, and there is no barrier.

#include "tenon/backend/cuda/rows/row_stretch.cuh"

namespace tenon::detail {

// Whether every element operand differs from row to row and is of whole vectors that cp.async
// moves, and every result has a vector of one whose place it takes.
template <class Program, int V>
inline constexpr bool can_be_settled_of = [] {
  int size = 0, loads = 0, stores = 0;
  bool result = true;
  for (instruction_facts const& i : program_traits<Program>::all) {
    if (!i.moves_elements) continue;
    result = result && !i.is_window && size_of(i.type) * V >= 4;
    result = result && (i.is_store || i.is_own());
    result = result && size_of(i.type) * V >= 8 && (size == 0 || size == size_of(i.type));
    size = size_of(i.type), (i.is_store ? stores : loads) += 1;
  }
  return result && loads > 0 && stores <= loads;
}();

// A vector more for each warp and step: the one behind that of its last lane.
template <class Program, class C> struct settled_stretch : row_stretch<Program, C> {
  using base = row_stretch<Program, C>;
  using base::bytes, base::items, base::v;
  using own = typename base::own;
  template <int K> using at = typename base::template at<K>;
  template <int K> using vector = typename base::template vector<K>;
  static constexpr int shared_bytes = 0;
  // Of all steps of a block.
  static constexpr int bytes_of(int steps, int lanes) {
    return bytes * steps * (lanes + lanes / 32);
  }
  // The operand in whose place store K waits.
  template <int K> static consteval int place_for() {
    int rank = rank_among<Program, element_stores<Program, 1>>(K);
    for (int k = 0; k < program_traits<Program>::size; ++k)
      if (is_held<Program, own>(k) && rank-- == 0) return k;
    return -1;
  }

#if defined(__CUDA_ARCH__)
  using base::lanes, base::steps, base::slot;

  // What a row's vectors and those of memory have to do with each other: vector i of the row has
  // parts of vectors i and i + 1 of memory.
  struct vectors_of_memory {
    int beyond;      // elements in front of the row in the first one
    int begin, end;  // those that are all of the row

    template <class T>
    __device__ __forceinline__ vectors_of_memory(T const* row, int size)
        : beyond(elements_beyond<v>(row)),
          begin(beyond > 0),
          end(size > 0 ? (beyond + size) / v : 0) {}
    __device__ __forceinline__ bool is_whole(int i) const { return i >= begin && i < end; }
    __device__ __forceinline__ bool is_part(int i) const { return i < begin || i == end; }
  };

  // The vector behind that of the warp's last lane.
  template <int K> __device__ __forceinline__ vector<K>* seam(int step) const {
    constexpr int before = bytes_among<Program, own>(K) * v;
    int const warps = lanes / 32;
    return reinterpret_cast<vector<K>*>(dynamic_shared() + bytes * (steps * lanes) +
                                        before * (steps * warps)) +
           step * warps + threadIdx.x / 32;
  }
  static __device__ __forceinline__ bool is_last_lane() { return threadIdx.x % 32 == 31; }

  // Asks for all of a row of `size` elements, none of which is wanted where it is 0.
  template <class Arguments>
  __device__ __forceinline__ void bring(Arguments const& a, operand_offsets<Program> const& row,
                                        item_positions<int> const& positions, int size) const {
    __syncwarp();  // what the row before left is written
    ask_seams(a, row, positions, size);
#pragma unroll 1
    for (int step = 0; step < steps; step += items) ask(a, row, positions.from(step), step, size);
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      bring_parts<k>(load_address<Program, k>(a, row.loads[at<k>::bits]), positions, size);
    });
    base::end_asking();
  }
  // Waits for the tile of all operands that begins with `step`, which becomes as it is in the row.
  template <class Tile, class Arguments>
  __device__ __forceinline__ void settle(Tile& tile, Arguments const& a,
                                         operand_offsets<Program> const& row, int step) const {
    base::await_tile();
    __syncwarp();
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      settle<k>(read_register<k>(tile).at, step,
                elements_beyond<v>(load_address<Program, k>(a, row.loads[at<k>::bits])));
    });
  }
  // Writes the results of store K that wait from step `step` on. @pre the lanes of the warp know
  // @post nothing beyond column `size` is written
  template <int K, int Count, class T>
  __device__ __forceinline__ void send(T* row, item_positions<int> const& positions, int step,
                                       int size, cache_policy kept) const {
    constexpr int place = place_for<K>(), element = static_cast<int>(sizeof(T)),
                  vector_bytes = element * v;
    int const lane = static_cast<int>(threadIdx.x) % 32;
    T* run = row + static_cast<long long>(positions.at(0) - lane) * v;
    int left = size - (positions.at(0) - lane) * v;
    unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(slot<place>(step) - lane));
    // The same of every run, because they are whole vectors apart.
    int const head = -static_cast<int>(reinterpret_cast<std::uintptr_t>(run) / element) & (v - 1);
#pragma unroll
    for (int u = 0; u < Count; ++u) {
      int const count = left < 32 * v ? left : 32 * v,
                whole = count > head ? (count - head) / v : 0, rest = count - whole * v,
                at = lane < head ? lane : whole * v + lane;
      packed<T, v> low, high;
      load_shared(low, from + lane * vector_bytes);
      load_shared(high, from + (lane < 31 ? lane + 1 : 31) * vector_bytes);
      store_packed(run + head + lane * v, part_of(low, high, head), lane < whole, kept);
      if (lane < rest) {
        packed<T, 1> one;
        load_shared(one, from + at * element);
        store_packed(run + at, one, true, kept);
      }
      run += lanes * v, left -= lanes * v, from += lanes * vector_bytes;
    }
  }
  template <class Arguments>
  __device__ __forceinline__ void prefetch(Arguments const& a, operand_offsets<Program> const& row,
                                           item_positions<int> const& positions,
                                           long long number) const {
    int const left = positions.end - positions.first, all = steps * lanes;
    prefetch_stretch<Program, C, true>(a, row, positions.first, left < all ? left : all, number);
  }

 private:
  template <int K>
  __device__ __forceinline__ void settle(vector<K> (&tile)[items], int step, int beyond) const {
#pragma unroll
    for (int u = 0; u < items; ++u) {
      vector<K> const* const mine = slot<K>(step + u);
      load_whole(tile[u], *mine);
      if (beyond == 0) continue;
      vector<K> high;
      load_whole(high, is_last_lane() ? *seam<K>(step + u) : mine[1]);
      tile[u] = part_of(tile[u], high, beyond);
    }
    if (beyond == 0) return;
    __syncwarp();
#pragma unroll
    for (int u = 0; u < items; ++u) base::template put<K>(step + u, tile[u]);
  }
  // Asks for the seams, which come with the first tile: a lane has that of one step.
  template <class Arguments>
  __device__ __forceinline__ void ask_seams(Arguments const& a, operand_offsets<Program> const& row,
                                            item_positions<int> const& where, int size) const {
    static_assert(base::most_tiles * items <= 32);
    int const step = static_cast<int>(threadIdx.x) % 32, i = behind_warp(where, step);
    if (step >= steps) return;
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto const* const begin = load_address<Program, k>(a, row.loads[at<k>::bits]);
      vectors_of_memory const memory(begin, size);
      if (!memory.is_part(i))
        copy_or_clear<vector<k>::bytes>(seam<k>(step),
                                        begin - memory.beyond + static_cast<long long>(i) * v,
                                        memory.is_whole(i));
    });
  }
  // The vector behind those of the warp at a step.
  __device__ __forceinline__ static int behind_warp(item_positions<int> const& where, int step) {
    return where.at(step) - static_cast<int>(threadIdx.x) % 32 + 32;
  }
  template <class Arguments>
  __device__ __forceinline__ void ask(Arguments const& a, operand_offsets<Program> const& row,
                                      item_positions<int> const& where, int step, int size) const {
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto const* const begin = load_address<Program, k>(a, row.loads[at<k>::bits]);
      vectors_of_memory const memory(begin, size);
      auto const* const from = begin - memory.beyond + static_cast<long long>(where.at(0)) * v;
#pragma unroll
      for (int u = 0; u < items; ++u)
        if (!memory.is_part(where.at(u)))
          copy_or_clear<vector<k>::bytes>(slot<k>(step + u), from + where.template offset<v>(u),
                                          memory.is_whole(where.at(u)));
    });
    end_of_copies();
  }
  // The vectors of memory that a row begins and ends in, element by element: the first one, the
  // last one, and that in a seam.
  template <int K, class T>
  __device__ __forceinline__ void bring_parts(T const* row, item_positions<int> const& where,
                                              int size) const {
    vectors_of_memory const memory(row, size);
    int const last = (memory.end - where.first) / lanes, lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 1
    for (int place = 0; place < 3; ++place) {
      int const step = place == 0   ? 0
                       : place == 1 ? last
                                    : lane,
                i = place < 2 ? where.at(step) : behind_warp(where, step);
      bool const is_wanted = place == 0 ? i < memory.begin : i == memory.end;
      if (is_wanted && static_cast<unsigned>(step) < static_cast<unsigned>(steps))
        bring_part<K>(place < 2 ? slot<K>(step) : seam<K>(step), row, i * v - memory.beyond, size);
    }
  }
  // Elements first, ..., first + v - 1, of which some are of the row.
  template <int K, class T>
  __device__ __forceinline__ static void bring_part(vector<K>* to, T const* row, int first,
                                                    int size) {
    packed<T, 1> all[v];
#pragma unroll
    for (int i = 0; i < v; ++i) {
      all[i] = {};
      load_packed<reuse::near>(all[i], row + first + i, first + i >= 0 && first + i < size);
    }
    store_whole(*to, pack_elements<T, v>(all));
  }
#endif
};

#if defined(__CUDA_ARCH__)
// Positions of which what is stored waits in the share, from step `step` on.
template <class Program, class C> struct settled_results : item_positions<int> {
  static constexpr bool finds_parts = true;
  settled_stretch<Program, C> const& share;
  int step;

  template <int K, class T>
  __device__ __forceinline__ void keep(packed<T, C::vector_width> const& vector, int u) const {
    using stretch = settled_stretch<Program, C>;
    constexpr int place = stretch::template place_for<K>();
    share.template put<place>(step + u,
                              __builtin_bit_cast(typename stretch::template vector<place>, vector));
  }
};
#endif

}  // namespace tenon::detail
