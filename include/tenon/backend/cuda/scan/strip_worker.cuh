// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread's part of a tile of strips: neighbouring positions of a vector of neighbouring rows,
// which it scans once to tell what they combine to, and once to store.

#include "tenon/backend/cuda/scan/strip_loader.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct strip_worker : strip_loader<Program, C> {
  using base = strip_loader<Program, C>;
  using base::a;
  using base::base;
  using base::lane, base::warp;
  using base::v;
  using typename base::memory;
  using typename base::thread_place;
  using typename base::traits;
  template <int K> using at = typename traits::template at<K>;
  template <int K> using op_of = typename at<K>::op;
  template <int K> using state_of = typename op_of<K>::template state<arithmetic_t<at<K>::type>>;
  using scans = needed_scans<Program, 1, true>;
  using running_states = selected_registers<Program, scans>;
  template <int K> static constexpr int scan_behind = next_scan<Program, 1, true, K + 1>;

  // Tells the block what this thread's elements combine to in scan K. @post `in_front` is what
  // those of its warp that come before them do
  template <int K>
  __device__ __forceinline__ void tell(strip_tile const& tile, int buffer, int number,
                                       running_states const (&before)[v],
                                       state_of<K> (&in_front)[v]) {
    state_of<K> all[v];
#pragma unroll
    for (int i = 0; i < v; ++i) all[i] = op_of<K>::template identity<arithmetic_t<at<K>::type>>();
    sweep<K>(tile, buffer, before,
             [&](auto const& f, int, int i) { all[i] = op_of<K>::combine(all[i], lifted<K>(f)); });
    scan_groups<K>(all, in_front);
    if (static_cast<int>(threadIdx.x % 32) >= 32 - a.lanes) {
      auto& states = memory::template states_of<K>(number);
#pragma unroll
      for (int i = 0; i < v; ++i) states.of_warps[warp()][i * a.lanes + lane()] = all[i];
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) memory::template counters_of<K>(number).told.arrive();
  }

  // Finishes a tile from scan K on, for which `in_front` was told.
  template <int K>
  __device__ __forceinline__ void finish(strip_tile const& tile, int buffer, int number,
                                         running_states (&before)[v],
                                         state_of<K> const (&in_front)[v]) {
    memory::template counters_of<K>(number).heard.wait(memory::template turn_of<K>(number));
    auto const& states = memory::template states_of<K>(number);
#pragma unroll
    for (int i = 0; i < v; ++i) {
      int const row = i * a.lanes + lane();
      state_of<K> state = states.of_warps[warp()][row];
      if (a.parts > 1) state = op_of<K>::combine(states.before[row], state);
      read_register<K>(before[i]) = op_of<K>::combine(state, in_front[i]);
    }
    constexpr int next = scan_behind<K>;
    if constexpr (next < traits::size) {
      state_of<next> of_next[v];
      tell<next>(tile, buffer, number, before, of_next);
      finish<next>(tile, buffer, number, before, of_next);
    } else {
      store(tile, buffer, before);
    }
  }

 private:
  // What a sweep needs to find beside the vectors in shared memory.
  struct known {
    static consteval bool holds(int k) {
      instruction_facts const& i = traits::all[k];
      return (i.is_read && i.where == place::row) || (i.is_position && i.where == place::element);
    }
  };
  struct stored : element_stores<Program, v> {
    static consteval bool holds(int k) {
      return known::holds(k) || element_stores<Program, v>::holds(k);
    }
  };
  static constexpr bool has_row_values = traits::all.has_place(place::row);

  template <int K> static __device__ __forceinline__ auto lifted(frame<Program> const& f) {
    return op_of<K>::lift(base::template as_operand<K>(value_of<at<K>::first_operand>(f)));
  }
  // Scan K takes in an element.
  template <int K>
  static __device__ __forceinline__ void scan_element(frame<Program> const& f, state_of<K>& state) {
    state_of<K> const next = op_of<K>::combine(state, lifted<K>(f));
    value_of<K>(f) = op_of<K>::template finish<arithmetic_t<at<K>::type>>(
        at<K>::bits & ops::scan_excludes ? state : next);
    state = next;
  }

  // Calls take(values, position, row) for this thread's elements, with what scan End needs, or
  // stores do. take_vector(position) follows those of a position.
  template <int End, class Take, class TakeVector>
  __device__ __forceinline__ void sweep(thread_place const& mine, int buffer,
                                        running_states const (&before)[v], Take const& take,
                                        TakeVector const& take_vector) {
    using loads = strip_loads<Program, v, End>;
    registers<Program, place::row> rows[has_row_values ? v : 1];
    if constexpr (has_row_values) find_row_values(rows, mine);
    running_states running[v];
#pragma unroll
    for (int i = 0; i < v; ++i) running[i] = before[i];
#pragma unroll 2
    for (int u = 0; u < mine.live; ++u) {
      selected_registers<Program, loads> loaded;
      for_each_selected<Program, loads>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        load_shared(read_register<k>(loaded).at[0], this->template slot<k>(buffer, u));
      });
