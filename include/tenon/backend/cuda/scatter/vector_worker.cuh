// SPDX-License-Identifier: Apache-2.0
#pragma once
// What one thread does of V neighbours of a row of the result: reads an update of them, takes it
// in, and ends them.

#include "tenon/backend/cuda/scatter/listed_arguments.cuh"
#include "tenon/backend/cuda/scatter/taken_parts.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

template <class Program, int V, class Arguments>
struct scatter_vector_worker : parts_worker<Program, Arguments> {
  using base = parts_worker<Program, Arguments>;
  using base::a, base::where;
  using typename base::traits;
  template <int K> using at = typename traits::template at<K>;
  using base::base;
  using loaded_update = selected_registers<Program, update_vectors<Program, V>>;
  using lifted_updates = value_list<update_registers<Program>, V>;
  using taken_vector = value_list<taken_parts<Program>, V>;

  // `where` is that of the first target's elements: updates do not vary along the targets.

  // Reads update `number`, where it is wanted.
  __device__ __forceinline__ void read_update(loaded_update& to, long long number,
                                              bool is_wanted) const {
    operand_offsets<Program> const offsets = offsets_of_update(number);
    for_each_selected<Program, update_vectors<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_vector<k>(read_register<k>(to), offsets, is_wanted);
    });
  }
  // What update `first` is read from, where updates lie in steps of one length.
  // @pre a.columns.dims is 1
  __device__ __forceinline__ update_origins<Program, V> origins_of(long long first) const {
    operand_offsets<Program> const offsets = offsets_of_update(first);
    update_origins<Program, V> result;
    for_each_selected<Program, update_addresses<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_register<k>(result) = load_address<Program, k>(a, offsets.loads[at<k>::bits]);
    });
    return result;
  }
  // Reads the update that is `number` behind that of the origins.
  __device__ __forceinline__ void read_update(loaded_update& to,
                                              update_origins<Program, V> const& from,
                                              int number) const {
    for_each_selected<Program, update_vectors<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      long long const step = a.load_columns[at<k>::bits][0];
      load_packed<reuse::expected>(read_register<k>(to), read_register<k>(from) + number * step);
    });
  }
  // Has what a row is computed from brought to the second-level cache.
  __device__ __forceinline__ void ask_for_row(long long target, bool is_wanted) const {
    operand_offsets<Program> const offsets = offsets_at(target);
    for_each_selected<Program, row_vectors<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      auto const* from = load_address<Program, k>(a, offsets.loads[at<k>::bits]);
      ask_early(from, is_wanted);
    });
  }

  // Calls use(i, states of the update's element i).
  template <class Use>
  __device__ __forceinline__ void lift_each(loaded_update const& loaded, long long number,
                                            Use const& use) {
    operand_offsets<Program> const offsets = offsets_of_update(number);
#pragma unroll
    for (int i = 0; i < V; ++i) {
      registers<Program, place::element> element;
      frame<Program> const f = this->frame_of(element);
      evaluate_update<update_part::value>(
          f, [&](auto index) { return element_at<decltype(index)::value>(loaded, offsets, i); });
      use(i, base::lifted(f));
    }
  }
  __device__ __forceinline__ static void clear(taken_vector& taken) {
#pragma unroll
    for (int i = 0; i < V; ++i) base::clear(taken.at[i]);
  }
  // Takes in update `number`, which is the `count`-th of its row; a part does not end with it.
  __device__ __forceinline__ void take_in_some(taken_vector& taken, loaded_update const& loaded,
                                               long long number, unsigned count) {
    lift_each(loaded, number,
              [&](int i, auto const& update) { base::take_in(taken.at[i], update); });
    if (count % updates_of_some == 0) end_some(taken);
  }
  __device__ __forceinline__ static void end_some(taken_vector& taken) {
#pragma unroll
    for (int i = 0; i < V; ++i) base::end_some(taken.at[i]);
  }
  __device__ __forceinline__ static void end_part(taken_vector& taken) {
#pragma unroll
    for (int i = 0; i < V; ++i) base::end_part(taken.at[i]);
  }

  // Ends the elements at that target.
  __device__ __forceinline__ void finish(taken_vector const& taken, long long target) {
    operand_offsets<Program> const offsets = offsets_at(target);
    selected_registers<Program, row_vectors<Program, V>> loaded;
    for_each_selected<Program, row_vectors<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      read_vector<k>(read_register<k>(loaded), offsets, true);
    });
    selected_registers<Program, row_results<Program, V>> results;
#pragma unroll
    for (int i = 0; i < V; ++i) {
      for_each_selected<Program, row_reads<Program>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(this->row) = element_at<k>(loaded, offsets, i);
      });
      this->compute_row(taken.at[i]);
      for_each_selected<Program, row_results<Program, V>>([&](auto selected) {
        constexpr int k = decltype(selected)::value;
        read_register<k>(results).at[i] = value_of<at<k>::first_operand>(this->values());
      });
    }
    for_each_selected<Program, row_results<Program, V>>([&](auto selected) {
      constexpr int k = decltype(selected)::value;
      using T = storage_t<at<k>::type>;
      if constexpr (V == 1)
        store_one<k>(this->values(), a, offsets.stores[at<k>::bits]);
      else
        store_packed(store_address<Program, k>(a, offsets.stores[at<k>::bits]),
                     pack<T>(read_register<k>(results).at), true, a.shares.kept);
    });
  }

 private:
  __device__ __forceinline__ operand_offsets<Program> offsets_at(long long target) const {
    operand_offsets<Program> result = where;
    int const d = a.axes.target_dim;
    if (d < 0) return result;
    for (int k = 0; k < traits::load_count; ++k) result.loads[k] += target * a.load_rows[k][d];
    for (int k = 0; k < traits::store_count; ++k) result.stores[k] += target * a.store_rows[k][d];
    return result;
  }
  __device__ __forceinline__ operand_offsets<Program> offsets_of_update(long long number) const {
    operand_offsets<Program> result = where;
    for_each_digit(a.columns, number, [&](int d, long long digit) {
      for (int k = 0; k < traits::load_count; ++k) result.loads[k] += digit * a.load_columns[k][d];
    });
    return result;
  }
  template <int K>
  __device__ __forceinline__ void read_vector(row_vector<at<K>, V>& to,
                                              operand_offsets<Program> const& offsets,
                                              bool is_wanted) const {
    to = {};
    load_packed<reuse::expected>(to, load_address<Program, K>(a, offsets.loads[at<K>::bits]),
                                 is_wanted);
  }
  template <int K, class Loaded>
  __device__ __forceinline__ auto element_at(Loaded const& loaded,
                                             operand_offsets<Program> const& offsets, int i) const {
    using I = at<K>;
    if constexpr (I::is_position) {
      long long const step = V > 1 ? a.load_rows[I::bits][a.rows.dims - 1] : 0;
      return static_cast<typename I::value_type>(reinterpret_cast<long long>(a.loads[I::bits]) +
                                                 offsets.loads[I::bits] + i * step);
    } else {
      return static_cast<typename I::value_type>(
          element_of(read_register<K>(loaded), I::varies_over_rows ? i : 0));
    }
  }
};

}  // namespace tenon::detail
#endif
