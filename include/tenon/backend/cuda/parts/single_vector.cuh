// SPDX-License-Identifier: Apache-2.0
#pragma once
// One vector of an operand of any kind: what kernels for all layouts load item by item.

#include "tenon/backend/cuda/parts/element_tile.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// The first `count` elements of vector `index` of the columns in operand K, which is not contiguous
// along them; the others are 0.
template <class Program, int K, int V, class Arguments>
__device__ __forceinline__ auto load_by_places(Arguments const& a,
                                               operand_offsets<Program> const& row, long long index,
                                               int count) {
  using I = typename program_traits<Program>::template at<K>;
  using T = storage_t<I::type>;
  access const how = a.load_access[I::bits];
  T const* const from = load_address<Program, K>(a, row.loads[I::bits]);
  packed<T, V> result{};
#pragma unroll 1
  for (int i = 0; i < (how == access::strided ? V : 1) && i < count; ++i) {
    long long offset = 0;
    for_each_digit(a.columns, index * V + i,
                   [&](int d, long long digit) { offset += digit * a.load_columns[I::bits][d]; });
    if (how == access::blocked) {
      load_packed<expected_reuse<Program, I, false>>(result, from + offset);
      continue;
    }
    packed<T, 1> one{};
    load_packed<reuse::expected>(one, from + offset);
    if (how == access::splat)
      result = splat<V>(one);
    else
      push_element(result, one);
  }
  // What was pushed moves on to its place.
  if (how == access::strided)
#pragma unroll 1
    for (int i = count; i < V; ++i) push_element(result, packed<T, 1>{});
  return result;
}

// The same of an operand of any kind.
template <class Program, int K, int V, int Dims, class Arguments>
__device__ __forceinline__ auto load_vector(Arguments const& a, operand_offsets<Program> const& row,
                                            long long index, int count) {
  using I = typename program_traits<Program>::template at<K>;
  using T = storage_t<I::type>;
  access const how = a.load_access[I::bits];
  if constexpr (Dims > contiguous_columns)
    if (how > access::elements) return load_by_places<Program, K, V>(a, row, index, count);
  T const* const from = load_address<Program, K>(a, row.loads[I::bits]) + index * V;
  packed<T, V> result{};
  bool const is_whole = how == access::packed && count >= V;
  load_packed<expected_reuse<Program, I, false>>(result, from, is_whole);
  if (!is_whole) result = load_some<V>(from, count);
  return result;
}

// The same of what all rows share, in two steps, between which others may be asked for. Misaligned
// vectors are of two aligned ones. H200, layer norm of 1 x 65536 bf16 6.1 us, by elements 6.6.
template <class Program, int K, class T, int V> struct halved_vector {
  using I = typename program_traits<Program>::template at<K>;
  packed<T, V> low = {}, high = {};
  int beyond = -1;  // of what two have parts of

  // What it does not wait for is left to join().
  template <class Index, class Arguments>
  __device__ __forceinline__ void ask(Arguments const& a, operand_offsets<Program> const& row,
                                      Index index, int count) {
    access const how = a.load_access[I::bits];
    T const* const from = load_address<Program, K>(a, row.loads[I::bits]) + index * V;
    if constexpr (has_words<T, V>) {
      int const in_front = elements_beyond<V>(from);
      if (how == access::elements && index > 0 && (index + 2ll) * V - in_front <= a.columns.size)
        beyond = in_front;
    }
    load_packed<reuse::expected>(low, from - (beyond > 0 ? beyond : 0),
                                 beyond >= 0 || (how == access::packed && count >= V));
    load_packed<reuse::expected>(high, from + (V - beyond), beyond >= 0);
  }
  template <int Dims, class Index, class Arguments>
  __device__ __forceinline__ packed<T, V> join(Arguments const& a,
                                               operand_offsets<Program> const& row, Index index,
                                               int count) const {
    if constexpr (has_words<T, V>)
      if (beyond >= 0) return part_of(low, high, beyond);
    access const how = a.load_access[I::bits];
    if (how == access::packed && count >= V) return low;
    if constexpr (Dims > contiguous_columns)
      if (how > access::elements) return load_by_places<Program, K, V>(a, row, index, count);
    return load_some<V>(load_address<Program, K>(a, row.loads[I::bits]) + index * V, count);
  }
};

// The vectors at `positions` of operand K: at once where it is made of aligned ones, else in a loop
// that has the code of one.
template <class Program, int K, int V, int Count, int Dims, bool IsStreamed, class Arguments,
          class Positions>
__device__ __forceinline__ void load_vectors(
    packed<storage_t<program_traits<Program>::template at<K>::type>, V> (&to)[Count],
    Arguments const& a, operand_offsets<Program> const& row, Positions const& positions) {
  using I = typename program_traits<Program>::template at<K>;
  using T = storage_t<I::type>;
  T const* const begin = load_address<Program, K>(a, row.loads[I::bits]);
  bool is_whole = true;
  if constexpr (Dims > packed_columns)
    is_whole = a.load_access[I::bits] == access::packed && positions.is_whole(Count - 1);
  if (is_whole) {
    T const* const from = begin + static_cast<long long>(positions.at(0)) * V;
#pragma unroll
    for (int u = 0; u < Count; ++u) {
      to[u] = {};
      load_packed<expected_reuse<Program, I, IsStreamed>>(
          to[u], from + positions.template offset<V>(u), positions.is_whole(u));
    }
  } else if constexpr (Dims > packed_columns) {
#pragma unroll 1
    for (int u = 0; u < Count; ++u) {
#pragma unroll
      for (int i = 1; i < Count; ++i) to[i - 1] = to[i];
      to[Count - 1] =
          load_vector<Program, K, V, Dims>(a, row, positions.at(u), positions.template count<V>(u));
    }
  }
}

}  // namespace tenon::detail
#endif
