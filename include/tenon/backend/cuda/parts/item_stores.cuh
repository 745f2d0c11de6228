// SPDX-License-Identifier: Apache-2.0
#pragma once
// The values of one vector of each element store → memory.

#include "tenon/backend/cuda/parts/column_part.cuh"
#include "tenon/backend/cuda/parts/element_tile.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Writes the first `count` of V values of element store K, whose vector is item u of a tile.
template <class Program, int K, int V, int Dims, class Number, class Arguments, class Positions>
__device__ __forceinline__ void store_vector(Number const (&values)[V],
                                             frame<Program> const& around, Arguments const& a,
                                             operand_offsets<Program> const& row,
                                             Positions const& positions, int u, int count) {
  using I = typename program_traits<Program>::template at<K>;
  using T = storage_t<I::type>;
  T* to = store_address<Program, K>(a, row.stores[I::bits]);
  packed<T, V> vector = pack_stored<Program, K>(values);
  if constexpr (finds_parts<Positions>) {
    return positions.template keep<K>(vector, u);
  } else if constexpr (I::is_window) {
    return store_column_part<Program, K>(to, vector, around, positions, u, count);
  } else if constexpr (Dims > 1) {
    access const how = a.store_access[I::bits];
    if (how == access::elements) {
      if constexpr (keeps_results<Positions>)
        return positions.template keep<K>(vector, u);
      else
        return store_elements(to, positions, vector, u, count);
    }
    if (how != access::packed || count < V) {
#pragma unroll 1
      for (int i = 0; i < count; ++i) {
        operand_offsets<Program> column;
        long long position = static_cast<long long>(positions.at(u)) * V + i;
        column.stores[I::bits] = position;
        if constexpr (Dims > contiguous_columns)
          if (how > access::elements)
            find_column<Program, element_stores<Program, V>>(column, a, position);
        store_packed(to + column.stores[I::bits], pop_element(vector));
      }
      return;
    }
  }
  if constexpr (are_in_runs<Positions>)
    store_packed(to + place_in_runs<I, V>(a, positions, u), vector, count > 0, a.stored);
  else
    store_packed(to + static_cast<long long>(positions.at(0)) * V + positions.template offset<V>(u),
                 vector, count > 0, a.stored);
}
// The same of every element store.
template <class Program, int V, int Dims, int... K, class Arguments, class Positions>
__device__ __forceinline__ void store_item(
    register_file<element_stores<Program, V>, std::integer_sequence<int, K...>> const& values,
    frame<Program> const& around, Arguments const& a, operand_offsets<Program> const& row,
    Positions const& positions, int u, int count) {
  (store_vector<Program, K, V, Dims>(read_register<K>(values).at, around, a, row, positions, u,
                                     count),
   ...);
}

}  // namespace tenon::detail
#endif
