// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread of a warp that brings rows of few elements to shared memory as they lie, by aligned
// vectors: lanes take elements from there to registers, and results leave as they came.

#include "tenon/backend/cuda/rows/brief_memory.cuh"
#include "tenon/backend/cuda/rows/brief_states.cuh"
#include "tenon/backend/cuda/rows/kept_value.cuh"
#include "tenon/backend/cuda/rows/warp_image.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// One thread's view of the rows that its warp has.
template <class Program, class C> struct brief_worker {
  static constexpr int v = C::vector_width, items = C::items,
                       phases = program_traits<Program>::row_phases;
  static constexpr bool is_few = detail::is_few<C>;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  using arguments = rows_arguments<Program, C>;
  using own = brief_loads<Program, C>;
  using shared = shared_loads<Program, C>;
  using stores = element_stores<Program, 1>;
  using memory = brief_memory<Program, C>;
  using held_row = selected_registers<Program, own>;
  // Whether rows have values beside their elements.
  static constexpr bool has_row_operands = has_selected<Program, row_loads<Program>> ||
                                           has_selected<Program, stored_at<Program, place::row>> ||
                                           has_selected<Program, positions_at<Program, place::row>>;

  arguments const& a;
  frame<Program> const& f;
  int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x) % 32,
            warp = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x) / 32,
            size = static_cast<int>(a.columns.size),
            lanes = is_few ? 1 : static_cast<int>(blockDim.x),
            begin = is_few
                        ? 0
                        : static_cast<int>(threadIdx.x) * v;  // the lane's first element of a row
  unsigned const memory_of_warp = memory::of_warp(a, warp);
  row_totals<Program> of_rows = {};

  // Asks for the rows from number `first` on, of which there are `rows`.
  __device__ __forceinline__ void bring(long long first, int rows, int buffer) const {
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      long long const rows_behind = a.row_count - first - rows;
      bring_whole<is_few ? 4 : 2, is_few>(
          memory::template operand<k>(a, memory_of_warp, buffer),
          load_address<Program, k>(a, first * size), rows * size, thread, first == 0,
          static_cast<int>(rows_behind < 16 ? rows_behind : 16) * size);
    });
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
                                   e < size);
    });
  }
  __device__ __forceinline__ void put_shared(shared_values const& values, int e) const {
    if (e < size)
      for_each_selected<Program, shared>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        store_shared(memory::template column<k>(a, memory_of_warp) +
                         e * static_cast<int>(sizeof(storage_t<at<k>::type>)),
                     read_register<k>(values));
      });
  }
  __device__ __forceinline__ void bring_shared() const {
    if constexpr (has_selected<Program, shared>)
#pragma unroll 1
      for (int e = thread; e < size; e += 32) {
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
      if (size == 1)
        take_turns<1>(first, rows);
      else if (size <= 4)
        take_turns<4>(first, rows);
      else
        take_turns<v * items>(first, rows);
    } else {
      take_turns<v * items>(first, rows, buffer);
    }
    __syncwarp();
    for_each_selected<Program, stores>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      send_whole<is_few ? 4 : 2, is_few>(memory::template result<k>(a, memory_of_warp),
                                         store_address<Program, k>(a, first * size), rows * size,
                                         thread, a.stored);
    });
    __syncwarp();  // before the next results take their place
  }

 private:
  // Of a lane's vectors some are computed, of each so many elements: E elements in all.
  template <int E> static constexpr int vectors = E > v ? E / v : 1;
  template <int E> static constexpr int width = E < v ? E : v;

  // visit(u): a lane's vectors, as far as some lane has any. All lanes go the same way; what a lane
  // has not is computed, too, and left out where that matters.
  template <int E, int U = 0, class Visit>
  __device__ __forceinline__ void for_each_vector(Visit const& visit) const {
    if constexpr (U < vectors<E>) {
      if (size > U * lanes * v) {
        visit(std::integral_constant<int, U>{});
        for_each_vector<E, U + 1>(visit);
      }
    }
  }
  // Whether all lanes have all of vector u.
  template <int E> __device__ __forceinline__ bool is_whole(int u) const {
    return E < v ? E == 1 || size == E : size >= (u + 1) * lanes * v;
  }
  // Elements of the row from the lane's vector u on.
  __device__ __forceinline__ int left_of(int u) const { return size - begin - u * lanes * v; }

  // Where a lane's first element of each operand is. The asm keeps it from being found again for
  // each part.
  template <class Selected> struct places_of : Selected { template <int K> using type = unsigned; };
  template <int K, class T>
  __device__ __forceinline__ void set_place(unsigned& to, unsigned image, T const* rows,
                                            int place) const {
    to = image + in_front(rows) + place * static_cast<int>(sizeof(T));
    asm volatile("" : "+r"(to));
  }

  template <int E>
  __device__ __forceinline__ void take_turns(long long first, int rows, int buffer = 0) {
    int const by = is_few ? 0 : __ffs(static_cast<int>(blockDim.x)) - 1, mine = thread >> by;
#pragma unroll 1
    for (int turn = 0; turn < rows; turn += 32 >> by)
      finish_row<E>(first, turn + mine, rows, buffer, std::make_integer_sequence<int, phases>{});
  }
  template <int E, int... Phase>
  __device__ __forceinline__ void finish_row(long long first, int row, int rows, int buffer,
                                             std::integer_sequence<int, Phase...>) {
    bool const is_inside = row < rows;
    int const place = row * size + begin;
    operand_offsets<Program> offsets;
    if constexpr (has_row_operands) find_row<Program>(offsets, a, is_inside ? first + row : 0);
    selected_registers<Program, row_loads<Program>> values;
    request_row_values<Program>(values, a, offsets, is_inside);
    held_row tile;
    selected_registers<Program, places_of<own>> from;
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      set_place<k>(read_register<k>(from), memory::template operand<k>(a, memory_of_warp, buffer),
                   load_address<Program, k>(a, first * size), place);
    });
    for_each_vector<E>([&](auto vector) {
      for_each_selected<Program, own>([&](auto selected) {
        constexpr int k = decltype(selected)::value, u = decltype(vector)::value;
        constexpr int bytes = static_cast<int>(sizeof(storage_t<at<k>::type>));
        unsigned const mine = read_register<k>(from) + u * lanes * v * bytes;
#pragma unroll
        for (int i = 0; i < width<E>; ++i)
          load_shared(read_register<k>(tile).at[u * v + i], mine + i * bytes);
      });
    });
    take_row_values<Program>(f, values, a, offsets, is_inside);
    evaluate<place::row, 0, 0>(f);
    (reduce<E, Phase + 1>(tile), ...);
    store<E>(tile, first, place);
    if (threadIdx.x == 0 && is_inside) end_row<Program>(f, a, offsets, first + row, of_rows);
  }
  // Evaluates vector u; use(i, values): those of element i.
  template <int E, int Phase, bool Stores, class Use>
  __device__ __forceinline__ void evaluate_vector(held_row& tile, int u, Use const& use) const {
    using needed = shared_loads_of<Program, C, Phase, Stores>;
    selected_registers<Program, needed> fixed;
    for_each_selected<Program, needed>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      load_shared(read_register<k>(fixed).at[0],
                  memory::template column<k>(a, memory_of_warp) +
                      (begin + u * lanes * v) * static_cast<int>(sizeof(storage_t<at<k>::type>)));
    });
