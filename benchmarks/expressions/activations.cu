// SPDX-License-Identifier: Apache-2.0
// Activations of half types, their gradients, and gates whose halves lie behind or between each
// other.

#include <tenon/grad.hpp>

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

using half = tn::bfloat16;

void mish(bench::call const& c) {
  static auto const f = tn::compile([](auto x) { return tn::mish(x); }, "mish");
  f.on(c.stream()).into(c.out<half, 2>(1))(c.in<half, 2>(0));
}

void gelu_gradient(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto dy) { return tn::vjp([](auto v) { return tn::gelu(v); })(x, dy); },
      "gelu_gradient");
  f.on(c.stream()).into(c.out<half, 2>(2))(c.in<half, 2>(0), c.in<half, 2>(1));
}

void swiglu_of_halves(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto [gate, value] = tn::chunk(x, tn::axis<1>, tn::ct<2>);
        return tn::swiglu(gate, value);
      },
      "swiglu_of_halves");
  constexpr long long columns = 16384;  // parts of an axis have a length that is known here
  tn::view<half const, tn::dyn, columns> const x(c.data<half const>(0), c.extent(0, 0));
  f.on(c.stream()).into(c.out<half, 2>(1))(x);
}

void geglu_of_pairs(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto value = tn::slice(x, tn::axis<1>, tn::range<0, tn::end, 2>);
        return value * tn::gelu(tn::slice(x, tn::axis<1>, tn::range<1, tn::end, 2>));
      },
      "geglu_of_pairs");
  f.on(c.stream()).into(c.out<half, 2>(1))(c.in<half, 2>(0));
}

constexpr bench::entry entries[] = {
    {"mish", "bf16", 2, bench::guarded<mish>},
    {"gelu_gradient", "bf16", 2, bench::guarded<gelu_gradient>},
    {"swiglu_of_halves", "bf16", 2, bench::guarded<swiglu_of_halves>},
    {"geglu_of_pairs", "bf16", 2, bench::guarded<geglu_of_pairs>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
