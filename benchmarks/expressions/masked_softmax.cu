// SPDX-License-Identifier: Apache-2.0
// Softmax of attention scores: of the keys up to each query, and with a bias of each pair of
// positions.

#include <limits>

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T> void causal_softmax(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto is_seen = tn::iota(x, tn::axis<-1>) <= tn::iota(x, tn::axis<-2>);
        return tn::softmax(tn::where(is_seen, x, -std::numeric_limits<float>::infinity()),
                           tn::axis<-1>);
      },
      "causal_softmax");
  f.on(c.stream()).into(c.out<T, 3>(1))(c.in<T, 3>(0));
}

void biased_softmax(bench::call const& c) {
  using half = tn::bfloat16;
  static auto const f = tn::compile(
      [](auto x, auto bias) { return tn::softmax(x + bias, tn::axis<-1>); }, "biased_softmax");
  f.on(c.stream()).into(c.out<half, 4>(2))(c.in<half, 4>(0), c.in<half, 3>(1));
}

constexpr bench::entry entries[] = {
    {"causal_softmax", "f32", 3, bench::guarded<causal_softmax<float>>},
    {"causal_softmax", "bf16", 3, bench::guarded<causal_softmax<tn::bfloat16>>},
    {"biased_softmax", "bf16", 4, bench::guarded<biased_softmax>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
