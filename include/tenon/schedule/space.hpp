// SPDX-License-Identifier: Apache-2.0
#pragma once
// What an iteration space is made of: axes, instructions over them, what is read and written.

#include "tenon/ir/graph.hpp"

namespace tenon {

inline constexpr int max_axes = 16;
inline constexpr int no_axis = -1;
// Iteration axis of each axis of a value; no_axis where its extent is 1.
using coordinates = static_vector<int, max_rank>;

struct instruction {
  op_info const* op = nullptr;
  dtype type = dtype::f32;
  static_vector<int, max_operands> operands = {};
  unsigned axes = 0;     // iteration axes the value varies over
  unsigned reduced = 0;  // reduction: iteration axes it reduces; scan: the one it scans
  long long bits = 0;    // literal: value; load, store, scalar, size: position in the list of its
                         // kind; index and address are loads
  constexpr bool operator==(instruction const&) const = default;
};

// What is read of a view's elements.
enum class reading : unsigned char {
  element,   // the element
  address,   // where it lies: the start of an indexed load
  position,  // the view is of an index: its element is its position
  gathered,  // the element, in the row that an index names
};
inline constexpr int no_view = -1;
// A view of an argument or of an index, read along the axes.
struct load {
  int view = no_view;  // node of the graph: an input or index under a chain of movements; none for
                       // positions along the axes themselves
  coordinates along = {};
  reading what = reading::element;
  int output = -1;  // without a view: positions are counted by this output's strides
  // Of an address: the axes of the indices that lead on from it. One for each place where it is computed: each adds where its
  // row is.
  unsigned indices = 0;
  constexpr bool operator==(load const&) const = default;
};
struct store {
  int value = -1;  // instruction
  int output = -1;
  coordinates along = {};
  int offset = -1;   // instruction: how far into the output, where a part of what is computed goes
  int axis = -1;     // of the output, along which all of it is at one position, or in one piece
  int position = 0;  // of all, or the number of the piece
};

// A number that follows from the extents and strides of a call.
struct quantity {
  enum class kind : unsigned char {
    count,
    extent,
    stride,
    window_start,
    window_extent,
    window_stride
  } what = kind::count;
  int of = -1;    // count: the graph attribute whose dims are multiplied; window: an output; else a
                  // view
  int axis = -1;  // of the view; a stride is in the unit of what reading it gives
  dtype type = dtype::i64;  // that it is held in: one count may be wanted in two
  constexpr bool operator==(quantity const&) const = default;
};

struct iteration_space {
  constexpr_vector<dim> axes;
  constexpr_vector<instruction> instructions;
  constexpr_vector<load> loads;
  constexpr_vector<store> stores;
  constexpr_vector<int> scalars;  // run-time scalar number k is argument scalars[k]
  constexpr_vector<quantity> sizes;
  unsigned reversed = 0;  // axes that are walked from their end: those of reverse scans
  refusal refused = refusal::none;
};

}  // namespace tenon
