// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread's part of a tile of columns in their order: vectors of its warp's neighbouring columns
// through the program, each scan over the vectors, the lanes and the warps.

#include "tenon/backend/cuda/parts/block_reduction.cuh"
#include "tenon/backend/cuda/parts/drawn_vectors.cuh"
#include "tenon/backend/cuda/parts/element_stores.cuh"
#include "tenon/backend/cuda/parts/exact_arithmetic.cuh"
#include "tenon/backend/cuda/parts/long_chains.cuh"
#include "tenon/backend/cuda/parts/quotients.cuh"
#include "tenon/backend/cuda/parts/sweep_needs.cuh"
#include "tenon/backend/cuda/scan/block_values.cuh"
#include "tenon/backend/cuda/scan/known_scans.cuh"
#include "tenon/backend/cuda/scan/loader.cuh"
#include "tenon/backend/cuda/scan/windows.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, int V, int Items, class Arguments, class Team>
struct scan_worker : scan_loader<Program, V, Items, Arguments, Team> {
  using base = scan_loader<Program, V, Items, Arguments, Team>;
  using base::a;
  using base::own;
  using base::where;
  using typename base::traits;
  template <int K> using at = typename traits::template at<K>;
  using base::base;

  // What scan K combines to within a tile.
  template <int K> struct part_states {
    using state = typename at<K>::op::template state<arithmetic_t<at<K>::type>>;
    state before_item[Items];  // in this warp
    state before, all;         // in the warps before this one, and in all
  };

  // Whether elements beyond the end of a row need a look. The states of scans do not: in the order
  // of the row they are behind all that is stored.
  static constexpr bool has_ends =
      traits::has_positions || traits::has_reduction || traits::has_blocks;

  // Items Begin, Begin + 1, ... of a tile of columns, whose first one of this thread is `mine`.
  // IsWhole: no element is beyond the end, or !has_ends. Column: int where the tile is the row,
  // which takes fewer registers.
  template <int Phase, bool Stores, bool IsWhole, class Column = long long, int Begin = 0,
            int Count = Items>
  struct tile {
    scan_worker& worker;
    Column mine;
    registers<Program, place::element> elements[Count][V];
    using common = block_values<Program, V>;
    kept_blocks<Program, V, Count> blocks;
    static constexpr int begin = Begin, count = Count, width = V;

