// SPDX-License-Identifier: Apache-2.0
// A row-major operand beside a transposed one.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T> void tanh_add_transposed(bench::call const& c) {
  static auto const f = tn::compile([](auto x, auto y) { return tn::tanh(x + tn::transpose(y)); },
                                    "tanh_add_transposed");
  f.on(c.stream()).into(c.out<T, 2>(2))(c.in<T, 2>(0), c.in<T, 2>(1));
}

constexpr bench::entry entries[] = {
    {"tanh_add_transposed", "f32", 2, bench::guarded<tanh_add_transposed<float>>},
    {"tanh_add_transposed", "bf16", 2, bench::guarded<tanh_add_transposed<tn::bfloat16>>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
