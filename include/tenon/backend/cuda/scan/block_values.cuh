// SPDX-License-Identifier: Apache-2.0
#pragma once
// Blocks of columns that lie in neighbouring lanes: what the elements of a block have in common is
// computed once for each of a thread's items, by one of the lanes.

#include "tenon/backend/cuda/parts/block_reduction.cuh"
#include "tenon/backend/cuda/parts/sweep_needs.cuh"
#include "tenon/backend/cuda/scan/windows.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The values that all elements of a block have in common; vectors have V elements.
template <class Program, int V> struct block_values {
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;

  // Of all blocks; 0 where they differ, or are shorter than a vector.
  static constexpr int length = []<int... K>(std::integer_sequence<int, K...>) {
    int found = 0;
    bool is_same = true;
    auto const look = [&](bool is_block, int of_block) {
      if (!is_block) return;
      is_same = is_same && (found == 0 || found == of_block);
      found = of_block;
    };
    (look(is_blockwise_scan<typename at<K>::op>, static_cast<int>(ops::block_length<at<K>::bits>)),
     ...);
    return is_same && found % V == 0 ? found : 0;
  }
  (typename traits::sequence{});
  static constexpr bool are_shared = length > 0;
  static constexpr int lanes = are_shared ? length / V : 1;

  template <int K>
  static constexpr bool holds =
      are_shared&& at<K>::where ==
      place::element&& at<K>::is_computed&&
          same_in_vectors<Program, are_shared ? length : V>::template holds<K>;
  // Whether something needs the value that is of each element.
  template <int K>
  static constexpr bool is_wanted = []<int... N>(std::integer_sequence<int, N...>) {
    return (false || ... || (uses<N, K>(typename at<N>::operands{})));
  }
  (typename traits::sequence{});

 private:
  template <int N, int K, int... Operands>
  static consteval bool uses(std::integer_sequence<int, Operands...>) {
    if constexpr (at<N>::is_window)
      if (find_distance<Program, N, V>() == length) return false;
    return !holds<N> && (false || ... || (Operands == K));
  }
};

// Combines Items states over groups of Lanes lanes, of which each keeps its share of the items.
// @pre both are powers of two; all 32 lanes call it
// @post the first of the states are those of items own_item(0), own_item(1), ...
template <int Lanes, int Items> struct lane_items {
  static constexpr int groups = Lanes < Items ? Lanes : Items, each = Items / groups,
                       distance = Lanes / groups;

  static __device__ __forceinline__ int own(int j) {
    return static_cast<int>(threadIdx.x % Lanes) / distance * each + j;
  }
  // Whether this lane is the first of those that keep its items.
  static __device__ __forceinline__ bool is_first() { return threadIdx.x % distance == 0; }

  template <class Op, class State>
  static __device__ __forceinline__ void combine(State (&all)[Items]) {
    int kept = Items;
#pragma unroll
    for (int step = Lanes / 2; step > 0; step /= 2) {
      if (kept == 1) {
        all[0] = combine_across<Op>(all[0], step);
        continue;
      }
      bool const is_upper = (threadIdx.x & static_cast<unsigned>(step)) != 0;
      kept /= 2;
#pragma unroll
      for (int j = 0; j < Items / 2; ++j) {
        if (j >= kept) continue;
        State const given = is_upper ? all[j] : all[j + kept],
                    mine = is_upper ? all[j + kept] : all[j];
        state_words<State> theirs(given);
#pragma unroll
        for (unsigned& word : theirs.words) word = __shfl_xor_sync(~0u, word, step);
        all[j] = Op::combine(mine, theirs.state());
      }
    }
  }
  // What the lane that keeps item u has of it, in all lanes of its group.
  template <class Value>
  static __device__ __forceinline__ Value of_item(Value const (&kept)[each], int u) {
    state_words<Value> sent(kept[u % each]), received;
#pragma unroll
    for (int w = 0; w < sent.count; ++w)
      received.words[w] = __shfl_sync(~0u, sent.words[w], u / each * distance, Lanes);
    return received.state();
  }
};

// What this lane has of the blocks of a tile's Count items: those of its share of the items.
template <class Program, int V, int Count> struct kept_blocks {
  using common = block_values<Program, V>;
  using sharing = lane_items<common::lanes, Count>;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  registers<Program, place::element> values[sharing::each];

  template <class Worker>
  __device__ __forceinline__ frame<Program> frame_of(Worker& worker, int j) {
    return {worker.launch, worker.row, values[j], worker.total};
  }
  // Reduction K, from what this thread's elements of each item combine to.
  template <int K, class Tile, class State>
  __device__ __forceinline__ void keep(Tile& tile, State (&of_items)[Count]) {
    using op = typename at<K>::op;
    sharing::template combine<op>(of_items);
#pragma unroll
    for (int j = 0; j < sharing::each; ++j)
      value_of<K>(frame_of(tile.worker, j)) =
          op::template finish<arithmetic_t<at<K>::type>>(of_items[j]);
    if constexpr (common::template is_wanted<K>) tell<K>(tile);
  }
  // What blocks have in common, from instruction From to To.
  template <int Phase, bool Stores, int From, int To, class Tile>
  __device__ __forceinline__ void evaluate(Tile& tile) {
    for_each_instruction<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      if constexpr (k >= From && k < To && common::template holds<k> &&
                    element_needs<Program>::template at<Phase, Stores>.needed[k]) {
#pragma unroll
        for (int j = 0; j < sharing::each; ++j)
          step<k>(frame_of(tile.worker, j), typename at<k>::operands{});
        if constexpr (common::template is_wanted<k>) tell<k>(tile);
      }
    });
  }
  // Value K of a block, in the registers of its elements.
  template <int K, class Tile> __device__ __forceinline__ void tell(Tile& tile) {
    typename at<K>::value_type kept[sharing::each];
#pragma unroll
    for (int j = 0; j < sharing::each; ++j) kept[j] = value_of<K>(frame_of(tile.worker, j));
#pragma unroll
    for (int u = 0; u < Count; ++u) {
      auto const told = sharing::of_item(kept, u);
#pragma unroll
      for (int i = 0; i < V; ++i) value_of<K>(tile.frame_of(u, i)) = told;
    }
  }
};

}  // namespace tenon::detail
#endif
