// SPDX-License-Identifier: Apache-2.0
#pragma once
// Operands whose elements lie between each other: what lies together is one access for all of them.

#include "tenon/backend/cuda/parts/backward_access.cuh"
#include "tenon/backend/cuda/parts/element_stores.cuh"
#include "tenon/backend/cuda/parts/element_tile.cuh"
#include "tenon/backend/cuda/parts/kernel_arguments.cuh"
#include "tenon/backend/cuda/parts/shared_access.cuh"

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

// Accesses that have a vector of each of so many operands: one, or as many as there are of them
// where together they are no vector that memory has, or as have 16 bytes for two elements of each.
constexpr TENON_HD int accesses_together(int count, int bytes) {
  return count == 3 ? count : count * bytes > 8 ? count * bytes / 8 : 1;
}
// Of the group that instruction I is in.
template <class I>
inline constexpr int accesses_of = accesses_together(I::beside.count,
                                                     static_cast<int>(sizeof(storage_t<I::type>)));

// Whether each of them is as many elements further as it says, and accesses of all of them together
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
  constexpr int together = V * group::count / accesses_of<I>;
  // From the last to the first a vector begins with its last ones.
  bool const is_backward = first.column_strides[0] < 0;
  std::uintptr_t const lowest = begin - (is_backward ? (V - 1) * group::count * bytes : 0);
  bool result = lowest % (together * bytes) == 0 && (!is_backward || I::is_reversed);
  for (int d = 0; d < layout.rows.dims; ++d)
    result = result && (layout.rows.extents[d] == 1 || first.row_strides[d] % together == 0);
  visit_selected<Program, group>([&](auto selected) {
    using one = typename program_traits<Program>::template at<decltype(selected)::value>;
    operand_layout const& operand = all[one::bits];
    result = result && operand.column_strides[0] == (is_backward ? -group::count : group::count) &&
             address_of(one::bits) == begin + one::beside.position * bytes;
    for (int d = 0; d < layout.rows.dims; ++d)
      result = result && operand.row_strides[d] == first.row_strides[d];
  });
  return result;
}

// Of a vector of each of them, of which an access has 16 bytes. @pre there are such operands
template <class Program>
inline constexpr int neighbours_width = [] {
  int bytes = 1;
  for (instruction_facts const& i : program_traits<Program>::all) {
    int const of_access =
        i.beside.count * size_of(i.type) / accesses_together(i.beside.count, size_of(i.type));
    if (of_access > bytes) bytes = of_access;
  }
  return 16 / bytes;
}();
// Whether some have several accesses that are whole ones of all of them.
template <class Program>
inline constexpr bool has_wide_neighbours = [] {
  bool result = false;
  for (instruction_facts const& i : program_traits<Program>::all)
    result =
        result || (i.beside.count != 3 && accesses_together(i.beside.count, size_of(i.type)) > 1);
  return result;
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
  template <int K> static constexpr int accesses = accesses_of<at<K>>;
  template <int K>
  using type =
      vector_list<storage_t<at<K>::type>, V * at<K>::beside.count / accesses<K>, U * accesses<K>>;
};

#if defined(__CUDA_ARCH__)
// Access u of load K, the first of those beside each other, and of these, from their first element
// in memory on.
template <class Program, int K, int V, class Together, class T>
__device__ __forceinline__ void load_together(Together& all, int u, T const* from, bool is_live) {
  using group = neighbours_of<Program, K>;
  constexpr int count = group::count, accesses = accesses_of<typename group::I>;
#pragma unroll
  for (int i = 0; i < accesses; ++i)
    load_packed<reuse::near>(all.at[u * accesses + i], from + i * (V * count / accesses), is_live);
}
// The elements of each of the loads beside load K, the first one.
template <class Program, int K, int V, class Tile, class Together, int... P>
__device__ __forceinline__ void take_apart(Tile& tile, Together const& all, int u, bool is_backward,
                                           std::integer_sequence<int, P...>) {
  using group = neighbours_of<Program, K>;
  using T = storage_t<group::I::type>;
  constexpr int accesses = accesses_of<typename group::I>, width = V * group::count / accesses;
  T elements[group::count][V];
#pragma unroll
  for (int q = 0; q < group::count * V; ++q)
    elements[q % group::count][q / group::count] =
        element_of(all.at[u * accesses + q / width], q % width);
  ((read_register<group::member(P)>(tile).at[u] = pack<T>(elements[P])), ...);
  if constexpr (group::I::is_reversed)
    if (is_backward)
      ((read_register<group::member(P)>(tile).at[u] =
            backward(read_register<group::member(P)>(tile).at[u])),
       ...);
}

// What the stores beside store K write, which is the first one, by accesses.
template <class Program, int K, int V, class Results, int... P>
__device__ __forceinline__ auto put_together(Results const& results,
                                             std::integer_sequence<int, P...>) {
  using group = neighbours_of<Program, K>;
  using T = storage_t<group::I::type>;
  using value = std::remove_cvref_t<decltype(read_register<K>(results).at[0])>;
  constexpr int count = accesses_of<typename group::I>, width = group::count * V / count;
  value values[count][width];
#pragma unroll
  for (int e = 0; e < V; ++e)
    ((values[(e * group::count + P) / width][(e * group::count + P) % width] =
          read_register<group::member(P)>(results).at[e]),
     ...);
  vector_list<T, width, count> all;
#pragma unroll
  for (int i = 0; i < count; ++i) all.at[i] = pack<T>(values[i]);
  return all;
}

// Writes access u of a thread, which is several vectors. Lanes that share a stretch have theirs one
// behind another: neighbouring lanes write neighbouring vectors, since of accesses that are several
// apart each would have parts of sectors. H200, us, so and without: three of 2^24 beside each other
// bf16 48.6 and 65.0, f32 95.1 and 119, of bytes 25.9 and 30.9; one by one 101, 188 and 55.6; where
// 16 lanes share a stretch, three of 64 x 480 x 640 f32 77 and 113.
// @pre all lanes that have some access of the stretch call it
template <int Threads, class T, int W, int Count, class Stretch>
__device__ __forceinline__ void store_in_turn(T* to, vector_list<T, W, Count> const& all,
                                              Stretch const& stretch, int u, cache_policy kept) {
  using access = packed<T, W>;
  __shared__ alignas(16) unsigned char memory[Threads * Count * access::bytes];
  int const thread = static_cast<int>(threadIdx.x), lane = thread & (stretch.lanes - 1),
            first = thread - lane, sharers = stretch.sharers();
  if (lane >= sharers) return;
  unsigned const sharing = (~0u >> (32 - sharers)) << (first % 32);
  unsigned const of_stretch = static_cast<unsigned>(__cvta_generic_to_shared(memory)) +
                              first * Count * access::bytes,
                 own = of_stretch + lane * Count * access::bytes;
#pragma unroll
  for (int i = 0; i < Count; ++i) store_shared(own + i * access::bytes, all.at[i]);
  __syncwarp(sharing);
  int const vectors = Count * (stretch.size - u * stretch.lanes);
  to -= lane * Count * W;
#pragma unroll
  for (int i = 0; i < Count; ++i) {
    int const vector = i * sharers + lane;
    access one;
    load_shared(one, of_stretch + vector * access::bytes);
    store_packed(to + vector * W, one, vector < vectors, kept);
  }
  __syncwarp(sharing);  // before the next ones come
}
#endif

}  // namespace tenon::detail
