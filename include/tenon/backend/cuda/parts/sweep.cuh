// SPDX-License-Identifier: Apache-2.0
#pragma once
// One tile of columns through the program: elements are evaluated, reductions take them in, element
// stores are written.

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/cascade.cuh"
#include "tenon/backend/cuda/parts/item_stores.cuh"
#include "tenon/backend/cuda/parts/quotients.cuh"
#include "tenon/backend/cuda/parts/usual_numbers.cuh"
#include "tenon/backend/cuda/parts/vector_ahead.cuh"

#if defined(__CUDA_ARCH__)
namespace tenon::detail {

// A selection of no loads.
struct no_loads {
  static consteval bool holds(int) { return false; }
  template <int K> using type = void;
};

// Whether reductions over the columns end phase Phase.
template <class Program, int Phase>
inline constexpr bool reductions_in =
    has_selected<Program, reductions_of<Program, place::row, Phase>>;

// How element i of item u of a tile is evaluated that has all that it loads: from instruction From
// on, in front of To.
struct plain_evaluation {
  template <int Phase, bool Stores, int From, int To, class Ahead, class Program>
  __device__ __forceinline__ void evaluate(Ahead const& ahead, frame<Program> const& f, int,
                                           int i) const {
    ahead.template evaluate<From, To>(f, i);
  }
};

// The same, one element after the other in any case: where there are registers for no more.
struct element_by_element : plain_evaluation {};

// The elements of a vector, which are evaluated beside each other.
template <class Program, int V> struct element_vector {
  static constexpr int count = 1, width = V;
  frame<Program> const& around;
  registers<Program, place::element> at[V];

  template <class Visit> static __device__ __forceinline__ void for_each_element(Visit&& visit) {
#pragma unroll
    for (int i = 0; i < V; ++i) visit(0, i);
  }
  __device__ __forceinline__ frame<Program> frame_of(int, int i) {
    return {around.launch, around.row, at[i], around.total};
  }
};
// Evaluates them from instruction From on, stopping where they are divided together.
template <int Phase, bool Stores, int From, class Program, int V, class Ahead, class Evaluation>
__device__ __forceinline__ void evaluate_vector(
    element_vector<Program, V>& elements, common_divisors<Program, Phase, Stores> const& divisors,
    Ahead const& ahead, Evaluation const& evaluation, int u) {
  constexpr int quotient = find_quotient<Program, Phase, Stores>(From, max_nodes);
  elements.for_each_element([&](int, int i) {
    evaluation.template evaluate<Phase, Stores, From, quotient>(ahead, elements.frame_of(0, i), u,
                                                                i);
  });
  if constexpr (quotient < max_nodes) {
    divide_elements<Program, quotient>(elements, read_register<quotient>(divisors));
    evaluate_vector<Phase, Stores, quotient + 1>(elements, divisors, ahead, evaluation, u);
  }
}

// Evaluates the item in place u of a tile, which is item `position` of it. `late` holds its loads
// in Late.
template <int Phase, bool Stores, int V, int Items, int Dims, class Tile_loads, class Fixed,
          class Late, class Program, class Tile, class Fixed_tile, class Late_tile, class Values,
          class States, class Arguments, class Positions, class Evaluation = plain_evaluation>
__device__ __forceinline__ void process_item(
    int u, Tile const& tile, Fixed_tile const& fixed, Late_tile const& late, Values& values,
    States& states, frame<Program> const& around,
    common_divisors<Program, Phase, Stores> const& divisors, Arguments const& a,
    operand_offsets<Program> const& row, Positions const& positions, int position,
    bool is_row_inside, Evaluation const& evaluation = {}) {
  using running = running_states<Program, V, Items, Phase>;
  selected_registers<Program, element_stores<Program, V>> results;
  int const count = positions.template count<V>(position);
  using where = std::conditional_t<finds_parts<Positions>, no_loads,
                                   needed_positions<Program, Phase, Stores>>;
  long long column = 0;
  if constexpr (has_selected<Program, where>)
    column = static_cast<long long>(positions.at(position)) * V;
  // Where operands are there more than once, whole vectors are of several axes, too.
  constexpr bool has_axes = Dims == packed_columns && program_traits<Program>::has_repeated &&
                            !program_traits<Program>::has_reduction;
  constexpr int axes = has_axes ? axes_of_vectors : axes_of_positions<Positions, Dims>;
  vector_positions<Program, where, V, axes> here;
  vector_ahead<Program, Phase, Stores, V> ahead;
  // Most programs have no positions, and then nothing is compiled for them.
  if constexpr (has_selected<Program, where>) {
    here.find(a, row, count > 0 ? column : 0);
    using column_type = decltype(positions.at(position));
    ahead.find(around, located_positions<Program, where, V, axes, Arguments, column_type>{
                           here, a, row, static_cast<column_type>(column), count});
  }
  auto const begin = [&](registers<Program, place::element>& element, int i) {
    if constexpr (has_selected<Program, Tile_loads>)
      take_element<Program, Tile_loads>(element, tile, u, i);
    if constexpr (has_selected<Program, Fixed>) take_element<Program, Fixed>(element, fixed, u, i);
    if constexpr (has_selected<Program, Late>) take_element<Program, Late>(element, late, 0, i);
    if constexpr (has_selected<Program, where>)
      here.take(element, a, row, column, i, is_row_inside && i < count);
  };
  auto const end = [&](frame<Program> const& f, int i) {
    if constexpr (reductions_in<Program, Phase>) collect_element<Program, running>(values, f, u, i);
    if constexpr (Stores) collect_stores<Program, V, true>(results, f, i);
  };
  // A look at the size of one costs what its division does: H200, quantize to float8_e4m3 of 131072
  // x 257 bf16, element by element, 83 us instead of 77.
  if constexpr (V > 1 && has_selected<Program, common_quotients<Program, Phase, Stores>>) {
    element_vector<Program, V> elements{around, {}};
    elements.for_each_element([&](int, int i) { begin(elements.at[i], i); });
    evaluate_vector<Phase, Stores, 0>(elements, divisors, ahead, evaluation, u);
    elements.for_each_element([&](int, int i) { end(elements.frame_of(0, i), i); });
  } else if constexpr (Dims == packed_columns && std::is_same_v<Evaluation, plain_evaluation> &&
                       has_usual_numbers<Program, Phase, Stores, V>) {
    constexpr int some = usual_elements<V>;
#pragma unroll
    for (int first = 0; first < V; first += some) {
      element_vector<Program, some> elements{around, {}};
      elements.for_each_element([&](int, int i) { begin(elements.at[i], first + i); });
      usual_evaluation<Program, Phase, Stores>::evaluate(elements);
      elements.for_each_element([&](int, int i) { end(elements.frame_of(0, i), first + i); });
    }
  } else {
#pragma unroll
    for (int i = 0; i < V; ++i) {
      registers<Program, place::element> element;
      frame<Program> f{around.launch, around.row, element, around.total};
      begin(element, i);
      evaluation.template evaluate<Phase, Stores, 0, max_nodes>(ahead, f, u, i);
      end(f, i);
    }
  }
  if constexpr (reductions_in<Program, Phase>)
    accumulate_item<Program, (Dims > packed_columns)>(states, values, u, count);
  if constexpr (Stores)
    store_item<Program, V, Dims>(results, around, a, row, positions, position,
                                 is_row_inside ? count : 0);
}

// Evaluates a loaded tile for the reductions of phase Phase and, if Stores, writes the element
// stores. Loads in Fixed were made before the first row, those in Late are made here, item by item.
// @pre the registers around the elements are valid up to phase Phase - 1
// @post states of dead elements are unchanged; nothing is written for them, or outside the rows
template <int Phase, bool Stores, int V, int Items, int Dims, class Tile_loads, class Fixed,
          class Late, class Program, class Tile, class Fixed_tile, class States, class Arguments,
          class Positions, class Evaluation = plain_evaluation>
__device__ __forceinline__ void process_tile(Tile& tile, Fixed_tile& fixed, States& states,
                                             frame<Program> const& around, Arguments const& a,
                                             operand_offsets<Program> const& row,
                                             Positions const& positions, bool is_row_inside,
                                             Evaluation const& evaluation = {}) {
  selected_registers<Program, collected_values<Program, V, Items, Phase>> values = {};
  common_divisors<Program, Phase, Stores> const divisors(around);
  // What is stored of dead elements is nothing. Where little is computed ptxas 13.0 asks for all
  // items at once as soon as it may, for which there are no registers.
  constexpr bool clears =
      !Stores || reductions_in<Program, Phase> || !element_operands<Program>::has_much_arithmetic;
  auto request = [&](selected_registers<Program, Late>& late, int u) {
    if constexpr (has_selected<Program, Late>)
      load_tile<Program, Late, V, 1, Dims, false, clears>(late, a, row, positions.from(u),
                                                          is_row_inside);
  };
  // General loads and stores are long: one loop over the items instead of all of them at once.
  if constexpr (Stores && !reductions_in<Program, Phase> && Dims > packed_columns) {
    // Of many items a few at a time, or finding the first ones would take more than they do;
    // positions leave no registers for that.
    constexpr int together = Items <= 4 || program_traits<Program>::has_positions ? 1 : 4;
    selected_registers<Program, Late> late;
#pragma unroll 1
    for (int u = 0; u < Items && positions.is_live(u); u += together) {
#pragma unroll
      for (int w = 0; w < together; ++w) {
        if (w > 0 && !positions.is_live(u + w)) break;
        request(late, u + w);
        process_item<Phase, Stores, V, Items, Dims, Tile_loads, Fixed, Late>(
            w, tile, fixed, late, values, states, around, divisors, a, row, positions, u + w,
            is_row_inside, evaluation);
      }
      rotate<Program, Tile_loads, together>(tile);
    }
  } else {
    // The loads of the next item are under way while the present one is computed, but where much is
    // computed of f32, whose registers are worth more to other warps. Of bf16 it costs: layer norm
    // + gelu of 32768 x 4096 on an H200 152 us instead of 149.6.
    constexpr bool is_for_itself = element_operands<Program>::has_much_arithmetic &&
                                   program_traits<Program>::widest_element == 4;
    constexpr int ahead = is_for_itself ? 0 : 1;
    selected_registers<Program, Late> late[ahead + 1];
    if (ahead > 0) request(late[0], 0);
    constexpr int batch_items = running_states<Program, V, Items, Phase>::batch_items;
    int live_elements = 0;
#pragma unroll
    for (int u = 0; u < Items; ++u) {
      if (u + ahead < Items) request(late[(u + ahead) % (ahead + 1)], u + ahead);
      // A kernel of any length has items that no thread of a warp has elements of. Others are
      // worth a branch where much is computed of operands that come late: H200, silu of a modulated
      // layer norm, 32 x 1024 x 1152 bf16, 82 us instead of 112; without the silu 69 either way.
      constexpr bool is_sure = Dims == packed_columns && !requires { Positions::has_gaps; }
      &&!(Stores && program_traits<Program>::has_late &&
          element_operands<Program>::has_much_arithmetic);
      if (is_sure || positions.is_live(u))
        process_item<Phase, Stores, V, Items, Dims, Tile_loads, Fixed, Late>(
            u, tile, fixed, late[u % (ahead + 1)], values, states, around, divisors, a, row,
            positions, u, is_row_inside, evaluation);
      live_elements += positions.template count<V>(u);
      if ((u + 1) % batch_items != 0) continue;
      if constexpr (axes_of_positions<Positions, Dims> == 1)
        accumulate_batch<Program, V, Items, Phase>(states, values, live_elements,
                                                   ordered_batch<Program, V, Arguments, Positions>{
                                                       {a, row}, positions, u + 1 - batch_items});
      else
        accumulate_batch<Program, V, Items, Phase>(states, values, live_elements,
                                                   unordered_batch{});
      live_elements = 0;
    }
  }
}

// Combines a thread's chains into its row registers.
template <class Program, class Running, int... K>
__device__ __forceinline__ void join_chains(
    registers<Program, place::row>& row,
    register_file<Running, std::integer_sequence<int, K...>> const& states) {
  ((read_register<K>(row) =
        fold_apart<typename reduction_facts<Program, K>::op>(read_register<K>(states).at)),
   ...);
}

}  // namespace tenon::detail
#endif
