// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operands of a row of any layout, brought to shared memory all at once and taken from there
// item by item in each sweep.

#include "tenon/backend/cuda/parts/single_vector.cuh"
#include "tenon/backend/cuda/parts/thread_stage.cuh"
#include "tenon/backend/cuda/parts/turns.cuh"
#include "tenon/backend/cuda/parts/warp_stage.cuh"
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

template <class Program, class C> struct staged_items {
  static constexpr int v = C::vector_width, dims = C::group_dims;
  // Items that are computed together, all of which have a place in shared memory.
  static constexpr int pair = C::items > 1 ? 2 : 1;
  using own = own_loads<Program, C>;
  template <int K> using at = typename program_traits<Program>::template at<K>;
#if defined(__CUDA_ARCH__)
  template <int K> using vectors = staged_vectors<storage_t<at<K>::type>, v>;

  // @pre all lanes of the warp are here
  template <class Arguments>
  __device__ __forceinline__ static void bring(Arguments const& a,
                                               operand_offsets<Program> const& row,
                                               staged_positions const& where) {
    __syncwarp();
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      access const how = a.load_access[at<k>::bits];
      bool const is_aligned = how == access::packed && where.partial == 0,
                 is_run = dims == contiguous_columns || how <= access::elements;
      T const* const from = load_address<Program, k>(a, row.loads[at<k>::bits]);
      int const stride = static_cast<int>(slot_of<k>(where, 1) - slot_of<k>(where, 0));
      unsigned slot = slot_of<k>(where, 0);
      int const whole = where.end + (where.partial != 0), by = where.step * v;
      int at = where.first - where.lane, left = where.size - at * v;
      T const* run = from + at * v;
#pragma unroll 1
      for (int u = 0; at < whole || u % pair != 0;
           ++u, at += where.step, left -= by, run += by, slot += stride) {
        asm volatile("" : "+r"(slot), "+r"(left), "+l"(run));
        int const index = at + where.lane;
        unsigned const mine = vectors<k>::own(slot, where);
        if constexpr (has_words<T, v>) {
          if (is_aligned) {
            copy_or_clear<vectors<k>::bytes>(mine, run + where.lane * v,
                                             where.size > 0 && index < where.end);
            continue;
          }
          if (is_run) {
            vectors<k>::bring(slot, run, left * static_cast<int>(sizeof(T)), where);
            continue;
          }
        }
        int const count = where.size == 0      ? 0
                          : index < where.end  ? v
                          : index == where.end ? where.partial
                                               : 0;
        if constexpr (!has_words<T, v>)
          store_shared(mine, load_vector<Program, k, v, dims>(a, row, index, count));
        else if constexpr (dims > contiguous_columns)
          store_shared(mine, load_by_places<Program, k, v>(a, row, index, count));
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
    // Stores are long.
    constexpr int at_once = Stores ? 1 : pair;
#pragma unroll 1
    for (int first = begin; (Stores || first < end) && where.is_live(first); first += C::items) {
      auto const load = [&](auto& item, int u) {
        take<item_loads<Program, v, Phase, Stores>>(item, a, row, where, first + u);
      };
      process_in_turns<Phase, Stores, v, C::items, dims, at_once>(load, states, around, a, row,
                                                                  where.from(first), is_inside);
    }
  }
#endif

  // Of rows of that many items; what is stored passes through the first part.
  static constexpr int bytes_of(int lanes, int rows, int items) {
    return staged_bytes_per_item(stored_bytes, lanes, rows) +
           (items + items % pair) * bytes_before<program_traits<Program>::size>(lanes, rows);
  }

 private:
#if defined(__CUDA_ARCH__)
  // Item u of the row, and of what all rows share.
  template <class Loads, class Item, class Arguments>
  __device__ __forceinline__ static void take(Item& item, Arguments const& a,
                                              operand_offsets<Program> const& row,
                                              staged_positions const& where, int u) {
    for_each_selected<Program, Loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      auto& vector = read_register<k>(item).at[0];
      if constexpr (!is_held<Program, own>(k)) {
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

}  // namespace tenon::detail
