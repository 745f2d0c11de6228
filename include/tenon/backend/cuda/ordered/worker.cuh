// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread's part of the ordered skeleton: its columns of a tile through the program, scans
// included.

#include "tenon/backend/cuda/parts/block_reduction.cuh"
#include "tenon/backend/cuda/parts/drawn_vectors.cuh"
#include "tenon/backend/cuda/parts/exact_arithmetic.cuh"
#include "tenon/backend/cuda/parts/long_chains.cuh"
#include "tenon/backend/cuda/parts/row_context.cuh"
#include "tenon/backend/cuda/parts/sweep_needs.cuh"
#include "tenon/backend/cuda/scan/block.cuh"
#include "tenon/program/branches.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, int Items, class Arguments>
struct ordered_worker : row_context<Program, Arguments> {
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;
  static constexpr int most_threads = 256;
  template <int Phase, bool Stores>
  using drawn_numbers = drawn_vector<Program, Phase, Stores, Items>;

  using base = row_context<Program, Arguments>;
  using base::a, base::buffer, base::row, base::base, base::values, base::where;

  template <int MaxThreads, int... Phase>
  __device__ __forceinline__ void run_phases(std::integer_sequence<int, Phase...>) {
    long long const tile = static_cast<long long>(blockDim.x) * Items;
    (run_phase<MaxThreads, Phase + 1>(tile), ...);
    sweep<sizeof...(Phase) + 1, true>(0, tile);
  }

  // Columns [first, first + tile), then those `step` further, and so on to the end: the reductions
  // of phase Phase are this thread's part in `row`, the element stores are written if Stores.
  template <int Phase, bool Stores>
  __device__ __forceinline__ void sweep(long long first, long long step) {
    using reductions = reductions_of<Program, place::row, Phase>;
    selected_registers<Program, needed_scans<Program, Phase, Stores>> carried;
    base::template clear<needed_scans<Program, Phase, Stores>>(carried);
    base::template clear<reductions>(row);
    long_chains<Program, reductions> of_tiles;
    for (; first < a.columns.size; first += step) {
      tile<Phase, Stores> items(*this, first + static_cast<long long>(threadIdx.x) * Items);
      items.template evaluate_from<0>(carried);
#pragma unroll
      for (int i = 0; i < Items; ++i)
        if (items.is_live(i)) base::template accumulate<reductions>(items.frame_of(i), row);
      of_tiles.carry(row);
      if constexpr (Stores) items.store();
    }
    of_tiles.finish(row);
  }

