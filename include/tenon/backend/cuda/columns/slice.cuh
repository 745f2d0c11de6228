// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which rows and which reduced positions a thread of the columns skeleton has, and their operands →
// registers.

#include "tenon/backend/cuda/columns/meeting_arguments.cuh"
#include "tenon/backend/cuda/columns/places.cuh"
#include "tenon/backend/cuda/parts/kept_vectors.cuh"
#include "tenon/backend/cuda/parts/row_pieces.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C,
          bool MayKeep = is_any_kept<Program, C::vector_width> && !all_blocks_meet<C> &&
                         !stores_in_sweep<Program, C>>
struct columns_slice {
  static constexpr int v = C::vector_width, threads = C::threads_per_block;
  static constexpr bool may_keep = MayKeep;

  columns_arguments<Program> const& a;
  operand_offsets<Program> offsets = {};
  long long tile = 0, slice = 0;
  vector_part<v> part = {0};  // rows that are inside: the first ones

  __device__ __forceinline__ void begin() {
    tile = blockIdx.x;
    if (!takes_elements<C> && a.slices > 1) {
      unsigned const by = static_cast<unsigned>(a.slices_are_neighbours ? a.slices : a.tiles),
                     high = blockIdx.x / by, low = blockIdx.x % by;
      tile = a.slices_are_neighbours ? high : low, slice = a.slices_are_neighbours ? low : high;
    }
    if constexpr (may_pass<Program> && !takes_elements<C> && !has_all_rows<C>)
      if (a.tiles_passed > 0) tile *= a.tiles_passed;
    find_vector();
  }
  // The thread's one of the tile.
  __device__ __forceinline__ long long vector() const {
    if constexpr (has_groups<C> && !all_blocks_meet<C>) {
      int const width = static_cast<grouped_arguments<Program> const&>(a).vectors_of_tile;
      return static_cast<int>(threadIdx.x) < width ? tile * width + threadIdx.x : a.rows.size;
    } else if constexpr (shares_values<C>) {
      return static_cast<shared_arguments<Program> const&>(a).vector(static_cast<int>(tile));
    } else if constexpr (has_planes<C>) {
      return static_cast<plane_columns_arguments<Program> const&>(a).vector(static_cast<int>(tile));
    } else {
      return tile * blockDim.x + threadIdx.x;
    }
  }
  __device__ __forceinline__ void find_vector() {
    long long vector = this->vector();
    bool const is_beyond = vector >= a.rows.size;
    if (is_beyond) vector = 0;  // the first rows stand for those that there are not
    if constexpr (shares_values<C>)
      if (is_beyond)
        vector = static_cast<shared_arguments<Program> const&>(a).first(static_cast<int>(tile));
    find_rows(vector, [&](auto index, auto stride_of, bool is_innermost, long long position) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if (is_innermost) part.left = a.innermost - position;
      if constexpr (operands_at<Program, place::row, place::element>::loads(k) || I::is_position)
        offsets.loads[I::bits] += position * stride_of.load(I::bits);
      if constexpr (operands_at<Program, place::element>::stores(k))
        offsets.stores[I::bits] += position * stride_of.store(I::bits);
    });
    if (is_beyond) part.left = 0;
  }

  // Positions of this slice: from first_position() + threadIdx.y on, blockDim.y apart.
  __device__ __forceinline__ long long first_position() const {
    return takes_elements<C> ? 0 : slice * a.slice_length;
  }
  __device__ __forceinline__ long long end_position() const {
    if constexpr (takes_elements<C>) return a.columns.size;
    long long const end = (slice + 1) * a.slice_length;
    return end > a.columns.size ? a.columns.size : end;
  }

  // Positions from `first` on, as far as an int tells.
  static __device__ __forceinline__ int positions_left(long long first, long long end) {
    constexpr long long most = 1 << 30;
    return static_cast<int>(end - first < most ? end - first : most);
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

  // Whether there are some of the thread's rows, but not all. For those that have none others
  // stand.
  __device__ __forceinline__ bool has_part() const { return !part.is_whole() && !part.is_empty(); }

  // Whether `Items` positions from `first` on are inside, and nothing is to be looked for.
  template <int Items>
  __device__ __forceinline__ bool is_full(long long first, long long end) const {
    return part.is_whole() && first + (Items - 1) * static_cast<int>(blockDim.y) < end;
  }

  // The same for what is only reduced: the threads of a warp go one way.
  template <int Items>
  __device__ __forceinline__ bool has_all(long long first, long long end) const {
    return a.is_even && !has_part() && first + (Items - 1) * static_cast<int>(blockDim.y) < end;
  }

  // Asks the second-level cache for the lines of the first positions; of rows that do not begin
  // with one it may not be all. @pre one reduced axis
  template <class Selected, int Items> __device__ __forceinline__ void ask_early() const {
    if (part.is_empty()) return;
    int const height = static_cast<int>(blockDim.y);
    long long const first = first_position() + threadIdx.y;
    int const left = positions_left(first, end_position());
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      constexpr int lanes_of_line = 128 / (v * static_cast<int>(sizeof(storage_t<I::type>)));
      if (threadIdx.x % lanes_of_line != 0) return;
      long long const stride = a.load_steps[I::bits];
      auto const* from = load_address<Program, k>(a, offsets.loads[I::bits] + first * stride);
#pragma unroll 1
      for (int u = 0; u < Items && u * height < left; ++u, from += height * stride)
        asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
    });
  }

  // Loads `Items` positions of the selected operands; what is not inside is 0. IsFull: has_all is
  // known.
  template <class Selected, int Items, bool IsFull, class Tile>
  __device__ __forceinline__ void load(Tile& loaded, long long first, long long end) const {
    if constexpr (!IsFull && may_keep) {
      return read<Selected, Items>(loaded, first, end);
    } else if constexpr (takes_elements<C>) {
      return load_at_places<Program, Selected, Items>(
          *this, loaded, first, end,
          [&](auto& places, int left) { await_at<Program, Selected, Items>(a, places, left); });
    } else if constexpr (!IsFull) {
      if (!a.is_even || has_part())
        return (Items < C::items && may_be_sliced<Program>) || a.has_pieces
                   ? read_pieces<Selected, Items>(loaded, first, end)
                   : read<Selected, Items>(loaded, first, end);
    }
    load_plain<Selected, Items, IsFull>(loaded, first, end);
  }
  // The same where is_even, of threads that have all of their rows or none.
  template <class Selected, int Items, bool IsFull, class Tile>
  __device__ __forceinline__ void load_plain(Tile& loaded, long long first, long long end) const {
    int const height = static_cast<int>(blockDim.y), left = positions_left(first, end);
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      long long const stride = a.load_steps[I::bits];
      auto const* from = load_address<Program, k>(a, offsets.loads[I::bits] + first * stride);
      auto const is_inside = [&](int u) { return IsFull || u * height < left; };
      if constexpr (has_one<Program, C, k>) {
        load_splat(read_register<k>(loaded).at, from, height * stride, is_inside);
      } else {
        if constexpr (I::is_of_some_rows)
          if (a.load_along[I::bits] == 0)
            return load_splat(read_register<k>(loaded).at, from, height * stride, is_inside);
#pragma unroll
        for (int u = 0; u < Items; ++u) {
          auto& to = read_register<k>(loaded).at[u];
          if (!IsFull) to = {};
          // What the rows of a group share is there again at each position.
          load_packed<has_groups<C> && I::is_of_some_rows ? reuse::expected : read_once<Program>>(
              to, from + u * (height * stride), is_inside(u));
        }
      }
    });
  }
  // The same in pieces. @pre has_pieces
  template <class Selected, int Items, class Tile>
  __device__ __forceinline__ void read_pieces(Tile& loaded, long long first, long long end) const {
    int const height = static_cast<int>(blockDim.y), count = part.count(),
              left = positions_left(first, end);
    auto const is_inside = [&](int u) { return u * height < left; };
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      using T = storage_t<I::type>;
      auto& to = read_register<k>(loaded).at;
      long long const stride = a.load_steps[I::bits], step = height * stride;
      T const* from = load_address<Program, k>(a, offsets.loads[I::bits] + first * stride);
      if constexpr (has_one<Program, C, k>) {
        load_splat(to, from, step, is_inside);
      } else {
        if (!has_all_rows<C> && a.load_along[I::bits] == 0)
          return load_splat(to, from, step, is_inside);
        if (!has_all_rows<C> && has_pairs<T, v> && a.innermost < v) {
#pragma unroll
          for (int u = 0; u < Items; ++u)
            to[u] = load_some<v>(from + u * step, is_inside(u) ? count : 0);
          return;
        }
        load_rows_in_pieces(to, from, step, count, is_inside);
      }
    });
  }
  template <class Selected, int Items, class Tile>
  __device__ __forceinline__ void read(Tile& loaded, long long first, long long end) const {
    // Where blocks have all rows it is seldom asked for: a loop, in which every item goes to the
    // last place, and the others move.
    constexpr int places = has_all_rows<C> ? 1 : Items;
#pragma unroll(places)
    for (int u = 0; u < Items; ++u) {
      long long at = first + u * static_cast<int>(blockDim.y);
      // Threads without rows reduce what all rows of the block share, too.
      bool is_live = at < end && (shares_values<C> || !part.is_empty());
      operand_offsets<Program> where;
      find_position<Selected>(where, is_live ? at : 0);
      for_each_selected<Program, Selected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        auto& all = read_register<k>(loaded).at;
        if constexpr (places == 1)
#pragma unroll
          for (int i = 1; i < Items; ++i) all[i - 1] = all[i];
        auto& to = all[places == 1 ? Items - 1 : u];
        to = {};
        if (!is_live) return;
        auto const* from = load_address<Program, k>(a, where.loads[I::bits]);
        // Later phases read the same bytes again, from the second-level cache.
        if constexpr (has_one<Program, C, k>) {
          packed<storage_t<I::type>, v> one[1];
          load_splat(one, from, 0, [](int) { return true; });
          to = one[0];
        } else if (a.load_moves_whole[I::bits] && part.is_whole())
          load_packed<read_once<Program>>(to, from);
        else
          load_singly(to, from, a.load_along[I::bits], part.count());
      });
    }
  }

  // The first of the thread's rows in the stores of values per row: found late, because registers
  // would have to wait for it.
  __device__ __forceinline__ void find_row_stores() { find_row_stores(vector()); }
  __device__ __forceinline__ void find_row_stores(long long vector) {
    for_each_selected<Program, stored_at<Program, place::row>>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      offsets.stores[I::bits] = 0;
    });
    find_rows(vector, [&](auto index, auto stride_of, bool, long long position) {
      constexpr int k = decltype(index)::value;
      using I = typename program_traits<Program>::template at<k>;
      if constexpr (operands_at<Program, place::row>::stores(k))
        offsets.stores[I::bits] += position * stride_of.store(I::bits);
    });
  }

 private:
  // Along axis d of the rows, or along the innermost one.
  struct strides_along_axis {
    columns_arguments<Program> const& a;
    int d;
    __device__ __forceinline__ long long load(int k) const { return a.load_rows[k][d]; }
    __device__ __forceinline__ long long store(int k) const { return a.store_rows[k][d]; }
  };
  struct strides_along_rows {
    columns_arguments<Program> const& a;
    __device__ __forceinline__ long long load(int k) const { return a.load_along[k]; }
    __device__ __forceinline__ long long store(int k) const { return a.store_along[k]; }
  };
  // Calls visit(instruction, strides along an axis, whether it is the innermost, position) for the
  // first of the rows of vector `vector`.
  template <class Visit>
  __device__ __forceinline__ void find_rows(long long vector, Visit&& visit) {
    if (a.is_single) {
      for_each_instruction<Program>(
          [&](auto index) { visit(index, strides_along_rows{a}, true, vector * v); });
      return;
    }
    for_each_digit(a.rows, vector, [&](int d, long long position) {
      bool const is_innermost = d == a.rows.dims - 1;
      if (is_innermost) position *= v;
      for_each_instruction<Program>([&](auto index) {
        visit(index, strides_along_axis{a, d}, is_innermost, position);
      });
    });
  }
};

}  // namespace tenon::detail
#endif
