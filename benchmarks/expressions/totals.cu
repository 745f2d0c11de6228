// SPDX-License-Identifier: Apache-2.0
// Reductions of the whole tensor, alone or beside an element-wise output.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T> void sum_squares(bench::call const& c) {
  static auto const f = tn::compile([](auto x) { return tn::sum(x * x); }, "sumsq_all");
  f.on(c.stream()).into(c.out<T, 0>(1))(c.in<T, 1>(0));
}

void variance(bench::call const& c) {
  static auto const f = tn::compile([](auto x) { return tn::var(x); }, "var_all");
  f.on(c.stream()).into(c.out<float, 0>(1))(c.in<float, 1>(0));
}

// The gradient's factor, 2 / n, is an argument.
void mse_value_grad(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto y, auto scale) {
        auto d = x - y;
        return tn::outputs(tn::mean(d * d), scale * d);
      },
      "mse_value_grad");
  float const scale = static_cast<float>(2.0 / static_cast<double>(c.extent(0, 0)));
  f.on(c.stream())
      .into(c.out<float, 0>(2), c.out<float, 1>(3))(c.in<float, 1>(0), c.in<float, 1>(1), scale);
}

constexpr bench::entry entries[] = {
    {"sumsq_all", "f32", 1, bench::guarded<sum_squares<float>>},
    {"sumsq_all", "bf16", 1, bench::guarded<sum_squares<tn::bfloat16>>},
    {"var_all", "f32", 1, bench::guarded<variance>},
    {"mse_value_grad", "f32", 1, bench::guarded<mse_value_grad>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
