// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which rows and which reduced positions a thread of the columns skeleton has, and their operands →
// registers.

#include "tenon/backend/cuda/columns/arguments.cuh"
#include "tenon/backend/cuda/parts/kept_vectors.cuh"
#include "tenon/backend/cuda/parts/misaligned_access.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct columns_slice {
  static constexpr int v = C::vector_width, threads = C::threads_per_block;
  static constexpr bool may_keep = is_any_kept<Program, v>;

  columns_arguments<Program> const& a;
  operand_offsets<Program> offsets = {};
  long long tile = 0, slice = 0;
  vector_part<v> part = {0};  // rows that are inside: the first ones

  __device__ __forceinline__ void begin() {
    if (a.slices_are_neighbours)
      tile = blockIdx.x / a.slices, slice = blockIdx.x % a.slices;
    else
      tile = blockIdx.x % a.tiles, slice = blockIdx.x / a.tiles;
    long long vector = tile * blockDim.x + threadIdx.x;
    if (vector >= a.rows.size) return;
    find_rows(vector, [&](auto index, int d, long long position) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if (d == a.rows.dims - 1) part.left = a.innermost - position;
      if constexpr (operands_at<Program, place::row, place::element>::loads(k))
        offsets.loads[I::bits] += position * a.load_rows[I::bits][d];
      if constexpr (operands_at<Program, place::element>::stores(k))
        offsets.stores[I::bits] += position * a.store_rows[I::bits][d];
    });
  }

  // Positions of this slice: from first_position() + threadIdx.y on, blockDim.y apart.
  __device__ __forceinline__ long long first_position() const { return slice * a.slice_length; }
  __device__ __forceinline__ long long end_position() const {
    long long const end = (slice + 1) * a.slice_length;
    return end > a.columns.size ? a.columns.size : end;
  }

  // Where the selected operands are at position `at` of the reduced axes, beyond `offsets`.
  template <class Selected>
  __device__ __forceinline__ void find_position(operand_offsets<Program>& to, long long at) const {
    for_each_selected<Program, Selected>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      if constexpr (I::is_load)
        to.loads[I::bits] = offsets.loads[I::bits];
      else
        to.stores[I::bits] = offsets.stores[I::bits];
    });
    for_each_digit(a.columns, at, [&](int d, long long position) {
      for_each_selected<Program, Selected>([&](auto selected) {
        using I = typename program_traits<Program>::template at<decltype(selected)::value>;
        if constexpr (I::is_load)
          to.loads[I::bits] += position * a.load_columns[I::bits][d];
        else
          to.stores[I::bits] += position * a.store_columns[I::bits][d];
      });
    });
  }

  // Whether `Items` positions from `first` on are inside, and nothing is to be looked for.
  template <int Items>
  __device__ __forceinline__ bool is_full(long long first, long long end) const {
    return part.is_whole() && first + (Items - 1) * static_cast<int>(blockDim.y) < end;
  }

  // The same for what is only reduced. Where there are no rows at all, the first ones stand for
  // them: the threads of a warp go one way.
  template <int Items>
  __device__ __forceinline__ bool has_all(long long first, long long end) const {
    return (part.is_whole() || part.is_empty()) && !a.is_shifted &&
           first + (Items - 1) * static_cast<int>(blockDim.y) < end;
  }

  // Loads `Items` positions of the selected operands; what is not inside is 0. IsFull: has_all is
  // known.
  template <class Selected, int Items, bool IsFull, class Tile>
  __device__ __forceinline__ void load(Tile& loaded, long long first, long long end) const {
    if constexpr (!IsFull && !may_keep)
      if (a.is_shifted) return read_shifted<Selected, Items>(loaded, first, end);
    if (!IsFull || !a.is_plain) return read<Selected, Items>(loaded, first, end);
    int const height = static_cast<int>(blockDim.y);
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      long long const stride = a.load_columns[I::bits][0];
      auto const* from = load_address<Program, k>(a, offsets.loads[I::bits] + first * stride);
#pragma unroll
      for (int u = 0; u < Items; ++u)
        load_packed<reuse::none>(read_register<k>(loaded).at[u], from + u * (height * stride));
    });
  }
  // The same from aligned accesses, each of which has parts of two vectors: the second one mostly
  // finds in the first-level cache what the first one of a neighbour asked for. H200, sums of 65536
  // x 1023 f32: 80 us instead of 340. @pre is_shifted
  template <class Selected, int Items, class Tile>
  __device__ __forceinline__ void read_shifted(Tile& loaded, long long first, long long end) const {
    int const height = static_cast<int>(blockDim.y);
    auto is_inner = [&](long long at) {
      return at < end && static_cast<unsigned long long>(at - a.inner) <
                             static_cast<unsigned long long>(a.inner_count);
    };
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (has_words<storage_t<I::type>, v>) {
        auto& to = read_register<k>(loaded).at;
        long long const stride = a.load_columns[I::bits][0];
        auto const* const column = load_address<Program, k>(a, offsets.loads[I::bits]);
        if (a.load_rows[I::bits][a.rows.dims - 1] == 0) {
#pragma unroll
          for (int u = 0; u < Items; ++u) {
            packed<storage_t<I::type>, 1> one{};
            long long const at = first + u * height;
            load_packed<reuse::expected>(one, column + at * stride, at < end);
            to[u] = splat<v>(one);
          }
          return;
        }
        packed<storage_t<I::type>, v> next[Items];
#pragma unroll
        for (int u = 0; u < Items; ++u) {
          long long const at = first + u * height;
          // In place of the others what is certain to be there: nothing waits for the question.
          auto const* const from = column + (is_inner(at) ? at : a.inner) * stride;
          auto const* const aligned = from - elements_beyond<v>(from);
          load_packed<reuse::expected>(to[u], aligned);
          load_packed<reuse::expected>(next[u], aligned + v);
        }
        constexpr unsigned bytes = sizeof(storage_t<I::type>);
        // Places in bytes, as far as they tell what is beyond a vector.
        unsigned const apart = static_cast<unsigned>(height * stride) * bytes;
        unsigned place =
            static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(column + first * stride));
#pragma unroll
        for (int u = 0; u < Items; ++u, place += apart)
          to[u] = part_of(to[u], next[u], static_cast<int>(place / bytes % v));
        // What is behind the last row is no index.
        if constexpr (program_traits<Program>::all.count(&instruction_facts::is_fetch) > 0)
#pragma unroll
          for (int u = 0; u < Items; ++u) keep_first(to[u], part.count());
        // Then what is not inner, each in turn as the first of them: no index into registers.
        if (is_inner(first) && is_inner(first + (Items - 1) * height)) return;
#pragma unroll 1
        for (int u = 0; u < Items; ++u) {
          long long const at = first + u * height;
          auto now = to[0];
          if (!is_inner(at)) {
            now = {};
            if (at < end) now = load_some<v>(column + at * stride, 0, part.count());
          }
#pragma unroll
          for (int i = 0; i + 1 < Items; ++i) to[i] = to[i + 1];
          to[Items - 1] = now;
        }
      }
    });
  }
  template <class Selected, int Items, class Tile>
  __device__ __forceinline__ void read(Tile& loaded, long long first, long long end) const {
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      long long at = first + u * static_cast<int>(blockDim.y);
      bool is_live = at < end && !part.is_empty();
      operand_offsets<Program> where;
      find_position<Selected>(where, is_live ? at : 0);
      for_each_selected<Program, Selected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        auto& to = read_register<k>(loaded).at[u];
        to = {};
        if (!is_live) return;
        auto const* from = load_address<Program, k>(a, where.loads[I::bits]);
        // Later phases read the same bytes again, from the second-level cache.
        if (a.load_moves_whole[I::bits] && part.is_whole())
          load_packed<reuse::none>(to, from);
        else
          load_singly(to, from, a.load_rows[I::bits][a.rows.dims - 1], part.count());
      });
    }
  }

  // The first of the thread's rows in the stores of values per row: found late, because registers
  // would have to wait for it.
  __device__ __forceinline__ void find_row_stores() {
    find_rows(tile * blockDim.x + threadIdx.x, [&](auto index, int d, long long position) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (operands_at<Program, place::row>::stores(k))
        offsets.stores[I::bits] += position * a.store_rows[I::bits][d];
    });
  }

 private:
  // Calls visit(instruction, axis, position) for the first of the rows of vector `vector`.
  template <class Visit>
  __device__ __forceinline__ void find_rows(long long vector, Visit&& visit) {
    for_each_digit(a.rows, vector, [&](int d, long long position) {
      if (d == a.rows.dims - 1) position *= v;
      for_each_instruction<Program>([&](auto index) { visit(index, d, position); });
    });
  }
};

}  // namespace tenon::detail
#endif
