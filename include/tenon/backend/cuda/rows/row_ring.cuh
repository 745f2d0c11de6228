// SPDX-License-Identifier: Apache-2.0
#pragma once
// A thread's part of a row in shared memory instead of registers: every sweep reads it there, and
// what the last one has taken is asked for again, of the rows to come.

#include "tenon/backend/cuda/parts/sweep.cuh"
#include "tenon/backend/cuda/parts/thread_stage.cuh"
#include "tenon/backend/cuda/rows/own_loads.cuh"

namespace tenon::detail {

// Where a thread's part of the next row waits.
template <class Program, class C>
using row_stage = thread_stage<Program, own_loads<Program, C>, C::items, 0>;

// Of 1024 threads on a multiprocessor, which has that much for each.
inline constexpr int ring_bytes_per_thread = 208;

// The rows that one thread works on, in turn. No barrier: each thread reads what it asked for.
template <class Program, class C> class row_ring {
 public:
  static constexpr int v = C::vector_width, items = C::items;
  using own = own_loads<Program, C>;
  // Items that a sweep takes at once. Elements that are reduced together stay together.
  static constexpr int part_items = has_large_states<Program> || items < 4 ? items : 4;
  // A row, and the first part of the one after it if there is room.
  static constexpr int lead =
      (items + part_items) * thread_stage<Program, own, 1, 0>::bytes_per_thread <=
              ring_bytes_per_thread
          ? part_items
          : 0;
  static constexpr int slots = items + lead;
  using stage = thread_stage<Program, own, slots, 0>;
  struct own_part : needed_loads<Program, v, part_items, 0, false> {
    static consteval bool holds(int k) { return own::holds(k); }
  };
  using part = selected_registers<Program, own_part>;

#if defined(__CUDA_ARCH__)
  // Asks for the first of all items. @pre `row` is the first row, `step` rows before the next
  template <class Arguments, class Positions>
  __device__ __forceinline__ void begin(Arguments const& a, Positions const& where, long long row,
                                        long long step) const {
    coming_row const first(a, row), second(a, row + step);
#pragma unroll
    for (int u = 0; u < slots; ++u) ask(a, where, u < items ? first : second, u % items, u);
  }
  // Items first, first + 1, ... of the row; IsNew: no sweep has read them before.
  template <bool IsNew, class Positions>
  __device__ __forceinline__ void take(part& to, Positions const& where, int first,
                                       bool is_inside) const {
#pragma unroll
    for (int u = 0; u < part_items; ++u) {
      // Of what was asked for since, there are as many items as the ring has behind this one.
      if constexpr (IsNew)
        wait_for_all_but(slots - 1 - (first + u), std::make_integer_sequence<int, slots>{});
      for_each_selected<Program, own>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        auto& vector = read_register<k>(to).at[u];
        vector = {};
        if (is_inside && where.is_whole(first + u))
          stage::template take<k>(vector, slot_of(first + u));
      });
    }
  }
  // Asks for the items that take the place of those. @pre no sweep reads them again
  template <class Arguments, class Positions>
  __device__ __forceinline__ void refill(Arguments const& a, Positions const& where, int first,
                                         long long row, long long step) const {
    bool const is_next = first + lead < items;
    coming_row const from(a, row + (is_next ? step : 2 * step));
#pragma unroll
    for (int u = first; u < first + part_items; ++u)
      ask(a, where, from, u + lead - (is_next ? 0 : items), slot_of(u));
  }
  // @pre all items of the row were refilled
  __device__ __forceinline__ void end_row() { first_ = slot_of(items); }

 private:
  int first_ = 0;  // the slot of the row's first item

  // Where the elements of a row come from.
  struct coming_row {
    operand_offsets<Program> offsets;
    bool is_inside;
    template <class Arguments>
    __device__ __forceinline__ coming_row(Arguments const& a, long long row)
        : is_inside(row < a.rows.size) {
      find_row<Program>(offsets, a, is_inside ? row : 0);
    }
  };

  __device__ __forceinline__ int slot_of(int u) const {
    return first_ + u < slots ? first_ + u : first_ + u - slots;
  }
  template <int... N>
  static __device__ __forceinline__ void wait_for_all_but(int n, std::integer_sequence<int, N...>) {
    ((n == N ? wait_for_copies<N>() : void()), ...);
  }
  template <class Arguments, class Positions>
  static __device__ __forceinline__ void ask(Arguments const& a, Positions const& where,
                                             coming_row const& row, int u, int slot) {
    for_each_selected<Program, own>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      auto const* from = load_address<Program, k>(a, row.offsets.loads[I::bits]) +
                         static_cast<long long>(where.first) * v;
      copy_under_way<sizeof(*from) * v>(stage::template slot<k>(slot),
                                        from + where.template offset<v>(u),
                                        row.is_inside && where.is_whole(u));
    });
    end_of_copies();
  }
#endif
};

}  // namespace tenon::detail
