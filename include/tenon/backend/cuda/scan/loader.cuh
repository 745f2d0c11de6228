// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which columns of a tile each thread of the scan skeletons has, and how they are loaded.

#include "tenon/backend/cuda/parts/backward_access.cuh"
#include "tenon/backend/cuda/parts/row_context.cuh"
#include "tenon/backend/cuda/parts/staged_tile.cuh"
#include "tenon/backend/cuda/scan/teams.cuh"

namespace tenon::detail {

// Every load of elements, as it lies in memory.
template <class Program, int V, int Items> struct element_loads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> static constexpr bool holds = at<K>::is_load&& at<K>::where == place::element;
  template <int K> using type = vector_list<storage_t<at<K>::type>, V, Items>;
};

// Whether shared memory has room for a tile of all operands and one of what is stored: 84 KB of
// blocks of 256 threads.
template <class Program, int Items>
inline constexpr bool has_stage_of_scan = element_operands<Program>::loads* Items <= 16;

#if defined(__CUDA_ARCH__)
// A team has a tile: Items vectors of V columns to a thread. @pre the columns have one axis
template <class Program, int V, int Items, class Arguments, class Team>
struct scan_loader : row_context<Program, Arguments> {
  using base = row_context<Program, Arguments>;
  using base::a;
  using base::where;
  using typename base::traits;
  template <int K> using at = typename traits::template at<K>;
  using base::base;
  Team team;

  // 0 where the team has none.
  __device__ __forceinline__ long long row_size() const {
    return team.has_row ? a.columns.size : 0;
  }
  static __device__ __forceinline__ long long tile_size() {
    return static_cast<long long>(Team::threads()) * (V * Items);
  }
  // This thread's first column of the tile that begins at `first`.
  static __device__ __forceinline__ long long own(long long first) {
    return first + Team::first_vector(Items) * V;
  }
  __device__ __forceinline__ int item_step() const { return static_cast<int>(team.lanes) * V; }

  // Whether the tile that begins at `first` is one of whole vectors of every operand, which needs
  // no look at single columns: half the instructions. The same in all lanes of a warp.
  __device__ __forceinline__ bool is_whole(long long first) const {
    return a.is_packed && team.are_all_there && first + tile_size() <= a.columns.size;
  }

  // The vectors of the tile that begins at `first`, from there on, as a warp moves them through
  // shared memory where memory does not have them as such.
  __device__ __forceinline__ staged_positions runs_of(long long first) const {
    long long const left = row_size() - first;
    int const size = left < 0             ? 0
                     : left < tile_size() ? static_cast<int>(left)
                                          : static_cast<int>(tile_size());
    staged_positions result(
        {static_cast<int>(own(0)) / V, static_cast<int>(team.lanes), size / V, size % V}, size);
    // A constant, which leaves a half of the code for runs of any length.
    if constexpr (Team::is_block) result.lanes = Team::lanes;
    return result;
  }

  // The loads of a tile and its stores have slots of their own: those of the next tile's loads are
  // in use while this one is stored.
  __device__ __forceinline__ staged_positions loaded_runs(long long first) const {
    auto result = runs_of(first);
    result.memory += Items * staged_positions::bytes_per_item(16);
    return result;
  }

  // Only where a row waits for a reduction.
  static constexpr bool asks_ahead = Team::is_block && traits::has_reduction;
  static consteval bool varies_over_rows(int k) { return traits::all[k].varies_over_rows; }
  // Has the L2 cache filled with the row that the plan says is to be brought while this one is
  // worked on.
  __device__ __forceinline__ void ask_ahead(long long row) const {
#if __CUDA_ARCH__ >= 900
    int const ahead = a.split.rows_ahead;
    if (ahead == 0 || threadIdx.x > 0 || row + ahead >= a.row_count) return;
    for_each_selected<Program, element_loads<Program, V, Items>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = at<k>;
      if constexpr (varies_over_rows(k))
        fill_cache(
            load_address<Program, k>(a, where.loads[I::bits] + ahead * a.load_rows[I::bits][0]),
            static_cast<int>(a.columns.size * static_cast<int>(sizeof(storage_t<I::type>))));
    });
#endif
  }

  // A thread's vectors of load K, the first of which begins at column `mine`.
  template <int K> struct own_vectors {
    storage_t<at<K>::type> const* first;
    int step;  // elements from one to the next
  };
  template <int K> __device__ __forceinline__ bool is_backward() const {
    if constexpr (at<K>::is_reversed)
      return a.load_access[at<K>::bits] == access::backward;
    else
      return false;
  }
  template <int K> __device__ __forceinline__ own_vectors<K> vectors_from(long long mine) const {
    long long const row = where.loads[at<K>::bits];
    if (is_backward<K>()) return {load_address<Program, K>(a, row + (1 - V) - mine), -item_step()};
    return {load_address<Program, K>(a, row + mine), item_step()};
  }

  // Asks for a tile; what is beyond the end of the columns is 0. It is there behind end_load().
  // IsOnce: nobody asks for it again.
  template <class Selected, bool IsOnce, class Tile>
  __device__ __forceinline__ void begin_load(Tile& raw, long long first) const {
    long long const mine = own(first), size = row_size();
    if (is_whole(first)) {
      for_each_selected<Program, Selected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = at<k>;
        own_vectors<k> const own = vectors_from<k>(mine);
#pragma unroll
        for (int u = 0; u < Items; ++u)
          load_packed<IsOnce ? expected_reuse<Program, I, false> : reuse::expected>(
              read_register<k>(raw).at[u], own.first + u * own.step);
      });
      return;
    }
    if (!a.is_packed) {
      if constexpr (has_stage_of_scan<Program, Items>)
        ask_staged<Program, Selected, V, Items, any_columns>(a, where, loaded_runs(first),
                                                             first / V);
      return;
    }
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& to = read_register<k>(raw).at;
      own_vectors<k> const own = vectors_from<k>(mine);
#pragma unroll
      for (int u = 0; u < Items; ++u) {
        to[u] = {};
        load_packed<reuse::expected>(to[u], own.first + u * own.step,
                                     mine + u * item_step() < size);
      }
    });
  }
  template <class Selected, class Tile>
  __device__ __forceinline__ void end_load(Tile& raw, long long first) const {
    if (a.is_packed) return turn_around<Selected>(raw);
    if constexpr (has_stage_of_scan<Program, Items>)
      take_staged<Program, Selected, V, Items, any_columns>(raw, a, where, loaded_runs(first),
                                                            first / V);
    else
      for_each_selected<Program, Selected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        auto const runs = runs_of(first);
#pragma unroll
        for (int u = 0; u < Items; ++u)
          read_register<k>(raw).at[u] = load_vector<Program, k, V, any_columns>(
              a, where, first / V + runs.at(u), runs.template count<V>(u));
      });
  }

 private:
  // What has come from the end of its row.
  template <class Selected, class Tile>
  __device__ __forceinline__ void turn_around(Tile& raw) const {
    if constexpr (has_reversed<Program>)
      for_each_selected<Program, Selected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        auto& to = read_register<k>(raw).at;
        if (is_backward<k>())
#pragma unroll
          for (int u = 0; u < Items; ++u) to[u] = backward(to[u]);
      });
  }
};
#endif

}  // namespace tenon::detail
