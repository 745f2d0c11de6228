// SPDX-License-Identifier: Apache-2.0
#pragma once
// rand, randn, bernoulli and dropout. Their numbers are functions of the seed, the stream and the element's position: a call
// with the same seed has the same ones, on every backend and however the expression is scheduled.

#include "tenon/capture/indexing.hpp"

namespace tenon {
namespace detail {

// A seed or stream as a value of the graph.
template <class X, dtype D>
constexpr value<D> random_key(X const&, value<D> number) {
  return number;
}
template <class X, class Number> requires is_literal<Number>
constexpr value<dtype::i64> random_key(X const& x, Number number) {
  return {x.owner, build::integer_literal(*x.owner, dtype::i64, static_cast<long long>(number))};
}
template <class Seed>
constexpr bool is_seed() {
  if constexpr (is_number<Seed>)  // of a statement
    return !is_floating(Seed::type);
  else
    return std::is_integral_v<Seed> || is_ct<Seed> || (is_value<Seed> && extents_of<Seed>().size() == 0);
}
template <class X, class Seed, class Stream>
constexpr bool are_keys() {
  return is_seed<Seed>() && (std::is_integral_v<Stream> || is_ct<Stream>);
}

// Op of the positions in the shape of x.
template <class Op, class X, class Seed, class Stream>
constexpr auto random_of(X const& x, Seed seed, Stream stream) {
  graph& g = *x.owner;
  int position = build::position_along(g, dim_list(g[x.id].dims), (1u << X::rank) - 1);
  auto key = random_key(x, seed);
  auto number = random_key(x, stream);
  int drawn = build::pointwise(g, op_id<Op>, {{key.id, number.id, position}, 3});
  return value_t<Op::rule.result(dtype::i64), shape_of<X>>{&g, drawn};
}

// In [0, 1): as many random bits as the significand of a float, or of a double, has.
template <class X, class Seed, class Stream>
constexpr auto uniform_of(X const& x, Seed seed, Stream stream) {
  if constexpr (X::type == dtype::f64)
    return cast<double>(shift_right(random_of<ops::random_bits_64>(x, seed, stream), 11)) * 0x1p-53;
  else
    return cast<float>(shift_right(random_of<ops::random_bits>(x, seed, stream), 8)) * 0x1p-24f;
}

enum class distribution : unsigned char { uniform, normal, bernoulli };

template <distribution Which>
struct random_body {
  template <dtype D, extent... E, class Seed, class Stream = ct_t<0>>
  constexpr auto operator()(value<D, E...> const& x, Seed seed, Stream stream = {}) const {
    constexpr bool is_float = is_floating(D), is_keyed = are_keys<value<D, E...>, Seed, Stream>();
    static_assert(is_float, "tenon: random: the operand is not floating-point; its shape and dtype are those of the numbers, so cast it first");
    static_assert(is_keyed, "tenon: random: the seed is not an integer of rank 0, or the stream no build-time integer; pass the seed as an argument of the call, as in tn::rand(x, seed) or tn::rand(x, seed, tn::ct<1>)");
    if constexpr (!is_float || !is_keyed)
      return refused{};
    else if constexpr (Which == distribution::normal)
      return in_type<D>(random_of<ops::random_normal>(x, seed, stream));
    else if constexpr (Which == distribution::bernoulli)
      return cast<storage_t<D>>(uniform_of(x, seed, stream) < x);
    else
      return rounded_down<D>(uniform_of(x, seed, stream));
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: random: the arguments are not a value and a seed; write tn::rand(x, seed), where x gives shape and dtype");
    return refused{};
  }

 private:
  template <dtype D, class Value>
  static constexpr auto in_type(Value v) {
    return cast<storage_t<D>>(v);
  }
  // A narrow type would round numbers near 1 up to it: only the bits that it holds are used.
  template <dtype D, class Value>
  static constexpr auto rounded_down(Value u) {
    if constexpr (D == dtype::f16) return in_type<D>(floor(u * 0x1p11f) * 0x1p-11f);
    else if constexpr (D == dtype::bf16) return in_type<D>(floor(u * 0x1p8f) * 0x1p-8f);
    else if constexpr (D == dtype::f8_e4m3) return in_type<D>(floor(u * 0x1p4f) * 0x1p-4f);
    else if constexpr (D == dtype::f8_e5m2) return in_type<D>(floor(u * 0x1p3f) * 0x1p-3f);
    else return in_type<D>(u);
  }
};

struct dropout_body {
  template <dtype D, extent... E, class Probability, class Seed, class Stream = ct_t<0>>
  constexpr auto operator()(value<D, E...> const& x, Probability p, Seed seed, Stream stream = {}) const {
    constexpr bool is_float = is_floating(D), is_keyed = are_keys<value<D, E...>, Seed, Stream>();
    static_assert(is_float, "tenon: random: the operand is not floating-point; its shape and dtype are those of the numbers, so cast it first");
    static_assert(is_keyed, "tenon: random: the seed is not an integer of rank 0, or the stream no build-time integer; pass the seed as an argument of the call, as in tn::rand(x, seed) or tn::rand(x, seed, tn::ct<1>)");
    if constexpr (is_float && is_keyed)
      return where(uniform_of(x, seed, stream) >= p, x * scale_of_kept(p), 0);
    else
      return refused{};
  }
  template <class... A>
  constexpr auto operator()(A const&...) const {
    static_assert(is_known_form<A...>, "tenon: dropout: the arguments are not a value, a probability and a seed; write tn::dropout(x, 0.1, seed)");
    return refused{};
  }

 private:
  // 1 / (1 - p); where nothing is kept it is 0: an infinite one would be in the gradient.
  template <class Probability>
  static constexpr auto scale_of_kept(Probability p) {
    if constexpr (is_literal<Probability>)
      return p < 1 ? 1 / (1 - p) : decltype(1 / (1 - p))(0);
    else
      return where(p < 1, 1 / (1 - p), 0);
  }
};

}  // namespace detail

// Uniform in [0, 1), in the shape and dtype of x: (x, seed) or (x, seed, tn::ct<stream>). Two calls of one expression that
// are to differ have different streams.
inline constexpr function<detail::random_body<detail::distribution::uniform>> rand{};
// Normal, with mean 0 and variance 1.
inline constexpr function<detail::random_body<detail::distribution::normal>> randn{};
// bernoulli(p, seed): 1 with probability p, element by element, else 0.
inline constexpr function<detail::random_body<detail::distribution::bernoulli>> bernoulli{};
// dropout(x, p, seed): 0 with probability p, else x / (1 - p).
inline constexpr function<detail::dropout_body> dropout{};

}  // namespace tenon
