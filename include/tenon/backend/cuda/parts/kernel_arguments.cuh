// SPDX-License-Identifier: Apache-2.0
#pragma once
// The parameter block of a kernel: pointers, strides and run-time scalars, and how an operand's
// address follows.

#include "tenon/backend/cuda/parts/configuration.cuh"
#include "tenon/backend/cuda/parts/dependent_launch.cuh"
#include "tenon/backend/cuda/parts/exact_arithmetic.cuh"
#include "tenon/backend/cuda/parts/gathered_arguments.cuh"
#include "tenon/backend/cuda/parts/indexing.cuh"
#include "tenon/backend/cuda/parts/operand_access.cuh"
#include "tenon/backend/cuda/parts/operand_table.cuh"
#include "tenon/backend/cuda/parts/row_offsets.cuh"
#include "tenon/backend/cuda/parts/vector_access.cuh"
#include "tenon/backend/cuda/parts/work_split.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// What every kernel reads first, and all that one reads of whole aligned vectors. It lies together:
// the parameters come to a multiprocessor by cache lines of 64 bytes, each of which is waited for;
// 48 bytes of the first are parameters.
template <class Program> struct leading_arguments {
  using traits = program_traits<Program>;
  static constexpr int loads_held = at_least_one(traits::load_count);
  static constexpr int stores_held = at_least_one(traits::store_count);

  void const* loads[loads_held];
  void* stores[stores_held];
  long long vectors;  // of the columns, the last of which may be partly beyond the end
  cache_policy stored = goes_first;  // what stores of whole vectors leave in the L2 cache
  long long row_count;               // the size of `rows`
  row_steps<loads_held, stores_held> steps;
  divided_axes divided, of_positions;  // which need it though no operand in memory does
  unsigned* workspace;
  int tail;
  bool is_packed;      // every operand is, the columns are whole vectors, and positions count up
  bool is_contiguous;  // every operand is packed, or would be if it were aligned
  bool has_strided;    // some operand is
  bool is_short;       // that of the split, read before the wait
  long long scalars[at_least_one(traits::scalar_count)];
  long long sizes[at_least_one(traits::size_count)];
};

// RowDims is 1 where there are no rows. What fills it is kept out of the host's instruction stream
// and shared between programs where it can be: it was a third of an expression's host code.
template <class Program, int RowDims, int ColumnDims, int Bits>
struct kernel_arguments : leading_arguments<Program>, gathered_arguments<Program> {
  using typename leading_arguments<Program>::traits;
  using leading_arguments<Program>::loads_held, leading_arguments<Program>::stores_held;

  access load_access[loads_held], store_access[stores_held];
  work_split split;
  index_group<RowDims, 64> rows;
  index_group<ColumnDims, Bits> columns;
  long long load_rows[loads_held][RowDims], load_columns[loads_held][ColumnDims];
  long long store_rows[stores_held][RowDims], store_columns[stores_held][ColumnDims];
  // What follows from shapes, strides and alignment; the rest is set for each call.
  [[gnu::cold]] static kernel_arguments of(bound_layout const& layout, bound_arguments const& call,
                                           int vector_width, work_split const& split) {
    kernel_arguments a{};
    a.rows.set(layout.rows), a.columns.set(layout.columns);
    for (int k = 0; k < traits::size_count; ++k) a.sizes[k] = layout.sizes[k];
    a.vectors = (layout.columns.size + vector_width - 1) / vector_width;
    a.tail = static_cast<int>(layout.columns.size % vector_width);
    common_access all{a.tail == 0 && (!traits::has_positions || layout.columns.dims <= 1)};
    fill({traits::load_count, RowDims, ColumnDims, a.steps.loads, a.load_rows[0], a.load_columns[0],
          a.load_access, moved_by<Program>::bytes.loads,
          loads_which<Program, &instruction_facts::is_position>::all.at},
         layout, layout.loads, call.loads, vector_width, all);
    fill({traits::store_count, RowDims, ColumnDims, a.steps.stores, a.store_rows[0],
          a.store_columns[0], a.store_access, moved_by<Program>::bytes.stores, nullptr},
         layout, layout.stores, call.stores, vector_width, all);
    a.is_packed = all.is_packed, a.is_contiguous = all.is_contiguous;
    a.row_count = layout.rows.size;
    a.divided = divided_axes::of(layout.rows, all.has_narrow_steps);
    if constexpr (traits::has_positions) {
      a.of_positions = divided_axes::of(layout.rows, all.has_narrow_positions);
      if (all.are_linear && layout.rows.size < 1ll << 31) a.count_rows();
    }
    a.has_strided = all.has_strided, a.is_short = split.is_short;
    a.split = split;
    a.find_rooms(layout);
    return a;
  }
  // Operands in memory have a row at a product of its number. @pre they are linear
  [[gnu::cold]] void count_rows() {
    this->divided = {1, division::none};
    int const inner = rows.dims - 1;
    for (int k = 0; k < loads_held; ++k)
      if (!loads_which<Program, &instruction_facts::is_position>::all.at[k])
        this->steps.loads[k] = static_cast<int>(load_rows[k][inner]);
    for (int k = 0; k < stores_held; ++k)
      this->steps.stores[k] = static_cast<int>(store_rows[k][inner]);
  }
  // Whether some element is moved by itself though its vector is whole.
  bool moves_elements() const {
    return detail::moves_elements(load_access, loads_held) ||
           detail::moves_elements(store_access, stores_held);
  }
  bool moves_vectors() const { return this->tail == 0 && !moves_elements(); }
};

