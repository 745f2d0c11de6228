// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which operands a sweep needs that an earlier one has read already, and their place in shared
// memory meanwhile.

#include "tenon/backend/cuda/sweep.cuh"

namespace tenon::detail {

// Reductions of one place that end in one phase.
template <class Program, place Where, int Phase> struct reductions_ending {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K>
  static constexpr bool holds = at<K>::is_reduction&& at<K>::where == Where&& at<K>::phase == Phase;
};
template <class Program, class Selected> struct is_any_selected {
  template <int... K> static constexpr bool find(std::integer_sequence<int, K...>) {
    return (false || ... || Selected::template holds<K>);
  }
  static constexpr bool value = find(typename program_traits<Program>::sequence{});
};
template <class Program, class Selected>
inline constexpr bool is_any = is_any_selected<Program, Selected>::value;

// The sweeps over the columns: one for each phase with reductions over them, and one after the last
// phase for the stores.
template <class Program> struct sweeps {
  static constexpr int last = program_traits<Program>::phases + 1;
  template <int Phase>
  static constexpr bool reduces = is_any<Program, reductions_ending<Program, place::row, Phase>>;
  static constexpr bool stores = is_any<Program, element_stores<Program, 1>>;
  template <int Phase> static constexpr bool has = Phase < last ? reduces<Phase> : stores;
  template <int Phase> static constexpr int first_from() {
    if constexpr (Phase >= last || has<Phase>)
      return Phase;
    else
      return first_from<Phase + 1>();
  }
  static constexpr int first = first_from<1>();

  template <int K, int Phase> static constexpr bool needs_load() {
    if constexpr (has<Phase>)
      return needed_loads<Program, 1, 1, Phase, Phase == last>::template holds<K>;
    else
      return false;
  }
  template <int K, int Phase> static constexpr bool needs_load_from() {
    if constexpr (Phase > last)
      return false;
    else
      return needs_load<K, Phase>() || needs_load_from<K, Phase + 1>();
  }
  // What the first sweep reads and a later one needs again.
  template <int K>
  static constexpr bool is_kept = needs_load<K, first>() && needs_load_from<K, first + 1>();
};

// What the sweep of phase Phase reads: all of it, and those that may have been kept or the others.
template <class Program, int V, int Items, int Phase>
struct loads_of_sweep : needed_loads<Program, V, Items, Phase, Phase == sweeps<Program>::last> {};
template <class Program, int V, int Items, int Phase, bool IsKept>
struct loads_by_keeping : loads_of_sweep<Program, V, Items, Phase> {
  template <int K>
  static constexpr bool holds = loads_of_sweep<Program, V, Items, Phase>::template holds<K>&&
                                    sweeps<Program>::template is_kept<K> == IsKept;
};

// A thread's vectors of the kept loads, one tile after the other: [tile][load][item][thread]. Only
// the thread that wrote a vector reads it.
template <class Program, int V, int Items, int Threads> struct kept_tiles {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> static constexpr int bytes_of() {
    if constexpr (sweeps<Program>::template is_kept<K>)
      return static_cast<int>(sizeof(packed<storage_t<at<K>::type>, V>)) * Items;
    else
      return 0;
  }
  template <int... K> static constexpr int sum(std::integer_sequence<int, K...>) {
    return (0 + ... + bytes_of<K>());
  }
  template <int K>
  static constexpr int bytes_before = Threads* sum(std::make_integer_sequence<int, K>{});
  static constexpr int bytes_per_tile = Threads * sum(typename program_traits<Program>::sequence{});

  unsigned char* memory;  // aligned to 16 bytes

  template <int K> __device__ __forceinline__ auto* slot(long long tile, int u) const {
    using vector = packed<storage_t<at<K>::type>, V>;
    return reinterpret_cast<vector*>(memory + tile * bytes_per_tile + bytes_before<K>) +
           u * Threads + threadIdx.x;
  }
  template <class Selected, class Tile>
  __device__ __forceinline__ void put(long long at_tile, Tile const& tile) const {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int u = 0; u < Items; ++u) move(*slot<k>(at_tile, u), read_register<k>(tile).at[u]);
    });
  }
  template <class Selected, class Tile>
  __device__ __forceinline__ void get(long long at_tile, Tile& tile) const {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int u = 0; u < Items; ++u) move(read_register<k>(tile).at[u], *slot<k>(at_tile, u));
    });
  }

 private:
  // In one access: the words of a vector are aligned as a whole.
  template <class Vector>
  static __device__ __forceinline__ void move(Vector& to, Vector const& from) {
    if constexpr (sizeof(Vector) == 16)
      reinterpret_cast<uint4&>(to) = reinterpret_cast<uint4 const&>(from);
    else if constexpr (sizeof(Vector) == 8)
      reinterpret_cast<uint2&>(to) = reinterpret_cast<uint2 const&>(from);
    else
      to = from;
  }
};

}  // namespace tenon::detail
