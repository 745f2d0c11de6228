// SPDX-License-Identifier: Apache-2.0
#pragma once
// A plan: everything of a call that depends on shapes, strides and alignment alone; and its launch with addresses.

#include "tenon/runtime/bind.hpp"
#include "tenon/runtime/prepared.hpp"

namespace tenon::detail {

// What does not depend on the program is not in the template: every expression would compile it again.

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_null(axis_list const& extents, int operand,
                                                                expression_name const& name) {
  raise({.operation = "call",
         .problem = text(operand < 0 ? "an output" : "an operand") << " of shape "
                                                                   << to_string(extents)
                                                                   << " has a null pointer",
         .remedy = "pass memory for all its elements",
         .operand = operand},
        name);
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_overlap(char const* what,
                                                                   axis_list const& other,
                                                                   axis_list const& out,
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

inline bool overlap(void const* a, operand_range const& in_a, void const* b,
                    operand_range const& in_b) {
  char const* first_a = static_cast<char const*>(a);
  char const* first_b = static_cast<char const*>(b);
  return first_a + in_a.first < first_b + in_b.beyond &&
         first_b + in_b.first < first_a + in_a.beyond && in_a.beyond > in_a.first &&
         in_b.beyond > in_b.first;
}

// The tables of a plan, wherever they are.
struct operand_tables {
  operand_range *loads, *stores;
  int* scalar_inputs;
  bool* may_alias;  // by store, then load
  axis_list *input_extents, *output_extents;
  int load_count, store_count, scalar_count;

  [[gnu::cold, gnu::noinline]] void fill(binder const& bound, array_view<argument const> inputs,
                                         array_view<argument const> outputs) const {
    for (int k = 0; k < load_count; ++k) loads[k] = bound.range_of_load(k);
    for (int k = 0; k < store_count; ++k) stores[k] = bound.range_of_store(k);
    for (int k = 0; k < scalar_count; ++k) scalar_inputs[k] = bound.scalar_input(k);
    for (int i = 0; i < store_count; ++i)
      for (int j = 0; j < load_count; ++j) may_alias[i * load_count + j] = bound.may_alias(i, j);
    for (std::size_t k = 0; k < inputs.size(); ++k)
      input_extents[k] = tenon::extents_of(inputs[k].layout);
    for (std::size_t k = 0; k < outputs.size(); ++k)
      output_extents[k] = tenon::extents_of(outputs[k].layout);
  }
};

template <class Program, class Prepared, int Inputs, int Outputs>
class plan {
  using traits = program_traits<Program>;

 public:
  [[gnu::cold]] plan(binder const& bound, bound_arguments<Program> const& arguments,
                     array_view<argument const> inputs, array_view<argument const> outputs)
      : prepared_(bound.layout<Program>(), arguments) {
    operand_tables{loads_,         stores_,         scalar_inputs_,     may_alias_,          input_extents_,
                   output_extents_, traits::load_count, traits::store_count, traits::scalar_count}
        .fill(bound, inputs, outputs);
  }

  axis_list const& output_extents(int k) const { return output_extents_[k]; }
  Prepared const& prepared_launch() const { return prepared_; }

  // @pre the operands have the shapes, strides and alignments that the plan was made for
  void launch(void const* const* inputs, long long const* scalars, void* const* outputs, stream on,
              expression_name const& name) const {
    bound_arguments<Program> arguments;
    for (int k = 0; k < traits::load_count; ++k) {
      operand_range const& range = loads_[k];
      if (is_index(k)) {
        arguments.loads[k] =
            reinterpret_cast<void const*>(static_cast<std::intptr_t>(range.offset));
        continue;
      }
      check(inputs[range.argument], range, input_extents_[range.argument], range.argument, name);
      arguments.loads[k] = static_cast<char const*>(inputs[range.argument]) + range.offset;
    }
    for (int k = 0; k < traits::store_count; ++k) {
      operand_range const& range = stores_[k];
      check(outputs[range.argument], range, output_extents_[range.argument], -1, name);
      arguments.stores[k] = static_cast<char*>(outputs[range.argument]) + range.offset;
    }
    for (int k = 0; k < traits::scalar_count; ++k) arguments.scalars[k] = scalars[scalar_inputs_[k]];
    check_overlap(inputs, outputs, name);
    prepared_.launch(arguments, on);
  }

 private:
  // Whether load k is of no memory. The others have nothing to test in a program without indices.
  bool is_index(int k) const {
    if constexpr (traits::has_positions) return loads_[k].argument < 0;
    return false;
  }
  void check(void const* data, operand_range const& range, axis_list const& extents, int operand,
             expression_name const& name) const {
    if (range.beyond <= range.first) return;
    if (!data) refuse_null(extents, operand, name);
    prepared_.check_pointer(data, operand, name);
  }

  // An output may be an input only where each element is read by the thread that then writes it.
  void check_overlap(void const* const* inputs, void* const* outputs,
                     expression_name const& name) const {
    for (int i = 0; i < traits::store_count; ++i) {
      void const* out = outputs[stores_[i].argument];
      axis_list const& extents = output_extents_[stores_[i].argument];
      for (int j = 0; j < traits::load_count; ++j) {
        if (is_index(j)) continue;
        int const operand = loads_[j].argument;
        if (overlap(out, stores_[i], inputs[operand], loads_[j]) &&
            !(out == inputs[operand] && may_alias_[i * traits::load_count + j]))
          refuse_overlap("an operand", input_extents_[operand], extents, operand, name);
      }
      for (int j = 0; j < i; ++j)
        if (overlap(out, stores_[i], outputs[stores_[j].argument], stores_[j]))
          refuse_overlap("another output", output_extents_[stores_[j].argument], extents, -1, name);
    }
  }

  Prepared prepared_;
  operand_range loads_[at_least_one(traits::load_count)];
  operand_range stores_[at_least_one(traits::store_count)];
  int scalar_inputs_[at_least_one(traits::scalar_count)];
  bool may_alias_[at_least_one(traits::store_count * traits::load_count)];  // by store, then load
  axis_list input_extents_[at_least_one(Inputs)], output_extents_[at_least_one(Outputs)];
};

}  // namespace tenon::detail
