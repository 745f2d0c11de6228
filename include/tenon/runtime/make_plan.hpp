// SPDX-License-Identifier: Apache-2.0
#pragma once
// The arguments of one call with their layouts → the plan of all calls of their shapes: what
// happens once for each.

#include "tenon/core/config.hpp"
#include "tenon/runtime/empty_reductions.hpp"
#include "tenon/runtime/plan.hpp"

TENON_ONCE_BEGIN
namespace tenon::detail {

// @pre add is called for every argument in order
template <int Inputs> struct call_arguments {
  argument inputs[at_least_one(Inputs)];
  int count = 0;

  template <class T> void add(T const& operand) {
    if constexpr (is_array_argument<T>)
      inputs[count++] = erase(operand);
    else if constexpr (std::is_arithmetic_v<T>)
      ++count;
  }
};

// What of an expression for one list of argument types a plan of it needs.
template <class Space> struct expression_facts {
  int input_count, output_count;
  program_facts program;
  description (*describe)();
  prepared<Space> (*prepare)(bound_layout&&, bound_arguments const&);
};

[[gnu::cold]] inline void check_output(argument const& target, axis_list const& extents, int k,
                                       expression_name const& name) {
  if (!(tenon::extents_of(target.layout) == extents))
    raise({.operation = "into",
           .problem = text("output ") << k << " has shape " << to_string(target.layout)
                                      << " where the result has " << to_string(extents),
           .remedy = "give a tensor of the result's shape",
           .shapes = to_string(target.layout) << " and " << to_string(extents)},
          name);
  if (overlaps_itself(target.layout))
    raise({.operation = "into",
           .problem = text("output ") << k << " of shape " << to_string(target.layout)
                                      << " holds several elements in one place",
           .remedy = "give an output without zero or overlapping strides"},
          name);
}

// The outputs as they are given, or fresh ones of the extents that the expression gives them.
[[gnu::cold]] inline constexpr_vector<argument> bound_outputs(description const& d,
                                                              dim_values const& lengths,
                                                              argument const* given, int count,
                                                              expression_name const& name) {
  constexpr_vector<argument> result;
  for (int k = 0; k < count; ++k) {
    axis_list const extents = lengths(d.final.outputs[k].dims);
    result.push_back(given ? given[k]
                           : argument{nullptr, row_major(extents), d.final.outputs[k].type});
    check_output(result[k], extents, k, name);
  }
  return result;
}

// `given` is null where the results are made for the call.
template <class Space>
[[gnu::cold, gnu::noinline]] plan<Space> make_plan(expression_facts<Space> const& about,
                                                   argument const* inputs, argument const* given,
                                                   expression_name const& name) {
  description const d = about.describe();
  array_view<argument const> in(inputs, static_cast<std::size_t>(about.input_count));
  dim_values lengths(d.final, in, name);
  refuse_empty_reductions(d.final, lengths, name);
  constexpr_vector<argument> const outputs =
      bound_outputs(d, lengths, given, about.output_count, name);
  array_view<argument const> out(outputs.begin(), static_cast<std::size_t>(about.output_count));
  binder bound(d, in, out, name);
  constexpr_vector<void const*> loads;
  constexpr_vector<void*> stores;
  constexpr_vector<long long> scalars(about.program.scalar_count, 0);
  for (int k = 0; k < about.program.load_count; ++k) {
    operand_range const range = bound.range_of_load(k);
    loads.push_back(start_of(range.argument < 0 ? nullptr : inputs[range.argument].data, range));
  }
  for (int k = 0; k < about.program.store_count; ++k) {
    operand_range const range = bound.range_of_store(k);
    stores.push_back(start_of(outputs[range.argument].data, range));
  }
  bound_arguments const addresses{loads.begin(), stores.begin(), scalars.begin()};
  bool has_results = false;
  for (argument const& output : outputs) has_results = has_results || size(output.layout) > 0;
  bound_layout layout = bound.layout(about.program);
  return {about.program, bound,
          has_results ? about.prepare(std::move(layout), addresses)
                      : prepared<Space>::of_nothing(std::move(layout)),
          in, out};
}

}  // namespace tenon::detail
TENON_ONCE_END
