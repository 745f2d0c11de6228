// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements that are fetched at an index which neighbouring rows share, as sums of rows of a table
// do: a vector of rows by one access, from where the first of them is.

#include "tenon/backend/cuda/columns/slice.cuh"
#include "tenon/program/index_uses.hpp"

namespace tenon::detail {

template <class Program> struct gathered_columns {
  using traits = program_traits<Program>;
  using indices = index_uses<Program>;
  template <int K> using at = typename traits::template at<K>;
  static constexpr int size = traits::size;

  struct table {
    bool leads[size > 0 ? size : 1] = {};  // to an element that is fetched
    bool is_complete = true;               // every such element is fetched by vectors
    int widest = 1;                        // of the elements that are fetched or loaded, in bytes

    constexpr void widen(int bytes) { widest = bytes > widest ? bytes : widest; }
    template <int K> constexpr void visit() {
      using I = at<K>;
      using op = typename I::op;
      if constexpr (I::where != place::element) {
        is_complete = is_complete && !I::is_position && !I::is_window;
      } else if constexpr (indices::template is_found<K> || std::is_same_v<op, ops::address>) {
        leads[K] = true;
      } else if constexpr (is_advance<op>) {
        leads[K] = leads[I::first_operand] && at<I::third_operand>::is_size &&
                   (leads[I::second_operand] || at<I::second_operand>::where == place::launch);
        is_complete = is_complete && leads[K];
      } else if constexpr (std::is_same_v<op, ops::fetch>) {
        is_complete = is_complete && leads[I::first_operand];
        widen(size_of(I::type));
      } else {
        if constexpr (I::is_load) widen(size_of(I::type));
        is_complete = is_complete && !I::is_position;
        for (int n = 0; n < traits::all[K].operand_count; ++n)
          is_complete = is_complete && !leads[traits::all[K].operands[n]];
      }
    }
  };
  static constexpr table compute() {
    table result;
    [&]<int... K>(std::integer_sequence<int, K...>) { (result.template visit<K>(), ...); }
    (typename traits::sequence{});
    return result;
  }
  static constexpr table all = [] {
    if constexpr (traits::has_fetches) return compute();
    return table{};
  }();
  static constexpr bool are_found = traits::has_fetches && all.is_complete && only_reduces<Program>;
};

// Loads of elements that are no indices.
template <class Loads, class Program> struct beside_indices : Loads {
  static consteval bool holds(int k) {
    return Loads::holds(k) && !gathered_columns<Program>::all.leads[k];
  }
};
template <class Program, int V, int Items> struct gathered_vectors {
  static consteval bool holds(int k) {
    return program_traits<Program>::all[k].is_fetch &&
           program_traits<Program>::all[k].where == place::element;
  }
  template <int K>
  using type = vector_list<storage_t<program_traits<Program>::template at<K>::type>, V, Items>;
};
template <class Program> struct leads_to_columns {
  static consteval bool holds(int k) { return gathered_columns<Program>::all.leads[k]; }
};
template <class Program, int Items> struct column_indices {
  static consteval bool holds(int k) {
    return gathered_columns<Program>::all.leads[k] && program_traits<Program>::all[k].is_load;
  }
  template <int K>
  using type = vector_list<storage_t<program_traits<Program>::template at<K>::type>, 1, Items>;
};
// What is computed of an element whose fetches have been.
template <class Program, int Phase> struct computed_of_gathered {
  static consteval bool holds(int k) {
    return computed_of_element<Program, Phase, false>::holds(k) &&
           !gathered_columns<Program>::all.leads[k] && !program_traits<Program>::all[k].is_fetch;
  }
};

#if defined(__CUDA_ARCH__)
// What is loaded and fetched of some positions.
template <class Program, class Loads, int V, int Items,
          bool IsGathered = gathered_columns<Program>::are_found>
struct columns_tile : selected_registers<Program, Loads> {
  selected_registers<Program, gathered_vectors<Program, V, Items>> fetched;
};
template <class Program, class Loads, int V, int Items>
struct columns_tile<Program, Loads, V, Items, false> : selected_registers<Program, Loads> {};

// The fetched elements of the slice's rows at `Items` positions from `first` on, of which `left`
// are inside. All indices are asked for before the first of the vectors.
template <class Program, int V, int Items, class Slice>
__device__ __forceinline__ void gather_columns(
    selected_registers<Program, gathered_vectors<Program, V, Items>>& to, Slice const& slice,
    frame<Program> const& around, long long first, int left) {
  auto const& a = slice.a;
  int const height = static_cast<int>(blockDim.y);
  auto const is_live = [&](int u) { return u * height < left && !slice.part.is_empty(); };
  auto const offset = [&](int operand, int u) {
    return slice.offsets.loads[operand] + (first + u * height) * a.load_steps[operand];
  };
  selected_registers<Program, column_indices<Program, Items>> indices;
  for_each_selected<Program, column_indices<Program, Items>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      auto& one = read_register<k>(indices).at[u];
      one = {};
      load_packed<reuse::expected>(one, load_address<Program, k>(a, offset(I::bits, u)),
                                   is_live(u));
    }
  });
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    registers<Program, place::element> element;
    frame<Program> const f{around.launch, around.row, element, around.total};
    for_each_selected<Program, leads_to_columns<Program>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (I::is_load)
        read_register<k>(element) =
            static_cast<typename I::value_type>(element_of(read_register<k>(indices).at[u], 0));
      else if constexpr (I::is_position)
        read_register<k>(element) = position_of<Program, k>(a, offset(I::bits, u), is_live(u));
      else
        step<k>(f, typename I::operands{});
    });
    for_each_selected<Program, gathered_vectors<Program, V, Items>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      using T = storage_t<I::type>;
      long long const from = read_register<I::first_operand>(element);
      auto& vector = read_register<k>(to).at[u];
      arithmetic_t<I::type> const missing[1] = {detail::missing<arithmetic_t<I::type>>()};
      vector = splat<V>(pack<T>(missing));
      load_packed<reuse::near>(vector, reinterpret_cast<T const*>(from), from != no_address);
    });
  }
}
#endif

}  // namespace tenon::detail
