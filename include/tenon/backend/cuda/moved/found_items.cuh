// SPDX-License-Identifier: Apache-2.0
#pragma once
// Items that have a place of their own: several single elements of a thread, or one vector that
// begins anywhere in memory; in few vectors of a row something changes in their midst.

#include "tenon/backend/cuda/moved/worker.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, int V> struct found_items : moved_worker<Program, V> {
  using base = moved_worker<Program, V>;
  using values = moved_values<Program>;
  using item_reads = moved_item<Program, V>;
  using behind_reads = selected_registers<Program, moved_behind<Program, V>>;
  template <int K> using at = typename program_traits<Program>::template at<K>;
  using base::a;
  using base::base;
  using base::digits;

  template <int Items> __device__ __forceinline__ void finish() {
    await_operands<Program>();
    if constexpr (V > 1)
      if (this->is_broken()) return finish_broken();
    finish_whole<Items>();
  }

 private:
  // Each of `Left` items, which are along the innermost axis, is asked for before the ones after
  // it, and stored when all have been.
  template <int Left> __device__ __forceinline__ void finish_whole() const {
    found_items one = *this;
    one.find();
    bool const is_inside = V > 1 || one.digits[moved_dims<Program> - 1] < a.shared_extent;
    item_reads reads;
    behind_reads behind;
    if (V == 1 || one.has_missing()) {
      one.fill_all(reads);
      if constexpr (V > 1) fill_behind(behind, reads);
    }
    if constexpr (V > 1) one.align();
    one.read_all(reads, true, is_inside);
    if constexpr (V > 1) one.read_behind(behind, is_inside);
    if constexpr (Left > 1) {
      found_items next = *this;
      next.digits[moved_dims<Program> - 1] += a.apart;
      next.template finish_whole<Left - 1>();
    }
    if constexpr (V > 1) take_behind(reads, behind);
    one.store_all_of(reads, is_inside);
  }
  // A vector in which something changes, by elements.
  __device__ __forceinline__ void finish_broken() const {
#pragma unroll 1
    for (int i = 0; i < V; ++i) {
      moved_worker<Program, 1, V> one(*this, i);
      moved_item<Program, 1> reads;
      one.find();
      one.fill_all(reads);
      one.read_all(reads, true);
      one.store_all_of(reads);
    }
  }
  // Whether some of what is read is nowhere.
  __device__ __forceinline__ bool has_missing() const {
    bool result = false;
    for_each_selected<Program, moved_reads<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (!at<k>::is_load) result = result || !read_register<k>(this->cursors).is_wanted;
    });
    return result;
  }
  static __device__ __forceinline__ void fill_behind(behind_reads& behind,
                                                     item_reads const& reads) {
    for_each_selected<Program, moved_behind<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      if constexpr (!at<k>::is_load)
        read_register<k>(behind).fill(read_register<k>(reads.first).at[0]);
    });
  }
  // To the aligned vectors in which those begin that begin anywhere. @pre nothing has been read
  __device__ __forceinline__ void align() {
    for_each_selected<Program, moved_behind<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(this->cursors).at -=
          a.beyond[values::template read_number<k>] * sizeof(storage_t<at<k>::type>);
    });
  }
  // What is behind these, which have been read; each is in `reads` as a whole when it is taken.
  template <class Behind>
  __device__ __forceinline__ void read_behind(Behind& behind, bool is_inside) const {
    for_each_selected<Program, moved_behind<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      int const beyond = a.beyond[values::template read_number<k>];
      auto& to = read_register<k>(behind);
      moved_cursor const& from = read_register<k>(this->cursors);
      if (beyond != 0)
        to.load(reinterpret_cast<storage_t<at<k>::type> const*>(from.at) + V, beyond,
                from.is_wanted && is_inside);
    });
  }
  template <class Behind>
  __device__ __forceinline__ void take_behind(item_reads& reads, Behind const& behind) const {
    for_each_selected<Program, moved_behind<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      int const beyond = a.beyond[values::template read_number<k>];
      auto& vector = read_register<k>(reads.first).at[0];
      if (beyond != 0) vector = read_register<k>(behind).taken(vector, beyond);
    });
  }
};

}  // namespace tenon::detail
#endif
