// SPDX-License-Identifier: Apache-2.0
#pragma once
// The items of rows that begin anywhere and have any length, in registers: what is stored passes
// through shared memory, where what all rows share waits.

#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/column_part.cuh"
#include "tenon/backend/cuda/parts/gathered_batches.cuh"
#include "tenon/backend/cuda/parts/shared_runs.cuh"
#include "tenon/backend/cuda/rows/kept_value.cuh"
#include "tenon/backend/cuda/rows/next_row.cuh"
#include "tenon/backend/cuda/rows/odd_memory.cuh"

namespace tenon::detail {

#if defined(__CUDA_ARCH__)
// Positions of which what is stored is kept for the row's image.
template <class Program, class C> struct kept_positions : row_positions {
  static constexpr bool finds_parts = true;
  static constexpr int v = C::vector_width;
  using memory = odd_memory<Program, C>;

  template <int K, class T>
  __device__ __forceinline__ void keep(packed<T, v> const& vector, int u) const {
    store_shared(
        memory::template result<K>() + (threadIdx.x + u * blockDim.x) * packed<T, v>::bytes,
        vector);
  }
  // @pre the threads that share the row have met since
  template <int K, class T>
  __device__ __forceinline__ void send(T* row, frame<Program> const& f) const {
    using I = typename program_traits<Program>::template at<K>;
    constexpr int size_of_element = static_cast<int>(sizeof(T));
    row_lanes const of_row;
    int const share = (first - of_row.lane) * v, limit = this->end * v + this->partial;
    int begin = share, last = size < limit ? size : limit;
    unsigned const image = memory::template result<K>();
    if constexpr (I::is_window) {
      constexpr column_part part = column_part_of<Program, K>;
      long long const start = value_of<part.start>(f), extent = value_of<part.extent>(f),
                      stride = value_of<part.stride>(f);
      if (start > begin) begin = static_cast<int>(start);
      if (start + extent < last) last = static_cast<int>(start + extent);
      row += value_of<part.row>(f) + (begin - start) * stride;
      if (stride != 1)
        return send_steps(row, image + (begin - share) * size_of_element, last - begin, stride,
                          of_row);
    } else {
      row += begin;
    }
    send_run<v, 1>(row, image + (begin - share) * size_of_element, last - begin, of_row);
  }
};

template <class Program, class C> struct odd_items {
  static constexpr int v = C::vector_width, items = C::items, tile_items = items_of_tile<C>;
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;
  using own = own_loads<Program, C>;
  using shared = shared_loads<Program, C>;
  using memory = odd_memory<Program, C>;

  // One item of a tile.
  struct item_of : own {
    template <int K> using type = vector_list<storage_t<at<K>::type>, v, 1>;
  };

  // Asks for what all rows share, once for those of a block: each has items of it.
  template <class Arguments>
  __device__ __forceinline__ static void ask_shared(Arguments const& a,
                                                    row_positions const& where) {
    if constexpr (has_selected<Program, shared>)
#pragma unroll 1
      for (int u = static_cast<int>(threadIdx.y); u < items && where.is_live(u);
           u += static_cast<int>(blockDim.y))
        for_each_selected<Program, shared>([&](auto selected) {
          constexpr int k = decltype(selected)::value;
          using T = storage_t<at<k>::type>;
          using of = row_words<T, v>;
          T const* const row = load_address<Program, k>(a, 0);
          unsigned const to = memory::template slot<k>(u);
          unsigned char const* const from = of::first_word(row + where.at(u) * v);
          int const left = where.template bytes_left<T, v>(u) + of::beyond(row);
          // What is beyond the row is 0.
          if (a.load_access[at<k>::bits] == access::packed) {
            copy_some<of::bytes>(to, from, left);
          } else {
            // The word behind a vector is the first one of the next lane's, which brings it.
            bool const brings_next =
                of::has_parts && (threadIdx.x + 1 == blockDim.x || !where.next().is_live(u));
#pragma unroll
            for (int i = 0; i < of::words + of::has_parts; ++i)
              if (left > 4 * i && (i < of::words || brings_next))
                copy_some<4>(to + 4 * i, from + 4 * i, left - 4 * i);
          }
        });
  }
  // @post what was asked for is there for all rows of the block
  __device__ __forceinline__ static void await_shared() {
    wait_for_sent();
    __syncthreads();
  }

  template <class Tile, class Arguments>
  __device__ __forceinline__ static void load(Tile& tile, Arguments const& a,
                                              operand_offsets<Program> const& row,
                                              row_positions const& where, long long number) {
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      // Rows that follow lie behind this one, and reach further.
      bool const goes_on = !at<k>::is_gathered && a.rows.dims == 1 && number + 1 < a.row_count &&
                           a.load_rows[at<k>::bits][0] * static_cast<int>(sizeof(T)) >= 4;
      load_words(read_register<k>(tile).at, load_address<Program, k>(a, row.loads[at<k>::bits]),
                 where, goes_on);
    });
    if constexpr (asks_for_stretches<Program, C>)
      prefetch_stretch<Program, C, true>(a, row, where.first, where.end - where.first, number);
  }

  // As process_tile. @pre the threads of a warp are here
  template <int Phase, bool Stores, class Tile, class States, class Arguments>
  __device__ __forceinline__ static void process(Tile& tile, States& states,
                                                 frame<Program> const& around, Arguments const& a,
                                                 operand_offsets<Program> const& row,
                                                 row_positions const& where, bool is_row_inside) {
    using late = detail::late_loads<Program, C, Phase, Stores>;
    using collected = selected_registers<Program, collected_values<Program, v, tile_items, Phase>>;
    selected_registers<Program, no_loads> none;
    common_divisors<Program, Phase, Stores> const divisors(around);
    auto const process = [&](auto& tile, auto const& others, auto const& positions, int place,
                             int u, collected& values) {
      using vectors = std::remove_reference_t<decltype(tile)>;
      using loads = std::conditional_t<Stores, item_of, own>;
      process_item<Phase, Stores, v, tile_items, contiguous_columns, loads, no_loads, late>(
          place, tile, none, others, values, states, around, divisors, a, row, positions, u,
          is_row_inside, keeping_evaluation<Program, vectors>{tile});
    };
    keep_packed(tile);
    if constexpr (Stores) {
      kept_positions<Program, C> const kept{where};
      // Short rows: who reads the last row's image is done.
      __syncwarp();
      for_each_selected<Program, own>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
#pragma unroll
        for (int u = 0; u < items; ++u)
          store_shared(memory::template operand<k>(u), read_register<k>(tile).at[u]);
      });
      // What is not there is kept in nobody's place.
      constexpr int together = odd_stores_together<C>;
