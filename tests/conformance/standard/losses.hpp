// SPDX-License-Identifier: Apache-2.0
#pragma once
// Losses with integer labels.

#include "conformance/standard/support.hpp"

namespace standard {

enum class reduction { none, sum, mean };
struct nothing_ignored_t {};
inline constexpr nothing_ignored_t nothing_ignored{};

// Which class each element has; a label that is ignored need not be one.
template <class Labels, class Ignored> constexpr auto class_of(Labels labels, Ignored) {
  if constexpr (std::is_same_v<Ignored, nothing_ignored_t>)
    return labels;
  else
    return tn::where(labels == Ignored::constant, 0, labels);
}
// How much of each element the sum holds: its class's weight, 1 without weights, 0 where it is
// ignored.
template <class X, class Labels, class Ignored> constexpr auto share(X x, Labels labels, Ignored) {
  auto one = like(x, labels == labels);
  if constexpr (std::is_same_v<Ignored, nothing_ignored_t>)
    return one;
  else
    return tn::where(labels == Ignored::constant, 0, one);
}
template <class X, class Labels, class Ignored, class Weight>
constexpr auto share(X x, Labels labels, Ignored ignored, Weight weight) {
  return share(x, labels, ignored) * tn::take(weight, class_of(labels, ignored), axis<0>);
}

// x [N, C, ...] holds logarithms of probabilities, labels [N, ...] positions along C; weights are
// [C].
template <reduction Reduction, class X, class Labels, class Ignored, class... Weight>
constexpr auto nll(X x, Labels labels, Ignored ignored, Weight... weight) {
  auto at = tn::unsqueeze(class_of(labels, ignored), axis<1>);
  auto terms = -tn::squeeze(tn::take_along_axis(x, at, axis<1>), axis<1>);
  auto shares = share(x, labels, ignored, weight...);
  auto losses = terms * shares;
  if constexpr (Reduction == reduction::none)
    return losses;
  else if constexpr (Reduction == reduction::sum)
    return tn::sum(losses);
  else
    return tn::sum(losses) / tn::sum(shares);
}
// The loss, and the logarithms of the probabilities.
template <reduction Reduction, class X, class Labels, class Ignored, class... Weight>
constexpr auto softmax_cross_entropy(X x, Labels labels, Ignored ignored, Weight... weight) {
  auto log_probabilities = tn::log_softmax(x, axis<1>);
  return std::tuple(nll<Reduction>(log_probabilities, labels, ignored, weight...),
                    log_probabilities);
}

}  // namespace standard
