// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of the moved skeleton: 32-bit strides in bytes along few axes.

#include "tenon/backend/cuda/parts/cache_policy.cuh"
#include "tenon/backend/cuda/parts/indexing.cuh"
#include "tenon/backend/vector_facts.hpp"
#include "tenon/program/visit.hpp"

namespace tenon::detail {

// Axes of the columns that the skeleton's arithmetic is unrolled over: as many as an expression has
// that has more than most.
template <class Program>
inline constexpr int moved_dims = [] {
  int result = many_axes::few;
  for (instruction_facts const& i : program_traits<Program>::all)
    result = i.axes > result ? i.axes : result;
  return result;
}();

// Whether so much is fetched, as by the taps of a filter, that finding it is most of the work.
template <class Program>
inline constexpr bool has_taps = [] {
  using values = moved_values<Program>;
  int taps = 0;
  for (int k = 0; k < values::size; ++k)
    taps += values::all.kinds[k] == moved_kind::fetched && values::all.is_read[k];
  return taps >= 8 && !half_values<Program>::is_found && !program_traits<Program>::has_reduction;
}();

// Where the second of a thread's vectors is, of an axis of whose halves it has one each.
template <class Program, bool IsFound = half_values<Program>::is_found> struct second_half {
  int half_digits[moved_dims<Program>];  // how far from the first along each axis
  int half_lanes;  // threads that have the first ones of it, with the axes behind it
  // As strides: in bytes, or in positions.
  int load_halves[at_least_one(program_traits<Program>::load_count)];
  int store_halves[at_least_one(program_traits<Program>::store_count)];
};
template <class Program> struct second_half<Program, false> {};

// How far neighbours along each axis are, and from one of the items to the next: in bytes, or in
// positions.
template <class Program> struct moved_operand { int strides[moved_dims<Program>], step; };

// Sizes are less than 2^31, or bits of floating-point numbers.
template <class Program>
inline constexpr bool has_wide_sizes = [] {
  bool result = false;
  for (instruction_facts const& i : program_traits<Program>::all)
    result = result || (i.is_size && is_floating(i.type) && size_of(i.type) > 4);
  return result;
}();
template <class Program>
using moved_size = std::conditional_t<has_wide_sizes<Program>, long long, int>;

// The vectors of a thread: `count` of them along an axis of the columns, `apart` positions from one
// to the next; each position of the axis has one, where the threads' first ones are `apart` many or
// next to each other.
struct moved_items {
  int count = 1, axis = 0;
  long long apart = 1;
  long long strip = 0;  // vectors of a row that stand in front of the next row's; 0: all
};

template <class Program> struct moved_arguments : second_half<Program> {
  using traits = program_traits<Program>;
  using values = moved_values<Program>;
  template <int K> using at = typename traits::template at<K>;
  static constexpr int loads_held = at_least_one(traits::load_count),
                       stores_held = at_least_one(traits::store_count);

  // In the order in which a thread looks at them, because each line of 64 bytes is waited for: of
  // many operands it reads one. H200, one call, ten of 1000 x 100 f32 5.6 us instead of 5.8.
  // The last axes are the columns'; those before have extent 1. The innermost one counts vectors,
  // and the axis that is shared those of a thread as one.
  index_divider<32> by[moved_dims<Program>];
  unsigned threads;  // that have vectors
  int items;         // vectors of a thread along the axis that is shared
  // Of single elements, some of which may be beyond the end: that axis, its extent, how far apart
  // they are, and how many of a thread are inside, or one more.
  int along_shared[moved_dims<Program>], shared_extent, apart, least_items;
  int lanes;  // threads that share a row, where there are rows
  moved_operand<Program> store_places[stores_held];
  void* stores[stores_held];
  cache_policy stored = goes_first;  // what stores leave in the L2 cache
  moved_size<Program> sizes[at_least_one(traits::size_count)];
  void const* loads[loads_held];
  moved_operand<Program> load_places[loads_held];
  int numbers[at_least_one(values::launch_numbers)];    // of the launch
  signed char times[at_least_one(values::read_count)];  // as moved_vectors has them
  long long scalars[at_least_one(traits::scalar_count)];
  // Of vectors that may begin anywhere: how many elements behind an aligned one, and which ones of
  // a row are not whole.
  int beyond[at_least_one(values::read_count)];
  int along_row[moved_dims<Program>], broken[vector_breaks::most];

  // Where an index was read for a thread's vectors they are of one row; else they are neighbours
  // along the outermost axis.
  static constexpr bool shares_row = values::has_found && !half_values<Program>::is_found;

  // @pre the columns have at most moved_dims<Program> axes, and `vectors` are whole, of V elements
  // each; where there are several items, nothing is decided along their axis, which is not halved,
  // and they divide its extent, or V is 1; holds_sizes()
  template <int V>
  [[gnu::cold]] static moved_arguments of(bound_layout const& layout,
                                          moved_vectors<Program> const& vectors,
                                          moved_items const& items) {
    moved_arguments a{};
    group_layout const& columns = layout.columns;
    a.items = items.count;
    int const first = moved_dims<Program> - columns.dims, inner = columns.dims - 1;
    auto shared_by = [&](int d) { return d == items.axis ? items.count : 1; };
    auto together = [&](int d) { return d == inner ? V : items.apart > 1 ? 1 : shared_by(d); };
    auto parts_of = [&](int d) { return d == vectors.halved_axis ? 2 : 1; };
    long long threads = 1;
    for (int d = 0; d < columns.dims; ++d) {
      long long const first_ones =
          divide_up(columns.extents[d] / (d == inner ? V : 1) / parts_of(d), shared_by(d));
      a.by[first + d] = index_divider<32>::of(first_ones);
      threads *= first_ones;
    }
    a.threads = static_cast<unsigned>(threads);
    a.along_shared[columns.dims > 0 ? first + items.axis : 0] = 1;
    a.shared_extent = columns.dims > 0 ? static_cast<int>(columns.extents[items.axis]) : 1;
    a.apart = static_cast<int>(items.apart), a.least_items = a.shared_extent / a.apart;
    auto copy = [&](moved_operand<Program>& to, operand_layout const& from, int unit) {
      for (int d = 0; d < columns.dims; ++d)
        to.strides[first + d] = static_cast<int>(from.column_strides[d] * unit * together(d));
      to.step = static_cast<int>(from.column_strides[items.axis] * items.apart * unit);
    };
    visit_instructions<Program>([&](auto index) {
      using I = at<decltype(index)::value>;
      constexpr int bytes = static_cast<int>(sizeof(storage_t<I::type>));
      if constexpr (I::is_read)
        copy(a.load_places[I::bits], layout.loads[I::bits], I::is_load ? bytes : 1);
      if constexpr (I::is_store) {
        copy(a.store_places[I::bits], layout.stores[I::bits], bytes);
        if constexpr (I::is_window) {
          using origin = at<values::template origin<I::second_operand>()>;
          if constexpr (origin::is_position)
            a.store_places[I::bits].step += a.load_places[origin::bits].step * bytes;
        }
      }
    });
    if constexpr (half_values<Program>::is_found) a.find_second(first + vectors.halved_axis);
    for (int k = 0; k < values::read_count; ++k)
      a.times[k] = static_cast<signed char>(vectors.times[k]), a.beyond[k] = vectors.beyond[k];
    for (int k = 0; k < values::launch_numbers; ++k) a.numbers[k] = vectors.numbers[k];
    a.along_row[moved_dims<Program> - 1] = 1;
    if (items.strip > 0) a.along_row[moved_dims<Program> - 3] = static_cast<int>(items.strip);
    for (int k = 0; k < vector_breaks::most; ++k)
      a.broken[k] = k < vectors.breaks.count ? static_cast<int>(vectors.breaks.at[k]) : -1;
    for (int k = 0; k < traits::size_count; ++k)
      a.sizes[k] = static_cast<moved_size<Program>>(layout.sizes[k]);
    return a;
  }
  // Whether words of four bytes hold all sizes.
  [[gnu::cold]] static bool holds_sizes(bound_layout const& layout) {
    for (int k = 0; k < traits::size_count; ++k)
      if (static_cast<moved_size<Program>>(layout.sizes[k]) != layout.sizes[k]) return false;
    return true;
  }
  // Whether nothing is decided by the position along an axis, so that vectors along it differ by a
  // step alone.
  [[gnu::cold]] static bool can_share(bound_layout const& layout, int axis) {
    bool result = layout.columns.dims > 1;
    visit_instructions<Program>([&](auto index) {
      constexpr int k = decltype(index)::value;
      using I = at<k>;
      if constexpr (I::is_position && values::template kind<k> == moved_kind::number &&
                    !values::template is_place<k>)
        result = result && layout.loads[I::bits].column_strides[axis] == 0;
      else if constexpr (I::is_load && values::template kind<k> == moved_kind::found)
        result = result && layout.loads[I::bits].column_strides[axis] == 0;
    });
    return result;
  }

 private:
  // @pre the strides are those of threads' first vectors, along `axis` of half of it
  [[gnu::cold]] void find_second(int axis) {
    int const half = static_cast<int>(by[axis].divisor);
    this->half_digits[axis] = half;
    this->half_lanes = 1;
    for (int d = axis; d < moved_dims<Program>; ++d)
      this->half_lanes *= static_cast<int>(by[d].divisor);
    for (int k = 0; k < traits::load_count; ++k)
      this->load_halves[k] = half * load_places[k].strides[axis];
    visit_instructions<Program>([&](auto index) {
      using I = at<decltype(index)::value>;
      if constexpr (I::is_store) {
        this->store_halves[I::bits] = half * store_places[I::bits].strides[axis];
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
