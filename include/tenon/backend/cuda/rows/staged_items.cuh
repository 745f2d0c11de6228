// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operands of a row of any layout, brought to shared memory all at once and taken from there
// item by item in each sweep.

#include "tenon/backend/cuda/parts/single_vector.cuh"
#include "tenon/backend/cuda/parts/thread_stage.cuh"
#include "tenon/backend/cuda/parts/turns.cuh"
#include "tenon/backend/cuda/parts/warp_runs.cuh"
#include "tenon/backend/cuda/rows/kept_value.cuh"
#include "tenon/backend/cuda/rows/odd_items.cuh"
#include "tenon/backend/cuda/rows/own_loads.cuh"

namespace tenon::detail {

// Bytes per element of those instructions before K that are selected.
template <class Program, class Selected> consteval int bytes_among(int k) {
  int bytes = 0;
  for (int earlier = 0; earlier < k; ++earlier)
    if (is_held<Program, Selected>(earlier))
      bytes += size_of(program_traits<Program>::all[earlier].type);
  return bytes;
}

// Whether results of rows that share operands wait, and these are asked for before anything else.
// Elements of four bytes gain by neither. H200, layer norm f32, us, with both and without: 1 x
// 50257 of which the weights are aligned 6.4 and 5.8, 1000 rows 181 and 171, misaligned 210 and
// 204, 133 x 16384 15.5 and 13.2; but 1 x 65536 7.6 and 7.8, 133 rows 52.5 and 56.1.
template <class Program>
inline constexpr bool has_short_elements = program_traits<Program>::widest_element <= 2;

// Whether what is stored waits in the place of the operand until all of it is computed: no item
// waits for the stores of the one before. Two operands leave no registers for it (ptxas 13.0,
// sm_80: the gradient of softmax bf16 spills 16 bytes).
template <class Program, class C>
inline constexpr bool stores_wait = [] {
  using memory = odd_memory<Program, C>;
  bool result = memory::stored > 0 && memory::own == 1 && memory::stored == 1 &&
                memory::is_in_place && !program_traits<Program>::has_positions &&
                (memory::shared == 0 || has_short_elements<Program>);
  for (instruction_facts const& i : program_traits<Program>::all)
    if (i.moves_elements && (i.is_store || (i.varies_over_rows && !i.is_late)))
      result = result && !i.is_window && size_of(i.type) * C::vector_width >= 4;
  return result;
}();

#if defined(__CUDA_ARCH__)
template <class Program, class C> struct waiting_positions;
#endif

template <class Program, class C> struct staged_items {
  static constexpr int v = C::vector_width, dims = C::group_dims;
  // Items that are computed together, all of which have a place in shared memory.
  static constexpr int pair = C::items > 1 ? 2 : 1;
  using own = own_loads<Program, C>;
  template <int K> using at = typename program_traits<Program>::template at<K>;
#if defined(__CUDA_ARCH__)
  template <int K> using vectors = warp_runs<storage_t<at<K>::type>, v>;

  // What is not of the row becomes anything. @pre all lanes of the warp are here
  template <class Arguments>
  __device__ __forceinline__ static void bring(Arguments const& a,
                                               operand_offsets<Program> const& row,
                                               staged_positions const& where) {
    __syncwarp();
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      access const how = a.load_access[at<k>::bits];
      T const* const from = load_address<Program, k>(a, row.loads[at<k>::bits]);
      unsigned slot = slot_of<k>(where, 0);
      int const stride = static_cast<int>(slot_of<k>(where, 1) - slot);
      if constexpr (has_words<T, v>)
        if ((dims == contiguous_columns || how <= access::elements) &&
            !(how == access::packed && where.partial == 0))
          return vectors<k>::bring_runs(slot, stride, from, where);
#pragma unroll 1
      for (int index = where.first; index - where.lane < where.end + (where.partial != 0);
           index += where.step, slot += stride) {
        asm volatile("" : "+r"(slot));
        unsigned const mine = vectors<k>::own(slot, where);
        int const count = where.size == 0      ? 0
                          : index < where.end  ? v
                          : index == where.end ? where.partial
                                               : 0;
        if constexpr (!has_words<T, v>) {
          store_shared(mine, load_vector<Program, k, v, dims>(a, row, index, count));
        } else if (dims == contiguous_columns || how <= access::elements) {
          copy_or_clear<vectors<k>::bytes>(mine, from + index * v, count > 0);
        } else if constexpr (dims > contiguous_columns) {
          store_shared(mine, load_by_places<Program, k, v>(a, row, index, count));
        }
      }
    });
    wait_for_sent();
    __syncwarp();
  }

  // As process_tile, of the row's items begin, ..., end - 1. @pre it was brought
  template <int Phase, bool Stores, class States, class Arguments>
  __device__ __forceinline__ static void process(States& states, frame<Program> const& around,
                                                 Arguments const& a,
                                                 operand_offsets<Program> const& row,
                                                 staged_positions const& where, int begin, int end,
                                                 bool is_inside) {
    // Other stores are long, and what all rows share takes registers.
    constexpr bool is_short = is_waiting && odd_memory<Program, C>::shared == 0;
    constexpr int at_once = Stores && !is_short ? 1 : pair;
    using kept = kept_value<Program>;
#pragma unroll 1
    for (int first = begin; (Stores || first < end) && where.is_live(first); first += C::items) {
      auto const load = [&](auto& item, int u) {
        take<item_loads<Program, v, Phase, Stores>>(item, a, row, where, first + u);
      };
      auto const put = [&](auto const& item, int u) {
        if constexpr (kept::number >= 0 && Phase == kept::phase)
          store_shared(vectors<kept::load>::own(slot_of<kept::load>(where, first + u), where),
                       read_register<kept::load>(item).at[0]);
      };
      auto const process = [&](auto const& positions) {
        process_in_turns<Phase, Stores, v, C::items, dims, at_once>(load, put, states, around, a,
                                                                    row, positions, is_inside);
      };
      if constexpr (Stores && is_waiting)
        process(waiting_positions<Program, C>(where.from(first), first));
      else
        process(where.from(first));
    }
    if constexpr (Stores && is_waiting) {
      // What was found of them is not held in registers until now.
      staged_positions again = where;
      asm volatile("" : "+r"(again.first), "+r"(again.memory), "+r"(again.lane), "+r"(again.run));
      send(a, row, again);
    }
  }
  // Where item u of what store K writes waits.
  template <int K>
  __device__ __forceinline__ static unsigned result(staged_positions const& where, int u) {
    constexpr int bytes = packed<storage_t<at<K>::type>, v>::bytes,
                  rank = rank_among<Program, element_stores<Program, v>>(K);
    int const lanes = static_cast<int>(blockDim.x), rows = static_cast<int>(blockDim.y);
    return where.slot(bytes, staged_bytes_per_item(stored_bytes, lanes, rows) +
                                 u * bytes_before<program_traits<Program>::size>(lanes, rows) +
                                 rank * staged_bytes_per_item(bytes, lanes, rows));
  }
