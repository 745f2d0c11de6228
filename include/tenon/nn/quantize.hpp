// SPDX-License-Identifier: Apache-2.0
#pragma once
// Dynamic quantisation: a scale for each row or block from its largest magnitude, and the elements in units of it.

#include "tenon/capture/movement.hpp"
#include "tenon/nn/options.hpp"

namespace tenon {

// auto [values, scales] = tn::quantize<std::int8_t>(x, tn::axis<-1>);
template <class Values, class Scales>
struct quantized {
  Values values;
  Scales scales;
};

namespace detail {

// The largest magnitude that a quantised element has.
template <class T>
constexpr double largest_quantum() {
  if constexpr (dtype_of<T> == dtype::i8) return 127;
  else if constexpr (dtype_of<T> == dtype::f8_e4m3) return 448;
  else return 57344;
}

template <class T>
struct quantize_body {
  template <dtype D, extent... E, int... Axes>
  constexpr auto operator()(value<D, E...> const& x, axis_t<Axes...> along) const {
    constexpr bool is_known = is_floating(D) && (dtype_of<T> == dtype::i8 || is_float8(dtype_of<T>));
    static_assert(is_known, "tenon: quantize: the operand is not floating-point, or the type is neither int8 nor a float8; write tn::quantize<std::int8_t>(x, tn::axis<-1>)");
    if constexpr (!is_known) {
      return quantized<refused, refused>{};
    } else {
      auto wide = cast<float>(x);
      auto largest = max(abs(wide), along, keepdim);
      if constexpr (is_refused<decltype(largest)>) {
        return quantized<refused, refused>{};
      } else {
        // A row of zeros, or of what is too small for a scale, has scale 1: 0 / 0 would be NaN.
        auto unit = largest * static_cast<float>(1 / largest_quantum<T>());
        auto scales = where(unit == 0, 1.0f, unit);
        auto values = rounded(wide / scales);
        return quantized<decltype(values), decltype(scales)>{values, scales};
      }
    }
  }
  // A scale for each block of Size elements of the last axis, which is split in two.
  template <dtype D, extent... E, auto Size>
  constexpr auto operator()(value<D, E...> const& x, ct_t<Size>) const {
    return (*this)(blocks<Size>(x), axis<-1>);
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: quantize: the arguments are not a value and axes, or the size of blocks; write tn::quantize<std::int8_t>(x, tn::axis<-1>) or (x, tn::ct<128>)");
    return quantized<refused, refused>{};
  }

 private:
  static constexpr auto rounded(auto units) {
    constexpr auto most = static_cast<float>(largest_quantum<T>());
    if constexpr (dtype_of<T> == dtype::i8)
      return cast<T>(clamp(round(units), -most, most));
    else
      return cast<T>(clamp(units, -most, most));
  }
  template <class X, long long Size>
  struct blocked_shape {
    static constexpr type_shape compute() {
      type_shape result = X::extents;
      extent& last = result[X::rank - 1];
      if (last.is_static()) last.size /= Size;
      else last = extent();
      extent block;
      block.size = Size;
      result.push_back(block);
      return result;
    }
    static constexpr type_shape extents = compute();
  };
  template <long long Size, class X>
  static constexpr auto blocks(X const& x) {
    graph& g = *x.owner;
    dim const block = g.dims.constant(Size), blocks = g.dims.quotient(g[x.id].dims[X::rank - 1], block);
    return value_t<X::type, blocked_shape<X, Size>>{&g, split_axis(g, x.id, X::rank - 1, blocks, block, "quantize")};
  }
};

}  // namespace detail

// quantize<T>(x, axis) with T int8 or a float8: elements of T, and scales in float with extent 1 along the axes; of blocks,
// quantize<T>(x, tn::ct<128>): the last axis becomes [blocks, 128].
template <class T>
inline constexpr function<detail::quantize_body<T>> quantize{};
// dequantize(values, scales): their product, in float.
inline constexpr function dequantize{[](auto values, auto scales) { return cast<float>(values) * scales; }};

}  // namespace tenon
