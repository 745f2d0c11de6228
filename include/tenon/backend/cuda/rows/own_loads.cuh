// SPDX-License-Identifier: Apache-2.0
#pragma once
// Which element loads a thread keeps of its row, and which come from a cache for each sweep.

#include "tenon/backend/cuda/parts/keep_packed.cuh"
#include "tenon/backend/cuda/parts/sweep.cuh"
#include "tenon/backend/cuda/rows/kept_words.cuh"
#include "tenon/backend/cuda/rows/values.cuh"

namespace tenon::detail {

// Tiles of a row of shifted vectors that a thread holds: of long rows as many as aligned ones have
// in shared memory.
inline constexpr int most_shifted_items = 16;
template <class C>
inline constexpr int tiles_held =
    C::group_dims == shifted_columns&& C::has_clusters ? most_shifted_items / C::items : 1;

// Element loads that differ from row to row, of which a thread keeps all; those that do not come
// from a cache, item by item, as far as a sweep needs them.
template <class Program, class C>
struct own_loads : needed_loads<Program, C::vector_width, C::items * tiles_held<C>, 0, false> {
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return i.is_load && i.where == place::element && i.is_own();
  }
};
// Some items of what Loads has.
template <class Loads, class Program, class C, int Items> struct some_items : Loads {
  template <int K>
  using type =
      vector_list<storage_t<program_traits<Program>::template at<K>::type>, C::vector_width, Items>;
};
template <class Program, class C, int Items>
using own_items = some_items<own_loads<Program, C>, Program, C, Items>;
// Whether two or three vectors to a thread leave registers for what all rows share, so that it is
// asked for together with the row instead of after its last reduction.
template <class Program>
inline constexpr bool shares_little = [] {
  int loads = 0, shared = 0;
  for (instruction_facts const& i : program_traits<Program>::all)
    if (i.is_load && i.where == place::element) ++loads, shared += i.is_shared();
  return shared == 1 && loads == 2 && !has_large_states<Program> &&
         !program_traits<Program>::has_positions && program_traits<Program>::widest_element <= 4 &&
         !element_operands<Program>::has_much_arithmetic;
}();
// So it is of two such operands of f32 beside one whose states are several numbers, in a kernel
// that two blocks of 256 threads are to be held of: they leave it 128 registers. H200, in a graph,
// us, layer norm of 1 x 1024 1.34 instead of 1.63, of 64 x 1024 1.47 (1.73), of 4096 x 1024 9.4
// (10.9), of 65536 x 1024 128 (129); of 16384 x 100 6.1 (5.7).
template <class Program>
inline constexpr bool shares_two =
    has_large_states<Program>&& element_operands<Program>::loads == 3 &&
    program_traits<Program>::widest_element == 4 && !element_operands<Program>::has_much_arithmetic;
// Half types from a place of the row's own leave a few registers less.
template <class Program>
inline constexpr bool has_narrow_gathered =
    program_traits<Program>::has_gathered&& program_traits<Program>::widest_element < 4;
// Where rows are spread, those of one operand leave registers for half of a lane's elements of one
// or two such; where their vectors are shifted, for all of a thread's. H200, layer norm of 1 x 1024
// bf16, shifted, 2.0 us, asked for later 2.9.
template <class Program>
inline constexpr bool shares_few = [] {
  int own = 0, shared = 0;
  for (instruction_facts const& i : program_traits<Program>::all)
    if (i.is_load && i.where == place::element) (i.is_shared() ? shared : own) += 1;
  return own == 1 && shared > 0 && shared <= 2 && program_traits<Program>::widest_element <= 4 &&
         !has_narrow_gathered<Program>;
}();
template <class Program, class C>
inline constexpr bool is_asked_early =
    !C::has_clusters &&
    (C::group_dims <= shifted_columns && !has_whole_vectors<C::group_dims> ? shares_few<Program>
     : C::items == 2 || C::items == 3
         ? shares_little<Program>
         : C::items == 8 && has_whole_vectors<C::group_dims> && shares_two<Program>);
template <class Program, class C>
struct early_loads : needed_loads<Program, C::vector_width, C::items,
                                  program_traits<Program>::row_phases + 1, true> {
  using base = needed_loads<Program, C::vector_width, C::items,
                            program_traits<Program>::row_phases + 1, true>;
  static consteval bool holds(int k) {
    return is_asked_early<Program, C> && base::holds(k) &&
           program_traits<Program>::all[k].is_shared() && !program_traits<Program>::all[k].repeats;
  }
};
template <class Program, class C, int Phase, bool Stores>
struct late_loads : needed_loads<Program, C::vector_width, 1, Phase, Stores> {
  using base = needed_loads<Program, C::vector_width, 1, Phase, Stores>;
  static consteval bool holds(int k) {
    instruction_facts const& i = program_traits<Program>::all[k];
    return base::holds(k) && !i.is_own() && !(Stores && is_asked_early<Program, C> && !i.repeats);
  }
};

// Whether where a row's operands lie is needed until its results are written: by one that is not
// kept, but comes from a cache when it is reduced, or lies where an index of the row's says.
template <class Program>
inline constexpr bool needs_places = [] {
  using traits = program_traits<Program>;
  auto const is_reduced = []<int... Phase>(int k, std::integer_sequence<int, Phase...>) {
    return (false || ... || element_needs<Program>::template at<Phase + 1, false>.needed[k]);
  };
  bool result = false;
  for (int k = 0; k < traits::size; ++k) {
    instruction_facts const& i = traits::all[k];
    if (i.is_load && i.where == place::element && i.varies_over_rows && !i.is_own())
      result = result || i.is_gathered ||
               is_reduced(k, std::make_integer_sequence<int, traits::row_phases>{});
  }
  return result;
}();

template <class Program, class C, int Phase, bool Stores, int Items>
using shared_items = some_items<late_loads<Program, C, Phase, Stores>, Program, C, Items>;

// Items that are reduced together: a fifth begins a tile of its own.
template <class C> inline constexpr int items_of_tile = C::items == 5 ? 4 : C::items;

#if defined(__CUDA_ARCH__)
// What is loaded of a row.
template <class Program, class C> struct requested_row {
  long long row;
  operand_offsets<Program> offsets;  // where they are not found again
  selected_registers<Program, row_loads<Program>> values;
  selected_registers<Program, own_loads<Program, C>> tile;
  selected_registers<Program, early_loads<Program, C>> early;
  element_words<Program, C> words;  // what the sweeps keep of it instead
};
#endif

}  // namespace tenon::detail
