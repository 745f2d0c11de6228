// SPDX-License-Identifier: Apache-2.0
#pragma once
// The object that a user calls: arguments → plan from the cache → one launch → results.

#include "tenon/capture/choice.hpp"
#include "tenon/runtime/call_checks.hpp"
#if defined(__CUDA_ARCH__)
#include "tenon/runtime/kernel_names.hpp"
#else
#include "tenon/runtime/runner.hpp"
#endif

namespace tenon {
namespace detail {

template <class Tensor>
Tensor make_result(axis_list const& extents, stream on) {
  typename Tensor::extent_array lengths{};
  for (int k = 0; k < extents.count; ++k) lengths[static_cast<std::size_t>(k)] = extents[k];
  return Tensor::with_extents(lengths, on);
}

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
  using allocating = runner_of<types::columns>;  // or writing to tensors
  using writing = runner_of<column_order::any>;  // to views, which have any layout

  static typename types::returned allocate([[maybe_unused]] stream on, [[maybe_unused]] expression_name const& name,
                                           [[maybe_unused]] Args const&... args) {
#if defined(__CUDA_ARCH__)
    allocating::name_kernels();
    __builtin_unreachable();
#else
    typename allocating::operands_type operands(allocating::device(), false);
    (operands.add(args), ...);
    auto const plan = allocating::cache().plan_of(operands.key(), [&] {
      call_arguments<types::input_count> erased;
      (erased.add(args), ...);
      return make_plan(allocating::about(), erased.inputs, nullptr, name);
    });
    auto results = make_results(*plan, on, std::make_integer_sequence<int, types::output_count>{});
    unpack(results.values, [&](auto&... tensors) {
      int k = 0;
      ((operands.outputs[k++] = tensors.data()), ...);
    });
    typename allocating::words_type words;
    plan->launch({operands.inputs, operands.scalars, operands.outputs}, words, on, name);
    if constexpr (types::is_single)
      return item<0>(std::move(results.values));
    else
      return results;
#endif
  }

  template <bool IntoTensors, class... Views>
  static void into([[maybe_unused]] value_pack<Views...> const& targets, [[maybe_unused]] stream on,
                   [[maybe_unused]] expression_name const& name, [[maybe_unused]] Args const&... args) {
    using runner = std::conditional_t<IntoTensors, allocating, writing>;
#if defined(__CUDA_ARCH__)
    runner::name_kernels();
#else
    typename runner::operands_type operands(runner::device(), true);
    (operands.add(args), ...);
    unpack(targets, [&](auto const&... views) { (operands.add_output(views), ...); });
    auto const plan = runner::cache().plan_of(operands.key(), [&] {
      call_arguments<types::input_count> erased;
      (erased.add(args), ...);
      return unpack(targets, [&](auto const&... views) {
        argument outputs[] = {erase(views)...};
        return make_plan(runner::about(), erased.inputs, outputs, name);
      });
    });
    typename runner::words_type words;
    plan->launch({operands.inputs, operands.scalars, operands.outputs}, words, on, name);
#endif
  }

 private:
  template <int... K>
  static auto make_results(auto const& plan, stream on, std::integer_sequence<int, K...>) {
    return tenon::outputs(make_result<std::tuple_element_t<K, typename types::results>>(plan.output_extents(K), on)...);
  }
};

}  // namespace detail

// A call with its stream and outputs chosen; made by executable::on and executable::into. IntoTensors: the outputs are
// views of whole tensors, if there are any.
template <class Function, bool IntoTensors, class... Outputs>
class prepared_call {
 public:
  prepared_call(expression_name const& name, stream on, detail::value_pack<Outputs...> targets)
      : name_(name), on_(on), outputs_(std::move(targets)) {}

  prepared_call on(stream s) const { return {name_, s, outputs_}; }
  template <class... Arrays>
  auto into(Arrays&&... targets) const {
    constexpr bool are_refused = (detail::is_refused<std::remove_cvref_t<Arrays>> || ...);
    constexpr bool are_arrays = (detail::is_array_argument<std::remove_cvref_t<Arrays>> && ...);
    static_assert(are_refused || are_arrays, "tenon: into: an output is neither a tensor nor a view; give one tensor or view for each result");
    if constexpr (are_arrays)
      return prepared_call<Function, (detail::is_tensor<std::remove_cvref_t<Arrays>> && ...), detail::writable_view<Arrays>...>(
          name_, on_, detail::value_pack<detail::writable_view<Arrays>...>(detail::writable(targets)...));
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
      detail::invocation<detail::signature<Function, Args...>>::template into<IntoTensors>(outputs_, on_, name_, args...);
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
    return on({})(args...);
  }
  // The stream to run and allocate on.
  prepared_call<Function, false> on(stream s) const { return {name_, s, {}}; }
  // Outputs that the caller owns: nothing is allocated.
  template <class... Arrays>
  auto into(Arrays&&... targets) const {
    return on({}).into(targets...);
  }

  constexpr expression_name const& name() const { return name_; }

 private:
  expression_name name_;
};

}  // namespace tenon
