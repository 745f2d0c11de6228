// SPDX-License-Identifier: Apache-2.0
#pragma once
// The items of rows that begin anywhere and have any length, in registers: what is stored passes
// through shared memory, where what all rows share waits.

#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/column_part.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/shared_runs.cuh"
#include "tenon/backend/cuda/rows/kept_value.cuh"
#include "tenon/backend/cuda/rows/own_loads.cuh"

namespace tenon::detail {

// Element loads of what all rows share, and those of a sweep.
template <class Program, class C> struct shared_loads {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && i.where == place::element && !i.varies_over_rows;
  }
  template <int K> using type = vector_list<storage_t<at<K>::type>, C::vector_width, 1>;
};
template <class Program, class C, int Phase, bool Stores>
struct shared_loads_of : shared_loads<Program, C> {
  static consteval bool holds(int k) {
    return shared_loads<Program, C>::holds(k) &&
           element_needs<Program>::template at<Phase, Stores>.needed[k];
  }
};

// Shared memory of a block: an image of the share of each row and store, and the vectors of what
// all rows share.
template <class Program, class C> struct odd_memory {
  static constexpr int stored = rank_among<Program, element_stores<Program, 1>>(
                           program_traits<Program>::size),
                       own = rank_among<Program, own_loads<Program, C>>(
                           program_traits<Program>::size),
                       shared = rank_among<Program, shared_loads<Program, C>>(
                           program_traits<Program>::size);
  // Whether a vector of a result may take the place of one of an operand.
  static constexpr bool is_in_place = [] {
    int size = 0;
    bool result = true;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.moves_elements && (i.is_store || i.varies_over_rows)) {
        result = result && (size == 0 || size == size_of(i.type));
        size = size_of(i.type);
      }
    return result;
  }();
  static constexpr int images = stored == 0    ? 0
                                : !is_in_place ? stored + own
                                : stored > own ? stored
                                               : own;

  // Vectors of 16 bytes, and a word behind them.
  static constexpr TENON_HD int bytes_of_image(int lanes) { return (lanes * C::items + 1) * 16; }
  static constexpr TENON_HD int bytes_of_item(int lanes) { return (lanes + 1) * 16; }
  static constexpr int bytes_of(int lanes, int rows) {
    return images * rows * bytes_of_image(lanes) + shared * C::items * bytes_of_item(lanes);
  }
#if defined(__CUDA_ARCH__)
  static __device__ __forceinline__ unsigned begin() {
    return static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared()));
  }
  static __device__ __forceinline__ unsigned image(int rank) {
    return begin() + (rank * blockDim.y + threadIdx.y) * bytes_of_image(blockDim.x);
  }
  // What store K writes, and where operand K waits until then.
  template <int K> static __device__ __forceinline__ unsigned result() {
    return image(rank_among<Program, element_stores<Program, 1>>(K));
  }
  template <int K> static __device__ __forceinline__ unsigned operand(int u) {
    constexpr int rank = rank_among<Program, own_loads<Program, C>>(K);
    using type = storage_t<program_traits<Program>::template at<K>::type>;
    return image(is_in_place ? rank : stored + rank) +
           (threadIdx.x + u * blockDim.x) * packed<type, C::vector_width>::bytes;
  }
  // Where this thread finds its vector of item u.
  template <int K> static __device__ __forceinline__ unsigned slot(int u) {
    constexpr int rank = rank_among<Program, shared_loads<Program, C>>(K);
    return begin() + images * blockDim.y * bytes_of_image(blockDim.x) +
           (rank * C::items + u) * bytes_of_item(blockDim.x) + threadIdx.x * 16;
  }
#endif
};

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
    int const share = (first - of_row.lane) * v, limit = share + of_row.lanes * C::items * v;
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
    send_run<v>(row, image + (begin - share) * size_of_element, last - begin, of_row);
  }
};