#pragma unroll
    for (int i = 0; i < width<E>; ++i) {
      registers<Program, place::element> element;
      frame<Program> at{f.launch, f.row, element, f.total};
      take_element<Program, own>(element, tile, u * v + i, 0);
      if constexpr (has_selected<Program, needed>)
        take_element<Program, needed>(element, fixed, 0, i);
      keeping_evaluation<Program, held_row, true>{tile}.template operator()<Phase, Stores>(
          drawn_vector<Program, Phase, Stores, 1>{}, at, u * v + i, 0);
      use(i, at);
    }
  }
  template <int E, int Phase> __device__ __forceinline__ void reduce(held_row& tile) {
    using reductions = reductions_of<Program, place::row, Phase>;
    using collected = brief_collected<Program, width<E>, Phase>;
    selected_registers<Program, brief_states<Program, vectors<E>, is_few ? 1 : 2, Phase>> running;
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& all = read_register<k>(running).at;
      using facts = reduction_facts<Program, k>;
      if constexpr (!gathers<std::remove_cvref_t<decltype(all[0])>>) fill(all, facts::identity());
    });
    for_each_vector<E>([&](auto vector) {
      constexpr int u = decltype(vector)::value;
      selected_registers<Program, collected> values;
      evaluate_vector<E, Phase, false>(tile, u, [&](int i, frame<Program> const& at) {
        for_each_selected<Program, reductions>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          read_register<k>(values).at[i] = take_of<k>(at);
        });
      });
      for_each_selected<Program, reductions>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        take_brief<Program, k, u>(read_register<k>(running).at, read_register<k>(values).at,
                                  is_whole<E>(u), left_of(u));
      });
    });
    for_each_selected<Program, reductions>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(f.row) =
          finish_brief<Program, k>(read_register<k>(running).at, !is_few && size > v, lanes);
    });
    evaluate<place::row, Phase, Phase>(f);
  }
  template <int E>
  __device__ __forceinline__ void store(held_row& tile, long long first, int place) {
    selected_registers<Program, places_of<stores>> to;
    for_each_selected<Program, stores>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      set_place<k>(read_register<k>(to), memory::template result<k>(a, memory_of_warp),
                   store_address<Program, k>(a, first * size), place);
    });
    for_each_vector<E>([&](auto vector) {
      constexpr int u = decltype(vector)::value;
      selected_registers<Program, element_stores<Program, width<E>>> results;
      evaluate_vector<E, phases + 1, true>(tile, u, [&](int i, frame<Program> const& element) {
        for_each_selected<Program, stores>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          read_register<k>(results).at[i] = value_of<at<k>::first_operand>(element);
        });
      });
      int const left = left_of(u);
      for_each_selected<Program, stores>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using T = storage_t<at<k>::type>;
        constexpr int bytes = static_cast<int>(sizeof(T));
        unsigned const mine = read_register<k>(to) + u * lanes * v * bytes;
        packed<T, 1> all[width<E>];
        pack_singly(all, read_register<k>(results).at);
        if (is_whole<E>(u)) {
#pragma unroll
          for (int i = 0; i < width<E>; ++i) store_shared(mine + i * bytes, all[i]);
        } else {
#pragma unroll
          for (int i = 0; i < width<E>; ++i)
            if (i < left) store_shared(mine + i * bytes, all[i]);
        }
      });
    });
  }
};

}  // namespace tenon::detail
#endif
