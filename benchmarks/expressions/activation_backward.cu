// SPDX-License-Identifier: Apache-2.0
// The gradients of an activation of what a bias was added to.

#include "harness/library.hpp"
#include "tenon/grad.hpp"

namespace tn = tenon;

namespace {

using half = tn::bfloat16;

void silu_bias_backward(bench::call const& c) {
  static auto const f = tn::compile(tn::vjp([](auto x, auto bias) { return tn::silu(x + bias); }),
                                    "silu_bias_backward");
  f.on(c.stream())
      .into(c.out<half, 2>(3), c.out<half, 1>(4))(c.in<half, 2>(0), c.in<half, 1>(1),
                                                  c.in<half, 2>(2));
}

constexpr bench::entry entries[] = {
    {"silu_bias_backward", "bf16", 2, bench::guarded<silu_bias_backward>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
