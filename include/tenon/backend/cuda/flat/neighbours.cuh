// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operands whose elements lie between each other: what lies together is one access for all of them.

#include "tenon/backend/cuda/parts/element_stores.cuh"
#include "tenon/backend/cuda/parts/element_tile.cuh"
#include "tenon/backend/cuda/parts/kernel_arguments.cuh"

namespace tenon::detail {

// The operands beside load or store K.
template <class Program, int K> struct neighbours_of {
  using traits = program_traits<Program>;
  using I = typename traits::template at<K>;
  static constexpr int count = I::beside.count, position = I::beside.position;
  using sequence = std::make_integer_sequence<int, count>;

  static consteval bool holds(int k) {
    instruction_facts const& i = traits::all[k];
    return i.moves_elements && i.is_load == I::is_load && i.beside.count == count &&
           i.beside.first == I::beside.first;
  }
  // The instruction at one of their positions.
  static consteval int member(int at) {
    int result = -1;
    for (int k = 0; k < traits::size; ++k)
      if (holds(k) && traits::all[k].beside.position == at) result = k;
    return result;
  }
};

// Whether each of them is as many elements further as it says, and vectors of all of them together
// are aligned. @pre the columns have one axis
template <class Program, int K, int V>
[[gnu::cold]] bool lie_beside(bound_layout const& layout, bound_arguments const& call) {
  using group = neighbours_of<Program, K>;
  using I = typename group::I;
  constexpr int bytes = static_cast<int>(sizeof(storage_t<I::type>));
  auto const address_of = [&](int number) {
    if constexpr (I::is_load)
      return reinterpret_cast<std::uintptr_t>(call.loads[number]);
    else
      return reinterpret_cast<std::uintptr_t>(call.stores[number]);
  };
  auto const& all = [&]() -> auto const& {
    if constexpr (I::is_load)
      return layout.loads;
    else
      return layout.stores;
  }
  ();
  operand_layout const& first = all[I::beside.first];
  std::uintptr_t const begin = address_of(I::beside.first);
  constexpr int together = V * group::count;
  bool result = begin % (together * bytes) == 0;
  for (int d = 0; d < layout.rows.dims; ++d)
    result = result && (layout.rows.extents[d] == 1 || first.row_strides[d] % together == 0);
  visit_selected<Program, group>([&](auto selected) {
    using one = typename program_traits<Program>::template at<decltype(selected)::value>;
    operand_layout const& operand = all[one::bits];
    result = result && operand.column_strides[0] == group::count &&
             address_of(one::bits) == begin + one::beside.position * bytes;
    for (int d = 0; d < layout.rows.dims; ++d)
      result = result && operand.row_strides[d] == first.row_strides[d];
  });
  return result;
}

// Of a vector of each of them, which are 16 bytes together. @pre there are such operands
template <class Program>
inline constexpr int neighbours_width = [] {
  int bytes = 1;
  for (instruction_facts const& i : program_traits<Program>::all)
    if (i.beside.count * size_of(i.type) > bytes) bytes = i.beside.count * size_of(i.type);
  return 16 / bytes;
}();
// Whether there are such operands, and they are better moved so. Pairs of f32 that are only read
// are as fast one by one. H200, us, so and one by one: two of 2^25 beside each other bf16 63.8
// (96.3), f32 125.6 (188); gelu(odd) * even columns of 8192 x 16384 bf16 96.2 (108.9), f32 207
// (184.5).
template <class Program>
inline constexpr bool has_neighbours = [] {
  bool are_read = false, are_stored = false;
  for (instruction_facts const& i : program_traits<Program>::all)
    (i.is_load ? are_read : are_stored) |= i.beside.count > 0;
  return (are_stored && neighbours_width<Program> > 1) ||
         (are_read && neighbours_width<Program> > 2);
}();
// Whether vectors of so many elements are those.
template <class Program, int V>
inline constexpr bool has_vectors_together =
    V > 1 && has_neighbours<Program>&& V <= neighbours_width<Program>;

// U vectors of all that are loaded together, as memory has them.
template <class Program, int V, int U> struct loads_together {
  template <int K> using at = typename program_traits<Program>::template at<K>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return has_vectors_together<Program, V> && i.is_load && i.moves_elements &&
           i.beside.count > 0 && i.beside.position == 0;
  }
  template <int K> using type = vector_list<storage_t<at<K>::type>, V * at<K>::beside.count, U>;
};

#if defined(__CUDA_ARCH__)
// The elements of each of the loads beside load K, the first one.
template <class Program, int K, int V, class Tile, class Together, int... P>
__device__ __forceinline__ void take_apart(Tile& tile, Together const& all, int u,
                                           std::integer_sequence<int, P...>) {
  using group = neighbours_of<Program, K>;
  using T = storage_t<group::I::type>;
  T elements[group::count][V];
#pragma unroll
  for (int q = 0; q < group::count * V; ++q)
    elements[q % group::count][q / group::count] = element_of(all.at[u], q);
  ((read_register<group::member(P)>(tile).at[u] = pack<T>(elements[P])), ...);
}

// What the stores beside store K write, which is the first one.
template <class Program, int K, int V, class Results, int... P>
__device__ __forceinline__ auto put_together(Results const& results,
                                             std::integer_sequence<int, P...>) {
  using group = neighbours_of<Program, K>;
  using value = std::remove_cvref_t<decltype(read_register<K>(results).at[0])>;
  value values[group::count * V];
#pragma unroll
  for (int e = 0; e < V; ++e)
    ((values[e * group::count + P] = read_register<group::member(P)>(results).at[e]), ...);
  return pack<storage_t<group::I::type>>(values);
}
#endif

}  // namespace tenon::detail
