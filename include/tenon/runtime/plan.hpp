// SPDX-License-Identifier: Apache-2.0
#pragma once
// A plan: everything of a call that depends on shapes, strides and alignment alone; and its launch with addresses.

#include "tenon/runtime/bind.hpp"
#include "tenon/runtime/prepared.hpp"

namespace tenon::detail {

TENON_ONCE_BEGIN
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_null(layout const& of, int operand,
                                                                expression_name const& name) {
  raise({.operation = "call",
         .problem = text(operand < 0 ? "an output" : "an operand") << " of shape "
                                                                   << to_string(of)
                                                                   << " has a null pointer",
         .remedy = "pass memory for all its elements",
         .operand = operand},
        name);
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_overlap(char const* what,
                                                                   layout const& other,
                                                                   layout const& out,
                                                                   int operand,
                                                                   expression_name const& name) {
  text shapes = to_string(out) << " and " << to_string(other);
  raise({.operation = "into",
         .problem = text("an output shares memory with ")
                    << what << " that is read or written elsewhere, shapes " << shapes,
         .remedy = "write to other memory; only an operand read at the very same elements may be "
                   "overwritten",
         .shapes = shapes,
         .operand = operand},
        name);
}
TENON_ONCE_END

inline constexpr std::uintptr_t no_memory = 4096;  // aligned for every access

// The arrays and numbers of one call.
struct call_values {
  void const* const* inputs;
  long long const* scalars;
  void* const* outputs;
};

// Where an operand begins; the first of positions, which are of no array: null.
inline void* start_of(void const* array, operand_range const& range) {
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(array) + static_cast<std::uintptr_t>(range.offset));
}

inline bool overlap(void const* a, operand_range const& in_a, void const* b,
                    operand_range const& in_b) {
  char const* first_a = static_cast<char const*>(a);
  char const* first_b = static_cast<char const*>(b);
  return first_a + in_a.first < first_b + in_b.beyond &&
         first_b + in_b.first < first_a + in_a.beyond && in_a.beyond > in_a.first &&
         in_b.beyond > in_b.first;
}

// Whether two arrays whose ranges of memory overlap have no element in common all the same.
[[gnu::cold]] inline bool lie_beside(void const* a, argument const& of_a, void const* b,
                                     argument const& of_b) {
  return tenon::lie_beside(of_a.layout, size_of(of_a.type), of_b.layout, size_of(of_b.type),
                           static_cast<char const*>(b) - static_cast<char const*>(a));
}

// Of an expression only by its numbers: of a type for each, every expression would compile all of it.
template <class Space>
class plan {
 public:
  [[gnu::cold]] plan(program_facts const& program, binder const& bound, prepared<Space>&& launch,
                     array_view<argument const> inputs, array_view<argument const> outputs)
      : prepared_(std::move(launch)) {
    for (int k = 0; k < program.load_count; ++k) loads_.push_back(bound.range_of_load(k));
    for (int k = 0; k < program.store_count; ++k) stores_.push_back(bound.range_of_store(k));
    for (int k = 0; k < program.scalar_count; ++k) scalar_inputs_.push_back(bound.scalar_input(k));
    for (int i = 0; i < program.store_count; ++i)
      for (int j = 0; j < program.load_count; ++j) may_alias_.push_back(bound.may_alias(i, j, program.places_reached[j]));
    for (argument const& input : inputs) inputs_.push_back({nullptr, input.layout, input.type});
    for (argument const& output : outputs) outputs_.push_back({nullptr, output.layout, output.type});
  }

  axis_list output_extents(int k) const { return tenon::extents_of(outputs_[k].layout); }
  prepared<Space> const& prepared_launch() const { return prepared_; }

  // @pre the operands have the shapes, strides and alignments that the plan was made for; `words` has room for those of
  // the program
  void launch(call_values const& call, bound_arguments const& words, stream on, expression_name const& name) const {
    for (int k = 0; k < loads_.size(); ++k) {
      operand_range const& range = loads_[k];
      void const* array = nullptr;
      if (!is_index(k)) {
        array = call.inputs[range.argument];
        check(array, range, inputs_[range.argument].layout, range.argument, name);
        // Of no elements, hence read by nobody; but 0 is the address of what is missing, whose index is not looked at.
        if (!array) array = reinterpret_cast<void const*>(no_memory);
      }
      words.loads[k] = start_of(array, range);
    }
    for (int k = 0; k < stores_.size(); ++k) {
      operand_range const& range = stores_[k];
      check(call.outputs[range.argument], range, outputs_[range.argument].layout, -1, name);
      words.stores[k] = start_of(call.outputs[range.argument], range);
    }
    for (int k = 0; k < scalar_inputs_.size(); ++k) words.scalars[k] = call.scalars[scalar_inputs_[k]];
    check_overlap(call, name);
    prepared_.launch(words, on);
  }

 private:
  // Whether load k is of no memory.
  bool is_index(int k) const { return loads_[k].argument < 0; }
  void check(void const* data, operand_range const& range, layout const& shape, int operand,
             expression_name const& name) const {
    if (range.beyond <= range.first) return;
    if (!data) refuse_null(shape, operand, name);
    prepared_.check_pointer(data, operand, name);
  }

  // An output may be an input only where each element is read by the thread that then writes it, and by no other.
  void check_overlap(call_values const& call, expression_name const& name) const {
    for (int i = 0; i < stores_.size(); ++i) {
      void const* out = call.outputs[stores_[i].argument];
      argument const& output = outputs_[stores_[i].argument];
      for (int j = 0; j < loads_.size(); ++j) {
        if (is_index(j)) continue;
        int const operand = loads_[j].argument;
        if (overlap(out, stores_[i], call.inputs[operand], loads_[j]) &&
            !(out == call.inputs[operand] && may_alias_[i * loads_.size() + j]) &&
            !lie_beside(out, output, call.inputs[operand], inputs_[operand]))
          refuse_overlap("an operand", inputs_[operand].layout, output.layout, operand, name);
      }
      for (int j = 0; j < i; ++j) {
        int const other = stores_[j].argument;
        if (other == stores_[i].argument) continue;  // at another position of it
        if (overlap(out, stores_[i], call.outputs[other], stores_[j]) &&
            !lie_beside(out, output, call.outputs[other], outputs_[other]))
          refuse_overlap("another output", outputs_[other].layout, output.layout, -1, name);
      }
    }
  }

  prepared<Space> prepared_;
  constexpr_vector<operand_range> loads_, stores_;
  constexpr_vector<int> scalar_inputs_;
  constexpr_vector<char> may_alias_;  // by store, then load
  constexpr_vector<argument> inputs_, outputs_;  // without their addresses
};

}  // namespace tenon::detail
