// SPDX-License-Identifier: Apache-2.0
#pragma once
// One thread of the columns skeleton that has all positions of the operands that several sweeps
// need brought to its places in shared memory, at once.

#include "tenon/backend/cuda/columns/worker.cuh"
#include "tenon/backend/cuda/parts/cluster.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, class C> struct brought_columns : columns_worker<Program, C> {
  using base = columns_worker<Program, C>;
  using base::v, base::a, base::part;

  // Half types one by one wait in registers on the way.
  static constexpr bool puts = v == 1;
  using brought_loads = kept_loads<Program, v, 1, puts>;
  static constexpr int at_once = 8;

  int steps = 0;  // of this thread

  static __device__ __forceinline__ int height() { return static_cast<int>(blockDim.y); }
  __device__ __forceinline__ long long position(int step) const {
    return base::first_position() + threadIdx.y + static_cast<long long>(step) * height();
  }

  // Brings all positions to `slots`, which sends what is one access and puts what is pieces. @post
  // other blocks of the cluster may have begun or not
  template <class Slots> __device__ __forceinline__ void bring_to(Slots const& slots) {
    long long const left = base::end_position() - position(0);
    steps = part.is_empty() || left <= 0 ? 0 : static_cast<int>((left - 1) / height()) + 1;
    if (a.slices > 1) {
      if (threadIdx.x == 0 && threadIdx.y == 0) cluster_mailboxes::init();
      arrive_at_cluster();
    }
    using loads = brought_loads;
    bool const is_plain = a.is_even && part.is_whole();
    operand_offsets<Program> where;
    if (is_plain) this->template find_position<loads>(where, position(0));
    if constexpr (puts)
      for_each_selected<Program, loads>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        if constexpr (sizeof(storage_t<I::type>) == 2)
          if (is_plain) put_all<k>(slots, load_address<Program, k>(a, where.loads[I::bits]));
      });
#pragma unroll 4
    for (int step = 0; step < (is_plain ? steps : 0); ++step)
      for_each_selected<Program, loads>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        if constexpr (sizeof(storage_t<I::type>) * v > 2) {
          slots.template bring<k>(step, load_address<Program, k>(a, where.loads[I::bits]));
          where.loads[I::bits] += height() * a.load_columns[I::bits][0];
        }
      });
#pragma unroll 1
    for (int step = 0; step < (is_plain ? 0 : steps); ++step) {
      this->template find_position<loads>(where, position(step));
      for_each_selected<Program, loads>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        using I = typename program_traits<Program>::template at<k>;
        auto const* from = load_address<Program, k>(a, where.loads[I::bits]);
        if constexpr (sizeof(storage_t<I::type>) * v > 2)
          if (a.load_moves_whole[I::bits] && part.is_whole())
            return slots.template bring<k>(step, from);
        packed<storage_t<I::type>, v> all{};
        load_singly(all, from, a.load_along[I::bits], part.count());
        slots.template put<k>(step, all);
      });
    }
    wait_for_sent();
  }

 private:
  // The elements of all steps, of which several are under way together.
  template <int K, class Slots, class T>
  __device__ __forceinline__ void put_all(Slots const& slots, T const* from) const {
    long long const apart =
        height() * a.load_columns[program_traits<Program>::template at<K>::bits][0];
#pragma unroll 1
    for (int step = 0; step < steps; step += at_once) {
      packed<T, 1> all[at_once];
#pragma unroll
      for (int u = 0; u < at_once; ++u, from += apart)
        load_packed<read_once<Program>>(all[u], from, step + u < steps);
#pragma unroll
      for (int u = 0; u < at_once; ++u)
        if (step + u < steps) slots.template put<K>(step + u, all[u]);
    }
  }
};

}  // namespace tenon::detail
#endif
