// SPDX-License-Identifier: Apache-2.0
#pragma once
// The vectors of a thread, or its single elements, of rows whose positions need not lie evenly →
// registers: all are under way together.

#include "tenon/backend/cuda/columns/arguments.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Where the vectors of the selected operands lie.
template <class Program, class Selected, int Items> struct vector_places : Selected {
  template <int K>
  using type = value_list<storage_t<program_traits<Program>::template at<K>::type> const*, Items>;
};

// Waits for the kernel before, behind the question for the lines of these places in short calls.
template <class Program, class Selected, int Items, class Places>
__device__ __forceinline__ void await_at(columns_arguments<Program> const& a, Places& places,
                                         int left) {
  if (a.asks_early)
    for_each_selected<Program, Selected>([&](auto selected) {
#pragma unroll
      for (int u = 0; u < Items; ++u)
        ask_early(read_register<decltype(selected)::value>(places).at[u],
                  u * static_cast<int>(blockDim.y) < left);
    });
  await_operands<Program>(a.may_leave);
}

// Loads the positions of `slice` from `first` on, Items at most, blockDim.y apart; what is not
// inside is 0. Where they lie is found in a loop unless they lie evenly; then await(places, left)
// is called, as long as `left` positions are inside.
// @pre every vector is one access
template <class Program, class Selected, int Items, class Slice, class Tile, class Await>
__device__ __forceinline__ void load_at_places(Slice const& slice, Tile& loaded, long long first,
                                               long long end, Await const& await) {
  auto const& a = slice.a;
  int const height = static_cast<int>(blockDim.y);
  int left = slice.part.is_empty() ? 0 : Slice::positions_left(first, end);
  selected_registers<Program, vector_places<Program, Selected, Items>> places;
  if (a.is_plain)
    for_each_selected<Program, Selected>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using I = typename program_traits<Program>::template at<k>;
      long long const stride = a.load_steps[I::bits], step = height * stride;
      auto const* from = load_address<Program, k>(a, slice.offsets.loads[I::bits] + first * stride);
#pragma unroll
      for (int u = 0; u < Items; ++u, from += step) {
        asm volatile("" : "+l"(from));  // else each is a product
        read_register<k>(places).at[u] = from;
      }
    });
  else
#pragma unroll 1
    for (int u = 0; u < Items; ++u) {
      operand_offsets<Program> where;
      slice.template find_position<Selected>(where, u * height < left ? first + u * height : 0);
      for_each_selected<Program, Selected>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        auto& all = read_register<k>(places).at;
#pragma unroll
        for (int i = 1; i < Items; ++i) all[i - 1] = all[i];
        all[Items - 1] =
            load_address<Program, k>(a, where.loads[program_traits<Program>::template at<k>::bits]);
      });
    }
  await(places, left);
  asm volatile("" : "+r"(left));  // else what was asked of it is held until then
  for_each_selected<Program, Selected>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      auto& to = read_register<k>(loaded).at[u];
      to = {};
      load_packed<read_once<Program>>(to, read_register<k>(places).at[u], u * height < left);
    }
  });
}

}  // namespace tenon::detail
#endif
