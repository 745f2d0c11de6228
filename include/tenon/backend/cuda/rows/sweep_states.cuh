// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a thread has of a row that passes once, from its first tile to the row's registers.

#include "tenon/backend/cuda/parts/cascade.cuh"
#include "tenon/ops/narrow_top.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The only reduction over the columns, if it is the first few of loaded numbers of a half type;
// else -1.
template <class Top> inline constexpr bool is_top = false;
template <int Count, bool IsDescending>
inline constexpr bool is_top<ops::top<Count, IsDescending>> = true;
template <class Program>
inline constexpr int narrow_top_at = [] {
  using traits = program_traits<Program>;
  int result = -1, count = 0;
  visit_selected<Program, reductions_at<Program, place::row>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    ++count;
    if constexpr (is_top<typename traits::template at<k>::op>) {
      using indexed = typename traits::template at<traits::template at<k>::first_operand>;
      using place_of = typename traits::template at<indexed::first_operand>;
      using number = typename traits::template at<indexed::second_operand>;
      if (place_of::is_position && place_of::where == place::element && number::is_load &&
          number::where == place::element && is_half(number::type))
        result = k;
    }
  });
  return count == 1 ? result : -1;
}();

// IsOrdered: along one axis, and the places of a thread's vectors ascend.
template <class Program, int V, class Running, bool IsOrdered> struct sweep_states {
  using sweeping = std::conditional_t<IsOrdered, choosing_states<Running>, Running>;
  selected_registers<Program, sweeping> states;
  cascade<Program, Running> levels;

  __device__ __forceinline__ sweep_states() { reset<Program, sweeping>(states); }
  template <class Arguments>
  __device__ __forceinline__ void after_tile(frame<Program> const&, Arguments const&,
                                             operand_offsets<Program> const&) {
    levels.after_tile(states);
  }
  template <class Arguments>
  __device__ __forceinline__ void finish(frame<Program> const& f, Arguments const& a,
                                         operand_offsets<Program> const& row) const {
    if constexpr (IsOrdered)
      levels.finish(f.row, all_chosen<Program, V, Running>(states, a, row));
    else
      levels.finish(f.row, states);
  }
};

// The first few of halves have keys of 32 bits on the way: an exchange of two is a minimum and a
// maximum instead of six instructions.
template <class Program, int V, class Running, bool IsOrdered>
requires(IsOrdered&& narrow_top_at<Program> >=
         0) struct sweep_states<Program, V, Running, IsOrdered> {
  static constexpr int k = narrow_top_at<Program>;
  using traits = program_traits<Program>;
  using facts = reduction_facts<Program, k>;
  using indexed = typename traits::template at<traits::template at<k>::first_operand>;
  using half_type = storage_t<traits::template at<indexed::second_operand>::type>;
  using list = ops::narrow_top<typename facts::op, half_type>;
  struct sweeping : Running {
    template <int K> using type = value_list<list, 1>;
  };
  selected_registers<Program, sweeping> states = {};
  typename facts::state all = facts::identity();

  template <class Arguments>
  __device__ __forceinline__ void after_tile(frame<Program> const&, Arguments const& a,
                                             operand_offsets<Program> const& row) {
    if (!read_register<k>(states).at[0].is_full()) return;
    empty(a, row);
    states = {};
  }
  template <class Arguments>
  __device__ __forceinline__ void finish(frame<Program> const& f, Arguments const& a,
                                         operand_offsets<Program> const& row) {
    empty(a, row);
    read_register<k>(f.row) = all;
  }

 private:
  template <class Arguments>
  __device__ __forceinline__ void empty(Arguments const& a, operand_offsets<Program> const& row) {
    using place_of = typename traits::template at<indexed::first_operand>;
    list const& some = read_register<k>(states).at[0];
    int const lanes = static_cast<int>(blockDim.x);
    all = facts::op::combine(all, some.state([&](unsigned n) {
      long long const vector = some.origin + static_cast<long long>(n / V) * lanes;
      return position_of<Program, indexed::first_operand>(
          a,
          (place_of::varies_over_rows ? row.loads[place_of::bits] : 0) +
              (vector * V + n % V) * a.load_columns[place_of::bits][0],
          true);
    }));
  }
};

}  // namespace tenon::detail
#endif
