// SPDX-License-Identifier: Apache-2.0
#pragma once
// Axis sets as masks: bit k is axis k, for the library's axis<...> and for the references alike.

#include "tenon/capture/value.hpp"

template <unsigned Mask, int Axis = 0, int... Found> constexpr auto axes_of() {
  if constexpr ((Mask >> Axis) == 0)
    return tenon::axis<Found...>;
  else if constexpr (Mask >> Axis & 1u)
    return axes_of<Mask, Axis + 1, Found..., Axis>();
  else
    return axes_of<Mask, Axis + 1, Found...>();
}
