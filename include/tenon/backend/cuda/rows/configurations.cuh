// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program → the configurations of rows that registers or shared memory hold.

#include "tenon/backend/cuda/parts/plan_base.cuh"
#include "tenon/backend/cuda/rows/kernel.cuh"
#include "tenon/backend/cuda/rows/long.cuh"
#include "tenon/program/visit.hpp"

namespace tenon::detail {

struct rows_configurations {
  static constexpr int widest_block = 512;
  template <class Program> static constexpr int width = element_operands<Program>::vector_width;

  // Bytes per element of the loads that differ from row to row.
  template <class Program>
  static constexpr int own_bytes = [] {
    int bytes = 0;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.is_load && i.moves_elements && i.is_own()) bytes += size_of(i.type);
    return bytes;
  }();
  template <class Program>
  static constexpr bool is_half = program_traits<Program>::widest_element <= 2;
  // What 40 registers to a thread are not enough for; none are spilled.
  template <class Program>
  static constexpr bool is_heavy =
      has_large_states<Program> || element_operands<Program>::loads > 2 ||
      own_bytes<Program>* width<Program> > 16 || element_operands<Program>::has_much_arithmetic;
  template <class Program>
  static constexpr bool is_heaviest =
      program_traits<Program>::has_positions || program_traits<Program>::widest_element > 4;
  // Half types of which the longest rows wait in shared memory: a thread has more of them there
  // than its registers would hold as numbers.
  // H200: softmax of 8192 x 65536 bf16 627 us instead of 755, of 2048 x 262144 687 instead of 950.
  template <class Program>
  static constexpr bool is_wide = is_half<Program> && !is_heavy<Program> && !is_heaviest<Program>;
  // One operand whose states are several numbers and of which much is computed: 32 words to a
  // thread, of bf16 too (of f16 they spill), by which what it does once per row is divided, and
  // three blocks, which hold ptxas 13.0 to 80 registers. H200, layer norm + gelu f32: 131072 x 512
  // 132 us instead of 133, 32768 x 4096 259.5 instead of 267; bf16: 76.4 instead of 82.5, 147.5
  // instead of 163.3, 65536 x 128 15.7 instead of 13.8. Of f32 four, with which all rows of a small
  // call are there at once: 8192 x 512, one call, 13.5 us instead of 13.8, large ones within 0.4 %.
  template <class Program>
  static constexpr bool computes_much =
      own_bytes<Program>* width<Program> == 16 && !is_heaviest<Program> &&
      element_operands<Program>::loads <= 3 && has_large_states<Program> &&
      element_operands<Program>::has_much_arithmetic && [] {
        for (instruction_facts const& i : program_traits<Program>::all)
          if (i.is_load && i.moves_elements && i.is_own())
            return i.type == dtype::f32 || i.type == dtype::bf16;
        return false;
      }();
  template <class Program> static constexpr bool keeps_words = kept_words<Program>::is_any;
  // Rows of so many vectors have two lanes: what is computed of missing elements is more than
  // reading a quarter of a cache line costs. H200, layer norm of 2^20 x 32 f32 78 us with two
  // lanes, 122 with four, of 2^20 x 64 166 and 151, bf16 78 and 114, misaligned 196 and 168.
  template <class Program>
  static constexpr int few_vectors = computes_much<Program>&& is_half<Program> ? 16
                                     : has_large_states<Program>               ? 8
                                                                               : 4;
  // Several reductions with positions, or one that finds several, as topk does: what is found stays
  // in registers. ptxas 13.0, where topk was one reduction for each, of bf16 with 32 elements to a
  // thread: of two 52 bytes were spilled, of eight of a softmax 700, and 1,900 where three blocks
  // were held.
  template <class Program>
  static constexpr int words_with_positions =
      program_traits<Program>::has_positions ? row_state_words<Program> : 0;
  template <class Program> static constexpr bool finds_several = words_with_positions<Program> > 4;
  template <class Program> static constexpr bool finds_many = words_with_positions<Program> > 8;
  // Elements of a row that one thread keeps: half as many where each has a position, and fewer
  // beside several that are found.
  template <class Program>
  static constexpr int most_elements =
      !program_traits<Program>::has_positions                                    ? 64
      : !finds_several<Program>                                                  ? 32
      : words_with_positions<Program> <= 40 && words_of_row_phase<Program> <= 16 ? 16
                                                                                 : 8;
  // As vectors, of at most 32 words of operands; 16 of other half types that stay in registers,
  // which are computed in twice as many, unless these are what is kept of them. Where two results
  // leave, memory has more to do than the issue slots. H200, bias + residual + layer norm of bf16,
  // us, with 16 and 32 words: 32768 x 4096 with the sum 250.5 and 255.0, without 194.7 and 184.8.
  // What is kept takes the operands' registers, of which a mask beside two halves may have a few
  // more: softmax of x + bias where it holds, 8 x 16 x 512 x 512 bf16, with two vectors to a thread
  // 45.4, with four 37.9.
  template <class Program>
  static constexpr int row_items = [] {
    constexpr int results = element_operands<Program>::moves - element_operands<Program>::loads;
    int const most_bytes = is_half<Program> && !is_wide<Program> && !computes_much<Program> &&
                                   (!keeps_words<Program> || results > 1)
                               ? 64
                           : keeps_words<Program> ? 160
                                                  : 128;
    // A number that is kept has four.
    int const bytes = keeps_words<Program> && own_bytes<Program> < 4 ? 4 : own_bytes<Program>;
    int items = 1;
    while (2 * items * width<Program> <= most_elements<Program> &&
           2 * items * width<Program> * bytes <= most_bytes)
      items *= 2;
    return items;
  }();
  // Three kernels of whole aligned vectors, by the length of a row: the fewer elements a thread
  // has, the more blocks are on a multiprocessor, which load, reduce and store at different times;
  // the more it has, the less is left to what it does once per row.
  template <class Program> static constexpr int at_most(int items) {
    return row_items<Program> < items ? row_items<Program> : items;
  }
  // Rows of a warp or less with two vectors to a thread. H200, of a copy's bandwidth against four:
  // softmax of 64 and 256 f32 0.99 (0.96, 0.97), of bf16 0.98 (0.70, 0.95). States of several
  // numbers are worth more elements: layer norm + gelu of 512 f32 takes 219 us with two vectors and
  // 167 us with four. So are numbers that are kept: softmax of the sum of two of 512 bf16 70.9 us
  // and 64.3.
  template <class Program>
  static constexpr int short_items = at_most<Program>(keeps_words<Program> ? 4 : 2);
  template <class Program>
  static constexpr long long short_vectors =
      has_large_states<Program> || row_items<Program> <= 2
          ? 0
          : (shares_little<Program> ? widest_block : 32) * short_items<Program>;
  template <class Program>
  static constexpr configuration short_rows{
      .vector_width = width<Program>,
      .items = short_items<Program>,
      .threads_per_block = shares_little<Program> ? widest_block : 128,
      .group_dims = 1,
      .index_bits = 32,
      .blocks = shares_little<Program> ? 3
                : is_heaviest<Program> ? 1
                : is_heavy<Program>    ? 8
                                       : 12};
  // Two operands, what is computed of them and totals do not fit 64 registers. H200, the gradient
  // of kl_div f32, which spilled 36 bytes: 16384 x 1600 133 us instead of 137, 1024 x 4096 23.7
  // instead of 22.5, 1024 x 8192 42.3 instead of 42.8.
  template <class Program>
  static constexpr int medium_block =
      own_bytes<Program>* width<Program> > 16 &&
              program_traits<Program>::has_total&& element_operands<Program>::has_much_arithmetic
          ? 384
          : widest_block;
  // Rows of one block with four vectors to a thread, eight where a state is several numbers. H200,
  // of a copy's bandwidth against eight of f32: softmax of 1024 f32 0.99 (0.97), of 8192 0.965
  // (0.963); against four that know of clusters: of 1024 to 4096 bf16 0.96 to 0.97 (0.85 to 0.87),
  // of 8192 bf16 0.93 (0.84), bias + residual + layer norm of 4096 f32 0.965 (0.92), bf16 0.95
  // (0.82). Eight against four: layer norm + gelu of 4096 f32 0.88 (0.82), of 512 f32 0.87 (0.89).
  template <class Program>
  static constexpr int medium_items =
      at_most<Program>(has_large_states<Program> && !is_heaviest<Program> ? 8 : 4);
  // Half types of which little is computed are faster in shared memory from 1024 vectors on. H200,
  // softmax, us, there and in registers: of 1000 x 12288 bf16 15.8 and 16.8, 4096 x 16384 66 and
  // 76, but 1 x 12288 3.4 and 2.7; of 1 x 8192 f32 3.0 and 2.4, 1000 x 8192 18.8 and 17.9, 32768 x
  // 8192 500 and 499, misaligned 4.5 and 3.1, 22.5 and 20.5. What positions are kept for leaves few
  // registers for large states.
  template <class Program>
  static constexpr long long medium_vectors = [] {
    int lanes = medium_block<Program>;
    if (is_wide<Program> && !shares_little<Program>) lanes = 256;
    if (has_large_states<Program> && is_heaviest<Program> && row_items < Program >> 4) lanes = 32;
    return lanes * at_most<Program>(4);
  }();
  template <class Program>
  static constexpr configuration medium_rows{
      .vector_width = width<Program>,
      .items = medium_items<Program>,
      .threads_per_block = medium_block<Program>* at_most<Program>(4) / medium_items<Program>,
      .group_dims = 1,
      .index_bits = 32,
      .blocks = is_heaviest<Program>                              ? 1
                : computes_much<Program> && !is_half<Program>     ? 4
                : computes_much<Program> && !keeps_words<Program> ? 3
                : is_heavy<Program> || is_half<Program>           ? 2
                                                                  : 3};
  // The same of whole aligned vectors that lie otherwise: in runs, between each other.
  template <configuration C, int GroupDims>
  static constexpr configuration lying = [] {
    configuration c = C;
    c.group_dims = GroupDims;
    return c;
  }();
  // Rows of no whole number of vectors, or that begin anywhere, in registers. What depends on where
  // an element is, unless it is where neighbouring columns are stored, is left to the kernel of any
  // layout, and so is what two blocks have no registers for, and much arithmetic of wider types,
  // which is most of the kernel: layer norm + gelu of f32 would have 2,100 lines of PTX more.
  template <class Program>
  static constexpr bool can_be_odd = [] {
    bool const has_two_operands = own_bytes<Program> * width<Program> > 16;
    bool result = width<Program> > 1 && own_bytes<Program> > 0 && row_state_words<Program> > 0 &&
                  !(has_two_operands && element_operands<Program>::has_much_arithmetic);
    if constexpr (!is_half<Program> && !stores_column_parts<Program>)
      result = result && !element_operands<Program>::has_much_arithmetic;
    for (instruction_facts const& i : program_traits<Program>::all)
      result = result && !i.repeats && (!i.moves_elements || size_of(i.type) * width<Program> >= 4);
    if constexpr (stores_column_parts<Program>) {
      return result && has_part_positions_alone<Program>;
    } else {
      for (instruction_facts const& i : program_traits<Program>::all)
        result = result && !i.is_window;
      return result && !program_traits<Program>::has_positions;
    }
  }();
  template <class Program>
  static constexpr configuration odd_rows{
      .vector_width = width<Program>,
      // A fifth vector for rows of just more than a warp's four, of one operand: two have no
      // registers for it.
      .items = medium_items<Program> == 4 && own_bytes<Program>* width<Program> <= 16
                   ? 5
                   : medium_items<Program>,
      // 64 registers are not enough for states of several numbers of halves or of two operands, nor
      // for four vectors of two.
      .threads_per_block =
          program_traits<Program>::has_late || (medium_items<Program> == 4 &&
                                                (has_large_states<Program> || keeps_words<Program>))
              ? 384
              : medium_rows<Program>.threads_per_block,
      .group_dims = odd_columns,
      .index_bits = 32,
      .blocks = is_heaviest<Program> ? 1 : 2,
      .has_clusters = 1};
  // Whole vectors that begin anywhere, of rows that a block holds, in registers as aligned ones
  // are.
  template <class Program>
  static constexpr bool can_be_shifted = can_be_odd<Program> && !stores_column_parts<Program> &&
                                         !element_operands<Program>::has_much_arithmetic;
  template <class Program>
  static constexpr configuration shifted_rows{
      .vector_width = width<Program>,
      .items = medium_items<Program>,
      .threads_per_block = medium_rows<Program>.threads_per_block,
      .group_dims = shifted_columns,
      .index_bits = 32,
      .blocks = own_bytes<Program>* width<Program> > 16 ||
                        (is_half<Program> && element_operands<Program>::loads > 1)
                    ? 1
                    : 2};
  // Those that a block holds.
  template <class Program>
  static constexpr long long odd_vectors = [] {
    long long const held = odd_rows<Program>.threads_per_block * medium_items<Program>;
    return held < medium_vectors<Program> ? held : medium_vectors<Program>;
  }();
  // Whether every element load that differs from row to row is a vector that travels by itself.
  template <class Program>
  static constexpr bool can_stage = [] {
    bool result = own_bytes<Program> > 0;
    for (instruction_facts const& i : program_traits<Program>::all)
      if (i.is_load && i.moves_elements && i.is_own())
        result = result && can_travel_alone(size_of(i.type) * width<Program>);
    return result;
  }();
  // Whether longer rows of whole vectors have a kernel of their own. Of elements of eight bytes it
  // would be one too many.
  template <class Program>
  static constexpr bool has_long_rows =
      can_stage<Program>&& program_traits<Program>::widest_element <= 4;
  // Rows of any layout that registers or shared memory of a block or of a cluster hold. Two blocks
  // are held where that spills nothing: of half types with up to three operands and one large
  // state; a sum beside it spilled 28 bytes.
  template <class Program, int Dims>
  static constexpr configuration resident{
      .vector_width = width<Program>,
      .items = has_long_rows<Program> ? medium_items<Program> : row_items<Program>,
      .threads_per_block = widest_block,
      .group_dims = Dims,
      .index_bits = 32,
      .blocks = own_bytes<Program> == 0 || is_heaviest<Program> ||
                        program_traits<Program>::has_late ||
                        (has_narrow_gathered<Program> && has_large_states<Program>) ||
                        (is_heavy<Program> &&
                         (Dims == 1 || !is_half<Program> || element_operands<Program>::loads > 3 ||
                          row_state_words < Program >> 3 ||
                          element_operands<Program>::has_much_arithmetic))
                    ? 1
                    : 2,
      .has_clusters = 1};
  // Longer rows of whole aligned vectors, in shared memory. Three blocks with a share of 64 KB are
  // on a multiprocessor, four with less, for which half types and their weights have too many
  // registers.
  template <class Program>
  static constexpr configuration long_rows{
      .vector_width = width<Program>,
      .items = medium_items<Program>,
      .threads_per_block = 256,
      .group_dims = packed_columns,
      .index_bits = 32,
      .blocks = finds_many<Program> ? 2
                : is_heavy<Program> || is_heaviest<Program> ||
                        (is_half<Program> && element_operands<Program>::loads > 1)
                    ? 3
                    : 4,
      .has_warps = 1,
      .has_clusters = 1};
};

}  // namespace tenon::detail
