// SPDX-License-Identifier: Apache-2.0
#pragma once
// The skeleton with sorts: a block computes what is to be ordered of a row, sorts it, and sweeps
// the row in that order.

#include "tenon/backend/cuda/ordered/worker.cuh"
#include "tenon/backend/cuda/parts/dynamic_shared.cuh"
#include "tenon/backend/cuda/sort/block.cuh"
#include "tenon/ops/sort.hpp"

namespace tenon::detail {

// The keys of sort I, and what an element of the result is.
template <class I> struct sort_facts {
  using element = typename I::value_type;
  using number = decltype(element::number);
  using key = sort_key<number>;
  using placed = placed_key<typename key::bits>;
  // The highest bit of a place is the sign of a zero.
  static constexpr unsigned sign = 0x80000000u;

  static __device__ __forceinline__ placed make(number x, long long position) {
    typename key::bits const bits = key::of(x);
    return {I::op::is_descending ? ~bits & key::all : bits,
            static_cast<unsigned>(position) | (key::is_negative_zero(x) ? sign : 0u)};
  }
  static __device__ __forceinline__ element read(placed const& one) {
    typename key::bits const bits = I::op::is_descending ? ~one.key & key::all : one.key;
    return {key::number(bits, (one.place & sign) != 0), static_cast<long long>(one.place & ~sign)};
  }
};

#if defined(__CUDA_ARCH__)
// Element number `position` of what sort I has ordered.
template <class I>
__device__ __forceinline__ typename I::value_type ordered_element(row_order<I> order,
                                                                  long long position) {
  using facts = sort_facts<I>;
  return facts::read(static_cast<typename facts::placed const*>(order.keys)[position]);
}
#endif

// Bytes of one key of every sort of a program.
template <class Program, class Sequence = typename program_traits<Program>::sequence>
inline constexpr long long bytes_of_keys = 0;
template <class I> constexpr long long bytes_of_key() {
  if constexpr (I::is_sort)
    return sizeof(typename sort_facts<I>::placed);
  else
    return 0;
}
template <class Program, int... K>
inline constexpr long long bytes_of_keys<Program, std::integer_sequence<int, K...>> =
    (0ll + ... + bytes_of_key<typename program_traits<Program>::template at<K>>());

// Where the keys of a row lie: in shared memory when one tile holds a row, else in the workspace,
// twice, because merging is not in place.
template <class Program> struct sort_memory {
  static constexpr int threads = 256;
  static constexpr long long most_shared_bytes = 98304;

  long long capacity;  // keys of each sort, an even number for alignment
  bool is_shared;
  __host__ __device__ explicit constexpr sort_memory(long long columns)
      : capacity((columns + 1) / 2 * 2),
        is_shared(columns <= keys_per_tile<threads> &&
                  capacity * bytes_of_keys<Program> <= most_shared_bytes) {}
  __host__ __device__ constexpr long long bytes_per_block() const {
    return capacity * bytes_of_keys<Program> * (is_shared ? 1 : 2);
  }
};

#if defined(__CUDA_ARCH__)
// Computes the operand of sort K along the row and orders it.
template <int K, class Program, int Items, class Arguments>
__device__ __forceinline__ void sort_value(ordered_worker<Program, Items, Arguments>& worker,
                                           sort_memory<Program> const& memory, char*& free) {
  using I = typename program_traits<Program>::template at<K>;
  using facts = sort_facts<I>;
  using placed = typename facts::placed;
  constexpr int before = sweep_before_sort<K>, threads = sort_memory<Program>::threads;
  long long const bytes = memory.capacity * static_cast<long long>(sizeof(placed));
  placed* const keys = reinterpret_cast<placed*>(free);
  placed* const other = memory.is_shared ? keys : reinterpret_cast<placed*>(free + bytes);
  free += memory.is_shared ? bytes : 2 * bytes;
  long long const columns = worker.a.columns.size;
  selected_registers<Program, needed_scans<Program, before, false>> carried;
  worker.template clear<needed_scans<Program, before, false>>(carried);
  for (long long first = 0; first < columns; first += threads * Items) {
    typename ordered_worker<Program, Items, Arguments>::template tile<before, false> items(
        worker, first + static_cast<long long>(threadIdx.x) * Items);
    items.template evaluate_from<0>(carried);
#pragma unroll
    for (int i = 0; i < Items; ++i)
      if (items.is_live(i))
        keys[items.first + i] = facts::make(
            static_cast<typename facts::number>(value_of<I::first_operand>(items.frame_of(i))),
            items.first + i);
  }
  __syncthreads();
  read_register<K>(worker.orders).keys =
      sort_keys<threads, facts::key::width>(keys, other, columns);
}

// All sorts whose operands are known after phase Phase.
template <int Phase, class Program, int Items, class Arguments>
__device__ __forceinline__ void sort_values(ordered_worker<Program, Items, Arguments>& worker,
                                            sort_memory<Program> const& memory, char*& free) {
  for_each_instruction<Program>([&](auto index) {
    constexpr int k = decltype(index)::value;
    using I = typename program_traits<Program>::template at<k>;
    if constexpr (I::is_sort && I::phase == Phase) sort_value<k>(worker, memory, free);
  });
}

template <int Phase, class Program, int Items, class Arguments>
__device__ __forceinline__ void sort_and_sweep(ordered_worker<Program, Items, Arguments>& worker,
                                               sort_memory<Program> const& memory, char*& free) {
  constexpr int threads = sort_memory<Program>::threads;
  sort_values<Phase - 1>(worker, memory, free);
  if constexpr (Phase <= program_traits<Program>::row_phases) {
    worker.template run_phase<threads, Phase>(static_cast<long long>(threads) * Items);
    sort_and_sweep<Phase + 1>(worker, memory, free);
  } else {
    worker.template sweep<Phase, true>(0, static_cast<long long>(threads) * Items);
  }
}
#endif

}  // namespace tenon::detail

namespace tenon {

// Owners: a block does one row after the other. Thread t of a tile has `items` neighbouring
// columns. Memory of the block: a key of 4 or 8 bytes and a place of 4 for each column and sort, in
// shared memory for rows of up to 4096 columns, else in the workspace (twice). Global memory: each
// operand is read once per sort and per phase that needs it, element by element.
// @pre blockDim.x is sort_memory::threads; a row has fewer than 2^31 columns
// @post every store is written once per position
template <class Program, class C, unsigned long long Build, class Arguments>
__global__ void __launch_bounds__(C::threads_per_block, 2)
    sort_kernel(const __grid_constant__ Arguments a) {
#if defined(__CUDA_ARCH__)
  using namespace detail;
  ordered_worker<Program, C::items, Arguments> worker{a};
  refuse_inexact_arithmetic();
  worker.template begin_launch<true>();
  sort_memory<Program> const memory(a.columns.size);
  char* const mine = memory.is_shared ? reinterpret_cast<char*>(dynamic_shared())
                                      : reinterpret_cast<char*>(a.workspace + first_partial) +
                                            blockIdx.x * memory.bytes_per_block();
  for (long long row = blockIdx.x; row < a.rows.size; row += gridDim.x) {
    char* free = mine;
    worker.begin_row(row);
    sort_and_sweep<1>(worker, memory, free);
    if (threadIdx.x == 0) worker.template store_values<place::row>();
    __syncthreads();  // the row's keys are read
  }
  worker.await_without_row();
  if (blockIdx.x == 0 && threadIdx.x == 0) worker.template store_values<place::launch>();
#endif
}

}  // namespace tenon
