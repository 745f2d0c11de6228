// SPDX-License-Identifier: Apache-2.0
#pragma once
// Elements that are fetched at indices of one axis, and the pieces of operands in which they lie:
// of a row that has many of them a piece is brought to shared memory as a whole.

#include <algorithm>

#include "tenon/backend/cuda/flat/row_arguments.cuh"
#include "tenon/backend/cuda/parts/async_copy.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/parts/shared_access.cuh"
#include "tenon/program/moved_values.hpp"

namespace tenon::detail {

// Whether fetch K is of an element at an index that memory holds, of the operand that begins where
// the row says; of other axes' indices an element is fetched from anywhere.
template <class Program> struct staged_fetches {
  using traits = program_traits<Program>;
  template <int K> using at = typename traits::template at<K>;

  // Whether neighbours along the innermost axis have one index.
  template <int K> static consteval bool is_common() {
    if constexpr (std::is_same_v<typename at<K>::op, ops::cast>)
      return is_common<at<K>::first_operand>();
    else
      return at<K>::is_splat;
  }
  template <int K> static consteval bool is_staged() {
    using I = at<K>;
    if constexpr (!std::is_same_v<typename I::op, ops::fetch> || I::where != place::element) {
      return false;
    } else {
      using moved = at<I::first_operand>;
      if constexpr (!is_advance<typename moved::op> || moved::where != place::element)
        return false;
      else
        return std::is_same_v<typename at<moved::first_operand>::op, ops::address> &&
               at<moved::first_operand>::where == place::element &&
               at<moved::second_operand>::where == place::element &&
               moved_values<Program>::template kind<moved::second_operand> != moved_kind::number &&
               !is_common<moved::second_operand>() && at<moved::third_operand>::is_size &&
               at<moved::fourth_operand>::is_size;
    }
  }
  template <int K> static constexpr bool holds = is_staged<K>();

  // The instruction that moves the address of fetch K, and the operand in which it lies.
  template <int K> using moves = at<at<K>::first_operand>;
  template <int K> static constexpr long long operand = at<moves<K>::first_operand>::bits;
};
// The addresses at which those operands begin.
template <class Program> struct staged_pieces {
  static consteval bool holds(int k) {
    bool result = false;
    for_each_operand([&](int address) { result = result || address == k; });
    return result;
  }

 private:
  template <class Visit> static consteval void for_each_operand(Visit visit) {
    [&]<int... K>(std::integer_sequence<int, K...>) {
      ((visit(staged_fetches<Program>::template moves<K>::first_operand)), ...);
    }
    (held_sequence<Program, staged_fetches<Program>>{});
  }
};
// Whether a program's rows may have pieces of their own.
template <class Program>
inline constexpr bool may_be_staged = [] {
  if constexpr (program_traits<Program>::has_fetches && !program_traits<Program>::has_reduction &&
                !program_traits<Program>::stores_parts && !has_random<Program>)
    return has_selected<Program, staged_fetches<Program>>;
  else
    return false;
}();

// V: elements of one access; U: accesses of a thread, which are in flight together.
template <class Program, int V, int U> struct staged_arguments : flat_row_arguments<Program, V, U> {
  using base = flat_row_arguments<Program, V, U>;
  using typename base::traits;
  using fetches = staged_fetches<Program>;
  static constexpr int vector_bytes = 16;
  // Beside what the launch may have without asking, four blocks and more.
  static constexpr long long most_bytes = 48 << 10;

  // Of each operand's piece: bytes of it, and where it lies in shared memory.
  int piece_bytes[base::loads_held], piece_at[base::loads_held];
  int all_bytes;
  index_divider<64> by_blocks;  // of a row
  unsigned blocks;
  int warps, turns;  // of a block: each warp has a stretch in each turn
  long long all_blocks;

  // @pre the rows' accesses are vectors
  // @post without blocks where a piece is not whole vectors, or few of its elements are fetched
  [[gnu::cold]] static staged_arguments of(bound_layout const& all, bound_arguments const& call) {
    staged_arguments a{base::of(all, call)};
    bound_layout const layout = columns_as_rows(all, 1);
    bool are_whole = !a.has_two_axes;
    visit_selected<Program, fetches>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      constexpr auto operand = fetches::template operand<k>;
      constexpr long long size = size_of(traits::template at<k>::type);
      using moves = typename fetches::template moves<k>;
      long long const stride = layout.sizes[traits::template at<moves::third_operand>::bits],
                      extent = layout.sizes[traits::template at<moves::fourth_operand>::bits],
                      bytes = extent * size;
      operand_layout const& from = layout.loads[operand];
      are_whole = are_whole && stride == size && bytes % vector_bytes == 0 && bytes > 0 &&
                  bytes <= most_bytes && from.column_strides[0] == 0 &&
                  reinterpret_cast<std::uintptr_t>(call.loads[operand]) % vector_bytes == 0 &&
                  layout.columns.size >= extent / least_fetched;
      for (int d = 0; d < layout.rows.dims; ++d)
        are_whole = are_whole && from.row_strides[d] % vector_bytes == 0;
      if (are_whole) a.piece_bytes[operand] = static_cast<int>(bytes);
    });
    if (!are_whole) return a;
    for (int k = 0; k < base::loads_held; ++k)
      a.piece_at[k] = a.all_bytes, a.all_bytes += a.piece_bytes[k];
    if (a.all_bytes <= most_bytes) a.share(layout);
    return a;
  }

