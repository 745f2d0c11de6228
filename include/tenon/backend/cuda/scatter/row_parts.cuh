// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parts of rows that many updates name. All teams of a block combine parts, whoever owns the
// row, and leave them in shared memory; the owner takes them in in their order.

#include "tenon/backend/cuda/scatter/vector_worker.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, int V, class Arguments> class row_parts {
  using worker_type = scatter_vector_worker<Program, V, Arguments>;
  // Updates that a thread has under way.
  static constexpr int together = V * sizeof(update_registers<Program>) > 16 ? 4 : 8;
  static_assert(updates_of_part % together == 0 && together % updates_of_some == 0);

  worker_type& worker_;
  update_list const& list_;
  update_registers<Program>* const memory_;  // of a part: V states of each lane

 public:
  // Rows with so many updates in a list are worth it.
  static constexpr int many = 2 * updates_of_part;
  // Those of one state: two, of a mean, and another two for the part, are more than registers hold.
  static constexpr bool can_be = V > 1 && has_one_state<Program>;

  __device__ __forceinline__ row_parts(worker_type& worker, update_list const& list,
                                       update_registers<Program>* memory)
      : worker_(worker), list_(list), memory_(memory) {}

  // Whether a part begins with entry k, of those before `end`, which is the first of its row's or
  // behind whole parts of it.
  __device__ __forceinline__ bool begins(int k, int end) const {
    int const last = k + updates_of_part - 1;
    return last < end && list_.place(last) == list_.place(k);
  }
  // Whether the part from entry k on is one of those from entry `first` on that are in memory.
  __device__ __forceinline__ bool has(int k, int first) const { return k < first + entries(); }
  __device__ __forceinline__ int entries() const {
    return worker_.a.shares.parts * updates_of_part;
  }
  // Combines as many parts as memory holds, from entry `first` of the `count` on. A part has one
  // entry whose number is that of the last of 32, which says where in memory it is. before(place):
  // how many updates of a row were in lists before.
  // @pre all threads call it; first is a multiple of a part. @post the parts are in memory
  template <class Before>
  __device__ __forceinline__ void combine(long long updates_from, int first, int count,
                                          bool has_elements, Before const& before) {
    int const log_lanes = worker_.a.shares.log_lanes,
              own = (static_cast<int>(threadIdx.x) >> log_lanes) * updates_of_part,
              end = count < first + entries() ? count : first + entries();
#pragma unroll 1
    for (int inside = first + own + updates_of_part - 1; inside < end;
         inside += (listed_threads >> log_lanes) * updates_of_part) {
      int const place = list_.place(inside), of_row = list_.find(0, inside, place),
                k = inside - (inside - of_row + before(place)) % updates_of_part;
      if (k >= of_row && begins(k, count) && has_elements) combine_one(updates_from, k, first);
    }
    __syncthreads();
  }
  __device__ __forceinline__ void take_in(typename worker_type::taken_vector& taken, int k,
                                          int first) const {
#pragma unroll
    for (int i = 0; i < V; ++i) worker_type::take_in_part(taken.at[i], *at(k - first, i));
  }

 private:
  __device__ __forceinline__ update_registers<Program>* at(int k, int i) const {
    int const log_lanes = worker_.a.shares.log_lanes,
              lane = static_cast<int>(threadIdx.x) & ((1 << log_lanes) - 1);
    return memory_ + ((k / updates_of_part * V + i) << log_lanes) + lane;
  }
  __device__ __forceinline__ void combine_one(long long updates_from, int k, int first) const {
    typename worker_type::loaded_update loaded[together];
    typename worker_type::taken_vector taken;
    worker_type::clear(taken);
    auto const origins = worker_.origins_of(updates_from);
    auto const read = [&](int u, int n) {
      worker_.read_update(loaded[u], origins, list_.number(k + n));
    };
#pragma unroll
    for (int u = 0; u < together; ++u) read(u, u);
#pragma unroll 1
    for (int n = 0; n < updates_of_part; n += together)
#pragma unroll
      for (int u = 0; u < together; ++u) {
        worker_.take_in_some(taken, loaded[u], updates_from + list_.number(k + n + u), u + 1);
        if (n + together < updates_of_part) read(u, n + u + together);
      }
#pragma unroll
    for (int i = 0; i < V; ++i) *at(k - first, i) = worker_type::part_of(taken.at[i]);
  }
};

}  // namespace tenon::detail
#endif
