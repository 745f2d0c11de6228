// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of rows.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T> void layer_norm(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x, auto w, auto b) { return tn::layer_norm(x, w, b); }, "layer_norm");
  f.on(c.stream()).into(c.out<T, 2>(3))(c.in<T, 2>(0), c.in<T, 1>(1), c.in<T, 1>(2));
}

constexpr bench::entry entries[] = {
    {"layer_norm", "f32", 2, bench::guarded<layer_norm<float>>},
    {"layer_norm", "bf16", 2, bench::guarded<layer_norm<tn::bfloat16>>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
