// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an element of a row has taken in. Its updates, in their order, are combined by fours, these
// by parts of 32, and the parts as a long chain: whoever combines a part, the bits are the same.

#include "tenon/backend/cuda/scatter/worker.cuh"

namespace tenon::detail {

// A sum of 32 has the error of 3 and 7 additions: of no more than a tree's.
inline constexpr int updates_of_some = 4, updates_of_part = 32;

// Reductions whose bits depend on how updates are combined; the others take each in at once.
template <class Program> struct parted_states {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  template <int K> using type = typename at<K>::value_type;
  template <int K> static consteval bool is_parted() {
    if constexpr (at<K>::is_reduction)
      return !std::is_integral_v<type<K>> &&
             !std::is_base_of_v<ops::choice_reduction, typename at<K>::op>;
    else
      return false;
  }
  static consteval bool holds(int k) {
    return []<int... K>(int k, std::integer_sequence<int, K...>) {
      return (false || ... || (k == K && is_parted<K>()));
    }
    (k, typename program_traits<Program>::sequence{});
  }
};
template <class Program>
inline constexpr bool has_one_state =
    program_traits<Program>::all.count(&instruction_facts::is_reduction) == 1;

template <class Program> struct taken_parts : taken_updates<Program> {
  selected_registers<Program, parted_states<Program>> some, part;
};

#if defined(__CUDA_ARCH__)
template <class Program, class Arguments> struct parts_worker : scatter_worker<Program, Arguments> {
  using base = scatter_worker<Program, Arguments>;
  template <int K> using at = typename base::template at<K>;
  using base::base;
  using taken = taken_parts<Program>;
  using parted = parted_states<Program>;
  using states = row_context<Program, Arguments>;

  __device__ __forceinline__ static void clear(taken& t) {
    base::clear(t);
    states::template clear<parted>(t.some);
    states::template clear<parted>(t.part);
  }
  __device__ __forceinline__ static void take_in(taken& t,
                                                 update_registers<Program> const& update) {
    for_each_selected<Program, update_states<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& state = [&]() -> auto& {
        if constexpr (parted::holds(k))
          return read_register<k>(t.some);
        else
          return read_register<k>(t.recent);
      }
      ();
      state = at<k>::op::combine(state, read_register<k>(update));
    });
  }
  __device__ __forceinline__ static void end_some(taken& t) { move_on(t.some, t.part); }
  __device__ __forceinline__ static void end_part(taken& t) {
    move_on(t.part, t.recent);
    t.whole.carry(t.recent);
  }
  // A part that was taken in alone, but for its end.
  __device__ __forceinline__ static update_registers<Program> part_of(taken const& t) {
    update_registers<Program> result = t.recent;
    for_each_selected<Program, parted>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(result) = read_register<k>(t.part);
    });
    return result;
  }
  __device__ __forceinline__ static void take_in_part(taken& t,
                                                      update_registers<Program> const& part) {
    base::combine(t.recent, part);
    t.whole.carry(t.recent);
  }

 private:
  template <class From, class To>
  __device__ __forceinline__ static void move_on(From& from, To& to) {
    for_each_selected<Program, parted>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto& state = read_register<k>(to);
      state = at<k>::op::combine(state, read_register<k>(from));
    });
    states::template clear<parted>(from);
  }
};
#endif

}  // namespace tenon::detail
