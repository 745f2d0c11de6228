// SPDX-License-Identifier: Apache-2.0
#pragma once
// tn::explain: a call, not made but planned → what it is, what it becomes and what it costs.

#include "tenon/report/explanation_writer.hpp"
#include "tenon/runtime/executable.hpp"

namespace tenon {
namespace detail {

template <class Program, class Signature, class... Args>
explanation explain_call(Program, [[maybe_unused]] expression_name const& name, [[maybe_unused]] Args const&... args) {
#if defined(__CUDA_ARCH__)
  runner<Signature, Program, Signature::columns>::name_kernels();
  return {};
#else
  using space = typename Signature::space;
  call_arguments<Signature::input_count> erased;
  (erased.add(args), ...);
  call_facts facts{.name = name,
                   .about = &Signature::describe_in_full(),
                   .inputs = {erased.inputs, static_cast<std::size_t>(Signature::input_count)},
                   .space = space::name,
                   .is_on_device = std::is_same_v<space, cuda>};
  // The plan is the one that a call would use; it is made now when there is none yet, and not launched.
  using planner = runner<Signature, Program, Signature::columns>;
  typename planner::operands_type operands(planner::device(), false);
  (operands.add(args), ...);
  auto const plan = planner::cache().plan_of(operands.key(), [&] { return make_plan(planner::about(), erased.inputs, nullptr, name); });
  facts.configuration = plan->prepared_launch().description();
  add_layout(facts, plan->prepared_launch().layout());
  return explanation_writer(facts).write();
#endif
}

}  // namespace detail

// What `f(args...)` does, as a report for a person: std::cout << tn::explain(f, x, y). Nothing is launched.
template <class Function, class... Args>
explanation explain(executable<Function> const& f, Args const&... args) {
  if constexpr ((detail::is_choice<Args> || ...)) {
    return detail::with_constants([&](auto const&... constants) { return explain(f, constants...); }, args...);
  } else if constexpr (detail::check_call<Function, Args...>()) {
    using signature = detail::signature<Function, Args...>;
    return detail::explain_call<decltype(to_program<Function, detail::argument_t<Args>...>()), signature>(
        to_program<Function, detail::argument_t<Args>...>(), f.name(), args...);
  } else {
    return {};
  }
}

// The message that says why has been given.
template <class... Args>
explanation explain(refused const&, Args const&...) {
  return {};
}

// The same for the statement form: tn::explain(tn::softmax(x, tn::axis<-1>)).
template <class Fn, class... Args>
explanation explain(expression<Fn, Args...> const& source) {
  executable<detail::replay<expression<Fn, Args...>>> run(expression_name{"assignment", {}});
  return detail::with_leaves(source, [&](auto const&... leaves) { return explain(run, leaves...); });
}

}  // namespace tenon
