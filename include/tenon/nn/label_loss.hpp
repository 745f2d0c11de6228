// SPDX-License-Identifier: Apache-2.0
#pragma once
// Losses against class labels: cross_entropy of logits, nll_loss of logarithms of probabilities.

#include "tenon/capture/indexing.hpp"
#include "tenon/nn/options.hpp"

namespace tenon {

template <long long Label>
struct ignore_index_t {};
// Elements of this label take no part in the loss; -100 unless given.
template <long long Label>
inline constexpr ignore_index_t<Label> ignore_index{};

template <class Amount>
struct label_smoothing_t {
  Amount amount;
};
// cross_entropy(x, labels, tn::label_smoothing(0.1)): so much of each target is spread over all classes.
template <class Amount>
constexpr label_smoothing_t<Amount> label_smoothing(Amount amount) {
  return {amount};
}

template <class Weights>
struct class_weights_t {
  Weights weights;
};
// cross_entropy(x, labels, tn::class_weights(w)): a weight for each class, of rank 1.
template <class Weights>
constexpr class_weights_t<Weights> class_weights(Weights weights) {
  return {weights};
}

namespace detail {

struct max_reduction : log_sum_exp_reduction {
  template <class... Options>
  constexpr int operator()(graph& g, int id, unsigned axes, Options...) const {
    return build::project(g, op_id<ops::max_part>, build::reduce(g, op_id<ops::log_sum_exp>, id, axes));
  }
};
struct sum_of_exp_reduction : log_sum_exp_reduction {
  template <class... Options>
  constexpr int operator()(graph& g, int id, unsigned axes, Options...) const {
    return build::project(g, op_id<ops::sum_part>, build::reduce(g, op_id<ops::log_sum_exp>, id, axes));
  }
};
// The largest element m, and the sum of exp(x - m), in one pass.
inline constexpr function<reduction_body<max_reduction>> largest_of{};
inline constexpr function<reduction_body<sum_of_exp_reduction>> sum_of_exp{};

// What the options of a loss say, with the defaults of those that are not given.
template <class... Options>
inline constexpr long long ignored_label = -100;
template <long long Label, class... Rest>
inline constexpr long long ignored_label<ignore_index_t<Label>, Rest...> = Label;
template <class First, class... Rest>
inline constexpr long long ignored_label<First, Rest...> = ignored_label<Rest...>;

struct no_option {};
constexpr no_option smoothing_in() { return {}; }
template <class Amount, class... Rest>
constexpr auto smoothing_in(label_smoothing_t<Amount> first, Rest...) {
  return first.amount;
}
template <class First, class... Rest>
constexpr auto smoothing_in(First, Rest... rest) {
  return smoothing_in(rest...);
}
constexpr no_option weights_in() { return {}; }
template <class Weights, class... Rest>
constexpr auto weights_in(class_weights_t<Weights> first, Rest...) {
  return first.weights;
}
template <class First, class... Rest>
constexpr auto weights_in(First, Rest... rest) {
  return weights_in(rest...);
}
constexpr no_option reduction_in() { return {}; }
template <class First, class... Rest>
constexpr auto reduction_in(First first, Rest... rest) {
  if constexpr (is_function<First>)
    return first;
  else
    return reduction_in(rest...);
}
template <class T>
inline constexpr bool is_given = !std::is_same_v<T, no_option>;

// A weight of each class along axis Axis of Rank, where it broadcasts.
template <int Rank, int Axis, class Weights>
constexpr auto laid_along(Weights weights) {
  if constexpr (Weights::rank < Rank - Axis)
    return laid_along<Rank, Axis>(unsqueeze(weights, axis<-1>));
  else
    return weights;
}

// Terms gives the negated logarithm of the probability of one class and of all.
template <class Terms>
struct label_loss_body {
  template <dtype D, extent... E, dtype I, extent... F, class... Options>
  constexpr auto operator()(value<D, E...> const& x, value<I, F...> const& labels, Options... options) const {
    using operand = value<D, E...>;
    if constexpr (Terms::takes_probabilities && is_floating(I) && sizeof...(F) == sizeof...(E))
      return of_probabilities(x, labels, typename axis_option<Options..., axis_t<(operand::rank > 1 ? 1 : 0)>>::type{}, options...);
    else
      return of_labels(x, labels, options...);
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: cross_entropy: the arguments are not a value and labels; write tn::cross_entropy(x, labels), with the axis of classes if it is not the second");
    return refused{};
  }