#pragma unroll 1
      for (int first = 0; first < items && where.is_live(first); first += together) {
        selected_registers<Program, item_of> item[together];
        selected_registers<Program, late> others[together];
#pragma unroll
        for (int i = 0; i < together; ++i) {
          for_each_selected<Program, own>([&](auto selected) {
            constexpr int k = decltype(selected)::value;
            load_shared(read_register<k>(item[i]).at[0], memory::template operand<k>(first + i));
          });
          // Of an odd number of items the last has none beside it, and what rows share no room for
          // it.
          bool const is_there = items % together == 0 || first + i < items;
          take_late<late>(others[i], a, row, where, is_there ? first + i : first);
        }
#pragma unroll
        for (int i = 0; i < together; ++i) {
          collected nothing;
          process(item[i], others[i], kept, 0, first + i, nothing);
        }
      }
      row_lanes().meet();
      for_each_selected<Program, element_stores<Program, v>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        kept.template send<k>(store_address<Program, k>(a, row.stores[at<k>::bits]), around);
      });
    } else {
      using running = running_states<Program, v, tile_items, Phase>;
      constexpr int batch_items = running::batch_items;
      // A turn for each tile; the item of the second takes the place of the first.
#pragma unroll 1
      for (int turn = 0;; turn = 1) {
        auto const here = where.from(turn * tile_items);
        collected values = {};
        selected_registers<Program, gathered_batches<Program, running>> gathered;
        int live_elements = 0;
#pragma unroll
        for (int u = 0; u < tile_items; ++u) {
          if (here.is_live(u)) {
            selected_registers<Program, late> others;
            take_late<late>(others, a, row, where, turn * tile_items + u);
            process(tile, others, here, u, u, values);
            gather_item<Program, running>(gathered, values, u, here.template count<v>(u));
          }
          live_elements += here.template count<v>(u);
          if ((u + 1) % batch_items != 0) continue;
          accumulate_batch<Program, v, tile_items, Phase, other_batches<Program, running>>(
              states, values, live_elements, unordered_batch{});
          live_elements = 0;
        }
        join_gathered<Program, running>(states, gathered);
        if constexpr (items == tile_items) break;
        if (!where.is_live(tile_items)) break;
        for_each_selected<Program, own>([&](auto selected) {
          auto& list = read_register<decltype(selected)::value>(tile).at;
          exchange(list[0], list[items - 1]);
        });
        if (turn > 0) break;
      }
    }
  }

 private:
  // By exclusive or: ptxas 13.0 would move twelve registers in front of each turn otherwise.
  template <class T>
  __device__ __forceinline__ static void exchange(packed<T, v>& a, packed<T, v>& b) {
#pragma unroll
    for (int i = 0; i < packed<T, v>::bytes / 4; ++i)
      asm volatile("xor.b32 %0, %0, %1;\n\txor.b32 %1, %0, %1;\n\txor.b32 %0, %0, %1;"
                   : "+r"(a.words[i]), "+r"(b.words[i]));
  }
  // Item u of what is not kept of the row: what all rows share is in shared memory.
  template <class Loads, class Late, class Arguments>
  __device__ __forceinline__ static void take_late(Late& late, Arguments const& a,
                                                   operand_offsets<Program> const& row,
                                                   row_positions const& where, int u) {
    for_each_selected<Program, Loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& to = read_register<k>(late).at;
      if constexpr (shared::holds(k))
        take_shared<k>(to[0], a, u);
      else
        load_words(to, load_address<Program, k>(a, row.loads[at<k>::bits]),
                   row_positions{where.from(u), where.size}, false);
    });
  }
  template <int K, class Vector, class Arguments>
  __device__ __forceinline__ static void take_shared(Vector& vector, Arguments const& a, int u) {
    using T = storage_t<at<K>::type>;
    using of = row_words<T, v>;
    unsigned const mine = memory::template slot<K>(u);
    load_shared(vector, mine);
    if constexpr (of::has_parts) {
      packed<unsigned, 1> all[of::words + 1];
      for (int i = 0; i < of::words; ++i) all[i].words[0] = vector.words[i];
      load_shared(all[of::words], mine + of::bytes);
      vector = of::join(all, of::beyond(load_address<Program, K>(a, 0)));
    }
  }
};
#endif

}  // namespace tenon::detail
