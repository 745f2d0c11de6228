// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values of a thread's V neighbouring rows: where they are, and what becomes of them when they
// are known.

#include "tenon/backend/cuda/columns/group_rows.cuh"
#include "tenon/backend/cuda/columns/slice.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct columns_rows : columns_slice<Program, C> {
  using program = Program;
  using base = columns_slice<Program, C>;
  using base::v, base::a, base::offsets, base::part;
  static constexpr int joined = C::joined, rows_held = v / joined;

  registers<Program, place::launch>& launch;
  registers<Program, place::total>& total;
  registers<Program, place::row> (&rows)[rows_held];

  __device__ __forceinline__ frame<Program> frame_of(
      int i, registers<Program, place::element>& element) const {
    return {launch, rows[i / joined], element, total};
  }

  using totals = reductions_of<Program, place::total, 0>;
  // Of all rows: nothing is taken in yet.
  template <class Totals = totals> __device__ __forceinline__ void begin_totals() const {
    for_each_selected<Program, Totals>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(total) = reduction_facts<Program, k>::identity();
    });
  }
  // The block that comes last combines what those of all tiles took in, and writes it.
  __device__ __forceinline__ void end_totals(bool is_writer) const {
    if constexpr (program_traits<Program>::has_total) {
      int buffer = 0;
      grid_part mine{static_cast<unsigned>(base::tile), static_cast<unsigned>(a.tiles),
                     a.workspace + ticket_count - 1, a.workspace + a.first_total};
      if (!combine_by_ticket<Program, totals, C::threads_per_block>(total, mine, buffer)) return;
      registers<Program, place::element> none;
      frame<Program> const f = frame_of(0, none);
      evaluate<place::total, 0, max_nodes>(f);
      if (is_writer) store_all<place::total>(f, a);
    }
  }

  // The operands of the thread's rows, and what is computed of them.
  __device__ __forceinline__ void bring_rows() {
    if constexpr (has_groups<C>) {
      bring_group_rows(*this);
    } else {
#pragma unroll
      for (int i = 0; i < v; ++i) bring_row(i);
    }
    evaluate_rows<0>();
  }
  template <int Phase> __device__ __forceinline__ void evaluate_rows() {
#pragma unroll
    for (int i = 0; i < v; i += joined) evaluate_row<Phase>(i);
  }
  // The same, of rows that are brought one by one.
  template <int Phase> __device__ __forceinline__ void bring_and_evaluate_rows() {
#pragma unroll
    for (int i = 0; i < v; ++i) {
      bring_row(i);
      evaluate_row<0>(i);
      evaluate_row<Phase>(i);
    }
  }

  // One thread writes what belongs to its rows and takes it into the totals.
  __device__ __forceinline__ void end() {
    if (threadIdx.y != 0) return;
    if constexpr (has_groups<C>) return end_group_rows(*this);
    base::find_row_stores();
    end_found();
  }
  // The same where it is known where the values of rows are stored.
  __device__ __forceinline__ void end_found() {
    registers<Program, place::element> none;
    for_each_selected<Program, stored_at<Program, place::row>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      using T = storage_t<I::type>;
      if constexpr (!I::is_window)
        if (a.is_stored_whole && part.is_whole()) {
          // Of wider numbers than what is reduced, several accesses.
          constexpr int together = v * sizeof(T) <= 16 ? v : 16 / static_cast<int>(sizeof(T));
#pragma unroll
          for (int from = 0; from < v; from += together) {
            std::remove_cvref_t<decltype(value_of<I::first_operand>(frame_of(0, none)))>
                values[together];
#pragma unroll
            for (int i = 0; i < together; ++i)
              values[i] = value_of<I::first_operand>(frame_of(from + i, none));
            store_packed(store_address<Program, k>(a, offsets.stores[I::bits] + from),
                         pack<T>(values), true, goes_normally);
          }
          return;
        }
#pragma unroll
      for (int i = 0; i < v; ++i)
        if (i < part.left)
          store_one<k>(frame_of(i, none), a, offsets.stores[I::bits] + i * a.store_along[I::bits]);
    });
    if constexpr (!has_planes<C>) take_in_rows<totals>();
  }
  // The thread's rows go to the totals.
  template <class Totals> __device__ __forceinline__ void take_in_rows() const {
    registers<Program, place::element> none;
#pragma unroll
    for (int i = 0; i < v; ++i) {
      if (i >= part.left) continue;
      frame<Program> f = frame_of(i, none);
      for_each_selected<Program, Totals>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using facts = reduction_facts<Program, k>;
        auto value =
            static_cast<typename facts::operand>(value_of<facts::instruction::first_operand>(f));
        read_register<k>(total) =
            facts::op::combine(read_register<k>(total), facts::op::lift(value));
      });
    }
  }

 private:
  __device__ __forceinline__ void bring_row(int i) {
    for_each_selected<Program, loaded_at<Program, place::row>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      read_register<k>(rows[i]) = typename I::value_type{};
      constexpr bool is_one = has_one<Program, C, k>;
      if (is_one && i > 0)
        read_register<k>(rows[i]) = read_register<k>(rows[0]);
      else if (is_one || i < part.left)
        read_register<k>(rows[i]) =
            load_one<Program, k>(a, offsets.loads[I::bits] + i * a.load_along[I::bits]);
    });
    for_each_selected<Program, positions_at<Program, place::row>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      long long const offset =
          I::varies_over_rows ? offsets.loads[I::bits] + i * a.load_along[I::bits] : 0;
      read_register<k>(rows[i]) = position_of<Program, k>(a, offset, i < part.left);
    });
  }
  template <int Phase> __device__ __forceinline__ void evaluate_row(int i) {
    registers<Program, place::element> none;
    evaluate<place::row, Phase, Phase>(frame_of(i, none));
  }
};

}  // namespace tenon::detail
#endif
