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
    long long const step = tile.worker.a.store_columns[at<K>::bits][0];
#pragma unroll
    for (int u = 0; u < Tile::count; ++u) {
      auto const store_element = [&](int i) {
        if (!is_whole && column(u) + i >= size()) return;
        find_window<Program, K>(tile.frame_of(u, i));
        store_one<K>(tile.frame_of(u, i), tile.worker.a,
                     tile.worker.where.stores[at<K>::bits] + (column(u) + i) * step);
      };
      store_element(0);
      if (!stores_first_alone<Program, K, v>(tile.worker, tile.frame_of(0, 0)))
#pragma unroll
        for (int i = 1; i < v; ++i) store_element(i);
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