#endif

  // Of rows of that many items; what is stored passes through the first part.
  static constexpr int bytes_of(int lanes, int rows, int items) {
    return staged_bytes_per_item(stored_bytes, lanes, rows) +
           (items + items % pair) * bytes_before<program_traits<Program>::size>(lanes, rows);
  }

 private:
  static constexpr bool is_waiting = stores_wait<Program, C>;
#if defined(__CUDA_ARCH__)
  // Writes what waits. @pre all lanes of the warp are here
  template <class Arguments>
  __device__ __forceinline__ static void send(Arguments const& a,
                                              operand_offsets<Program> const& row,
                                              staged_positions const& where) {
    __syncwarp();
    for_each_selected<Program, element_stores<Program, v>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      access const how = a.store_access[at<k>::bits];
      bool const is_run = dims == contiguous_columns || how <= access::elements;
      T* const to = store_address<Program, k>(a, row.stores[at<k>::bits]);
      unsigned slot = result<k>(where, 0);
      int const stride = static_cast<int>(result<k>(where, 1) - slot);
      int u = 0;
      if (is_run && where.lanes == 32) u = vectors<k>::send_runs(slot, stride, to, where);
      slot += u * stride;
#pragma unroll 1
      for (; where.is_live(u); ++u, slot += stride) {
        int const begin = where.template begin<v>(u), left = where.size - begin,
                  most = where.lanes * v;
#pragma unroll 1
        for (int i = where.lane; i < (left < most ? left : most); i += where.lanes) {
          operand_offsets<Program> column;
          column.stores[at<k>::bits] = begin + i;
          if constexpr (dims > contiguous_columns)
            if (!is_run) find_column<Program, element_stores<Program, v>>(column, a, begin + i);
          packed<T, 1> one;
          load_shared(one, slot + i * static_cast<int>(sizeof(T)));
          store_packed(to + column.stores[at<k>::bits], one);
        }
      }
    });
  }
  // What is asked for before anything waits.
  template <class Loads> struct shared_among {
    static consteval bool holds(int k) {
      return has_short_elements<Program> && Loads::holds(k) && !is_held<Program, own>(k);
    }
    template <int K> using type = halved_vector<Program, K, storage_t<at<K>::type>, v>;
  };
  // Item u of the row, and of what all rows share.
  template <class Loads, class Item, class Arguments>
  __device__ __forceinline__ static void take(Item& item, Arguments const& a,
                                              operand_offsets<Program> const& row,
                                              staged_positions const& where, int u) {
    selected_registers<Program, shared_among<Loads>> asked;
    for_each_selected<Program, shared_among<Loads>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(asked).ask(a, row, where.at(u), where.template count<v>(u));
    });
    for_each_selected<Program, Loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      auto& vector = read_register<k>(item).at[0];
      if constexpr (shared_among<Loads>::holds(k)) {
        vector = read_register<k>(asked).template join<dims>(a, row, where.at(u),
                                                             where.template count<v>(u));
      } else if constexpr (!is_held<Program, own>(k)) {
        vector = load_vector<Program, k, v, dims>(a, row, where.at(u), where.template count<v>(u));
      } else if constexpr (has_words<T, v>) {
        bool const is_shifted =
            dims == contiguous_columns || a.load_access[at<k>::bits] <= access::elements;
        vector = vectors<k>::take(slot_of<k>(where, u),
                                  load_address<Program, k>(a, row.loads[at<k>::bits]), where,
                                  is_shifted);
      } else {
        load_shared(vector, vectors<k>::own(slot_of<k>(where, u), where));
      }
    });
  }
