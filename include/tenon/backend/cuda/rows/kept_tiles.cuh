// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which operands a sweep needs that an earlier one has read already, and their place in shared
// memory meanwhile, to which they go without passing through registers.

#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/runs.cuh"
#include "tenon/backend/cuda/parts/whole_move.cuh"

namespace tenon::detail {

// The sweeps over the columns: one for each phase with reductions over them, the last of which
// stores, or the first one after it that knows what is stored.
template <class Program> struct sweeps {
  static constexpr int last = program_traits<Program>::phases + 1;
  template <int Phase>
  static constexpr bool reduces =
      has_selected<Program, reductions_ending<Program, place::row, Phase>>;
  static constexpr int storing = [] {
    int known = 0;  // the phase after which what is stored is known
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.is_store && i.where == place::element && i.phase > known) known = i.phase;
    int const reducing = program_traits<Program>::row_phases;
    return known < reducing ? reducing : known + 1;
  }();
  template <int Phase>
  static constexpr bool stores =
      Phase == storing&& has_selected<Program, element_stores<Program, 1>>;
  template <int Phase> static constexpr bool has = reduces<Phase> || stores<Phase>;
  template <int Phase> static constexpr int first_from() {
    if constexpr (Phase >= last || has<Phase>)
      return Phase;
    else
      return first_from<Phase + 1>();
  }
  static constexpr int first = first_from<1>();

  template <int K, int Phase> static constexpr bool needs_load() {
    if constexpr (has<Phase>)
      return needed_loads<Program, 1, 1, Phase, stores<Phase>>::holds(K);
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
struct loads_of_sweep
    : needed_loads<Program, V, Items, Phase, sweeps<Program>::template stores<Phase>> {};
// Whether sweep Phase finds in shared memory what the sweep before it read last: that one went the
// other way, and read all that this one needs.
template <class Program, int Phase> struct sweep_before {
  using all = sweeps<Program>;
  template <int K, int At> static constexpr bool asks_for() {
    return all::template is_kept<K> && all::template needs_load<K, At>();
  }
  template <int At, int... K> static constexpr bool asks_for_any(std::integer_sequence<int, K...>) {
    return (false || ... || asks_for<K, At>());
  }
  template <int At, int... K> static constexpr bool covers(std::integer_sequence<int, K...>) {
    return (true && ... && (!asks_for<K, Phase>() || asks_for<K, At>()));
  }
  template <int At> static constexpr bool leaves_ring() {
    using sequence = typename program_traits<Program>::sequence;
    if constexpr (At < all::first)
      return false;
    else if constexpr (!asks_for_any<At>(sequence{}))
      return leaves_ring<At - 1>();
    else
      return (Phase - At) % 2 == 1 && covers<At>(sequence{});
  }
  static constexpr bool is_in_ring = leaves_ring<Phase - 1>();
};
template <class Program, int V, int Items, int Phase, bool IsKept>
struct loads_by_keeping : loads_of_sweep<Program, V, Items, Phase> {
  template <int K>
  static constexpr bool holds = loads_of_sweep<Program, V, Items, Phase>::holds(K) &&
                                sweeps<Program>::template is_kept<K> == IsKept;
};

struct every_item {
  __device__ __forceinline__ bool operator()(int) const { return true; }
};

// A thread's vectors of the kept loads, one tile after the other: [tile][load][item][thread]. Only
// the thread that wrote a vector, or asked for it, reads it.
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

  template <int K> static constexpr bool is_small() {
    if constexpr (sweeps<Program>::template is_kept<K>)
      return packed<storage_t<at<K>::type>, V>::bytes < 4;
    else
      return false;
  }
  template <int... K> static constexpr bool find_small(std::integer_sequence<int, K...>) {
    return (false || ... || is_small<K>());
  }
  // Whether some vectors are too small to be copied by themselves.
  static constexpr bool has_small = find_small(typename program_traits<Program>::sequence{});
  // Tiles under way, a power of two: 64 KB of a block.
  static constexpr int tiles_under_way = bytes_per_tile > 32768   ? 1
                                         : bytes_per_tile > 16384 ? 2
                                         : bytes_per_tile > 8192  ? 4
                                                                  : 8;

  unsigned char* memory;  // aligned to 16 bytes

#if defined(__CUDA_ARCH__)
  template <int K> __device__ __forceinline__ auto* slot(int tile, int u) const {
    using vector = packed<storage_t<at<K>::type>, V>;
    return reinterpret_cast<vector*>(memory + tile * bytes_per_tile + bytes_before<K>) +
           u * Threads + threadIdx.x;
  }
  // Items of which not has_place(u) are left out.
  template <class Selected, class Tile, class Has_place = every_item>
  __device__ __forceinline__ void put(int at_tile, Tile const& tile,
                                      Has_place const& has_place = {}) const {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int u = 0; u < Items; ++u)
        if (has_place(u)) store_whole(*slot<k>(at_tile, u), read_register<k>(tile).at[u]);
    });
  }
  // Asks for the vectors of Selected at these positions of the row at `row`.
  template <class Selected, class Arguments, class Positions>
  __device__ __forceinline__ void request(int at_tile, Arguments const& a,
                                          operand_offsets<Program> const& row,
                                          Positions const& positions) const {
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      int const at = positions.at(u);
      operand_offsets<Program> const where = in_run<Program, Selected>(row, a, at);
      for_each_selected<Program, Selected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        using vector = packed<storage_t<I::type>, V>;
        static_assert(vector::bytes >= 4, "smaller vectors have no copy of their own");
        copy_under_way<vector::bytes>(
            slot<k>(at_tile, u),
            load_address<Program, k>(a, where.loads[I::bits]) + static_cast<long long>(at) * V,
            positions.is_whole(u));
      });
    }
  }
  // Items of which not has_place(u) are 0.
  template <class Selected, class Tile, class Has_place = every_item>
  __device__ __forceinline__ void get(int at_tile, Tile& tile,
                                      Has_place const& has_place = {}) const {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int u = 0; u < Items; ++u)
        if (has_place(u))
          load_whole(read_register<k>(tile).at[u], *slot<k>(at_tile, u));
        else
          read_register<k>(tile).at[u] = {};
    });
  }
#endif
};

}  // namespace tenon::detail
