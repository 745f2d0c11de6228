// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the elements of a scanned tile leave: as vectors, or by way of shared memory where memory
// does not have them as such.

#include "tenon/backend/cuda/scan/windows.cuh"
#include "tenon/backend/cuda/scan/worker.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Whether value K is block_max(abs(X)).
template <class Program, int K, int X> consteval bool is_largest() {
  using I = typename program_traits<Program>::template at<K>;
  if constexpr (std::is_same_v<typename I::op, ops::block_maximum>) {
    using abs = typename program_traits<Program>::template at<I::first_operand>;
    return std::is_same_v<typename abs::op, ops::abs> && abs::first_operand == X;
  }
  return false;
}
// Where store K is of products x * y as float8_e4m3, and y is what a block has in common: the
// number of block_max(abs(x)), which says whether one of them is too large; -1 if there is none.
template <class Program, int K, int V> consteval int find_largest() {
  using traits = program_traits<Program>;
  using product = typename traits::template at<traits::template at<K>::first_operand>;
  int result = -1;
  if constexpr (std::is_same_v<storage_t<traits::template at<K>::type>, float8_e4m3> &&
                std::is_same_v<typename product::op, ops::mul> && product::type == dtype::f32)
    if constexpr (block_values<Program, V>::template holds<product::second_operand>)
      [&]<int... N>(std::integer_sequence<int, N...>) {
        ((result = is_largest<Program, N, product::first_operand>() ? N : result), ...);
      }
  (typename traits::sequence{});
  return result;
}

