// SPDX-License-Identifier: Apache-2.0
// Layer normalisation with weights and what stands after it.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T, int Rank> void layer_norm_gelu(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto w, auto b) { return tn::gelu(tn::layer_norm(x, w, b)) * 1.2f + 0.1f; },
      "seed_layernorm_gelu");
  f.on(c.stream()).into(c.out<T, Rank>(3))(c.in<T, Rank>(0), c.in<T, 1>(1), c.in<T, 1>(2));
}

constexpr bench::entry entries[] = {
    {"seed_layernorm_gelu", "f32", 3, bench::guarded<layer_norm_gelu<float, 3>>},
    {"seed_layernorm_gelu", "bf16", 3, bench::guarded<layer_norm_gelu<tn::bfloat16, 3>>},
    {"seed_layernorm_gelu", "f32", 2, bench::guarded<layer_norm_gelu<float, 2>>},
    {"seed_layernorm_gelu", "bf16", 2, bench::guarded<layer_norm_gelu<tn::bfloat16, 2>>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
