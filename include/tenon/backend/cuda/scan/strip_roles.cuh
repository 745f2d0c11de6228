// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the warps of a block do that scans strips: those that have elements scan them, one adds what
// these told, and one finds what comes before a tile.

#include "tenon/backend/cuda/scan/strip_exchange.cuh"
#include "tenon/backend/cuda/scan/strip_worker.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The scans, each with a state for each of a lane's rows.
template <class Program, int RowsOfLane> struct walked_scans : needed_scans<Program, 1, true> {
  template <int K>
  using type = value_list<typename needed_scans<Program, 1, true>::template type<K>, RowsOfLane>;
};

template <class Program, class C> struct strip_roles {
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;
  using memory = strip_memory<Program, C>;
  using worker = strip_worker<Program, C>;
  template <int K> using op_of = typename at<K>::op;
  template <int K> using state_of = typename worker::template state_of<K>;
  template <int K> using exchange_of = strip_exchange<op_of<K>, arithmetic_t<at<K>::type>>;
  static constexpr int v = C::vector_width, first = first_scan<Program>,
                       rows_of_lane = (memory::rows + 31) / 32;

  strip_arguments<Program> const& a;

  __device__ __forceinline__ void begin() const {
    if (threadIdx.x == 0)
      for_each_scan([&](auto scan) {
        constexpr int k = decltype(scan)::value;
        for (int number = 0; number < memory::template places<k>; ++number) {
          auto& counters = memory::template counters_of<k>(number);
          counters.told.init(strip_warps);
          counters.added.init(1);
          counters.heard.init(1);
        }
      });
    __syncthreads();
  }

  __device__ __forceinline__ void compute() const {
    worker mine(a);
    mine.template begin_launch<true>();
    strip_tile asked(a), told(a), finished(a);
    int asked_at = 0, told_at = 0, finished_at = 0;
    auto const go_on = [&](strip_tile& tile, int& buffer) {
      tile.go_on(a);
      if (++buffer == strip_tiles_held) buffer = 0;
    };
    typename worker::running_states before[v];
    state_of<first> in_front[v], of_next[v];
    auto const ask = [&] {
      if (asked.exists(a)) mine.bring(asked, asked_at);
      end_of_copies();
      go_on(asked, asked_at);
    };
    auto const tell = [&](int number, state_of<first>(&to)[v]) {
      wait_for_copies<1>();
      if (told.exists(a)) mine.template tell<first>(told, told_at, number, before, to);
      go_on(told, told_at);
    };
    ask();
    ask();
    tell(0, in_front);
#pragma unroll 1
    for (int number = 0; finished.exists(a); ++number) {
      ask();
      tell(number + 1, of_next);
      mine.template finish<first>(finished, finished_at, number, before, in_front);
#pragma unroll
      for (int i = 0; i < v; ++i) in_front[i] = of_next[i];
      go_on(finished, finished_at);
    }
    wait_for_sent();
  }

  // Adds what the warps of each tile told, in their order, and tells other blocks.
  __device__ __forceinline__ void add() const {
    strip_tile tile(a), next(a);
    add_scan<first>(next, 0);
#pragma unroll 1
    for (int number = 0; tile.exists(a); ++number) {
      next.go_on(a);
      if (next.exists(a)) add_scan<first>(next, number + 1);
      for_each_scan([&](auto scan) {
        constexpr int k = decltype(scan)::value;
        if constexpr (k != first) add_scan<k>(tile, number);
      });
      tile.go_on(a);
    }
  }

  // Finds what comes before each tile.
  __device__ __forceinline__ void hear() const {
    selected_registers<Program, walked_scans<Program, rows_of_lane>> walked;
    strip_tile tile(a);
#pragma unroll 1
    for (int number = 0; tile.exists(a); ++number) {
      for_each_scan([&](auto scan) {
        constexpr int k = decltype(scan)::value;
        hear_scan<k>(tile, number, read_register<k>(walked).at);
      });
      tile.go_on(a);
    }
    if (shares_strips()) leave();
  }

 private:
  template <class Visit> static __device__ __forceinline__ void for_each_scan(Visit const& visit) {
    for_each_selected<Program, needed_scans<Program, 1, true>>(visit);
  }
  __device__ __forceinline__ bool shares_strips() const { return a.parts > 1 && !a.is_walked; }
  __device__ __forceinline__ int rows() const { return a.lanes * v; }
  template <int K> __device__ __forceinline__ exchange_of<K> exchange() const {
    return exchange_of<K>(a.strips, a.parts, rows(), a.workspace, scans_before<Program>(K),
                          scan_words_before<Program, K>);
  }

  template <int K>
  __device__ __forceinline__ void add_scan(strip_tile const& tile, int number) const {
    auto& counters = memory::template counters_of<K>(number);
    auto& states = memory::template states_of<K>(number);
    exchange_of<K> const others = exchange<K>();
    bool const is_told = shares_strips() && others.is_told(tile.part);
    counters.told.wait(memory::template turn_of<K>(number));
    for (int row = static_cast<int>(threadIdx.x % 32); row < rows(); row += 32)
#pragma unroll 1
      for (int begin = 0; begin < strip_warps; begin += a.warps_along) {
        state_of<K> all = op_of<K>::template identity<arithmetic_t<at<K>::type>>();
#pragma unroll 4
        for (int warp = begin; warp < begin + a.warps_along; ++warp) {
          state_of<K> const mine = states.of_warps[warp][row];
          states.of_warps[warp][row] = all;
          all = op_of<K>::combine(all, mine);
        }
        if (a.parts > 1) states.all[row] = all;
        if (is_told) others.leave_part(tile.strip, tile.part, row, all);
      }
    __syncwarp();
    if (threadIdx.x % 32 == 0) counters.added.arrive();
    if (is_told) others.tell_part(tile.strip, tile.part);
  }

  template <int K>
  __device__ __forceinline__ void hear_scan(strip_tile const& tile, int number,
                                            state_of<K> (&walked)[rows_of_lane]) const {
    auto& counters = memory::template counters_of<K>(number);
    auto& states = memory::template states_of<K>(number);
    counters.added.wait(memory::template turn_of<K>(number));
    if (a.is_walked) {
#pragma unroll
      for (int j = 0; j < rows_of_lane; ++j) {
        int const row = static_cast<int>(threadIdx.x % 32) + 32 * j;
        if (tile.part == 0) walked[j] = op_of<K>::template identity<arithmetic_t<at<K>::type>>();
        if (row >= rows()) continue;
        states.before[row] = walked[j];
        walked[j] = op_of<K>::combine(walked[j], states.all[row]);
      }
    } else if (a.parts > 1) {
      exchange<K>().template hear<rows_of_lane>(
          tile.strip, tile.part, [&](int row) { return states.all[row]; },
          [&](int row, state_of<K> const& before) { states.before[row] = before; });
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) counters.heard.arrive();
  }

  // The last block whose tiles all have what they waited for clears the flags for the next launch.
  // @pre the counter was 0, which it is then again
  __device__ __forceinline__ void leave() const {
    bool is_last = false;
    if (threadIdx.x % 32 == 0) {
      __threadfence();  // what the block heard before its ticket
      is_last = atomicInc(a.workspace, gridDim.x - 1) == gridDim.x - 1;
      __threadfence();  // the ticket before the flags of the others
    }
    if (!__any_sync(~0u, is_last)) return;
    int const count = scans_before<Program>(traits::size) * exchange<first>().flag_count();
#pragma unroll 1
    for (int k = static_cast<int>(threadIdx.x % 32); k < count; k += 32)
      a.workspace[first_slot + k] = 0;
  }
};

}  // namespace tenon::detail
#endif
