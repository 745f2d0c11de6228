// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operands of one thread of the mixed skeleton: sent for ahead of their row, then in registers
// or in shared memory.

#include "tenon/backend/cuda/columns/wholes.cuh"
#include "tenon/backend/cuda/parallel/side_by_side.cuh"
#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/opaque.cuh"
#include "tenon/backend/cuda/parts/shared_access.cuh"
#include "tenon/backend/cuda/parts/thread_stage.cuh"
#include "tenon/backend/cuda/parts/vector_part.cuh"

namespace tenon::detail {

// Whether rows stay in shared memory while registers hold the states of their columns.
template <class Program>
inline constexpr bool stages_rows = program_traits<Program>::widest_element == 2 &&
                                    partial_words<Program, column_reductions<Program, 1>> == 2 &&
                                    element_operands<Program>::loads <= 3;

template <class Program, class C> struct mixed_operands {
  static constexpr int v = C::vector_width, items = C::items, threads = C::threads_per_block;
  static constexpr int phases = program_traits<Program>::row_phases;
  using arguments = mixed_arguments<Program>;
  // Looped, nothing stays.
  using moving = mixed_loads<Program, v, items, true, C::is_looped>;
  using fixed = mixed_loads<Program, v, 1, false, !C::is_looped>;
  // One vector of each.
  using moving_item = mixed_loads<Program, v, 1, true, C::is_looped>;
  using column_index = std::conditional_t<C::is_looped, long long, int>;
  // A row is read from shared memory in every sweep, while the next one comes to the other half of
  // it: half types with two states of each column, of which a thread then has 32 columns. What it
  // does once per row is half as much per column as of 16. H200, gradients of a layer norm of 32768
  // x 4096 bf16: 292 us instead of 331; of f32, whose next row would have room only behind the last
  // sweep, 396 instead of 411, of 8192 x 1024 38 instead of 35.
  static constexpr bool is_staged = stages_rows<Program> && !C::is_looped;
  static constexpr int most_lanes = is_staged ? threads / 2 : threads;
  static constexpr int bytes_of_half =
      rank_among<Program, moving>(program_traits<Program>::size) * items * 16 * threads;
  static constexpr int bytes_of_rows = bytes_of_half * (is_staged ? 2 : 1);
  // What is the same for all rows is there once for all that lie above each other.
  static constexpr TENON_HD int bytes_of_fixed(int lanes) {
    return rank_among<Program, fixed>(program_traits<Program>::size) * items * 16 * lanes;
  }

#if defined(__CUDA_ARCH__)
  arguments const& a;
  int lane, lanes;
  long long row = 0;
  int rows_taken = 0;
  bool is_inside = false;
  // As numbers that nvcc does not know: it would find them again before every access.
  unsigned own_slots = as_one_number(begin_of_slots() + (thread_row() * lanes + lane) * 16),
           fixed_slots = as_one_number(begin_of_slots() + bytes_of_rows + lane * 16);
  operand_offsets<Program> offsets = {};
  selected_registers<Program, moving> moved = {};

  // The first column of item u of a tile, and how much of its vector there is.
  __device__ __forceinline__ column_index column_of(column_index tile, int u) const {
    return ((C::is_looped ? tile * items + u : u) * lanes + lane) * v;
  }
  __device__ __forceinline__ vector_part<v, column_index> part_of(column_index tile, int u) const {
    return {static_cast<column_index>(a.columns.size) - column_of(tile, u)};
  }

  // How many columns there are in `count` items.
  __device__ __forceinline__ int live_columns(column_index tile, int first, int count) const {
    int const own = found_again(lane);
    int live = 0;
#pragma unroll
    for (int u = 0; u < count; ++u)
      live +=
          vector_part<v, column_index>{part_of(tile, first + u).left + (lane - own) * v}.count();
    return live;
  }
  // Where dynamic shared memory begins.
  static __device__ __forceinline__ unsigned begin_of_slots() {
    return static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared()));
  }
  // Where the vector of item u lies of the row that comes after rows_taken others.
  template <int K> __device__ __forceinline__ unsigned slot(int u, int rows_taken) const {
    if constexpr (is_held<Program, moving>(K))
      return own_slots + (rank_among<Program, moving>(K) * items + u) * threads * 16 +
             (is_staged ? (rows_taken & 1) * bytes_of_half : 0);
    else
      return fixed_slots + (rank_among<Program, fixed>(K) * items + u) * lanes * 16;
  }
  // Between those of neighbouring items.
  template <int K> __device__ __forceinline__ int slot_distance() const {
    return (is_held<Program, moving>(K) ? threads : lanes) * 16;
  }
  // Where item u lies in a row of which item 0 lies at `first`.
  template <class T> __device__ __forceinline__ T* item_of(T* first, int u) const {
    return first + static_cast<long long>(u) * (lanes * v);
  }

  // Sends for the selected operands of a tile of a row, which comes after rows_taken others. What
  // is not one aligned access is left out.
  template <class Selected>
  __device__ __forceinline__ void request(long long row, column_index tile, int rows_taken) const {
    if (row >= a.rows.size) return;
    operand_offsets<Program> ahead;
    find_row<Program>(ahead, a, row);
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      using T = storage_t<I::type>;
      if constexpr (travels_alone<T, v>) {
        if (!a.load_moves_whole[I::bits]) return;
        T const* const first =
            as_one_number(load_address<Program, k>(a, ahead.loads[I::bits]) + column_of(tile, 0));
        unsigned const to = slot<k>(0, rows_taken);
        auto send = [&](int u, bool is_wanted) {
          copy_under_way<sizeof(T) * v>(to + slot_distance<k>() * u, item_of(first, u), is_wanted);
        };
        // Whether vectors are whole is asked once for all of them.
        if (part_of(tile, items - 1).is_whole()) {
#pragma unroll
          for (int u = 0; u < items; ++u) send(u, true);
        } else {
#pragma unroll 1
          for (int u = 0; u < items; ++u) send(u, part_of(tile, u).is_whole());
        }
      }
    });
  }
  // Waits for what was sent, and brings the rest element by element.
  template <class Selected> __device__ __forceinline__ void receive(column_index tile) const {
    wait_for_sent();
    if (a.is_whole) return;
    operand_offsets<Program> offsets;  // found here, so that whole rows need not
    find_row<Program>(offsets, a, is_inside ? row : 0);
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      using T = storage_t<I::type>;
      if (I::varies_over_rows && !is_inside) return;
      T const* base = load_address<Program, k>(a, offsets.loads[I::bits]);
#pragma unroll 1
      for (int u = 0; u < items; ++u) {
        auto const part = part_of(tile, u);
        if (travels_alone<T, v> && a.load_moves_whole[I::bits] && part.is_whole()) continue;
        long long const column = column_of(tile, u);
        unsigned const to = slot<k>(u, rows_taken);
        if (a.columns.dims == 1 && a.load_columns[I::bits][0] == 1)
          bring<v>(to, base + column, part.count());
        else
#pragma unroll 1
          for (int i = 0; i < part.count(); ++i)
            bring<1>(to + i * static_cast<int>(sizeof(T)),
                     base + offset_of(a.load_columns[I::bits], column + i), 1);
      }
    });
  }
  // The first `count` of Count neighbours, which are under way together.
  template <int Count, class T>
  static __device__ __forceinline__ void bring(unsigned to, T const* from, int count) {
    packed<T, 1> all[Count];
#pragma unroll
    for (int i = 0; i < Count; ++i) load_packed<reuse::none>(all[i], from + i, i < count);
#pragma unroll
    for (int i = 0; i < Count; ++i)
      if (i < count) store_shared(to + i * static_cast<int>(sizeof(T)), all[i]);
  }
  // Takes a tile of the row to registers and sends for the one that comes next. Vectors that are
  // not there hold anything: nothing of them is reduced or stored.
  __device__ __forceinline__ void take_tile(column_index tile, long long next_row,
                                            column_index next_tile) {
    receive<moving>(tile);
    if constexpr (is_staged) return request<moving>(next_row, next_tile, rows_taken + 1);
    for_each_selected<Program, moving>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
#pragma unroll
      for (int u = 0; u < items; ++u)
        load_shared(read_register<k>(moved).at[u], slot<k>(u, rows_taken));
    });
    request<moving>(next_row, next_tile, rows_taken);
  }
  // What is the same for all rows, once. @pre before a barrier
  __device__ __forceinline__ void bring_fixed() {
    if (thread_row() != 0) return;
    request<fixed>(0, 0, 0);
    receive<fixed>(0);
  }
  __device__ __forceinline__ long long offset_of(long long const (&strides)[max_rank],
                                                 long long column) const {
    long long offset = 0;
    for_each_digit(a.columns, column, [&](int d, long long at) { offset += at * strides[d]; });
    return offset;
  }
  // Item u of what is the same for all rows, and of the present one.
  __device__ __forceinline__ void take_fixed(selected_registers<Program, fixed>& same,
                                             int u) const {
    for_each_selected<Program, fixed>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      load_shared(read_register<k>(same).at[0], slot<k>(u, rows_taken));
    });
  }
  __device__ __forceinline__ void take_moving(selected_registers<Program, moving_item>& item,
                                              int u) const {
    for_each_selected<Program, moving>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& vector = read_register<k>(item).at[0];
      if constexpr (is_staged)
        load_shared(vector, slot<k>(u, rows_taken));
      else
        vector = read_register<k>(moved).at[u];
    });
  }
#endif
};

}  // namespace tenon::detail
