// SPDX-License-Identifier: Apache-2.0
#pragma once
// The operands of one thread of a tile: some rows of a vector of columns → registers, however they
// lie in memory.

#include "tenon/backend/cuda/columns/slice.cuh"
#include "tenon/backend/cuda/mixed/tile_arguments.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct tile_operands : columns_slice<Program, C, false> {
  using base = columns_slice<Program, C, false>;
  using base::v, base::offsets, base::part;
  static constexpr int items = C::items;
  using moving = mixed_loads<Program, v, items, true, false>;
  using fixed = mixed_loads<Program, v, 1, false, true>;

  tile_arguments<Program> const& a;
  bool is_strip_whole = false;  // nobody has a vector that is not whole, or not aligned
  selected_registers<Program, fixed> same = {};

  __device__ __forceinline__ explicit tile_operands(tile_arguments<Program> const& a)
      : base{a}, a(a) {}

  // Comes to strip `number` of part `rows`.
  __device__ __forceinline__ void begin(int number, int rows) {
    base::tile = number, base::slice = rows;
    long long const first = static_cast<long long>(number) * a.strip_vectors,
                    columns_left = a.innermost - first * v;
    int const x = static_cast<int>(threadIdx.x);
    bool const is_mine = x < a.strip_vectors && first + x < a.rows.size;
    part.left = is_mine ? columns_left - x * v : 0;
    is_strip_whole = a.is_plain && (columns_left >= static_cast<long long>(a.strip_vectors) * v ||
                                    columns_left % v == 0);
    long long const column = is_mine ? (first + x) * v : 0;
    for_each_selected<Program, loaded_at<Program, place::element>>([&](auto selected) {
      using I = typename program_traits<Program>::template at<decltype(selected)::value>;
      offsets.loads[I::bits] = a.is_one_axis ? column * a.load_along[I::bits] : 0;
    });
    if constexpr (has_selected<Program, fixed>) load<fixed, 1>(same, 0, 1);
  }

  // Loads `Items` rows of the selected operands from `first` on; what is not inside is 0.
  template <class Selected, int Items, class Tile>
  __device__ __forceinline__ void load(Tile& loaded, long long first, long long end) const {
    if (a.is_whole && !this->has_part())
      load_at_places<Program, Selected, Items>(*this, loaded, first, end, [](auto&, int) {});
    else if (a.has_pieces)
      this->template read_pieces<Selected, Items>(loaded, first, end);
    else
      gather<Selected, Items>(loaded, first, end);
  }
  // Element by element.
  template <class Selected, int Items, class Tile>
  __device__ __forceinline__ void gather(Tile& loaded, long long first, long long end) const {
    long long const column = (base::tile * a.strip_vectors + threadIdx.x) * v;
#pragma unroll 1
    for (int u = 0; u < Items; ++u) {
      long long const at = first + u * static_cast<int>(blockDim.y);
      int const count = at < end ? part.count() : 0;
      operand_offsets<Program> where;
      this->template find_position<Selected>(where, count > 0 ? at : 0);
      for_each_selected<Program, Selected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        using T = storage_t<I::type>;
        T const* const from = load_address<Program, k>(a, where.loads[I::bits]);
        packed<T, v> vector{};
#pragma unroll 1
        for (int i = 0; i < v; ++i) {
          packed<T, 1> one{};
          if (i < count) load_packed<reuse::expected>(one, from + beyond<I>(column, i));
          push_element(vector, one);
        }
        auto& all = read_register<k>(loaded).at;
#pragma unroll
        for (int j = 1; j < Items; ++j) all[j - 1] = all[j];
        all[Items - 1] = vector;
      });
    }
  }
  // From where find_position() leads to column `column` + i.
  template <class I> __device__ __forceinline__ long long beyond(long long column, int i) const {
    if (a.is_one_axis) return i * a.load_along[I::bits];
    long long offset = 0;
    for_each_digit(a.neighbours, column + i,
                   [&](int d, long long digit) { offset += digit * a.load_rows[I::bits][d]; });
    return offset;
  }
};

}  // namespace tenon::detail
#endif
