// SPDX-License-Identifier: Apache-2.0
#pragma once
// The arguments of one call of one program → its plan, from the cache or made.

#include "tenon/runtime/empty_reductions.hpp"
#include "tenon/runtime/plan.hpp"
#include "tenon/runtime/plan_cache.hpp"
#include "tenon/runtime/plan_key.hpp"
#include "tenon/runtime/signature.hpp"

namespace tenon::detail {

// The arguments of one call with their layouts, for what happens once for each plan.
// @pre add is called for every argument in order
template <int Inputs>
struct call_arguments {
  argument inputs[at_least_one(Inputs)];
  int count = 0;

  template <class T>
  void add(T const& operand) {
    if constexpr (is_array_argument<T>)
      inputs[count++] = erase(operand);
    else if constexpr (std::is_arithmetic_v<T>)
      ++count;
  }
};

[[gnu::cold]] inline void check_output(argument const& target, axis_list const& extents, int k, expression_name const& name) {
  if (!(tenon::extents_of(target.layout) == extents))
    raise({.operation = "into",
           .problem = text("output ") << k << " has shape " << to_string(target.layout) << " where the result has " << to_string(extents),
           .remedy = "give a tensor of the result's shape",
           .shapes = to_string(target.layout) << " and " << to_string(extents)},
          name);
  if (overlaps_itself(target.layout))
    raise({.operation = "into",
           .problem = text("output ") << k << " of shape " << to_string(target.layout) << " holds several elements in one place",
           .remedy = "give an output without zero or overlapping strides"},
          name);
}

// The outputs as they are given, or fresh ones of the extents that the expression gives them.
[[gnu::cold]] inline void bind_outputs(description const& d, dim_values const& lengths,
                                       argument const* given, array_view<argument> targets,
                                       expression_name const& name) {
  for (int k = 0; k < static_cast<int>(targets.size()); ++k) {
    axis_list const extents = lengths(d.final.outputs[k].dims);
    argument& target = targets[static_cast<std::size_t>(k)];
    target = given ? given[k] : argument{nullptr, row_major(extents), d.final.outputs[k].type};
    check_output(target, extents, k, name);
  }
}

inline void* start_of(argument const* arrays, operand_range const& range) {
  if (range.argument < 0) return reinterpret_cast<void*>(static_cast<std::intptr_t>(range.offset));
  return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(arrays[range.argument].data) + static_cast<std::uintptr_t>(range.offset));
}

// One expression for one list of argument types and one program: its plans. Kernels for operands whose rows are
// neighbours in memory are left out where the types say that none are.
template <class Signature, class Program, column_order Columns>
class runner {
  using space = typename Signature::space;
  static constexpr int inputs = Signature::input_count, outputs = Signature::output_count;
  using prepared_type = prepared<space, Program, Signature::family, Columns>;
  using plan_type = plan<Program, prepared_type, inputs, outputs>;

 public:
  using operands_type = call_operands<inputs, outputs, Signature::shape_words>;
  using cache_type = plan_cache<typename operands_type::key_type, plan_type>;
  static cache_type& cache() {
    static cache_type instance;
    return instance;
  }
  static int device() { return prepared_type::device(); }

  // `given` is null where the results are made for the call.
  [[gnu::cold, gnu::noinline]] static plan_type make(call_arguments<inputs> const& arguments,
                                                     argument const* given,
                                                     expression_name const& name) {
    description const& d = Signature::describe();
    array_view<argument const> in(arguments.inputs, static_cast<std::size_t>(inputs));
    dim_values lengths(d.final, in, name);
    refuse_empty_reductions(d.final, lengths, name);
    argument storage[outputs];
    array_view<argument> targets(storage, static_cast<std::size_t>(outputs));
    bind_outputs(d, lengths, given, targets, name);
    binder bound(d, in, targets, name);
    bound_arguments<Program> addresses{};
    for (int k = 0; k < program_traits<Program>::load_count; ++k)
      addresses.loads[k] = start_of(arguments.inputs, bound.range_of_load(k));
    for (int k = 0; k < program_traits<Program>::store_count; ++k)
      addresses.stores[k] = start_of(storage, bound.range_of_store(k));
    return plan_type(bound, addresses, in, targets);
  }
};

}  // namespace tenon::detail
