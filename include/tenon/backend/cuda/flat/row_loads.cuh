// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operands of one vector of a row → registers: of a vector that begins anywhere, and of which
// some elements may be outside the row.

#include "tenon/backend/cuda/flat/picked_vectors.cuh"
#include "tenon/backend/cuda/parts/element_tile.cuh"
#include "tenon/backend/cuda/parts/vector_pieces.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Elements first, ..., first + V - 1 of a row, which has those from begin() to end() of them.
template <int V> struct row_vector {
  long long first;        // below 0 where the vector begins in front of the row
  long long const& size;  // of the row

  __device__ __forceinline__ int begin() const { return first < 0 ? static_cast<int>(-first) : 0; }
  __device__ __forceinline__ int end() const {
    return size - first < V ? static_cast<int>(size - first) : V;
  }
  __device__ __forceinline__ bool is_live(int i) const { return i >= begin() && i < end(); }
  __device__ __forceinline__ bool is_whole() const { return first >= 0 && first + V <= size; }
  // Whether the row has the vectors on either side of it, too.
  __device__ __forceinline__ bool is_inner() const { return first >= V && first + 2 * V <= size; }
};

// The aligned vectors that have parts of the one that begins at some element.
template <class T, int V> struct vector_parts {
  static constexpr bool may_shift = V > 1 && has_words<T, V>;
  packed<T, V> low = {}, high = {};
  int beyond;  // elements of `low` in front of it
  bool is_had;

  // Asks for them, if the operand reaches as far as they do.
  __device__ __forceinline__ void request(T const* operand, long long offset, bool is_inner,
                                          row_vector<V> const& vector, operand_reach const& reach) {
    T const* const at = operand + offset;
    beyond = V > 1 ? elements_beyond<V>(at) : 0;
    is_had = may_shift || beyond == 0;
    bool wants_low = true, wants_high = beyond > 0;
    if (!is_inner) {
      int const had = V - beyond;
      wants_low = vector.begin() < had;
      wants_high = vector.end() > had;
      long long const from = offset - beyond;
      is_had = is_had && (!wants_low || from >= reach.begin) &&
               from + (wants_high ? 2 * V : V) <= reach.end;
    }
    load_packed<reuse::near>(low, at - beyond, is_had && wants_low);
    if constexpr (may_shift) load_packed<reuse::near>(high, at - beyond + V, is_had && wants_high);
  }
  // → the vector; what was not asked for comes element by element.
  __device__ __forceinline__ packed<T, V> join(T const* at, row_vector<V> const& vector) const {
    if (!is_had) return load_some<V>(at, vector.begin(), vector.end());
    if constexpr (may_shift)
      if (beyond > 0) return part_of(low, high, beyond);
    return low;
  }
};
template <class Program, class Loads, int V> struct loaded_parts : Loads {
  template <int K>
  using type = vector_parts<storage_t<program_traits<Program>::template at<K>::type>, V>;
};
// The elements that a vector has, `by` places from each other, at the ends of operands.
template <int V, class T>
__device__ __forceinline__ packed<T, V> load_alone(T const* at, int by,
                                                   row_vector<V> const& vector) {
  packed<T, V> result{};
#pragma unroll 1
  for (int i = 0; i < V; ++i) {
    packed<T, 1> one{};
    load_packed<reuse::expected>(one, at, vector.is_live(i));
    push_element(result, one);
    at += by;
  }
  return result;
}
// Where the elements of operands are that are loaded one by one.
template <class Program, class Loads> struct element_addresses : Loads {
  template <int K> using type = storage_t<program_traits<Program>::template at<K>::type> const*;
};

// Loads operands whose elements are apart, one element of each at a time, so that their loads
// overlap.
template <class Program, class Loads, int V, class Tile, class Arguments>
__device__ __forceinline__ void load_apart(Tile& tile, Arguments const& a,
                                           operand_offsets<Program> const& origin,
                                           row_vector<V> const& vector) {
  using traits = program_traits<Program>;
  int const inner = a.columns.dims - 1;
  // Rows of several axes are those of few elements along the innermost.
  int const extent = inner > 0 ? static_cast<int>(a.columns.by[inner].divisor) : V + 1;
  unsigned long long outer = 0;
  int digit = 0;
  selected_registers<Program, element_addresses<Program, Loads>> at;
  auto const find = [&](long long position) {
    for_each_selected<Program, Loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename traits::template at<k>;
      read_register<k>(at) = load_address<Program, k>(
          a, origin.loads[I::bits] + position * a.load_columns[I::bits][inner]);
    });
    unsigned long long rest = outer;