    template <class Raw>
    __device__ __forceinline__ tile(scan_worker& w, Column first, Raw const& raw)
        : worker(w), mine(static_cast<Column>(own(first) + Begin * w.item_step())) {
      for_each_selected<Program, needed_reads<Program, Phase, Stores>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = at<k>;
#pragma unroll
        for (int u = 0; u < Count; ++u)
#pragma unroll
          for (int i = 0; i < V; ++i)
            if constexpr (I::is_position)
              // What is not live is 0, which is no address.
              read_register<k>(elements[u][i]) =
                  is_live(u, i) ? worker.template read<k>(worker.where.loads[I::bits] +
                                                          (mine + u * worker.item_step() + i) *
                                                              worker.a.load_columns[I::bits][0])
                                : typename I::value_type{};
            else
              read_register<k>(elements[u][i]) = static_cast<typename I::value_type>(
                  element_of(read_register<k>(raw).at[Begin + u], i));
      });
#pragma unroll
      for (int u = 0; u < Count; ++u) draw(u);
    }
    // The numbers of item u that its elements do not draw by themselves.
    __device__ __forceinline__ void draw(int u) {
      drawn_vector<Program, Phase, Stores, V> numbers;
      auto const& all = worker.a.load_columns;
      auto const step = [&](auto k) { return all[at<decltype(k)::value>::bits][0]; };
      numbers.draw(
          worker.values(), [&](auto k) { return step(k) == 1; },
          [&](auto k, int i) {
            using I = at<decltype(k)::value>;
            return worker.template read<decltype(k)::value>(
                worker.where.loads[I::bits] + (mine + u * worker.item_step() + i) * step(k));
          });
#pragma unroll
      for (int i = 0; i < V; ++i) numbers.take(elements[u][i], i);
    }
    __device__ __forceinline__ bool is_live(int u, int i) const {
      if constexpr (IsWhole) return true;
      return mine + u * worker.item_step() + i < static_cast<Column>(worker.row_size());
    }
    __device__ __forceinline__ frame<Program> frame_of(int u, int i) {
      return {worker.launch, worker.row, elements[u][i], worker.total};
    }

    // Evaluates up to the next scan, then that scan over the block, and so on.
    template <int From, class Carried>
    __device__ __forceinline__ void evaluate_from(Carried& carried, int& buffer) {
      constexpr int scan = next_scan<Program, Phase, Stores, From>;
      if constexpr (common::are_shared) blocks.template evaluate<Phase, Stores, From, scan>(*this);
      evaluate_between<From, scan>();
      if constexpr (scan < traits::size) {
        using op = typename at<scan>::op;
        if constexpr (op::is_blockwise) {
          reduce_in_blocks<scan>();
        } else if constexpr (requires { carried.known; } &&
                             is_scanned_before<Program, Phase>(scan)) {
          for_each_element([&](int u, int i) {
            value_of<scan>(frame_of(u, i)) = read_register<scan>(carried.known).at[u * V + i];
          });
        } else {
          auto& so_far = read_register<scan>(carried);
          part<scan> own_part(*this);
          own_part.join(worker.team, buffer);
          own_part.finish(*this, op::combine(so_far, own_part.before));
          so_far = op::combine(so_far, own_part.all);
          if constexpr (requires { carried.known; } &&
                        known_scans<Program, V, Items>::template holds<scan>)
            for_each_element([&](int u, int i) {
              read_register<scan>(carried.known).at[u * V + i] = value_of<scan>(frame_of(u, i));
            });
        }
        evaluate_from<scan + 1>(carried, buffer);
      }
    }
    template <class Visit> static __device__ __forceinline__ void for_each_element(Visit&& visit) {
#pragma unroll
      for (int u = 0; u < Count; ++u)
#pragma unroll
        for (int i = 0; i < V; ++i) visit(u, i);
    }
    // The neighbours of a block are in one vector, or in those of neighbouring lanes.
    template <int K> __device__ __forceinline__ void reduce_in_blocks() {
      using op = typename at<K>::op;
      using number = arithmetic_t<at<K>::type>;
      using state = typename op::template state<number>;
      state of_items[Count];
#pragma unroll
      for (int u = 0; u < Count; ++u) {
        state states[V];
#pragma unroll
        for (int i = 0; i < V; ++i)
          states[i] = is_live(u, i) ? op::lift(base::template as_operand<K>(
                                          value_of<at<K>::first_operand>(frame_of(u, i))))
                                    : op::template identity<number>();
        if constexpr (common::are_shared) {
          of_items[u] = fold<op>(states);
        } else {
          reduce_blocks<op, ops::block_length<at<K>::bits>, V>(states);
#pragma unroll
          for (int i = 0; i < V; ++i)
            value_of<K>(frame_of(u, i)) = op::template finish<number>(states[i]);
        }
      }
      if constexpr (common::are_shared) blocks.template keep<K>(*this, of_items);
    }
    template <int From, int To> __device__ __forceinline__ void evaluate_between() {
      constexpr int quotient = find_quotient<Program, Phase, Stores>(From, To);
      evaluate_each<From, quotient>();
      if constexpr (quotient < To) {
        using I = at<quotient>;
        divide_elements<Program, quotient>(
            *this, common_divisor(value_of<I::second_operand>(frame_of(0, 0))));
        evaluate_between<quotient + 1, To>();
      }
    }
    template <int From, int To> __device__ __forceinline__ void evaluate_each() {
      for_each_element([&](int u, int i) {
        frame<Program> f = frame_of(u, i);
        for_each_instruction<Program>([&](auto index) {
          constexpr int k = decltype(index)::value;
          using I = at<k>;
          if constexpr (k >= From && k < To &&
                        element_needs<Program>::template at<Phase, Stores>.needed[k] &&
                        I::where == place::element && I::is_computed && !finds_window<I> &&
                        !common::template holds<k> &&
                        !drawn_vector<Program, Phase, Stores, V>::template holds<k>) {
            // The compiler does not see that divisions of equal numbers are equal.
            if (same_in_vectors<Program, V>::template holds<k> && i > 0)
              value_of<k>(f) = value_of<k>(frame_of(u, 0));
            else
              step<k>(f, typename I::operands{});
          }
        });
      });
    }
    template <class Reductions> __device__ __forceinline__ void accumulate_into_row() {
      for_each_selected<Program, Reductions>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using facts = reduction_facts<Program, k>;
        auto& state = read_register<k>(worker.row);
        // A tree over the elements that a scan goes through together, or over those of an item.
        constexpr int in_tree = common::are_shared ? 1 : Count;
#pragma unroll
        for (int first = 0; first < Count; first += in_tree) {
          typename facts::state lifted[in_tree * V];
#pragma unroll
          for (int u = 0; u < in_tree; ++u)
#pragma unroll
            for (int i = 0; i < V; ++i)
              lifted[u * V + i] =
                  is_live(first + u, i)
                      ? facts::op::lift(base::template as_operand<k>(
                            value_of<facts::instruction::first_operand>(frame_of(first + u, i))))
                      : facts::identity();
          state = facts::op::combine(state, fold<typename facts::op>(lifted));
        }
      });
    }
    // Scan K within a tile.
    template <int K> struct part : part_states<K> {
      using op = typename at<K>::op;
      using number = arithmetic_t<at<K>::type>;
      using typename part_states<K>::state;
      using part_states<K>::before_item, part_states<K>::before, part_states<K>::all;

      __device__ __forceinline__ explicit part(part_states<K> const& known)
          : part_states<K>(known) {}

      __device__ __forceinline__ static auto operand(tile& t, int u, int i) {
        return base::template as_operand<K>(value_of<at<K>::first_operand>(t.frame_of(u, i)));
      }
      __device__ __forceinline__ static state lifted(tile& t, int u, int i) {
        return op::lift(operand(t, u, i));
      }
      // Computed again rather than kept, which the compiler prefers: doubles of all elements are
      // twice the registers of the elements. H200, cumsum of 32768 x 4096 f32: 266 against 294 us.
      __device__ __forceinline__ static state lifted_again(tile& t, int u, int i) {
        auto x = operand(t, u, i);
        if constexpr (std::is_arithmetic_v<decltype(x)> && sizeof(x) == 4 && sizeof(state) > 4) {
          unsigned bits = __builtin_bit_cast(unsigned, x);
          asm volatile("" : "+r"(bits));
          x = __builtin_bit_cast(decltype(x), bits);
        }
        return op::lift(x);
      }
      // @post `all` is what this warp's columns combine to
      __device__ __forceinline__ explicit part(tile& t) {
        state const identity = op::template identity<number>();
        state so_far = identity;
#pragma unroll
        for (int u = 0; u < Items; ++u) {
          state mine = lifted(t, u, 0);
#pragma unroll
          for (int i = 1; i < V; ++i) mine = op::combine(mine, lifted(t, u, i));
          state in_front = identity;
          state const of_item = scan_warp<op>(mine, identity, in_front, t.worker.team.lanes);
          before_item[u] = op::combine(so_far, in_front);
          so_far = op::combine(so_far, of_item);
        }
        all = so_far;
      }
      // @pre all threads of the team have their part. @post `before` and `all` are the team's
      __device__ __forceinline__ void join(Team const& team, int& buffer) {
        all = team.template join<op>(all, op::template identity<number>(), before, buffer);
      }
      // @pre `first` is what comes before this warp's columns
      __device__ __forceinline__ void finish(tile& t, state const& first) {
#pragma unroll
        for (int u = 0; u < Items; ++u) {
          state so_far = op::combine(first, before_item[u]);
#pragma unroll
          for (int i = 0; i < V; ++i) {
            state const next = op::combine(so_far, lifted_again(t, u, i));
            value_of<K>(t.frame_of(u, i)) =
                op::template finish<number>(at<K>::bits & ops::scan_excludes ? so_far : next);
            so_far = next;
          }
        }
      }
    };
  };
};

}  // namespace tenon::detail
#endif
