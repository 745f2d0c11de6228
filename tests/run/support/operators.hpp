// SPDX-License-Identifier: Apache-2.0
#pragma once
// Every operator of the pointwise table through compiled expressions: several operators to a
// kernel, each compared with a function of the standard library, one of a line, or the
// reference that the laws hold it to.

#include <algorithm>
#include <boost/hana/concat.hpp>
#include <boost/hana/drop_front.hpp>
#include <boost/hana/filter.hpp>
#include <boost/hana/for_each.hpp>
#include <boost/hana/length.hpp>
#include <boost/hana/take_front.hpp>
#include <boost/hana/tuple.hpp>
#include <boost/hana/type.hpp>
#include <boost/hana/unpack.hpp>
#include <functional>
#include <map>
#include <string_view>

#include "run/support/arrays.hpp"
#include "run/support/close.hpp"

namespace operators {

namespace hana = boost::hana;
using oracle = double (*)(double, double, double);

inline double maximum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? std::nan("") : std::max(x, y);
}
inline double minimum(double x, double y) {
  return std::isnan(x) || std::isnan(y) ? std::nan("") : std::min(x, y);
}
// At minus infinity the limit is meant, which is zero.
template <double (*Activation)(double)> double with_limit(double x, double, double) {
  return std::isinf(x) && x < 0 ? 0 : Activation(x);
}

template <class Function> double bits_of(double x, double y, double) {
  return static_cast<double>(
      Function{}(static_cast<std::int64_t>(x), static_cast<std::int64_t>(y)));
}

inline std::map<std::string_view, oracle> const& oracles() {
  static std::map<std::string_view, oracle> const all{
      {"add", [](double x, double y, double) { return x + y; }},
      {"sub", [](double x, double y, double) { return x - y; }},
      {"mul", [](double x, double y, double) { return x * y; }},
      {"div", [](double x, double y, double) { return x / y; }},
      {"neg", [](double x, double, double) { return -x; }},
      {"abs", [](double x, double, double) { return std::fabs(x); }},
      {"square", [](double x, double, double) { return x * x; }},
      {"fma", [](double x, double y, double z) { return std::fma(x, y, z); }},
      {"sqrt", [](double x, double, double) { return std::sqrt(x); }},
      {"rsqrt", [](double x, double, double) { return 1 / std::sqrt(x); }},
      {"reciprocal", [](double x, double, double) { return 1 / x; }},
      {"pow", [](double x, double y, double) { return std::pow(x, y); }},
      {"exp", [](double x, double, double) { return std::exp(x); }},
      {"exp2", [](double x, double, double) { return std::exp2(x); }},
      {"expm1", [](double x, double, double) { return std::expm1(x); }},
      {"log", [](double x, double, double) { return std::log(x); }},
      {"log1p", [](double x, double, double) { return std::log1p(x); }},
      {"sin", [](double x, double, double) { return std::sin(x); }},
      {"cos", [](double x, double, double) { return std::cos(x); }},
      {"tanh", [](double x, double, double) { return std::tanh(x); }},
      {"erf", [](double x, double, double) { return std::erf(x); }},
      {"equal", [](double x, double y, double) { return double(x == y); }},
      {"not_equal", [](double x, double y, double) { return double(x != y); }},
      {"less", [](double x, double y, double) { return double(x < y); }},
      {"less_equal", [](double x, double y, double) { return double(x <= y); }},
      {"greater", [](double x, double y, double) { return double(x > y); }},
      {"greater_equal", [](double x, double y, double) { return double(x >= y); }},
      {"maximum", [](double x, double y, double) { return maximum(x, y); }},
      {"minimum", [](double x, double y, double) { return minimum(x, y); }},
      {"clamp", [](double x, double low, double high) { return minimum(maximum(x, low), high); }},
      {"where", [](double condition, double x, double y) { return condition != 0 ? x : y; }},
      {"logical_and", [](double x, double y, double) { return double(x != 0 && y != 0); }},
      {"logical_or", [](double x, double y, double) { return double(x != 0 || y != 0); }},
      {"logical_xor", [](double x, double y, double) { return double((x != 0) != (y != 0)); }},
      {"logical_not", [](double x, double, double) { return double(x == 0); }},
      {"bitwise_and", bits_of<std::bit_and<>>},
      {"bitwise_or", bits_of<std::bit_or<>>},
      {"bitwise_xor", bits_of<std::bit_xor<>>},
      {"relu", [](double x, double, double) { return reference::relu(x); }},
      {"sigmoid", [](double x, double, double) { return reference::sigmoid(x); }},
      {"silu", with_limit<reference::silu>},
      {"gelu", with_limit<reference::gelu>},
      {"gelu_tanh", with_limit<reference::gelu_tanh>},
      {"softplus", [](double x, double, double) { return reference::softplus(x); }},
  };
  return all;
}

template <class Op> double by_reference(double x, double y, double z) {
  if constexpr (requires { Op::reference(x); })
    return Op::reference(x);
  else if constexpr (requires { Op::reference(x, y); })
    return Op::reference(x, y);
  else
    return Op::reference(x, y, z);
}
template <class Op> oracle oracle_of() {
  if (auto const found = oracles().find(Op::name); found != oracles().end()) return found->second;
  if constexpr (requires { &Op::reference; })
    return by_reference<Op>;
  else
    return nullptr;
}

