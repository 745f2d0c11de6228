// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread of a warp that brings rows of few elements to shared memory as they lie, by aligned
// vectors: lanes take elements, or whole vectors, from there to registers, and results leave as
// they came.

#include "tenon/backend/cuda/rows/brief_states.cuh"
#include "tenon/backend/cuda/rows/kept_value.cuh"
#include "tenon/backend/cuda/rows/whole_images.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// One thread's view of the rows that its warp has.
template <class Program, class C,
          class Images = std::conditional_t<brief_memory<Program, C>::has_whole,
                                            whole_images<Program, C>, brief_images<Program, C>>>
struct brief_worker {
  static constexpr bool has_whole = brief_memory<Program, C>::has_whole;
  using images = Images;
  static constexpr int v = C::vector_width, items = C::items,
                       phases = program_traits<Program>::row_phases;
  static constexpr bool is_few = images::is_few;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  using arguments = rows_arguments<Program, C>;
  using own = typename images::own;
  using shared = shared_loads<Program, C>;
  using stores = typename images::stores;
  using memory = brief_memory<Program, C>;
  using held_row = typename images::held_row;
  // Whether rows have values beside their elements.
  static constexpr bool has_row_operands = has_selected<Program, row_loads<Program>> ||
                                           has_selected<Program, stored_at<Program, place::row>> ||
                                           has_selected<Program, positions_at<Program, place::row>>;

  arguments const& a;
  frame<Program> const& f;
  images const in = {a};
  row_totals<Program> of_rows = {};

