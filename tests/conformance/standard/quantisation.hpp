// SPDX-License-Identifier: Apache-2.0
#pragma once
// Quantisation to integers and back.

#include "conformance/standard/support.hpp"

namespace standard {

// A scale of one value, one for each position of an axis, or one for each element.
template <int Axis, class X, class Scale> constexpr auto per_axis(X, Scale scale) {
  if constexpr (Scale::rank != 1 || X::rank <= Axis)
    return scale;
  else
    return beside<Axis, X::rank>(scale);
}

template <class T>
inline constexpr double lowest = static_cast<double>(std::numeric_limits<T>::lowest());
template <class T>
inline constexpr double highest = static_cast<double>(std::numeric_limits<T>::max());

// Rounded half to even, then saturated to the type of the zero point.
template <int Axis, class X, class Scale, class Zero>
constexpr auto quantize(X x, Scale scale, Zero zero) {
  using target = tn::storage_t<Zero::type>;
  auto rounded = tn::round(x / per_axis<Axis>(x, scale)) + tn::cast<float>(per_axis<Axis>(x, zero));
  return tn::cast<target>(tn::clamp(rounded, lowest<target>, highest<target>));
}
template <int Axis, class X, class Scale> constexpr auto quantize(X x, Scale scale) {
  return tn::cast<std::uint8_t>(tn::clamp(tn::round(x / per_axis<Axis>(x, scale)), 0, 255));
}
template <int Axis, class X, class Scale, class... Zero>
constexpr auto dequantize(X x, Scale scale, Zero... zero) {
  auto whole = [&] {
    if constexpr (sizeof...(zero) == 1)
      return tn::cast<std::int32_t>(x) - tn::cast<std::int32_t>(per_axis<Axis>(x, zero...));
    else
      return tn::cast<std::int32_t>(x);
  }();
  return like(scale, tn::cast<float>(whole) * per_axis<Axis>(x, scale));
}
// The quantised value, its scale and its zero point; the range always holds 0.
template <class X> constexpr auto dynamic_quantize(X x) {
  auto low = tn::minimum(tn::min(x), 0), high = tn::maximum(tn::max(x), 0);
  auto scale = (high - low) / 255;
  auto zero = tn::clamp(tn::round(-low / scale), 0, 255);
  auto y = tn::cast<std::uint8_t>(tn::clamp(tn::round(x / scale) + zero, 0, 255));
  return std::tuple(y, scale, tn::cast<std::uint8_t>(zero));
}

}  // namespace standard
