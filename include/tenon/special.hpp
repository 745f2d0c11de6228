// SPDX-License-Identifier: Apache-2.0
#pragma once
// Opt-in: the special functions lgamma, digamma, i0 and erfinv by name, to be used in expressions as those of tenon.hpp are.

#include "tenon/capture/functions.hpp"
#include "tenon/ops/special.hpp"

namespace tenon {

inline constexpr pointwise<ops::lgamma> lgamma{};
inline constexpr pointwise<ops::digamma> digamma{};
inline constexpr pointwise<ops::i0> i0{};
inline constexpr pointwise<ops::erfinv> erfinv{};

}  // namespace tenon
