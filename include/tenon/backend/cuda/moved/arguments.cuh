// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the moved skeleton: 32-bit strides in bytes along few axes.

#include "tenon/backend/cuda/parts/cache_policy.cuh"
#include "tenon/backend/cuda/parts/indexing.cuh"
#include "tenon/backend/vector_facts.hpp"
#include "tenon/program/visit.hpp"

namespace tenon::detail {

// Axes of the columns that the skeleton's arithmetic is unrolled over.
inline constexpr int moved_dims = 4;

// Where the second of a thread's vectors is, of an axis of whose halves it has one each.
template <class Program, bool IsFound = half_values<Program>::is_found> struct second_half {
  int half_digits[moved_dims];  // how far from the first along each axis
  int half_lanes;               // threads that have the first ones of it, with the axes behind it
  // As strides: in bytes, or in positions.
  int load_halves[at_least_one(program_traits<Program>::load_count)];
  int store_halves[at_least_one(program_traits<Program>::store_count)];
};
template <class Program> struct second_half<Program, false> {};

template <class Program> struct moved_arguments : second_half<Program> {
  using traits = program_traits<Program>;
  using values = moved_values<Program>;
  template <int K> using at = typename traits::template at<K>;
  static constexpr int loads_held = at_least_one(traits::load_count),
                       stores_held = at_least_one(traits::store_count);

  void const* loads[loads_held];
  void* stores[stores_held];
  cache_policy stored = goes_first;  // what stores leave in the L2 cache
  unsigned threads;                  // that have vectors
  int items;                         // vectors of a thread: neighbours along the outermost axis
  int lanes;                         // threads that share a row, where there are rows
  // The last axes are the columns'; those before have extent 1. The innermost one counts vectors,
  // the outermost one those of a thread as one.
  index_divider<32> by[moved_dims];
  // In bytes, or in positions.
  int load_strides[loads_held][moved_dims], store_strides[stores_held][moved_dims];
  int load_steps[loads_held], store_steps[stores_held];  // from one of the items to the next
  bool is_repeated[at_least_one(values::read_count)];
  long long scalars[at_least_one(traits::scalar_count)];
  long long sizes[at_least_one(traits::size_count)];

  // @pre the columns have at most moved_dims axes, and `vectors` are whole, of V elements each;
  // where there are several items, can_share() and they divide the outermost extent, which is not
  // halved
  template <int V>
  [[gnu::cold]] static moved_arguments of(bound_layout const& layout,
                                          moved_vectors<Program> const& vectors, int items) {
    moved_arguments a{};
    group_layout const& columns = layout.columns;
    a.items = items;
    a.threads = static_cast<unsigned>(columns.size / V / items / half_values<Program>::parts);
    int const first = moved_dims - columns.dims;
    auto together = [&](int d) { return d == columns.dims - 1 ? V : d == 0 ? items : 1; };
    auto parts_of = [&](int d) { return d == vectors.halved_axis ? 2 : 1; };
    for (int d = 0; d < columns.dims; ++d)
      a.by[first + d] = index_divider<32>::of(columns.extents[d] / together(d) / parts_of(d));
    auto copy = [&](int(&to)[moved_dims], int& step, operand_layout const& from, int unit) {
      for (int d = 0; d < columns.dims; ++d)
        to[first + d] = static_cast<int>(from.column_strides[d] * unit * together(d));
      step = static_cast<int>(from.column_strides[0] * unit);
    };
    visit_instructions<Program>([&](auto index) {
      using I = at<decltype(index)::value>;
      constexpr int bytes = static_cast<int>(sizeof(storage_t<I::type>));
      if constexpr (I::is_read)
        copy(a.load_strides[I::bits], a.load_steps[I::bits], layout.loads[I::bits],
             I::is_load ? bytes : 1);
      if constexpr (I::is_store) {
        copy(a.store_strides[I::bits], a.store_steps[I::bits], layout.stores[I::bits], bytes);
        if constexpr (I::is_window) {
          using origin = at<values::template origin<I::second_operand>()>;
          if constexpr (origin::is_position)
            a.store_steps[I::bits] += a.load_steps[origin::bits] * bytes;
        }
      }
    });
    if constexpr (half_values<Program>::is_found) a.find_second(first + vectors.halved_axis);
    for (int k = 0; k < values::read_count; ++k) a.is_repeated[k] = vectors.is_repeated[k];
    for (int k = 0; k < traits::size_count; ++k) a.sizes[k] = layout.sizes[k];
    return a;
  }
  // Whether nothing is decided by the position along the outermost axis, so that its neighbours
  // differ by a step alone.
  [[gnu::cold]] static bool can_share(bound_layout const& layout) {
    bool result = layout.columns.dims > 1;
    visit_instructions<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = at<k>;
      if constexpr (I::is_position && values::template kind<k> == moved_kind::number &&
                    !values::template is_place<k>)
        result = result && layout.loads[I::bits].column_strides[0] == 0;
    });
    return result;
  }

 private:
  // @pre the strides are those of threads' first vectors, along `axis` of half of it
  [[gnu::cold]] void find_second(int axis) {
    int const half = static_cast<int>(by[axis].divisor);
    this->half_digits[axis] = half;
    this->half_lanes = 1;
    for (int d = axis; d < moved_dims; ++d) this->half_lanes *= static_cast<int>(by[d].divisor);
    for (int k = 0; k < traits::load_count; ++k)
      this->load_halves[k] = half * load_strides[k][axis];
    visit_instructions<Program>([&](auto index) {
      using I = at<decltype(index)::value>;
      if constexpr (I::is_store) {
        this->store_halves[I::bits] = half * store_strides[I::bits][axis];
        if constexpr (I::is_window) {
          using origin = at<values::template origin<I::second_operand>()>;
          if constexpr (origin::is_position)
            this->store_halves[I::bits] +=
                this->load_halves[origin::bits] * static_cast<int>(sizeof(storage_t<I::type>));
        }
      }
    });
  }
};

}  // namespace tenon::detail
