// SPDX-License-Identifier: Apache-2.0
// A sum of four operands, and its layer normalisation.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T> void bias_residual_layer_norm(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto residual, auto bias, auto w) {
        auto h = x + bias + residual;
        return tn::outputs(h, tn::layer_norm(h) * w);
      },
      "bias_residual_layernorm");
  f.on(c.stream())
      .into(c.out<T, 2>(4), c.out<T, 2>(5))(c.in<T, 2>(0), c.in<T, 2>(1), c.in<T, 1>(2),
                                            c.in<T, 1>(3));
}

constexpr bench::entry entries[] = {
    {"bias_residual_layernorm", "f32", 2, bench::guarded<bias_residual_layer_norm<float>>},
    {"bias_residual_layernorm", "bf16", 2, bench::guarded<bias_residual_layer_norm<tn::bfloat16>>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
