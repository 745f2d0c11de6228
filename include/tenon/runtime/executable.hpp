// SPDX-License-Identifier: Apache-2.0
#pragma once
// The object that a user calls: arguments → plan from the cache → one launch → results.

#include "tenon/capture/choice.hpp"
#include "tenon/runtime/plan.hpp"
#include "tenon/runtime/plan_cache.hpp"
#include "tenon/runtime/plan_key.hpp"
#include "tenon/runtime/call_checks.hpp"
#include "tenon/runtime/empty_reductions.hpp"

namespace tenon {
namespace detail {

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
  static void name_kernels() { prepared_type::name_kernels(); }

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

// The program is deduced here, so that no kernel is spelled through the lambda's type.
template <class Signature, column_order Columns, class Program>
runner<Signature, Program, Columns> runner_for(Program);

template <class Signature>
struct invocation;
template <class Function, class... Args>
struct invocation<signature<Function, Args...>> {
  using types = signature<Function, Args...>;
  template <column_order Columns>
  using runner_of = decltype(runner_for<types, Columns>(to_program<Function, argument_t<Args>...>()));
  using allocating = runner_of<types::columns>;
  using writing = runner_of<column_order::any>;  // to outputs of any layout

  // The pass of nvcc for the device needs the names of the kernels and the result's type, and would instantiate all the
  // rest for nothing.
  static typename types::returned allocate([[maybe_unused]] stream on, [[maybe_unused]] expression_name const& name,
                                           [[maybe_unused]] Args const&... args) {
#if defined(__CUDA_ARCH__)
    allocating::name_kernels();
    __builtin_unreachable();
#else
    typename allocating::operands_type operands(allocating::device(), false);
    (operands.add(args), ...);
    auto make = [&] {
      call_arguments<types::input_count> erased;
      (erased.add(args), ...);
      return allocating::make(erased, nullptr, name);
    };
    return allocating::cache().with(operands.key, make, [&](auto const& plan) {
      auto results = make_results(plan, on, std::make_integer_sequence<int, types::output_count>{});
      unpack(results.values, [&](auto&... tensors) {
        int k = 0;
        ((operands.outputs[k++] = tensors.data()), ...);
      });
      plan.launch(operands.inputs, operands.scalars, operands.outputs, on, name);
      if constexpr (types::is_single)
        return item<0>(std::move(results.values));
      else
        return results;
    });
#endif
  }

  template <class... Views>
  static void into([[maybe_unused]] value_pack<Views...> const& targets, [[maybe_unused]] stream on,
                   [[maybe_unused]] expression_name const& name, [[maybe_unused]] Args const&... args) {
#if defined(__CUDA_ARCH__)
    writing::name_kernels();
#else
    typename writing::operands_type operands(writing::device(), true);
    (operands.add(args), ...);
    unpack(targets, [&](auto const&... views) { (operands.add_output(views), ...); });
    auto make = [&] {
      call_arguments<types::input_count> erased;
      (erased.add(args), ...);
      return unpack(targets, [&](auto const&... views) {
        argument outputs[] = {erase(views)...};
        return writing::make(erased, outputs, name);
      });
    };
    writing::cache().with(operands.key, make, [&](auto const& plan) {
      plan.launch(operands.inputs, operands.scalars, operands.outputs, on, name);
    });
#endif
  }

 private:
  template <int... K>
  static auto make_results(auto const& plan, stream on, std::integer_sequence<int, K...>) {
    return tenon::outputs(make_result<std::tuple_element_t<K, typename types::results>>(plan.output_extents(K), on)...);
  }
  template <class Tensor>
  static Tensor make_result(axis_list const& extents, stream on) {
    typename Tensor::extent_array lengths{};
    for (int k = 0; k < extents.count; ++k) lengths[static_cast<std::size_t>(k)] = extents[k];
    return Tensor::with_extents(lengths, on);
  }
};

}  // namespace detail

// A call with its stream and outputs chosen; made by executable::on and executable::into.
template <class Function, class... Outputs>
class prepared_call {
 public:
  prepared_call(expression_name const& name, stream on, detail::value_pack<Outputs...> outputs)
      : name_(name), on_(on), outputs_(std::move(outputs)) {}

  prepared_call on(stream s) const { return {name_, s, outputs_}; }
  template <class... Arrays>
  auto into(Arrays&&... outputs) const {
    constexpr bool are_refused = (detail::is_refused<std::remove_cvref_t<Arrays>> || ...);
    constexpr bool are_arrays = (detail::is_array_argument<std::remove_cvref_t<Arrays>> && ...);
    static_assert(are_refused || are_arrays, "tenon: into: an output is neither a tensor nor a view; give one tensor or view for each result");
    if constexpr (are_arrays)
      return prepared_call<Function, detail::writable_view<Arrays>...>(
          name_, on_, detail::value_pack<detail::writable_view<Arrays>...>(detail::writable(outputs)...));
    else
      return refused{};
  }

  template <class... Args>
  auto operator()(Args const&... args) const {
    if constexpr ((detail::is_choice<Args> || ...))
      return detail::with_constants([&](auto const&... constants) { return (*this)(constants...); }, args...);
    else if constexpr (!detail::check_call<Function, Args...>())
      return detail::refused_call<Function, Args...>();
    else if constexpr (sizeof...(Outputs) == 0)
      return detail::invocation<detail::signature<Function, Args...>>::allocate(on_, name_, args...);
    else if constexpr (detail::check_outputs<detail::signature<Function, Args...>, Outputs...>())
      detail::invocation<detail::signature<Function, Args...>>::into(outputs_, on_, name_, args...);
  }

 private:
  expression_name name_;
  stream on_;
  detail::value_pack<Outputs...> outputs_;
};

// A compiled expression. It holds no data of its own beside its name; it may be copied, and called from many threads.
template <class Function>
class executable {
 public:
  using function_type = Function;
  constexpr explicit executable(expression_name name) : name_(name) {}

  // One launch; the results are allocated on the default stream.
  template <class... Args>
  auto operator()(Args const&... args) const {
    return prepared_call<Function>(name_, {}, {})(args...);
  }
  // The stream to run and allocate on.
  prepared_call<Function> on(stream s) const { return {name_, s, {}}; }
  // Outputs that the caller owns: nothing is allocated.
  template <class... Arrays>
  auto into(Arrays&&... outputs) const {
    return on({}).into(outputs...);
  }

  constexpr expression_name const& name() const { return name_; }

 private:
  expression_name name_;
};

}  // namespace tenon
