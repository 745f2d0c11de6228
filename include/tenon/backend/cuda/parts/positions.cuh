// SPDX-License-Identifier: Apache-2.0
#pragma once
// The positions of neighbouring elements, as the sweeps over the columns need them.

#include "tenon/backend/cuda/parts/kernel_arguments.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Positions that evaluate_element<Phase, Stores> needs.
template <class Program, int Phase, bool Stores>
struct needed_positions : positions_at<Program, place::element> {
  using base = positions_at<Program, place::element>;
  static consteval bool holds(int k) {
    return base::holds(k) && element_needs<Program>::template at<Phase, Stores>.needed[k];
  }
};

// Those that all elements of a row have in common, and in the place of an element's own those of
// the row's first element.
template <class Program, class Arguments>
__device__ __forceinline__ void take_row_positions(frame<Program> const& f, Arguments const& a,
                                                   operand_offsets<Program> const& row,
                                                   bool is_inside) {
  for_each_selected<Program, positions_at<Program, place::row>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    long long const offset = I::varies_over_rows ? row.loads[I::bits] : 0;
    read_register<k>(f.row) = position_of<Program, k>(a, offset, is_inside);
  });
  for_each_selected<Program, positions_at<Program, place::element>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    long long const offset = moves_with_rows<Program, I> ? row.loads[I::bits] : 0;
    read_register<k>(f.element) = position_of<Program, k>(a, offset, true);
  });
}

// In the place of a number of axes: several which no vector crosses, of fewer than 2^31 columns.
inline constexpr int axes_of_vectors = -1;

// The selected operands of V neighbouring columns, as offsets from their first elements.
template <class Program, class Selected, int V, int Dims> struct vector_positions {
  selected_registers<Program, Selected> first;

  // @pre columns `column`, ..., column + V - 1 are of the row that `row` leads to
  template <class Arguments>
  __device__ __forceinline__ void find(Arguments const& a, operand_offsets<Program> const& row,
                                       long long column) {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      read_register<k>(first) = moves_with_rows<Program, I> ? row.loads[I::bits] : 0;
    });
    auto add = [&](int d, long long digit) {
      for_each_selected<Program, Selected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        read_register<k>(first) += digit * a.load_columns[I::bits][d];
      });
    };
    if constexpr (Dims == 1) {
      add(0, column);
    } else if constexpr (Dims == axes_of_vectors) {
      auto rest = static_cast<unsigned>(column);
#pragma unroll 1
      for (int d = a.columns.dims - 1; d > 0; --d) {
        unsigned const next = a.columns.by[d].narrow_quotient(rest);
        add(d, rest - next * static_cast<unsigned>(a.columns.by[d].divisor));
        rest = next;
      }
      add(0, rest);
    } else if constexpr (has_selected<Program, Selected>) {
      for_each_digit(a.columns, column, add);
    }
  }

  // Position K of column `column` + i, of which find() knew the first. @pre the column is inside
  template <int K, class Arguments>
  __device__ __forceinline__ long long at(Arguments const& a, operand_offsets<Program> const& row,
                                          long long column, int i) const {
    if (i > 0 && crosses(a)) {
      vector_positions one;
      one.find(a, row, column + i);
      return position_of<Program, K>(a, read_register<K>(one.first), true);
    }
    return position_of<Program, K>(a, read_register<K>(first) + i * step<K>(a), true);
  }
  // Whether position K goes on by one from column to column.
  template <int K, class Arguments>
  __device__ __forceinline__ bool is_run(Arguments const& a) const {
    return !crosses(a) && step<K>(a) == 1;
  }

  // Those of column `column` + i, of which find() knew the first.
  template <class Arguments>
  __device__ __forceinline__ void take(registers<Program, place::element>& element,
                                       Arguments const& a, operand_offsets<Program> const& row,
                                       long long column, int i, bool is_live) const {
    if constexpr (Dims > 1 && V > 1 && has_selected<Program, Selected>) {
      if (crosses(a) && i > 0) {
        vector_positions one;
        one.find(a, row, is_live ? column + i : 0);
        return one.put(element, a, 0, is_live);
      }
    }
    put(element, a, i, is_live);
  }

 private:
  // Whether a vector may go on behind the end of the innermost axis.
  template <class Arguments> __device__ __forceinline__ static bool crosses(Arguments const& a) {
    if constexpr (Dims == 1 || Dims == axes_of_vectors || V == 1) return false;
    int const inner = a.columns.dims - 1;
    return inner > 0 && a.columns.by[inner].divisor % V != 0;
  }
  // Where nothing is fetched for an element, the position of one that is not there does no harm.
  static constexpr bool has_addresses = []<int... K>(std::integer_sequence<int, K...>) {
    using traits = program_traits<Program>;
    return (false || ... ||
            (traits::template at<K>::where == place::element &&
             std::is_same_v<typename traits::template at<K>::op, ops::address>));
  }
  (typename program_traits<Program>::sequence{});
  // Between neighbours along the innermost axis.
  template <int K, class Arguments>
  __device__ __forceinline__ static long long step(Arguments const& a) {
    using I = typename program_traits<Program>::template at<K>;
    return a
        .load_columns[I::bits][Dims != 1 && V > 1 && a.columns.dims > 1 ? a.columns.dims - 1 : 0];
  }
  template <class Arguments>
  __device__ __forceinline__ void put(registers<Program, place::element>& element,
                                      Arguments const& a, int i, bool is_live) const {
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      long long const offset = read_register<k>(first) + i * step<k>(a);
      read_register<k>(element) = position_of<Program, k>(a, offset, is_live || !has_addresses);
    });
  }
};

// The same as what a vector has ahead of its elements asks them. Column: wide enough for any
// column.
template <class Program, class Selected, int V, int Dims, class Arguments, class Column>
struct located_positions {
  static constexpr bool has_one_axis = Dims == 1;
  vector_positions<Program, Selected, V, Dims> const& here;
  Arguments const& a;
  operand_offsets<Program> const& row;
  Column column;
  int count;  // elements that there are

  // Of element i, or of the first one where there is none.
  template <int K> __device__ __forceinline__ long long at(int i) const {
    return here.template at<K>(a, row, column, i < count ? i : 0);
  }
  template <int K> __device__ __forceinline__ bool is_run() const {
    return here.template is_run<K>(a);
  }
};

}  // namespace tenon::detail
#endif
