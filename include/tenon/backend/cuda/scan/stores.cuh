// SPDX-License-Identifier: Apache-2.0
#pragma once
// How the elements of a scanned tile leave: as vectors, or by way of shared memory where memory
// does not have them as such.

#include "tenon/backend/cuda/scan/windows.cuh"
#include "tenon/backend/cuda/scan/worker.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The part of a tile that a thread has (scan_worker::tile), and where shared memory has room for
// item u of its warp: run_slot(runs, u). HasRest: and behind it for a word more.
template <class Program, bool HasRest, class Tile, class RunSlot> struct tile_stores {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static constexpr int v = Tile::width;

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
        else if (a.store_access[I::bits] == access::packed && a.tail == 0)
          store_vectors<k, false>();
        else
          store_runs<k>();
      }
    });
  }

 private:
  // This thread's first column of item u.
  __device__ __forceinline__ auto column(int u) const { return tile.mine + u * 32 * v; }
  __device__ __forceinline__ auto size() const {
    return static_cast<decltype(column(0))>(tile.worker.a.columns.size);
  }
  template <int K> __device__ __forceinline__ auto* address(long long offset) const {
    return store_address<Program, K>(tile.worker.a, tile.worker.where.stores[at<K>::bits] + offset);
  }
  template <int K> __device__ __forceinline__ auto vector(int u) const {
    using operand = at<at<K>::first_operand>;
    typename operand::value_type values[v];
#pragma unroll
    for (int i = 0; i < v; ++i) values[i] = value_of<at<K>::first_operand>(tile.frame_of(u, i));
    return pack<storage_t<at<K>::type>>(values);
  }

  template <int K> __device__ __forceinline__ void store_elements() {
    if constexpr (find_distance<Program, K, v>() > 0) {
      stepped_part<Program, K, v> const part(tile.worker, tile.frame_of(0, 0));
      if (part.is_aligned) return store_firsts<K>(part);
      if constexpr (same_in_vectors<Program, v>::template holds<at<K>::first_operand>)
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
#pragma unroll
    for (int u = 0; u < Tile::count; ++u)
      store_packed(address<K>(column(u)), vector<K>(u), IsWhole || column(u) < size());
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
                    first = tile.mine - worker.own(Tile::begin * 32 * v);
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