#if defined(__CUDA_ARCH__)
  // Sends the pieces of the row at `origin` to shared memory.
  __device__ __forceinline__ void bring_pieces(operand_offsets<Program> const& origin) const {
    auto const memory = static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared()));
    for_each_selected<Program, staged_pieces<Program>>([&](auto selected) {
      using I = typename traits::template at<decltype(selected)::value>;
      char const* const from =
          static_cast<char const*>(this->loads[I::bits]) + origin.loads[I::bits];
      for (int at = static_cast<int>(threadIdx.x) * vector_bytes; at < piece_bytes[I::bits];
           at += static_cast<int>(blockDim.x) * vector_bytes)
        send_to_shared<char, vector_bytes>(memory + piece_at[I::bits] + at, from + at);
    });
  }
#endif

 private:
  // Warps share the stretches of a row, as many as a block has, or several blocks: each brings the
  // pieces for itself, and has much to fetch from them if there are other blocks enough.
  [[gnu::cold]] void share(bound_layout const& layout) {
    constexpr long long of_warp = 32ll * U;
    long long const stretches = divide_up(this->vectors, of_warp);
    if (stretches < least_warps) return;
    warps = static_cast<int>(std::min<long long>(stretches, most_warps));
    long long least_turns = divide_up(all_bytes, warps * of_warp * V);
    while (least_turns > 1 &&
           layout.rows.size * divide_up(stretches, warps * least_turns) < least_blocks)
      least_turns /= 2;
    blocks = static_cast<unsigned>(std::max(1ll, stretches / (warps * least_turns)));
    turns = static_cast<int>(divide_up(stretches, warps * static_cast<long long>(blocks)));
    blocks = static_cast<unsigned>(divide_up(stretches, static_cast<long long>(warps) * turns));
    all_blocks = layout.rows.size * blocks;
    by_blocks = index_divider<64>::of(blocks);
  }
  static constexpr int least_warps = 2, most_warps = 8;
  static constexpr long long least_blocks = 1056;
  // What is brought, but not fetched: one of so many elements is wanted at least.
  static constexpr long long least_fetched = 4;
};

#if defined(__CUDA_ARCH__)
// A row's pieces in shared memory, and what is fetched from there.
template <class Program, class Arguments> struct fetched_from_pieces {
  using traits = program_traits<Program>;
  using fetches = staged_fetches<Program>;
  Arguments const& a;
  bool is_first;  // of a block's tiles, which waits for the pieces

  __device__ __forceinline__ void await() const {
    if (!is_first) return;
    wait_for_sent();
    __syncthreads();
  }
  template <class Numbers>
  __device__ __forceinline__ void evaluate(frame<Program> const& f, Numbers const&, int,
                                           bool is_live) const {
    compute(f, is_live, held_sequence<Program, computed_of_element<Program, 1, true>>{});
  }

 private:
  template <int... K>
  __device__ __forceinline__ void compute(frame<Program> const& f, bool is_live,
                                          std::integer_sequence<int, K...>) const {
    (compute_one<K>(f, is_live), ...);
  }
  template <int K>
  __device__ __forceinline__ void compute_one(frame<Program> const& f, bool is_live) const {
    using I = typename traits::template at<K>;
    if constexpr (fetches::template holds<K>)
      value_of<K>(f) = static_cast<typename I::value_type>(fetch<K>(f, is_live));
    else
      step<K>(f, typename I::operands{});
  }
  // As the operator, with addresses of shared memory, of which 0 is none: one more than they are.
  template <int K>
  __device__ __forceinline__ auto fetch(frame<Program> const& f, bool is_live) const {
    using T = storage_t<traits::template at<K>::type>;
    using number = arithmetic_t<traits::template at<K>::type>;
    using moves = typename fetches::template moves<K>;
    auto const piece = static_cast<unsigned>(__cvta_generic_to_shared(dynamic_shared())) +
                       a.piece_at[fetches::template operand<K>] + 1;
    // What is not there is not stored, but not to be reported, either.
    long long const origin =
        is_live || !TENON_CHECK_INDICES ? static_cast<long long>(piece) : no_address;
    auto const at = static_cast<unsigned>(moves::op::eval(
        origin, value_of<moves::second_operand>(f), sizeof(T), value_of<moves::fourth_operand>(f)));
    bool const is_somewhere = at != static_cast<unsigned>(no_address);
    packed<T, 1> one;
    load_shared(one, (is_somewhere ? at : piece) - 1);
    return is_somewhere ? static_cast<number>(element_of(one, 0)) : missing<number>();
  }
};
#endif

}  // namespace tenon::detail
