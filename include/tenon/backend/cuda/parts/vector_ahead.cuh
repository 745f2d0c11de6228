// SPDX-License-Identifier: Apache-2.0
#pragma once
// What V neighbouring elements have before any of them is evaluated: their random numbers, and
// comparisons of their positions, a bit for each.

#include <limits>

#include "tenon/backend/cuda/parts/drawn_vectors.cuh"
#include "tenon/program/compared_positions.hpp"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, int Phase, bool Stores>
struct compared_masks : compared<Program, Phase, Stores> {
  template <int K> using type = unsigned;
};
// Whether elements have comparisons for which a vector has a mask: where they are swept more than
// once, since one sweep has no more to do for them than for a mask, and a vector has more than four
// of them. H200, us, with masks and without, softmax of what is before, 8 x 2048 x 2048, bf16 48.7
// and 57.0, f32 81.2 both ways; in one sweep (tn::tril of 4096 x 4096 f32) 41.9 and 37.4.
template <class Program, int Phase, bool Stores, int V>
inline constexpr bool compares_ahead = [] {
  using traits = program_traits<Program>;
  if constexpr (V > 4 && traits::has_positions && traits::has_reduction)
    return has_selected<Program, compared<Program, Phase, Stores>>;
  return false;
}();

// Values that follow from positions, of elements that are not evaluated yet.
template <class Program, class Positions> struct compared_values {
  using traits = program_traits<Program>;
  using values = position_values<Program>;
  frame<Program> const& around;
  Positions const& positions;

  // From what `position_of` gives of each position.
  template <int K, class Position_of>
  __device__ __forceinline__ long long from(Position_of const& position_of) const {
    using I = typename traits::template at<K>;
    if constexpr (!values::template moves<K>)
      return value_of<K>(around);
    else if constexpr (I::is_position)
      return position_of(std::integral_constant<int, K>{});
    else
      return apply<I>(from<I::first_operand>(position_of), from<I::second_operand>(position_of));
  }
  template <int K> __device__ __forceinline__ long long at(int i) const {
    return from<K>([&](auto k) { return positions.template at<decltype(k)::value>(i); });
  }
  // Of the row's first element.
  template <int K> __device__ __forceinline__ long long origin() const {
    return from<K>([&](auto k) { return value_of<decltype(k)::value>(around); });
  }
  // Whether all its positions go on by one from element to element.
  template <int K> __device__ __forceinline__ bool is_run() const {
    using I = typename traits::template at<K>;
    if constexpr (!values::template moves<K>)
      return true;
    else if constexpr (I::is_position)
      return positions.template is_run<K>();
    else
      return is_run<I::first_operand>() && is_run<I::second_operand>();
  }
  // Bit i: comparison K of element i. @pre V < 31, and the positions that it takes are runs
  template <int K, int V> __device__ __forceinline__ unsigned mask() const {
    using I = typename traits::template at<K>;
    constexpr int x = I::first_operand, y = I::second_operand;
    return mask_of_run<I, V, values::template step<x> - values::template step<y>>(origin<x>(),
                                                                                  origin<y>());
  }
  template <int K> __device__ __forceinline__ bool holds(int i) const {
    using I = typename traits::template at<K>;
    return apply<I>(at<I::first_operand>(i), at<I::second_operand>(i));
  }
  // Whether the positions that comparison K takes are runs.
  template <int K> __device__ __forceinline__ bool has_runs() const {
    using I = typename traits::template at<K>;
    return is_run<I::first_operand>() && is_run<I::second_operand>();
  }

 private:
  using column_type = decltype(Positions::column);
  // A few more or less are columns, too.
  static constexpr unsigned long long most = std::numeric_limits<column_type>::max() / 2;

  // Comparison I of x, which comes nearer to y by one from column to column, if By is 1, or goes
  // away from it, from what both are in column 0. In front of the column in which they are equal
  // one is less, behind it the other.
  template <class I, int V, int By>
  __device__ __forceinline__ unsigned mask_of_run(long long x, long long y) const {
    long long const from = By > 0 ? x : y, to = By > 0 ? y : x;
    unsigned long long const between =
        static_cast<unsigned long long>(to) - static_cast<unsigned long long>(from);
    column_type const meeting =
        to < from ? -1 : static_cast<column_type>(between < most ? between : most);
    column_type const ahead = meeting - positions.column;
    unsigned const before = bits_below<V>(ahead), until = bits_below<V>(ahead + 1);
    auto const holds = [](long long difference) { return apply<I>(difference, 0ll); };
    return (holds(-By) ? before : 0) | (holds(0) ? until & ~before : 0) | (holds(By) ? ~until : 0);
  }
  template <int V> __device__ __forceinline__ static unsigned bits_below(column_type count) {
    return (1u << (count < 0 ? 0 : count < V ? static_cast<int>(count) : V)) - 1;
  }
};

template <class Program, int Phase, bool Stores, int V,
          bool Compares = compares_ahead<Program, Phase, Stores, V>>
struct vector_ahead {
  drawn_vector<Program, Phase, Stores, V> numbers;

  template <class Positions>
  __device__ __forceinline__ void find(frame<Program> const& around, Positions const& positions) {
    numbers.draw(
        around, [&](auto k) { return positions.template is_run<decltype(k)::value>(); },
        [&](auto k, int i) { return positions.template at<decltype(k)::value>(i); });
  }
  // As evaluate_element, of element i, from instruction From on, in front of To.
  template <int From, int To>
  __device__ __forceinline__ void evaluate(frame<Program> const& f, int i) const {
    numbers.template evaluate<From, To>(f, i);
  }
};
template <class Program, int Phase, bool Stores, int V>
struct vector_ahead<Program, Phase, Stores, V, true>
    : vector_ahead<Program, Phase, Stores, V, false> {
  using base = vector_ahead<Program, Phase, Stores, V, false>;
  using selected_masks = compared_masks<Program, Phase, Stores>;
  struct given {
    using drawn = typename drawn_vector<Program, Phase, Stores, V>::given;
    template <int K>
    static constexpr bool holds =
        is_held<Program, drawn>(K) || is_held<Program, compared<Program, Phase, Stores>>(K);
  };
  selected_registers<Program, selected_masks> masks;

  template <class Positions>
  __device__ __forceinline__ void find(frame<Program> const& around, Positions const& positions) {
    base::find(around, positions);
    compared_values<Program, Positions> const values{around, positions};
    bool have_runs = Positions::has_one_axis;
    for_each_selected<Program, selected_masks>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      have_runs = have_runs && values.template has_runs<k>();
      read_register<k>(masks) = 0;
    });
    if (have_runs) {
      for_each_selected<Program, selected_masks>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(masks) = values.template mask<k, V>();
      });
      return;
    }
#pragma unroll 1
    for (int i = V; i-- > 0;)
      for_each_selected<Program, selected_masks>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        unsigned& mask = read_register<k>(masks);
        mask = mask << 1 | values.template holds<k>(i);
      });
  }
  template <int From, int To>
  __device__ __forceinline__ void evaluate(frame<Program> const& f, int i) const {
    base::numbers.take(f.element, i);
    for_each_selected<Program, selected_masks>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(f.element) = (read_register<k>(masks) >> i & 1u) != 0;
    });
    evaluate_rest<Phase, Stores, given, From, To>(f);
  }
};

}  // namespace tenon::detail
#endif