 private:
  template <dtype D, extent... E, dtype I, extent... F, class... Options>
  static constexpr auto of_labels(value<D, E...> const& x, value<I, F...> const& labels, Options... options) {
    using operand = value<D, E...>;
    constexpr bool is_labelled = is_index<value<I, F...>> && sizeof...(F) + 1 == sizeof...(E);
    static_assert(is_labelled, "tenon: cross_entropy: the labels are not integers of the operand's shape without the axis of classes; give one class number for each element, as in [B] for [B, C]");
    if constexpr (!is_labelled)
      return refused{};
    else
      return apply(x, labels, typename axis_option<Options..., axis_t<(operand::rank > 1 ? 1 : 0)>>::type{}, options...);
  }
  // Of each class its probability times the term, with nothing to ignore; the mean is over the elements.
  template <class X, class Targets, int Axis, class... Options>
  static constexpr auto of_probabilities(X const& x, Targets const& given, axis_t<Axis>, Options... options) {
    if constexpr (!check_axes<X::rank, Axis>()) {
      return refused{};
    } else {
      constexpr int along = normalized(Axis, X::rank);
      auto epsilon = smoothing_in(options...);
      auto reduce = reduction_in(options...);
      auto terms = weighted_terms<along>(x, weights_in(options...));
      auto certain = sum(given * terms, axis<along>);
      auto loss = smoothed(certain, epsilon, [&] { return mean(terms, axis<along>); });
      if constexpr (is_given<decltype(reduce)>)
        return reduce(loss);
      else
        return mean(loss);
    }
  }
  template <class Certain, class Epsilon, class Spread>
  static constexpr auto smoothed(Certain certain, Epsilon epsilon, Spread const& spread) {
    if constexpr (is_given<Epsilon>)
      return (1 - epsilon) * certain + epsilon * spread();
    else
      return certain;
  }
  template <class X, class Labels, int Axis, class... Options>
  static constexpr auto apply(X const& x, Labels const& labels, axis_t<Axis>, Options... options) {
    if constexpr (!check_axes<X::rank, Axis>()) {
      return refused{};
    } else {
      constexpr int along = normalized(Axis, X::rank);
      constexpr long long ignored = ignored_label<Options...>;
      // A type that cannot hold the ignored label would take another one for it: -100 is 156 to u8.
      constexpr bool is_held = wrap(Labels::type, ignored) == ignored;
      auto classes = cast<std::conditional_t<is_held, storage_t<Labels::type>, long long>>(labels);
      return weighted<along>(x, classes != ignored, where(classes == ignored, 0, classes), options...);
    }
  }
  template <int Axis, class X, class IsValid, class Labels, class... Options>
  static constexpr auto weighted(X const& x, IsValid is_valid, Labels labels, Options... options) {
    auto weights = weights_in(options...);
    auto epsilon = smoothing_in(options...);
    auto weight = weight_of<X>(is_valid, labels, weights);
    auto picked = squeeze(take_along_axis(x, unsqueeze(labels, axis<Axis>), axis<Axis>), axis<Axis>);
    auto certain = where(is_valid, weight * Terms::of_class(x, axis<Axis>, picked), 0);
    if constexpr (is_given<decltype(epsilon)>) {
      auto spread = where(is_valid, mean(weighted_terms<Axis>(x, weights), axis<Axis>), 0);
      return finished((1 - epsilon) * certain + epsilon * spread, weight, options...);
    } else {
      return finished(certain, weight, options...);
    }
  }
  template <class X, class IsValid, class Labels, class Weights>
  static constexpr auto weight_of(IsValid is_valid, Labels labels, Weights weights) {
    if constexpr (is_given<Weights>)
      return where(is_valid, take(weights, labels, axis<0>), 0);
    else
      return cast<storage_t<X::type>>(is_valid);
  }
  template <int Axis, class X, class Weights>
  static constexpr auto weighted_terms(X const& x, Weights weights) {
    if constexpr (is_given<Weights>)
      return Terms::of_all(x, axis<Axis>) * laid_along<X::rank, Axis>(weights);
    else
      return Terms::of_all(x, axis<Axis>);
  }
  template <class Loss, class Weight, class... Options>
  static constexpr auto finished(Loss loss, Weight weight, Options... options) {
    auto reduce = reduction_in(options...);
    if constexpr (is_given<decltype(reduce)> && !std::is_same_v<decltype(reduce), std::remove_const_t<decltype(mean)>>)
      return reduce(loss);
    else
      return sum(loss) / sum(weight);
  }
};

// Of logits: log(sum(exp(x))) - x, in an order that keeps small differences of large numbers.
struct logit_terms {
  static constexpr bool takes_probabilities = true;
  static constexpr auto of_class(auto x, auto along, auto picked) { return (largest_of(x, along) - picked) + log(sum_of_exp(x, along)); }
  static constexpr auto of_all(auto x, auto along) {
    return (largest_of(x, along, keepdim) - x) + log(sum_of_exp(x, along, keepdim));
  }
};
struct log_probability_terms {
  static constexpr bool takes_probabilities = false;
  static constexpr auto of_class(auto, auto, auto picked) { return -picked; }
  static constexpr auto of_all(auto x, auto) { return -x; }
};

}  // namespace detail

// The mean of log(sum(exp(x))) - x[label] over the labels that are not ignored: (x, labels), with any of tn::axis<k>, the
// axis of classes (1, or 0 of a vector), tn::ignore_index<n>, tn::label_smoothing(0.1), tn::class_weights(w), tn::sum, tn::none.
// In the place of labels there may be a probability for each class, of the shape of x.
inline constexpr function<detail::label_loss_body<detail::logit_terms>> cross_entropy{};
// The same of x that are logarithms of probabilities already.
inline constexpr function<detail::label_loss_body<detail::log_probability_terms>> nll_loss{};

}  // namespace tenon
