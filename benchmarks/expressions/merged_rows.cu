// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of rows that are merged of pieces which lie apart.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

using half = tn::bfloat16;

void merged_heads_layernorm(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto w, auto b) {
        auto const heads = tn::transpose(x, tn::axis<0, 2, 1, 3>);
        return tn::layer_norm(tn::flatten(heads, tn::axis<2, 3>), w, b);
      },
      "merged_heads_layernorm");
  f.on(c.stream()).into(c.out<half, 3>(3))(c.in<half, 4>(0), c.in<half, 1>(1), c.in<half, 1>(2));
}

void merged_patches_layernorm(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto w, auto b) {
        auto const halved = tn::reshape(x, tn::shape<-1, 28, 2, 28, 2, 96>);
        auto const patches = tn::transpose(halved, tn::axis<0, 1, 3, 4, 2, 5>);
        return tn::layer_norm(tn::flatten(patches, tn::axis<3, 5>), w, b);
      },
      "merged_patches_layernorm");
  f.on(c.stream()).into(c.out<half, 4>(3))(c.in<half, 4>(0), c.in<half, 1>(1), c.in<half, 1>(2));
}

void joined_layernorm(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x, auto y, auto w,
                     auto b) { return tn::layer_norm(tn::concat(x, y, tn::axis<1>), w, b); },
                  "joined_layernorm");
  f.on(c.stream())
      .into(c.out<half, 2>(4))(c.in<half, 2>(0), c.in<half, 2>(1), c.in<half, 1>(2),
                               c.in<half, 1>(3));
}

constexpr bench::entry entries[] = {
    {"joined_layernorm", "bf16", 2, bench::guarded<joined_layernorm>},
    {"merged_heads_layernorm", "bf16", 4, bench::guarded<merged_heads_layernorm>},
    {"merged_patches_layernorm", "bf16", 4, bench::guarded<merged_patches_layernorm>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
