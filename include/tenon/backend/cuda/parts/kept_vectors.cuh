// SPDX-License-Identifier: Apache-2.0
#pragma once
// Vectors that several sweeps need: brought to shared memory once, all that a thread will use at a
// time.

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/thread_stage.cuh"
#include "tenon/backend/cuda/parts/whole_move.cuh"

namespace tenon::detail {

// Element loads that more than one sweep needs and that travel by themselves.
template <class Program, int V, int Items = 1>
struct kept_loads : needed_loads<Program, V, Items, 0, false> {
  using traits = program_traits<Program>;
  template <int... Phase>
  static consteval int count_sweeps(int k, std::integer_sequence<int, Phase...>) {
    return (needed_loads<Program, V, 1, traits::row_phases + 1, true>::holds(k) + ... +
            needed_loads<Program, V, 1, Phase + 1, false>::holds(k));
  }
  static consteval bool holds(int k) {
    instruction_facts const& i = traits::all[k];
    return i.is_load && i.where == place::element && i.varies_over_rows &&
           can_travel_alone(size_of(i.type) * V) &&
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
template <class Program, int V, class Selected, bool IsKept> struct selected_by_keeping : Selected {
  static consteval bool holds(int k) {
    return Selected::holds(k) && is_held<Program, kept_loads<Program, V>>(k) == IsKept;
  }
};

// Slots of the kept loads: for each of a thread's steps and each load one vector, neighbouring
// threads next to each other. Only the thread whose slot it is uses it, so no barrier is needed.
template <class Program, int V, int Threads> struct kept_vectors {
  using traits = program_traits<Program>;
  template <int K> using vector = packed<storage_t<traits::template at<K>::type>, V>;
  template <int K> static constexpr int bytes_of() {
    if constexpr (is_held<Program, kept_loads<Program, V>>(K))
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
  // @pre a vector at `from` is one aligned access
  template <int K, class T> static __device__ __forceinline__ void bring(int step, T const* from) {
    send_to_shared<T, V>(slot<K>(step), from);
  }
  // The same of vector `index` of a row of any layout, of which `count` elements are inside,
  // element by element. @post false where its elements do not travel by themselves, or are not
  // neighbours
  template <int K, class Arguments>
  static __device__ __forceinline__ bool bring_elements(int step, Arguments const& a,
                                                        operand_offsets<Program> const& row,
                                                        long long index, int count) {
    using I = typename traits::template at<K>;
    using T = storage_t<I::type>;
    if constexpr (travels_alone<T, 1>) {
      if (a.load_access[I::bits] > access::elements) return false;
      T const* from = load_address<Program, K>(a, row.loads[I::bits]) + index * V;
      T* to = reinterpret_cast<T*>(slot<K>(step));
#pragma unroll
      for (int i = 0; i < V; ++i) copy_or_clear<sizeof(T)>(to + i, from + i, i < count);
      return true;
    } else {
      return false;
    }
  }
  template <int K> static __device__ __forceinline__ void put(int step, vector<K> const& all) {
    *slot<K>(step) = all;
  }
  // @pre wait_for_sent() is over
  template <int K> static __device__ __forceinline__ void take(vector<K>& to, int step) {
    move_whole(to, *slot<K>(step));
  }

 private:
  template <int K> static __device__ __forceinline__ vector<K>* slot(int step) {
    int const thread = static_cast<int>(threadIdx.x + threadIdx.y * blockDim.x);
    return reinterpret_cast<vector<K>*>(dynamic_shared() + step * bytes_per_step +
                                        bytes_before<K>) +
           thread;
  }
#endif
};

}  // namespace tenon::detail