// The part of a tile that a thread has (scan_worker::tile), and where shared memory has room for
// item u of its warp: run_slot(runs, u). HasRest: and behind it for a word more.
template <class Program, bool HasRest, class Tile, class RunSlot> struct tile_stores {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static constexpr int v = Tile::width;
  using sharing = typename decltype(Tile::blocks)::sharing;

  Tile& tile;
  RunSlot const& run_slot;
  bool const is_whole;  // all elements are to be stored, and as vectors

  __device__ __forceinline__ void store() {
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = at<k>;
      if constexpr (I::is_store && I::where == place::element) {
        auto const& a = tile.worker.a;
        if constexpr (I::is_window)
          store_elements<k>();
        else if (is_whole)
          store_vectors<k, true>();
        else if (a.tail == 0 && (a.store_access[I::bits] == access::packed || is_backward<k>()))
          store_vectors<k, false>();
        else
          store_runs<k>();
      }
    });
  }

 private:
  // This thread's first column of item u.
  __device__ __forceinline__ auto column(int u) const {
    return tile.mine + u * tile.worker.item_step();
  }
  __device__ __forceinline__ auto size() const {
    return static_cast<decltype(column(0))>(tile.worker.row_size());
  }
  template <int K> __device__ __forceinline__ auto* address(long long offset) const {
    return store_address<Program, K>(tile.worker.a, tile.worker.where.stores[at<K>::bits] + offset);
  }
  // Whether its rows go from their ends to their beginnings, as those of a load may.
  template <int K> __device__ __forceinline__ bool is_backward() const {
    if constexpr (has_reversed<Program>)
      return tile.worker.a.store_access[at<K>::bits] == access::backward;
    else
      return false;
  }
  // IsInside: its elements are not too large for their type.
  template <int K, bool IsInside = false> __device__ __forceinline__ auto vector(int u) const {
    using operand = at<at<K>::first_operand>;
    typename operand::value_type values[v];
#pragma unroll
    for (int i = 0; i < v; ++i) values[i] = value_of<at<K>::first_operand>(tile.frame_of(u, i));
    if constexpr (std::is_same_v<storage_t<at<K>::type>, float8_e4m3> && IsInside)
      return pack_e4m3(values, true);
    else
      return pack<storage_t<at<K>::type>>(values);
  }
  // Whether no element of this warp's is too large for its type.
  template <int K> __device__ __forceinline__ bool are_inside() const {
    bool result = true;
    constexpr int largest = find_largest<Program, K, v>();
    using product = at<at<K>::first_operand>;
#pragma unroll
    for (int j = 0; j < sharing::each; ++j) {
      frame<Program> const f = tile.blocks.frame_of(tile.worker, j);
      auto const size = value_of<largest>(f) * value_of<product::second_operand>(f);
      result = result && is_inside_e4m3(size);
    }
    return __all_sync(~0u, result);
  }

  template <int K> __device__ __forceinline__ void store_elements() {
    constexpr int operand = at<K>::first_operand, distance = find_distance<Program, K, v>();
    constexpr bool is_of_block = Tile::common::template holds<operand>;
    if constexpr (distance > 0) {
      stepped_part<Program, K, v> const part(tile.worker, tile.frame_of(0, 0));
      if constexpr (is_of_block && distance == Tile::common::length) {
        if (part.is_aligned) return store_of_blocks<K>(part);
        tile.blocks.template tell<operand>(tile);
      } else if (part.is_aligned) {
        return store_firsts<K>(part);
      }
      if constexpr (same_in_vectors<Program, v>::template holds<operand>)
        return store_some<K>(part);
    }
    long long const step = tile.worker.a.store_columns[at<K>::bits][0];
#pragma unroll
    for (int u = 0; u < Tile::count; ++u)
#pragma unroll
      for (int i = 0; i < v; ++i) {
        if (!is_whole && column(u) + i >= size()) continue;
        find_window<Program, K>(tile.frame_of(u, i));
        store_one<K>(tile.frame_of(u, i), tile.worker.a,
                     tile.worker.where.stores[at<K>::bits] + (column(u) + i) * step);
      }
  }
  // One column of each block, by a lane that has what the block has in common.
  template <int K, class Part> __device__ __forceinline__ void store_of_blocks(Part const& part) {
    auto* const row = address<K>(part.row);
    unsigned const numbers = part.numbers(size());
#pragma unroll
    for (int j = 0; j < sharing::each; ++j) {
      int const block = static_cast<int>(column(sharing::own(j))) -
                        static_cast<int>(threadIdx.x % Tile::common::lanes) * v;
      typename at<at<K>::first_operand>::value_type const value[1] = {
          value_of<at<K>::first_operand>(tile.blocks.frame_of(tile.worker, j))};
      unsigned const number = part.number_in_block(block);
      store_packed(row + number * part.stride, pack<storage_t<at<K>::type>>(value),
                   number < numbers && sharing::is_first());
    }
  }
  template <int K, class Part> __device__ __forceinline__ void store_firsts(Part const& part) {
    using T = storage_t<at<K>::type>;
    T* const row = address<K>(part.row);
#pragma unroll
    for (int u = 0; u < Tile::count; ++u) {
      int const first = static_cast<int>(column(u));
      typename at<at<K>::first_operand>::value_type const value[1] = {
          value_of<at<K>::first_operand>(tile.frame_of(u, 0))};
      store_packed(row + part.number_of(first) * part.stride, pack<T>(value),
                   part.holds(first) && (is_whole || column(u) < size()));
    }
  }
  // @pre the elements of a vector are the same
  template <int K, class Part> __device__ __forceinline__ void store_some(Part const& part) {
#pragma unroll
    for (int u = 0; u < Tile::count; ++u)
#pragma unroll 1
      for (int i = 0; i < v; ++i) {
        long long const at = part.place_of_any(column(u) + i);
        if (at != ops::nowhere && (is_whole || column(u) + i < size()))
          *address<K>(at) = to_storage<storage_t<tile_stores::at<K>::type>>(
              value_of<tile_stores::at<K>::first_operand>(tile.frame_of(u, 0)));
      }
  }
  template <int K, bool IsWhole> __device__ __forceinline__ void store_vectors() {
    if constexpr (find_largest<Program, K, v>() >= 0)
      if (are_inside<K>()) return store_vectors<K, IsWhole, true>();
    store_vectors<K, IsWhole, false>();
  }
  template <int K, bool IsWhole, bool IsInside> __device__ __forceinline__ void store_vectors() {
    bool const turns = is_backward<K>();
#pragma unroll
    for (int u = 0; u < Tile::count; ++u) {
      auto elements = vector<K, IsInside>(u);
      if constexpr (has_reversed<Program>)
        if (turns) elements = backward(elements);
      store_packed(address<K>(turns ? 1 - v - column(u) : column(u)), elements,
                   IsWhole || column(u) < size(), tile.worker.a.stored);
    }
  }
  // All items are in shared memory before the first is written: the addresses of a single one take
  // registers enough.
  template <int K> __device__ __forceinline__ void store_runs() {
    using T = storage_t<at<K>::type>;
    using vectors = staged_vectors<T, v>;
    constexpr bool has_runs =
        vectors::words > 0 && (HasRest || !vectors::has_parts || vectors::bytes < 16);
    auto const& worker = tile.worker;
    long long const step = worker.a.store_columns[at<K>::bits][0],
                    first = tile.mine - worker.own(Tile::begin * worker.item_step());
    bool const is_run = has_runs && worker.a.store_access[at<K>::bits] <= access::elements;
    auto const runs = worker.runs_of(first).from(Tile::begin);
    T* const row = address<K>(first * step);
    __syncwarp();  // what was in the slots is not needed any more
#pragma unroll
    for (int u = 0; u < Tile::count; ++u) {
      unsigned const slot = run_slot(runs, Tile::begin + u);
      if constexpr (has_runs)
        if (is_run) {
          vectors::hold(slot, row, vector<K>(u), runs, u);
          continue;
        }
      store_shared(vectors::own(slot, runs), vector<K>(u));
    }
    __syncwarp();
#pragma unroll 1
    for (int u = 0; u < Tile::count && runs.is_live(u); ++u) {
      unsigned const slot = run_slot(runs, Tile::begin + u);
      if constexpr (has_runs)
        if (is_run) {
          vectors::template send_held<false>(slot, row, runs, u, 0, runs.size);
          continue;
        }
      packed<T, v> held;
      load_shared(held, vectors::own(slot, runs));
      int const count = runs.template count<v>(u);
#pragma unroll
      for (int i = 0; i < v; ++i) {
        packed<T, 1> const one = pop_element(held);
        store_packed(row + (runs.at(u) * v + i) * step, one, i < count);
      }
    }
    __syncwarp();
  }
};

template <class Program, bool HasRest, class Tile, class RunSlot>
__device__ __forceinline__ void store_tile(Tile& tile, bool is_whole, RunSlot const& run_slot) {
  tile_stores<Program, HasRest, Tile, RunSlot>{tile, run_slot, is_whole}.store();
}

}  // namespace tenon::detail
#endif