#endif

  static constexpr int stored_bytes = has_element_stores<Program> ? 16 : 0;
  // Of an item's operands before K.
  template <int K> static constexpr TENON_HD int bytes_before(int lanes, int rows) {
    constexpr int bytes = v * bytes_among<Program, own>(K), runs = rank_among<Program, own>(K);
    return bytes > 0 ? staged_bytes_per_item(bytes, lanes, rows) +
                           (runs - 1) * staged_bytes_per_item(0, lanes, rows)
                     : 0;
  }

#if defined(__CUDA_ARCH__)
  template <int K>
  __device__ __forceinline__ static unsigned slot_of(staged_positions const& where, int u) {
    int const lanes = static_cast<int>(blockDim.x), rows = static_cast<int>(blockDim.y);
    return where.slot(packed<storage_t<at<K>::type>, v>::bytes,
                      staged_bytes_per_item(stored_bytes, lanes, rows) +
                          u * bytes_before<program_traits<Program>::size>(lanes, rows) +
                          bytes_before<K>(lanes, rows));
  }
#endif
};

#if defined(__CUDA_ARCH__)
// Positions from item `before` on, of which what is stored waits.
template <class Program, class C> struct waiting_positions : staged_positions {
  static constexpr bool finds_parts = true;
  int before;

  __device__ __forceinline__ waiting_positions(staged_positions const& where, int before)
      : staged_positions(where), before(before) {}
  template <int K, class T>
  __device__ __forceinline__ void keep(packed<T, C::vector_width> const& vector, int u) const {
    using vectors = staged_vectors<T, C::vector_width>;
    // Where elements are shifted, a neighbour's vector ends here.
    if constexpr (vectors::has_parts) __syncwarp();
    store_shared(
        vectors::own(staged_items<Program, C>::template result<K>(*this, before + u), *this),
        vector);
  }
};
#endif

}  // namespace tenon::detail