#pragma unroll 1
    for (int d = a.walks_outwards ? inner - 1 : -1; d >= 0; --d) {
      unsigned long long const next = d > 0 ? a.columns.by[d].quotient(rest) : 0;
      auto const along = static_cast<long long>(rest - next * a.columns.by[d].divisor);
      for_each_selected<Program, Loads>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(at) += along * a.load_columns[traits::template at<k>::bits][d];
      });
      rest = next;
    }
  };
  long long begin = vector.first + vector.begin();
  if (inner > 0) {
    outer = a.columns.by[inner].quotient(static_cast<unsigned long long>(begin));
    begin -= static_cast<long long>(outer) * extent;
    digit = static_cast<int>(begin);
  }
  find(begin);
#pragma unroll 1
  for (int i = 0; i < V; ++i) {
    bool const is_live = vector.is_live(i);
    for_each_selected<Program, Loads>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename traits::template at<k>;
      if (a.load_access[I::bits] != access::strided) return;
      packed<storage_t<I::type>, 1> one{};
      load_packed<reuse::expected>(one, read_register<k>(at), is_live);
      push_element(read_register<k>(tile).at[0], one);
      if (is_live) read_register<k>(at) += a.load_columns[I::bits][inner];
    });
    digit += is_live;
    if (digit < extent) continue;
    digit = 0, ++outer;
    find(0);
  }
}

// Loads all operands of a vector. @pre it has elements
template <class Program, class Loads, int V, class Tile, class Arguments>
__device__ __forceinline__ void load_row_vector(Tile& tile, Arguments const& a,
                                                operand_offsets<Program> const& origin,
                                                row_vector<V> const& vector) {
  selected_registers<Program, loaded_parts<Program, Loads, V>> parts;
  bool const is_inner = vector.is_inner();
  // All are asked for before any of them is waited for.
  for_each_selected<Program, Loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    long long const offset = origin.loads[I::bits] + vector.first;
    bool const is_run = a.load_access[I::bits] <= access::elements;
    if (a.are_whole)
      load_packed<reuse::near>(read_register<k>(parts).low, load_address<Program, k>(a, offset),
                               is_run);
    else if (is_run)
      read_register<k>(parts).request(load_address<Program, k>(a, 0), offset, is_inner, vector,
                                      a.reach[I::bits]);
  });
  for_each_selected<Program, Loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    auto& to = read_register<k>(tile).at[0];
    access const how = a.load_access[I::bits];
    to = read_register<k>(parts).low;
    if (how == access::splat) {
      packed<storage_t<I::type>, 1> one;
      load_packed<reuse::expected>(one, load_address<Program, k>(a, origin.loads[I::bits]));
      to = splat<V>(one);
    } else if (how <= access::elements && !a.are_whole) {
      to = read_register<k>(parts).join(
          load_address<Program, k>(a, origin.loads[I::bits] + vector.first), vector);
    }
  });
  // One after the other, behind the others: each has the registers of several vectors.
  for_each_selected<Program, Loads>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    using T = storage_t<I::type>;
    if constexpr (I::goes_in_steps && picked_vectors<T, V>::most > 0) {
      if (a.load_access[I::bits] != access::picked) return;
      auto const by = static_cast<int>(a.load_columns[I::bits][0]);
      long long const offset = origin.loads[I::bits] + vector.first * by;
      auto& to = read_register<k>(tile).at[0];
      if (!load_picked(to, load_address<Program, k>(a, 0), offset, by, is_inner, a.reach[I::bits]))
        to = load_alone(load_address<Program, k>(a, offset), by, vector);
    }
  });
  if (a.has_strided) load_apart<Program, Loads>(tile, a, origin, vector);
}

}  // namespace tenon::detail
#endif