#pragma unroll
      for (int i = 0; i < v; ++i) {
        registers<Program, place::element> element;
        frame<Program> f{this->launch, rows[has_row_values ? i : 0], element, this->total};
        take_element<Program, loads>(element, loaded, 0, i);
        for_each_instruction<Program>([&](auto index) {
          constexpr int k = decltype(index)::value;
          using I = at<k>;
          if constexpr (k < End && strip_needs<Program, End>::all.needed[k] &&
                        I::where == place::element) {
            if constexpr (I::is_position)
              value_of<k>(f) =
                  position_of<Program, k>(a,
                                          mine.offsets.loads[I::bits] + u * a.load_steps[I::bits] +
                                              i * a.load_along[I::bits],
                                          true);
            else if constexpr (I::is_scan)
              scan_element<k>(f, read_register<k>(running[i]));
            else if constexpr (I::is_computed)
              step<k>(f, typename I::operands{});
          }
        });
        take(f, u, i);
      }
      take_vector(u);
    }
  }
  template <int End, class Take>
  __device__ __forceinline__ void sweep(strip_tile const& tile, int buffer,
                                        running_states const (&before)[v], Take const& take) {
    sweep<End>(this->template find<known>(tile), buffer, before, take, [](int) {});
  }
  template <int Count>
  __device__ __forceinline__ void find_row_values(registers<Program, place::row> (&rows)[Count],
                                                  thread_place const& mine) {
#pragma unroll
    for (int i = 0; i < Count; ++i) {
      for_each_instruction<Program>([&](auto index) {
        constexpr int k = decltype(index)::value;
        using I = at<k>;
        if constexpr (I::is_read && I::where == place::row) {
          read_register<k>(rows[i]) = {};
          if (i < mine.part.left)
            read_register<k>(rows[i]) =
                base::template read<k>(mine.offsets.loads[I::bits] + i * a.load_along[I::bits]);
        }
      });
      registers<Program, place::element> none;
      evaluate<place::row, 0, 0>(frame<Program>{this->launch, rows[i], none, this->total});
    }
  }

  // The groups of a warp's lanes have positions that follow each other. @post `all` is what those
  // of the last group and all before it combine to, in that group
  template <int K>
  __device__ __forceinline__ void scan_groups(state_of<K> (&all)[v],
                                              state_of<K> (&in_front)[v]) const {
    int const thread = static_cast<int>(threadIdx.x % 32);
#pragma unroll 1
    for (int distance = a.lanes; distance < 32; distance *= 2) {
#pragma unroll
      for (int i = 0; i < v; ++i) {
        state_of<K> const theirs = shuffled_up(all[i], static_cast<unsigned>(distance));
        if (thread >= distance) all[i] = op_of<K>::combine(theirs, all[i]);
      }
    }
#pragma unroll
    for (int i = 0; i < v; ++i) {
      in_front[i] = shuffled_up(all[i], static_cast<unsigned>(a.lanes) % 32);
      if (thread < a.lanes) in_front[i] = op_of<K>::template identity<arithmetic_t<at<K>::type>>();
    }
  }

  __device__ __forceinline__ void store(strip_tile const& tile, int buffer,
                                        running_states const (&before)[v]) {
    thread_place mine = this->template find<stored>(tile);
    selected_registers<Program, element_stores<Program, v>> results;
    sweep<traits::size>(
        mine, buffer, before,
        [&](auto const& f, int, int i) { collect_stores<Program, v>(results, f, i); },
        [&](int) {
          for_each_selected<Program, element_stores<Program, v>>([&](auto selected) {
            constexpr int k = decltype(selected)::value;
            using I = at<k>;
            auto* const to = store_address<Program, k>(a, mine.offsets.stores[I::bits]);
            auto const vector = pack<storage_t<I::type>>(read_register<k>(results).at);
            if (a.store_moves_whole[I::bits] && mine.part.is_whole())
              store_packed(to, vector, true, a.stored);
            else
              store_singly(to, vector, a.store_along[I::bits], mine.part.count());
            mine.offsets.stores[I::bits] += a.store_steps[I::bits];
          });
        });
  }
};

}  // namespace tenon::detail
#endif
