// SPDX-License-Identifier: Apache-2.0
// Every element on its own, with one or several inputs and outputs.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

// For 1 and for 2 axes: large tensors, and the curve over sizes.
template <class T, int Rank> void relu_add_mul(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x, auto y) { return tn::relu((x + y) * 2.0f); }, "relu_add_mul");
  f.on(c.stream()).into(c.out<T, Rank>(2))(c.in<T, Rank>(0), c.in<T, Rank>(1));
}

void sin_plus_cos(bench::call const& c) {
  static auto const f = tn::compile([](auto x) { return tn::sin(x) + tn::cos(x); }, "sin_plus_cos");
  f.on(c.stream()).into(c.out<float, 2>(1))(c.in<float, 2>(0));
}

void adam(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto p, auto g, auto m, auto v) {
        auto new_m = 0.9f * m + 0.1f * g;
        auto new_v = 0.999f * v + 0.001f * g * g;
        return tn::outputs(p - 1e-3f * new_m / (tn::sqrt(new_v) + 1e-8f), new_m, new_v);
      },
      "adam");
  f.on(c.stream())
      .into(c.out<float, 1>(4), c.out<float, 1>(5), c.out<float, 1>(6))(
          c.in<float, 1>(0), c.in<float, 1>(1), c.in<float, 1>(2), c.in<float, 1>(3));
}

constexpr bench::entry entries[] = {
    {"relu_add_mul", "f32", 2, bench::guarded<relu_add_mul<float, 2>>},
    {"relu_add_mul", "bf16", 2, bench::guarded<relu_add_mul<tn::bfloat16, 2>>},
    {"relu_add_mul", "f32", 1, bench::guarded<relu_add_mul<float, 1>>},
    {"sin_plus_cos", "f32", 2, bench::guarded<sin_plus_cos>},
    {"adam", "f32", 1, bench::guarded<adam>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