// What an exact result of the operator is in the result's dtype. An integer power of zero with a
// negative exponent is 0, and so is what floats would divide by zero.
inline double converted(double exact, tn::dtype to) {
  if (to == tn::dtype::boolean) return std::isfinite(exact) && exact != 0;
  if (tn::is_floating(to)) return exact;
  return std::isfinite(exact) ? std::trunc(exact) : 0;
}

// An operator that adds nothing for a dtype: functions of integers compute in float, as its own
// test shows. tests/run/ops has those whose result is more than a function of the numbers.
template <class Op, class T> constexpr bool is_tested() {
  for (std::string_view name : {"cast", "nextafter", "bitwise_not", "shift_left", "shift_right"})
    if (Op::name == name) return false;
  if constexpr (requires { Op::accepts(tn::dtype::f32); })
    if (!Op::accepts(tn::dtype_of<T>)) return false;
  bool const is_exact_rule =
      Op::rule.result(tn::dtype::i32) != tn::dtype::f32 || Op::name == "div" || Op::name == "sqrt";
  return tn::is_floating(tn::dtype_of<T>) || is_exact_rule;
}

template <class Op, class X, class Y, class Z> constexpr auto apply(X x, Y y, Z z) {
  constexpr tn::pointwise<Op> f{};
  if constexpr (Op::arity == 1)
    return f(x);
  else if constexpr (Op::arity == 2)
    return f(x, y);
  else if constexpr (Op::rule.first_promoted == 1)  // the first operand is a condition
    return f(x != 0, y, z);
  else
    return f(x, y, z);
}
template <class... Op> struct all_of {
  template <class X, class Y, class Z> constexpr auto operator()(X x, Y y, Z z) const {
    return tn::outputs(apply<Op>(x, y, z)...);
  }
};

// A third are special values, so that every pair of these meets.
template <class T> reference::doubles operand(std::int64_t count) {
  reference::doubles result = random_doubles<T>({count}, -4, 4);
  if constexpr (tn::is_floating(tn::dtype_of<T>)) {
    double const infinity = std::numeric_limits<double>::infinity();
    double const special[] = {0,   -0.0, 1,   -1,       0.5,       2,           -100,
                              100, 1e-3, 3e4, infinity, -infinity, std::nan("")};
    for (double& value : result.values)
      if (generator()() % 3 == 0) value = special[generator()() % std::size(special)];
  }
  return result;
}

template <class Op, class T, class Tensor>
void check_operator(Tensor const& tensor, reference::doubles const& x, reference::doubles const& y,
                    reference::doubles const& z) {
  constexpr tn::dtype result = Op::rule.result(tn::dtype_of<T>);
  static_assert(tn::dtype_of<typename Tensor::element_type> == result);
  oracle const wanted = oracle_of<Op>();
  ASSERT_NE(wanted, nullptr) << Op::name << " has no oracle; add a line";
  auto const exact = [&](double a, double b, double c) {
    return converted(wanted(a, b, c), result);
  };
  tolerance allowed{.arithmetic = 2 * Op::tolerance_ulp};
  // The cheap forms for half types are right to a quarter of their unit, and absolutely in the far
  // tails.
  if ((requires { &Op::eval_bf16; } && result == tn::dtype::bf16) ||
      (requires { &Op::eval_narrow; } && tn::is_narrow(result)))
    allowed.storage = 2, allowed.absolute = 0x1p-24;
  if (Op::name == "logaddexp") allowed.absolute = 0x1p-22;  // of a sum that may cancel
  check_close(result, result_of(tensor), reference::elementwise(exact, x, y, z), allowed,
              std::string(Op::name) + " of " + std::string(tn::name(tn::dtype_of<T>)));
}

template <class T, class... Op> void check_in_one_kernel(Op...) {
  constexpr std::int64_t count = 4099;
  array<T, 1> x({count}, arrangement::contiguous, operand<T>(count));
  array<T, 1> y({count}, arrangement::contiguous, operand<T>(count));
  array<T, 1> z({count}, arrangement::contiguous, operand<T>(count));
  auto const f = tn::compile(all_of<typename Op::type...>{}, "operators");
  auto const results = f(x.view(), y.view(), z.view());
  tn::detail::unpack(results.values, [&](auto const&... tensor) {
    (check_operator<typename Op::type, T>(tensor, x.values(), y.values(), z.values()), ...);
  });
}

// Few operators to a kernel keep it within the registers.
template <class T, std::size_t First, class Ops> void check_chunks(Ops ops) {
  constexpr std::size_t chunk = 12, total = decltype(hana::length(ops))::value;
  hana::unpack(hana::take_front_c<chunk>(hana::drop_front(ops, hana::size_c<First>)),
               [](auto... op) { check_in_one_kernel<T>(op...); });
  if constexpr (First + chunk < total) check_chunks<T, First + chunk>(ops);
}

template <class... Op> constexpr auto as_types(tn::type_list<Op...>) {
  return hana::tuple_t<Op...>;
}

template <class T> void check_table() {
  check_chunks<T, 0>(hana::filter(as_types(tn::ops::pointwise_table{}), [](auto op) {
    return hana::bool_c<is_tested<typename decltype(op)::type, T>()>;
  }));
}

}  // namespace operators