  // Asks for the rows from number `first` on, of which there are `rows`.
  __device__ __forceinline__ void bring(long long first, int rows, int buffer) const {
    for_each_selected<Program, own>(
        [&](auto selected) { in.template ask<decltype(selected)::value>(first, rows, buffer); });
    end_of_copies();
  }
  // What all rows share of element e, and how it comes to where the lanes find it.
  struct shared_element : shared {
    template <int K> using type = packed<storage_t<at<K>::type>, 1>;
  };
  using shared_values = selected_registers<Program, shared_element>;
  __device__ __forceinline__ void request_shared(shared_values& values, int e) const {
    for_each_selected<Program, shared>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      load_packed<reuse::expected>(read_register<k>(values), load_address<Program, k>(a, e),
                                   e < in.size);
    });
  }
  __device__ __forceinline__ void put_shared(shared_values const& values, int e) const {
    if (e < in.size)
      for_each_selected<Program, shared>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        store_shared(memory::template column<k>(a, in.memory_of_warp) +
                         e * static_cast<int>(sizeof(storage_t<at<k>::type>)),
                     read_register<k>(values));
      });
  }
  __device__ __forceinline__ void bring_shared() const {
    if constexpr (has_selected<Program, shared>)
#pragma unroll 1
      for (int e = in.thread; e < in.size; e += 32) {
        shared_values values;
        request_shared(values, e);
        put_shared(values, e);
      }
  }
  // @pre they were asked for, and nothing behind them but the next ones, which few rows have not
  __device__ __forceinline__ void finish_rows(long long first, int rows, int buffer) {
    asm volatile("" : "+r"(rows));  // not found again for each turn
    wait_for_copies<is_few ? 0 : 1>();
    __syncwarp();
    if constexpr (is_few) {
      if (in.size == 1)
        take_turns<1>(first, rows);
      else if (in.size <= 4)
        take_turns<4>(first, rows);
      else
        take_turns<v * items>(first, rows);
    } else {
      take_turns<v * items>(first, rows, buffer);
    }
    __syncwarp();
    for_each_selected<Program, stores>(
        [&](auto selected) { in.template send<decltype(selected)::value>(first, rows); });
    __syncwarp();  // before the next results take their place
  }

  // A row whose lanes load and store their elements by themselves.
  __device__ __forceinline__ void finish_alone(long long row) {
    bool const is_inside = row < a.row_count;
    operand_offsets<Program> offsets;
    find_row<Program>(offsets, a, is_inside ? row : 0);
    auto const places = in.find(offsets, is_inside);
    await_operands<Program>(true);
    if constexpr (!is_few)
      finish_alone<v * items>(row, offsets, places, is_inside);
    else if (in.size == 1)
      finish_alone<1>(row, offsets, places, is_inside);
    else if (in.size <= 4)
      finish_alone<4>(row, offsets, places, is_inside);
    else
      finish_alone<8>(row, offsets, places, is_inside);
  }

 private:
  template <int E, class Places>
  __device__ __forceinline__ void finish_alone(long long row,
                                               operand_offsets<Program> const& offsets,
                                               Places const& places, bool is_inside) {
    selected_registers<Program, row_loads<Program>> values;
    request_row_values<Program>(values, a, offsets, is_inside);
    held_row tile;
    in.template request<E>(tile, places);
    take_row_values<Program>(f, values, a, offsets, is_inside);
    compute<E>(tile, std::make_integer_sequence<int, phases>{}, places);
    if (threadIdx.x == 0 && is_inside) end_row<Program>(f, a, offsets, row, of_rows);
  }
  // where...: of what is stored
  template <int E, int... Phase, class... Where>
  __device__ __forceinline__ void compute(held_row& tile, std::integer_sequence<int, Phase...>,
                                          Where const&... where) {
    evaluate<place::row, 0, 0>(f);
    (reduce<E, Phase + 1>(tile,
                          held_sequence<Program, reductions_of<Program, place::row, Phase + 1>>{}),
     ...);
    store<E>(tile, held_sequence<Program, stores>{}, where...);
  }
  template <int E> static constexpr int vectors = images::template vectors<E>;
  template <int E> static constexpr int width = images::template width<E>;

  template <int E>
  __device__ __forceinline__ void take_turns(long long first, int rows, int buffer = 0) {
    int const by = is_few ? 0 : __ffs(static_cast<int>(blockDim.x)) - 1, mine = in.thread >> by;
#pragma unroll 1
    for (int turn = 0; turn < rows; turn += 32 >> by)
      finish_row<E>(first, turn + mine, rows, buffer);
  }
  template <int E>
  __device__ __forceinline__ void finish_row(long long first, int row, int rows, int buffer) {
    bool const is_inside = row < rows;
    int const place = row * in.size + in.begin;
    operand_offsets<Program> offsets;
    if constexpr (has_row_operands) find_row<Program>(offsets, a, is_inside ? first + row : 0);
    selected_registers<Program, row_loads<Program>> values;
    request_row_values<Program>(values, a, offsets, is_inside);
    held_row tile;
    in.template take<E>(tile, first, place, buffer);
    take_row_values<Program>(f, values, a, offsets, is_inside);
    compute<E>(tile, std::make_integer_sequence<int, phases>{}, first, place);
    if (threadIdx.x == 0 && is_inside) end_row<Program>(f, a, offsets, first + row, of_rows);
  }
  // What all rows share of vector u.
  template <int Phase, bool Stores>
  using shared_of = typename images::template shared_loads<Phase, Stores>;
  template <int Phase, bool Stores> __device__ __forceinline__ auto shared_at(int u) const {
    selected_registers<Program, shared_of<Phase, Stores>> fixed;
    if constexpr (has_selected<Program, shared_of<Phase, Stores>>)
      in.template take_shared<shared_of<Phase, Stores>>(fixed, u);
    return fixed;
  }
  // Evaluates element i of vector u.
  template <int Phase, bool Stores, class Fixed>
  __device__ __forceinline__ void evaluate_at(frame<Program> const& here, held_row& tile,
                                              Fixed const& fixed, int u, int i) const {
    take_element<Program, own>(here.element, tile, u * v + i, 0);
    if constexpr (has_selected<Program, shared_of<Phase, Stores>>)
      take_element<Program, shared_of<Phase, Stores>>(here.element, fixed, 0, i);
    keeping_evaluation<Program, held_row, true>{tile}
        .template evaluate<Phase, Stores, 0, max_nodes>(vector_ahead<Program, Phase, Stores, 1>{},
                                                        here, u * v + i, 0);
  }
  // Registers are a fold here, without functions for each.
  template <int E, int Phase, int... K>
  __device__ __forceinline__ void reduce(held_row& tile, std::integer_sequence<int, K...>) {
    selected_registers<Program, brief_states<Program, vectors<E>, images::gathered, Phase>> running;
    (begin_brief<Program, K>(read_register<K>(running).at), ...);
#pragma unroll
    for (int u = 0; u < vectors<E>; ++u) {
      if (!in.has(u)) break;
      selected_registers<Program, brief_collected<Program, width<E>, Phase>> values;
      auto const fixed = shared_at<Phase, false>(u);
#pragma unroll
      for (int i = 0; i < width<E>; ++i) {
        registers<Program, place::element> element;
        frame<Program> const here{f.launch, f.row, element, f.total};
        evaluate_at<Phase, false>(here, tile, fixed, u, i);
        ((read_register<K>(values).at[i] = take_of<K>(here)), ...);
      }
      (take_brief<Program, K, images::has_one_way>(read_register<K>(running).at,
                                                   read_register<K>(values).at, u,
                                                   in.template is_whole<E>(u), in.left_of(u)),
       ...);
    }
    ((read_register<K>(f.row) = finish_brief<Program, K, images::has_one_way>(
          read_register<K>(running).at, !is_few && in.size > v, in.lanes)),
     ...);
    evaluate<place::row, Phase, Phase>(f);
  }
  template <int E, int... K, class... Where>
  __device__ __forceinline__ void store(held_row& tile, std::integer_sequence<int, K...>,
                                        Where const&... where) {
    auto const& to = in.places_of_results(where...);
#pragma unroll
    for (int u = 0; u < vectors<E>; ++u) {
      if (!in.has(u)) break;
      selected_registers<Program, element_stores<Program, width<E>>> results;
      auto const fixed = shared_at<phases + 1, true>(u);
#pragma unroll
      for (int i = 0; i < width<E>; ++i) {
        registers<Program, place::element> element;
        frame<Program> const here{f.launch, f.row, element, f.total};
        evaluate_at<phases + 1, true>(here, tile, fixed, u, i);
        ((read_register<K>(results).at[i] = value_of<at<K>::first_operand>(here)), ...);
      }
      (in.template put<K, E>(to, u, read_register<K>(results).at), ...);
    }
  }
};

}  // namespace tenon::detail
#endif