// The workspace: tickets of one word each, slots of two, then partial results. A kernel takes as
// many tickets and slots as it needs from the start and leaves them 0; partial results begin behind
// all of them, so that none is ever left where a ticket or a slot is read.
inline constexpr int ticket_count = 4096, slot_count = 32768;
inline constexpr int first_slot = ticket_count, first_partial = first_slot + 2 * slot_count;

#if defined(__CUDA_ARCH__)
// The address of load or store K, at an element offset.
template <class Program, int K, class Arguments>
__device__ __forceinline__ auto load_address(Arguments const& a, long long offset) {
  using I = typename program_traits<Program>::template at<K>;
  return static_cast<storage_t<I::type> const*>(a.loads[I::bits]) + offset;
}
template <class Program, int K, class Arguments>
__device__ __forceinline__ auto store_address(Arguments const& a, long long offset) {
  using I = typename program_traits<Program>::template at<K>;
  return static_cast<storage_t<I::type>*>(a.stores[I::bits]) + offset;
}

// Position or address K, `offset` further than that of the first element; 0, which is no address,
// where there is no element.
template <class Program, int K, class Arguments>
__device__ __forceinline__ auto position_of(Arguments const& a, long long offset, bool is_live) {
  using I = typename program_traits<Program>::template at<K>;
  long long const position = reinterpret_cast<long long>(a.loads[I::bits]) + offset;
  return static_cast<typename I::value_type>(is_live ? position : 0);
}

// One element, in its arithmetic type.
template <class Program, int K, class Arguments>
__device__ __forceinline__ auto load_one(Arguments const& a, long long offset) {
  using I = typename program_traits<Program>::template at<K>;
  packed<storage_t<I::type>, 1> raw;
  load_packed<reuse::expected>(raw, load_address<Program, K>(a, offset));
  return static_cast<typename I::value_type>(element_of(raw, 0));
}

// Writes the operand of store K.
template <int K, class Program, class Arguments>
__device__ __forceinline__ void store_one(frame<Program> const& f, Arguments const& a,
                                          long long offset) {
  using I = typename program_traits<Program>::template at<K>;
  if constexpr (I::is_window) {
    long long const further = value_of<I::second_operand>(f);
    if (further == ops::nowhere) return;
    offset += further;
  }
  *store_address<Program, K>(a, offset) =
      to_storage<storage_t<I::type>>(value_of<I::first_operand>(f));
}
#endif
// What is loaded or stored at one place.
template <class Program, place Where> struct loaded_at {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && i.where == Where;
  }
};
template <class Program, place Where> struct stored_at {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_store && i.where == Where;
  }
};

// Operands that no memory holds: positions and addresses, which follow from where an element is.
template <class Program, place Where> struct positions_at {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_position && i.where == Where;
  }
  template <int K> using type = long long;
};

#if defined(__CUDA_ARCH__)
// Writes all stores of one place whose offsets are 0.
template <place Where, class Program, class Arguments>
__device__ __forceinline__ void store_all(frame<Program> const& f, Arguments const& a) {
  for_each_selected<Program, stored_at<Program, Where>>(
      [&](auto selected) { store_one<decltype(selected)::value>(f, a, 0); });
}

// What is known before any element. @pre memory may be looked at, if it is
template <class Program, class Arguments>
__device__ __forceinline__ void find_launch_values(frame<Program> const& f, Arguments const& a) {
  refuse_inexact_arithmetic();
  set_launch_values<Program>(f.launch, a.scalars, a.sizes);
  for_each_selected<Program, loaded_at<Program, place::launch>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    read_register<k>(f.launch) = load_one<Program, k>(a, 0);
  });
  for_each_selected<Program, positions_at<Program, place::launch>>([&](auto selected) {
    constexpr int k = decltype(selected)::value;
    read_register<k>(f.launch) = position_of<Program, k>(a, 0, true);
  });
  evaluate<place::launch, 0, max_nodes>(f);
}
// Everything that is known when the kernel starts. @pre nothing was read before
template <bool MayBeFew = true, class Program, class Arguments>
__device__ __forceinline__ void start(frame<Program> const& f, Arguments const& a) {
  await_previous_kernel<MayBeFew>();
  find_launch_values(f, a);
}

// The same of a kernel that waits with await_operands when it knows where the first of them are:
// what leads there is done while the kernels before it end. H200, in a graph, us, against waiting
// first: sums of 1 x 1 f32 0.94 (1.38), of 64 x 1024 1.43 (1.77), softmax of 64 x 1024 1.38 (1.73).
template <class Program>
inline constexpr bool reads_at_launch = has_selected<Program, loaded_at<Program, place::launch>>;
template <class Program, class Arguments>
__device__ __forceinline__ void start_early(frame<Program> const& f, Arguments const& a) {
  if constexpr (reads_at_launch<Program>) await_previous_kernel();
  find_launch_values(f, a);
}
// As often as the kernel comes to its operands; all threads that look at memory or write to it.
template <class Program> __device__ __forceinline__ void await_operands(bool may_leave = false) {
  if constexpr (!reads_at_launch<Program>) await_previous_kernel(may_leave);
}
#endif

}  // namespace tenon::detail
TENON_ONCE_END
