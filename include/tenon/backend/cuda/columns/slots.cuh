// SPDX-License-Identifier: Apache-2.0
#pragma once
// Where states of columns lie in shared memory: 16 bytes of neighbouring ones together, and the
// same of neighbouring lanes beside each other.

#include "tenon/backend/cuda/mixed/arguments.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/whole_move.cuh"

namespace tenon::detail {

// Of the Selected reductions over the rows of vectors of V columns in Items places.
template <class Program, class Selected, int V, int Items> struct column_slots {
  template <int K> using state = typename reduction_facts<Program, K>::state;
  // States that move at once, 16 bytes at most, and how many times of a lane.
  template <int K>
  static constexpr int together = V * sizeof(state<K>) <= 16 ? V
                                  : sizeof(state<K>) <= 16   ? 16 / sizeof(state<K>)
                                                             : 1;
  template <int K> static constexpr int parts = V* Items / together<K>;
  template <int K> using part = value_list<state<K>, together<K>>;

  template <int K> static constexpr int bytes_of() {
    if constexpr (is_held<Program, Selected>(K))
      return static_cast<int>(sizeof(part<K>)) * parts<K>;
    else
      return 0;
  }
  template <int... K> static constexpr int sum(std::integer_sequence<int, K...>) {
    return (0 + ... + bytes_of<K>());
  }
  static constexpr int bytes_per_lane = sum(typename program_traits<Program>::sequence{});
  template <int K> static constexpr int bytes_before = sum(std::make_integer_sequence<int, K>{});

#if defined(__CUDA_ARCH__)
  // Part 0 of reduction K and lane 0; the others of the lane are `lanes` apart. first: bytes of
  // dynamic shared memory before all slots.
  template <int K> static __device__ __forceinline__ part<K>* begin(int first, int lanes) {
    return reinterpret_cast<part<K>*>(dynamic_shared() + first + bytes_before<K> * lanes);
  }
  // Calls visit(reduction, which column of the thread's is the first of a slot's, the slot).
  template <class Visit>
  static __device__ __forceinline__ void for_each(int first, int lanes, int lane,
                                                  Visit const& visit) {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      part<k>* const own = begin<k>(first, lanes) + lane;
#pragma unroll
      for (int p = 0; p < parts<k>; ++p) visit(selected, p * together<k>, own[p * lanes]);
    });
  }
#endif
};

}  // namespace tenon::detail
