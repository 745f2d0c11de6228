// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors that several sweeps need: brought to shared memory once, all that a thread will use at a
// time.

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/put_vectors.cuh"
#include "tenon/backend/cuda/parts/shared_runs.cuh"
#include "tenon/backend/cuda/parts/thread_stage.cuh"
#include "tenon/backend/cuda/parts/whole_move.cuh"

namespace tenon::detail {

// Element loads that more than one sweep needs and that travel by themselves, or, of half types
// that are taken one by one, wait in registers on the way (IsPut).
template <class Program, int V, int Items = 1, bool IsPut = false>
struct kept_loads : needed_loads<Program, V, Items, 0, false> {
  using traits = program_traits<Program>;
  template <int... Phase>
  static consteval int count_sweeps(int k, std::integer_sequence<int, Phase...>) {
    return (needed_loads<Program, V, 1, traits::row_phases + 1, true>::holds(k) + ... +
            needed_loads<Program, V, 1, Phase + 1, false>::holds(k));
  }
  static consteval bool holds(int k) {
    instruction_facts const& i = traits::all[k];
    return i.is_load && i.where == place::element && !i.is_of_some_rows &&
           (can_travel_alone(size_of(i.type) * V) || (IsPut && size_of(i.type) * V == 2)) &&
           count_sweeps(k, std::make_integer_sequence<int, traits::row_phases>{}) > 1;
  }
};
template <class Program, int V>
inline constexpr bool is_any_kept = has_selected<Program, kept_loads<Program, V>>;
// Of one block, beside what it uses otherwise.
inline constexpr long long most_kept_bytes = 192ll << 10;
// Blocks of 256 threads that a multiprocessor is to hold at once: three where a program needs few
// registers.
template <class Program, int StateWords>
inline constexpr int kept_blocks_held = element_operands<Program>::loads <= 1 && StateWords <= 8 &&
                                                program_traits<Program>::widest_element <= 4
                                            ? 3
                                            : 2;
// What is selected and kept, or is not kept.
template <class Program, int V, class Selected, bool IsKept, bool IsPut = false>
struct selected_by_keeping : Selected {
  static consteval bool holds(int k) {
    return Selected::holds(k) && is_held<Program, kept_loads<Program, V, 1, IsPut>>(k) == IsKept;
  }
};

// The kept load whose place what store `k` writes may take; -1: none.
template <class Program, int V> consteval int kept_place_for(int k) {
  using traits = program_traits<Program>;
  int rank = rank_among<Program, element_stores<Program, V>>(k);
  for (int j = 0; j < traits::size; ++j)
    if (is_held<Program, kept_loads<Program, V>>(j) && rank-- == 0)
      return size_of(traits::all[j].type) == size_of(traits::all[k].type) ? j : -1;
  return -1;
}
// Whether all stores have one.
template <class Program, int V> inline constexpr bool has_kept_places = []() consteval {
  using traits = program_traits<Program>;
  bool result = has_element_stores<Program> && !traits::has_positions;
  for (int k = 0; k < traits::size; ++k) {
    instruction_facts const& i = traits::all[k];
    if (i.is_store && i.moves_elements)
      result =
          result && !i.is_window && size_of(i.type) * V >= 4 && kept_place_for<Program, V>(k) >= 0;
  }
  return result;
}
();

// Slots of the kept loads: for each of a thread's steps and each load one vector, neighbouring
// threads next to each other. Only the thread whose slot it is uses it, so no barrier is needed.
template <class Program, int V, int Threads, bool IsPut = false> struct kept_vectors {
  using traits = program_traits<Program>;
  template <int K> using vector = packed<storage_t<traits::template at<K>::type>, V>;
  template <int K> static constexpr int bytes_of() {
    if constexpr (is_held<Program, kept_loads<Program, V, 1, IsPut>>(K))
      return static_cast<int>(sizeof(vector<K>));
    else
      return 0;
  }
  template <int... K> static constexpr int sum(std::integer_sequence<int, K...>) {
    return (0 + ... + bytes_of<K>());
  }
  template <int K>
  static constexpr int bytes_before = Threads* sum(std::make_integer_sequence<int, K>{});
  // Of all threads' slots for one step each.
  static constexpr int bytes_per_step = Threads * sum(typename traits::sequence{});

#if defined(__CUDA_ARCH__)
  // Writes what was put to the places of `steps` steps, `count` elements.
  template <int K, class T>
  static __device__ __forceinline__ void send(T* to, int step, int count) {
    constexpr int l = kept_place_for<Program, V>(K), size = Threads * V;
    // Of one operand neighbouring steps lie side by side.
    constexpr bool is_one = bytes_per_step == static_cast<int>(sizeof(vector<l>)) * Threads;
#pragma unroll 1
    for (; count > 0; ++step, to += size, count -= size) {
      unsigned const from = static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared())) +
                            step * bytes_per_step + bytes_before<l>;
      send_run<V, is_one ? 2 : 1>(to, from, is_one || count < size ? count : size, row_lanes());
      if (is_one) break;
    }
  }
  // @pre a vector at `from` is one aligned access
  template <int K, class T> static __device__ __forceinline__ void bring(int step, T const* from) {
    send_to_shared<T, V>(slot<K>(step), from);
  }
  // Brings the first `items` of `positions` to step `step` and those that follow.
  template <int Dims, class Arguments>
  static __device__ __forceinline__ void bring_all(int step, Arguments const& a,
                                                   operand_offsets<Program> const& row,
                                                   far_positions const& positions, int items) {
    for_each_selected<Program, kept_loads<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename traits::template at<k>;
      using bits = bits_of<sizeof(storage_t<I::type>)>;
      vector_slots const slots{place_of<k>(step), bytes_per_step};
      auto const* from =
          reinterpret_cast<bits const*>(load_address<Program, k>(a, row.loads[I::bits]));
      vector_run const run{positions.at(0), positions.end - positions.first, positions.partial};
      access const how = a.load_access[I::bits];
      if constexpr (Dims > contiguous_columns)
        put_vectors<bits, V>(
            slots, from, how,
            [&](long long column) {
              long long place = 0;
              for_each_digit(a.columns, column, [&](int d, long long digit) {
                place += digit * a.load_columns[I::bits][d];
              });
              return place;
            },
            run, items);
      else
        put_contiguous<bits, V>(slots, from, how, run, items);
    });
  }
  template <int K> static __device__ __forceinline__ void put(int step, vector<K> const& all) {
    *slot<K>(step) = all;
  }
  // @pre wait_for_sent() is over
  template <int K> static __device__ __forceinline__ void take(vector<K>& to, int step) {
    load_whole(to, *slot<K>(step));
  }

 private:
  template <int K> static __device__ __forceinline__ int place_of(int step) {
    int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
    return step * bytes_per_step + bytes_before<K> + thread * static_cast<int>(sizeof(vector<K>));
  }
  template <int K> static __device__ __forceinline__ vector<K>* slot(int step) {
    return reinterpret_cast<vector<K>*>(dynamic_shared() + place_of<K>(step));
  }
#endif
};

}  // namespace tenon::detail
