// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a thread of the columns skeleton has computed of its elements, to where it is stored.

#include "tenon/backend/cuda/parts/element_stores.cuh"
#include "tenon/backend/cuda/parts/misaligned_access.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// Of an element that is only reduced.
struct collects_nothing {
  template <class Frame> __device__ __forceinline__ void operator()(Frame const&, int) const {}
};

// Results of a vector of the worker's rows. IsPlain: of a whole one. @post then `where` is that of
// the thread's next position
template <bool IsPlain, class Worker>
__device__ __forceinline__ void store_computed(
    Worker const& worker,
    selected_registers<typename Worker::program, typename Worker::stored> const& results,
    operand_offsets<typename Worker::program>& where) {
  using Program = typename Worker::program;
  auto const& a = worker.a;
  for_each_selected<Program, typename Worker::stored>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    using I = typename program_traits<Program>::template at<k>;
    auto* const to = store_address<Program, k>(a, where.stores[I::bits]);
    auto const vector = pack<storage_t<I::type>>(read_register<k>(results).at);
    if (IsPlain || (a.store_moves_whole[I::bits] && worker.part.is_whole()))
      store_packed(to, vector);
    else if (Worker::stores_now && a.store_along[I::bits] == 1)
      store_misaligned(to, vector, worker.part.count());
    else
      store_singly(to, vector, a.store_along[I::bits], worker.part.count());
    if (IsPlain)
      where.stores[I::bits] += static_cast<int>(blockDim.y) * a.store_columns[I::bits][0];
  });
}
// Of Items positions from `first` on, what results_of(u) has of number u.
template <int Items, bool IsPlain, class Worker, class ResultsOf>
__device__ __forceinline__ void store_each(Worker const& worker, long long first, long long end,
                                           ResultsOf const& results_of) {
  using stored = typename Worker::stored;
  operand_offsets<typename Worker::program> where;
  if constexpr (IsPlain) worker.template find_position<stored>(where, first);
#pragma unroll
  for (int u = 0; u < Items; ++u) {
    long long const at = first + u * static_cast<int>(blockDim.y);
    auto const& results = results_of(u);
    if constexpr (!IsPlain) {
      if (at >= end || worker.part.is_empty()) continue;
      worker.template find_position<stored>(where, at);
    }
    store_computed<IsPlain>(worker, results, where);
  }
}
// The same of results that are there, wherever they go: a loop, in which those that follow move up.
template <class Worker, int Items>
__device__ __forceinline__ void store_in_turn(
    Worker const& worker,
    selected_registers<typename Worker::program, typename Worker::stored> (&results)[Items],
    long long first, long long end) {
#pragma unroll 1
  for (int u = 0; u < Items && first < end; ++u, first += static_cast<int>(blockDim.y)) {
    operand_offsets<typename Worker::program> where;
    worker.template find_position<typename Worker::stored>(where, first);
    store_computed<false>(worker, results[0], where);
#pragma unroll
    for (int i = 1; i < Items; ++i) results[i - 1] = results[i];
  }
}

}  // namespace tenon::detail
#endif