template <class Program, class C> struct odd_items {
  static constexpr int v = C::vector_width, items = C::items;
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;
  using own = own_loads<Program, C>;
  using shared = shared_loads<Program, C>;
  using memory = odd_memory<Program, C>;

  // One item of a tile.
  struct item_of : own {
    template <int K> using type = vector_list<storage_t<at<K>::type>, v, 1>;
  };

  // Asks for what all rows share, once for those of a block.
  template <class Arguments>
  __device__ __forceinline__ static void ask_shared(Arguments const& a,
                                                    row_positions const& where) {
    if (threadIdx.y > 0) return;
    for_each_selected<Program, shared>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      using of = row_words<T, v>;
      T const* const row = load_address<Program, k>(a, 0);
      bool const is_aligned = a.load_access[at<k>::bits] == access::packed;
      int const in_front = of::beyond(row);
      unsigned to = memory::template slot<k>(0);
      unsigned char const* from = of::first_word(row + where.at(0) * v);
      int left = where.template bytes_left<T, v>(0) + in_front;
#pragma unroll 1
      for (int u = 0; u < items && left > in_front; ++u) {
        // What is beyond the row is 0.
        if (is_aligned) {
          copy_some<of::bytes>(to, from, left);
        } else {
#pragma unroll
          for (int i = 0; i < of::words + of::has_parts; ++i)
            if (left > 4 * i) copy_some<4>(to + 4 * i, from + 4 * i, left - 4 * i);
        }
        to += memory::bytes_of_item(static_cast<int>(blockDim.x));
        from += where.step * of::bytes, left -= where.step * of::bytes;
      }
    });
  }
  // @post what was asked for is there for all rows of the block
  __device__ __forceinline__ static void await_shared() {
    if constexpr (has_selected<Program, shared>) {
      wait_for_sent();
      __syncthreads();
    }
  }

  template <class Tile, class Arguments>
  __device__ __forceinline__ static void load(Tile& tile, Arguments const& a,
                                              operand_offsets<Program> const& row,
                                              row_positions const& where) {
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      load_words(read_register<k>(tile).at, load_address<Program, k>(a, row.loads[at<k>::bits]),
                 where);
    });
  }

  // As process_tile. @pre the threads of a warp are here
  template <int Phase, bool Stores, class Tile, class States, class Arguments>
  __device__ __forceinline__ static void process(Tile& tile, States& states,
                                                 frame<Program> const& around, Arguments const& a,
                                                 operand_offsets<Program> const& row,
                                                 row_positions const& where, bool is_row_inside) {
    using late_loads = shared_loads_of<Program, C, Phase, Stores>;
    selected_registers<Program, collected_values<Program, v, items, Phase>> values = {};
    selected_registers<Program, no_loads> none;
    auto const process = [&](auto& tile, auto const& late, auto const& positions, int place,
                             int u) {
      using vectors = std::remove_reference_t<decltype(tile)>;
      using loads = std::conditional_t<Stores, item_of, own>;
      process_item<Phase, Stores, v, items, contiguous_columns, loads, no_loads, late_loads>(
          place, tile, none, late, values, states, around, a, row, positions, u, is_row_inside,
          keeping_evaluation<Program, vectors>{tile});
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
      // Two at once, so that neither waits for the other; what is not there is kept by nobody's
      // place.
      constexpr int together = items % 2 == 0 && v <= 4 ? 2 : 1;
#pragma unroll 1
      for (int first = 0; first < items && where.is_live(first); first += together) {
        selected_registers<Program, item_of> item[together];
        selected_registers<Program, late_loads> late[together];
#pragma unroll
        for (int i = 0; i < together; ++i) {
          for_each_selected<Program, own>([&](auto selected) {
            constexpr int k = decltype(selected)::value;
            load_shared(read_register<k>(item[i]).at[0], memory::template operand<k>(first + i));
          });
          take_shared<late_loads>(late[i], a, first + i);
        }
#pragma unroll
        for (int i = 0; i < together; ++i) process(item[i], late[i], kept, 0, first + i);
      }
      row_lanes().meet();
      for_each_selected<Program, element_stores<Program, v>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        kept.template send<k>(store_address<Program, k>(a, row.stores[at<k>::bits]), around);
      });
    } else {
      constexpr int batch_items = running_states<Program, v, items, Phase>::batch_items;
      int live_elements = 0;
#pragma unroll
      for (int u = 0; u < items; ++u) {
        if (where.is_live(u)) {
          selected_registers<Program, late_loads> late;
          take_shared<late_loads>(late, a, u);
          process(tile, late, where, u, u);
        }
        live_elements += where.template count<v>(u);
        if ((u + 1) % batch_items != 0) continue;
        accumulate_batch<Program, v, items, Phase>(states, values, live_elements,
                                                   unordered_batch{});
        live_elements = 0;
      }
    }
  }

 private:
  template <class Loads, class Late, class Arguments>
  __device__ __forceinline__ static void take_shared(Late& late, Arguments const& a, int u) {
    for_each_selected<Program, Loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      using of = row_words<T, v>;
      unsigned const mine = memory::template slot<k>(u);
      auto& vector = read_register<k>(late).at[0];
      load_shared(vector, mine);
      if constexpr (of::has_parts) {
        packed<unsigned, 1> all[of::words + 1];
        for (int i = 0; i < of::words; ++i) all[i].words[0] = vector.words[i];
        load_shared(all[of::words], mine + of::bytes);
        vector = of::join(all, of::beyond(load_address<Program, k>(a, 0)));
      }
    });
  }
};
#endif

}  // namespace tenon::detail
