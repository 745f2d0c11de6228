// SPDX-License-Identifier: Apache-2.0
#pragma once
// A plan: everything of a call that depends on shapes, strides and alignment alone; and its launch with addresses.

#include "tenon/runtime/bind.hpp"
#include "tenon/runtime/prepared.hpp"

namespace tenon::detail {

// What does not depend on the program is not in the template: every expression would compile it again.

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_null(argument const& array, int operand, expression_name const& name) {
  raise({.operation = "call",
         .problem = text(operand < 0 ? "an output" : "an operand") + " of shape " + to_string(array.layout) + " has a null pointer",
         .remedy = "pass memory for all its elements",
         .expression = name.name,
         .operand = operand,
         .location = name.location});
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_overlap(char const* what, argument const& other, argument const& out, int operand,
                                                                  expression_name const& name) {
  text shapes = to_string(out.layout) + " and " + to_string(other.layout);
  raise({.operation = "into",
         .problem = text("an output shares memory with ") + what + " that is read or written elsewhere, shapes " + shapes,
         .remedy = "write to other memory; only an operand read at the very same elements may be overwritten",
         .shapes = shapes,
         .expression = name.name,
         .operand = operand,
         .location = name.location});
}

inline bool overlap(argument const& a, operand_range const& in_a, argument const& b, operand_range const& in_b) {
  char const* first_a = static_cast<char const*>(a.data);
  char const* first_b = static_cast<char const*>(b.data);
  return in_a.beyond > in_a.first && in_b.beyond > in_b.first && first_a + in_a.first < first_b + in_b.beyond &&
         first_b + in_b.first < first_a + in_a.beyond;
}

// An output may be an input only where each element is read by the thread that then writes it.
inline void check_overlap(argument const* inputs, operand_range const* loads, int load_count, argument const* outputs,
                          operand_range const* stores, int store_count, bool const* may_alias, expression_name const& name) {
  for (int i = 0; i < store_count; ++i) {
    argument const& out = outputs[stores[i].argument];
    for (int j = 0; j < load_count; ++j) {
      argument const& in = inputs[loads[j].argument];
      if (overlap(out, stores[i], in, loads[j]) && !(out.data == in.data && may_alias[i * load_count + j]))
        refuse_overlap("an operand", in, out, loads[j].argument, name);
    }
    for (int j = 0; j < i; ++j)
      if (overlap(out, stores[i], outputs[stores[j].argument], stores[j])) refuse_overlap("another output", outputs[stores[j].argument], out, -1, name);
  }
}

template <class Program, class Prepared, int Outputs>
class plan {
  using traits = program_traits<Program>;

 public:
  plan(binder const& bound, bound_arguments<Program> const& arguments, std::array<axis_list, Outputs> const& output_extents)
      : prepared_(bound.layout<Program>(), arguments), output_extents_(output_extents) {
    for (int k = 0; k < traits::load_count; ++k) loads_[k] = bound.range_of_load(k);
    for (int k = 0; k < traits::store_count; ++k) stores_[k] = bound.range_of_store(k);
    for (int k = 0; k < traits::scalar_count; ++k) scalar_inputs_[k] = bound.scalar_input(k);
    for (int i = 0; i < traits::store_count; ++i)
      for (int j = 0; j < traits::load_count; ++j) may_alias_[i * traits::load_count + j] = bound.may_alias(i, j);
  }

  axis_list const& output_extents(int k) const { return output_extents_[static_cast<std::size_t>(k)]; }
  Prepared const& prepared_launch() const { return prepared_; }

  // @pre inputs and outputs have the shapes, strides and alignments that the plan was made for
  void launch(argument const* inputs, long long const* scalars, argument const* outputs, stream on, expression_name const& name) const {
    bound_arguments<Program> arguments{};
    for (int k = 0; k < traits::load_count; ++k) arguments.loads[k] = address(inputs, loads_[k], name, loads_[k].argument);
    for (int k = 0; k < traits::store_count; ++k) arguments.stores[k] = const_cast<void*>(address(outputs, stores_[k], name, -1));
    for (int k = 0; k < traits::scalar_count; ++k) arguments.scalars[k] = scalars[scalar_inputs_[k]];
    check_overlap(inputs, loads_, traits::load_count, outputs, stores_, traits::store_count, may_alias_, name);
    prepared_.launch(arguments, on);
  }

 private:
  void const* address(argument const* arrays, operand_range const& range, expression_name const& name, int operand) const {
    argument const& array = arrays[range.argument];
    if (range.beyond > range.first) {
      if (!array.data) refuse_null(array, operand, name);
      prepared_.check_pointer(array.data, operand, name);
    }
    return static_cast<char const*>(array.data) + range.offset;
  }

  Prepared prepared_;
  std::array<axis_list, Outputs> output_extents_;
  operand_range loads_[at_least_one(traits::load_count)];
  operand_range stores_[at_least_one(traits::store_count)];
  int scalar_inputs_[at_least_one(traits::scalar_count)];
  bool may_alias_[at_least_one(traits::store_count * traits::load_count)];  // by store, then load
};

}  // namespace tenon::detail
