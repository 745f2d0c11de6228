// SPDX-License-Identifier: Apache-2.0
// Rows and square tiles as fp8, with the number that gives each back.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

using half = tn::bfloat16;
using narrow = tn::float8_e4m3;

// The largest magnitude along the axes becomes the largest number.
template <class X, int... Axes> constexpr auto quantized(X values, tn::axis_t<Axes...> along) {
  auto scale = 448.0f / tn::maximum(tn::max(tn::abs(values), along, tn::keepdim), 1e-12f);
  return tn::outputs(tn::cast<narrow>(values * scale), 1.0f / scale);
}

void swiglu_fp8(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto part = [&](auto k) { return tn::cast<float>(tn::select(x, tn::axis<1>, k)); };
        auto [values, factor] = quantized(tn::silu(part(tn::ct<0>)) * part(tn::ct<1>), tn::axis<1>);
        return tn::outputs(values, tn::squeeze(factor, tn::axis<1>));
      },
      "swiglu_fp8");
  f.on(c.stream()).into(c.out<narrow, 2>(1), c.out<float, 1>(2))(c.in<half, 3>(0));
}

void fp8_tiles(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto [values, factor] = quantized(tn::cast<float>(x), tn::axis<1, 3>);
        return tn::outputs(values, tn::squeeze(tn::squeeze(factor, tn::axis<3>), tn::axis<1>));
      },
      "fp8_tiles");
  f.on(c.stream()).into(c.out<narrow, 4>(1), c.out<float, 2>(2))(c.in<half, 4>(0));
}

constexpr bench::entry entries[] = {
    {"swiglu_fp8", "bf16", 3, bench::guarded<swiglu_fp8>},
    {"fp8_tiles", "bf16", 4, bench::guarded<fp8_tiles>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
