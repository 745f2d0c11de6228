// SPDX-License-Identifier: Apache-2.0
#pragma once
// A row of few elements whose lanes move each by itself: global memory <-> registers. What all rows
// share comes alike, and at the same time.

#include "tenon/backend/cuda/rows/brief_vectors.cuh"
#include "tenon/backend/cuda/rows/warp_image.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// OneLane: a row, of up to eight elements.
template <class Program, class C, bool OneLane>
struct lone_elements : brief_vectors<Program, C, OneLane> {
  using base = brief_vectors<Program, C, OneLane>;
  using base::v, base::items, base::a, base::lanes, base::begin;
  using typename base::stores;
  template <int K> using at = typename base::template at<K>;
  template <int K> using type_of = typename base::template type_of<K>;
  template <int E> static constexpr int width = base::template width<E>;
  static constexpr bool is_few = OneLane;
  static constexpr int gathered = 1;
  static constexpr bool has_one_way = true;

  struct own : loaded_at<Program, place::element> {
    template <int K> using type = vector_list<type_of<K>, 1, v * items>;
  };
  // Those of the row, which are needed first, and those of all rows.
  template <bool OfRow> struct some_of : own {
    static consteval bool holds(int k) {
      return own::holds(k) && program_traits<Program>::all[k].varies_over_rows == OfRow;
    }
  };
  struct loaded_from : own {
    template <int K> using type = type_of<K> const*;
  };
  struct stored_to : stores {
    template <int K> using type = type_of<K>*;
  };
  using held_row = selected_registers<Program, own>;
  template <int, bool> using shared_loads = no_loads;

  // Where the lane's first elements are, how many there are from there on, and how far from one
  // vector to the next.
  struct places {
    selected_registers<Program, loaded_from> from;
    selected_registers<Program, stored_to> to;
    int left, step;
    cache_policy stored;
  };
  // The second-level cache is asked for the lines of the lane's vectors. What leads to these, and
  // what is read of the parameters, is done before the wait: the asm keeps it there.
  __device__ __forceinline__ places find(operand_offsets<Program> const& row,
                                         bool is_inside) const {
    places all;
    all.left = is_inside ? this->left_of(0) : 0, all.step = lanes * v, all.stored = a.stored;
    asm volatile("" : "+r"(all.left), "+l"(all.stored));
    if constexpr (!OneLane) asm volatile("" : "+r"(all.step));
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& from = read_register<k>(all.from);
      from = load_address<Program, k>(a, row.loads[at<k>::bits]) + begin;
      // What all rows share one block asks for: it is one place of the cache.
      bool const asks = at<k>::varies_over_rows || blockIdx.x == 0;
      ask_early(from, asks && all.left > 0);
      if constexpr (!OneLane) {
#pragma unroll
        for (int u = 1; u < items; ++u) {
          if (!this->has(u)) break;
          auto const* further = from + u * all.step;
          ask_early(further, asks && all.left > u * all.step);
        }
      }
    });
    for_each_selected<Program, stores>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& to = read_register<k>(all.to);
      to = store_address<Program, k>(a, row.stores[at<k>::bits]) + begin;
      asm volatile("" : "+l"(to));
    });
    return all;
  }
  template <int E>
  __device__ __forceinline__ void request(held_row& tile, places const& all) const {
    request<E, some_of<true>>(tile, all);
    request<E, some_of<false>>(tile, all);
  }
  __device__ __forceinline__ places const& places_of_results(places const& all) const {
    return all;
  }
  template <int K, int E, class Value>
  __device__ __forceinline__ void put(places const& all, int u,
                                      Value const (&values)[width<E>]) const {
    packed<type_of<K>, 1> packs[width<E>];
    pack_singly(packs, values);
    auto* const mine = read_register<K>(all.to) + u * all.step;
    int const left = all.left - u * all.step;
#pragma unroll
    for (int i = 0; i < width<E>; ++i) store_packed(mine + i, packs[i], i < left, all.stored);
  }
  // One way for all lanes is less code, which short calls wait for.
  template <int E> __device__ __forceinline__ bool is_whole(int) const { return E == 1; }

 private:
  // Two vectors at a time, without a branch between: behind one, loads would be waited for. Of
  // elements that are not there the values are anything; one lane's are 0: H200, layer norm of 1 x
  // 1 bf16 .70 us instead of .85, but of 16 x 33 by several lanes 1.34 instead of 1.26.
  template <int E, class Some, int U = 0>
  __device__ __forceinline__ void request(held_row& tile, places const& all) const {
    constexpr int behind = U + 2 < base::template vectors<E> ? U + 2 : base::template vectors<E>;
#pragma unroll
    for (int u = U; u < behind; ++u) {
      int const left = all.left - u * all.step;
      for_each_selected<Program, Some>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        auto const* const mine = read_register<k>(all.from) + u * all.step;
#pragma unroll
        for (int i = 0; i < width<E>; ++i) {
          auto& element = read_register<k>(tile).at[u * v + i];
          if constexpr (OneLane) element = {};
          load_packed<reuse::expected>(element, mine + i, i < left);
        }
      });
    }
    if constexpr (behind < base::template vectors<E>)
      if (this->size > behind * all.step) request<E, Some, behind>(tile, all);
  }
};

}  // namespace tenon::detail
#endif