  template <int MaxThreads, int Phase> __device__ __forceinline__ void run_phase(long long tile) {
    sweep<Phase, false>(0, tile);
    for_each_selected<Program, reductions_of<Program, place::row, Phase>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using op = typename at<k>::op;
      auto const identity = op::template identity<arithmetic_t<at<k>::type>>();
      auto before = identity;
      read_register<k>(row) =
          scan_block<op, MaxThreads>(read_register<k>(row), identity, before, buffer);
    });
    evaluate<place::row, Phase, Phase>(values());
  }

  // This thread's columns of one tile. Along the innermost axis every operand goes on by a step, so
  // that only the first element, and those behind the axis' end, are looked for.
  template <int Phase, bool Stores> struct tile {
    ordered_worker& worker;
    long long first, left = 0;  // elements up to the end of the innermost axis
    operand_offsets<Program> origin = worker.where;
    registers<Program, place::element> elements[Items];

    __device__ __forceinline__ tile(ordered_worker& w, long long position)
        : worker(w), first(position) {
      if (is_live(0)) left = find_column(origin, 0);
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        operand_offsets<Program> offsets;
        if (is_live(i)) offsets = offsets_of(i);
        for_each_selected<Program, needed_reads<Program, Phase, Stores>>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          // What is not live is 0, which is no address.
          read_register<k>(elements[i]) = {};
          if (is_live(i))
            read_register<k>(elements[i]) = worker.template read<k>(offsets.loads[at<k>::bits]);
        });
        for_each_selected<Program, needed_orders<Program, Phase, Stores>>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          read_register<k>(elements[i]) = {};
          if (is_live(i))
            read_register<k>(elements[i]) =
                ordered_element(read_register<k>(worker.orders), first + i);
        });
      }
      draw();
    }
    // The numbers that the elements do not draw by themselves. Positions are computed again: a
    // place among the elements that is not known while compiling would put them all into local
    // memory.
    __device__ __forceinline__ void draw() {
      drawn_numbers<Phase, Stores> numbers;
      numbers.draw(
          worker.values(),
          [&](auto k) {
            return left >= Items &&
                   worker.a.load_columns[at<decltype(k)::value>::bits][worker.a.columns.dims - 1] ==
                       1;
          },
          [&](auto k, int i) {
            constexpr int position = decltype(k)::value;
            return is_live(i)
                       ? worker.template read<position>(offsets_of(i).loads[at<position>::bits])
                       : typename at<position>::value_type{};
          });
#pragma unroll
      for (int i = 0; i < Items; ++i) numbers.take(elements[i], i);
    }
    __device__ __forceinline__ bool is_live(int i) const {
      return first + i < worker.a.columns.size;
    }
    __device__ __forceinline__ frame<Program> frame_of(int i) {
      return {worker.launch, worker.row, elements[i], worker.total};
    }
    // Moves the offsets to element i; the elements from there to the end of the innermost axis.
    __device__ __forceinline__ long long find_column(operand_offsets<Program>& offsets,
                                                     int i) const {
      auto const& columns = worker.a.columns;
      long long inner = first + i, extent = columns.size;
      for_each_digit(columns, first + i, [&](int d, long long digit) {
        if (d > 0 && d == columns.dims - 1)
          inner = digit, extent = static_cast<long long>(columns.by[d].divisor);
        move(offsets, d, digit);
      });
      return extent - inner;
    }
    __device__ __forceinline__ void move(operand_offsets<Program>& offsets, int d,
                                         long long by) const {
      for_each_instruction<Program>([&](auto index) {
        using I = at<decltype(index)::value>;
        if constexpr (I::is_read && I::where == place::element)
          offsets.loads[I::bits] += by * worker.a.load_columns[I::bits][d];
        if constexpr (Stores && I::is_store && I::where == place::element)
          offsets.stores[I::bits] += by * worker.a.store_columns[I::bits][d];
      });
    }
    __device__ __forceinline__ operand_offsets<Program> offsets_of(int i) const {
      operand_offsets<Program> offsets = worker.where;
      if (i < left) {
        offsets = origin;
        move(offsets, worker.a.columns.dims - 1, i);
      } else {
        find_column(offsets, i);
      }
      return offsets;
    }
    __device__ __forceinline__ void store() {
      for_each_instruction<Program>([&](auto index) {
        constexpr int k = decltype(index)::value;
        if constexpr (at<k>::is_store && at<k>::where == place::element) store_elements<k>();
      });
    }
    template <int K> __device__ __forceinline__ void store_elements() {
      using I = at<K>;
      using T = storage_t<I::type>;
      auto const& a = worker.a;
      constexpr int bytes = static_cast<int>(sizeof(T)) * Items;
      if constexpr (Items > 1 && bytes <= 16 && !I::is_window) {
        T* const to = store_address<Program, K>(a, origin.stores[I::bits]);
        bool const is_packed = left >= Items && a.store_columns[I::bits][a.columns.dims - 1] == 1 &&
                               reinterpret_cast<unsigned long long>(to) % bytes == 0;
        if (is_packed) {
          typename at<I::first_operand>::value_type values[Items];
#pragma unroll
          for (int i = 0; i < Items; ++i) values[i] = value_of<I::first_operand>(frame_of(i));
          store_packed(to, pack<T>(values));
          return;
        }
      }
#pragma unroll
      for (int i = 0; i < Items; ++i)
        if (is_live(i)) store_one<K>(frame_of(i), a, offsets_of(i).stores[I::bits]);
    }

    // Evaluates up to the next scan, then that scan over the block, and so on.
    template <int From, class Carried>
    __device__ __forceinline__ void evaluate_from(Carried& carried) {
      constexpr int scan = next_scan<Program, Phase, Stores, From>;
#pragma unroll
      for (int i = 0; i < Items; ++i)
        if constexpr (From == 0 && scan == traits::size)
          evaluate_chosen<Phase, Stores, typename drawn_numbers<Phase, Stores>::given>(frame_of(i));
        else
          evaluate_between<From, scan>(frame_of(i));
      if constexpr (scan < traits::size) {
        scan_tile<scan>(read_register<scan>(carried));
        evaluate_from<scan + 1>(carried);
      }
    }
    template <int From, int To>
    __device__ __forceinline__ static void evaluate_between(frame<Program> const& f) {
      for_each_instruction<Program>([&](auto index) {
        constexpr int k = decltype(index)::value;
        using I = at<k>;
        if constexpr (k >= From && k < To &&
                      element_needs<Program>::template at<Phase, Stores>.needed[k] &&
                      I::where == place::element &&
                      !drawn_numbers<Phase, Stores>::template holds<k> &&
                      (I::kind == op_kind::pointwise || I::kind == op_kind::projection))
          step<k>(f, typename I::operands{});
      });
    }
    template <int K, class State> __device__ __forceinline__ void scan_tile(State& carried) {
      using op = typename at<K>::op;
      using number = arithmetic_t<at<K>::type>;
      State const identity = op::template identity<number>();
      State lifted[Items], mine = identity, before = identity;
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        lifted[i] = is_live(i) ? op::lift(base::template as_operand<K>(
                                     value_of<at<K>::first_operand>(frame_of(i))))
                               : identity;
        mine = op::combine(mine, lifted[i]);
      }
      if constexpr (op::is_blockwise) {
        reduce_blocks<op, ops::block_length<at<K>::bits>, Items>(lifted);
#pragma unroll
        for (int i = 0; i < Items; ++i)
          value_of<K>(frame_of(i)) = op::template finish<number>(lifted[i]);
        return;
      }
      State const all = scan_block<op, most_threads>(mine, identity, before, worker.buffer);
      State so_far = op::combine(carried, before);
#pragma unroll
      for (int i = 0; i < Items; ++i) {
        State const next = op::combine(so_far, lifted[i]);
        value_of<K>(frame_of(i)) =
            op::template finish<number>(at<K>::bits & ops::scan_excludes ? so_far : next);
        so_far = next;
      }
      carried = op::combine(carried, all);
    }
  };
};

}  // namespace tenon::detail
#endif
