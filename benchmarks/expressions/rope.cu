// SPDX-License-Identifier: Apache-2.0
// Rotary embedding of query and key heads, of which there are fewer, as they are or normalised.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

constexpr int query_heads = 32, key_heads = 8;
using half = tn::bfloat16;

// Of all heads beside each other -> those of queries and keys.
constexpr auto rotated = [](auto heads, auto cosines, auto sines) {
  auto turned =
      tn::rope(heads, tn::unsqueeze(cosines, tn::axis<1>), tn::unsqueeze(sines, tn::axis<1>));
  auto [of_q, of_k] =
      tn::split(tn::cast<half>(turned), tn::axis<2>, tn::lengths<query_heads, key_heads>);
  return tn::outputs(of_q, of_k);
};

void rope_gqa(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto q, auto k, auto cosines, auto sines) {
        return rotated(tn::cast<float>(tn::concat(q, k, tn::axis<2>)), cosines, sines);
      },
      "rope_gqa");
  f.on(c.stream())
      .into(c.out<half, 4>(4), c.out<half, 4>(5))(c.in<half, 4>(0), c.in<half, 4>(1),
                                                  c.in<float, 2>(2), c.in<float, 2>(3));
}

void qk_rmsnorm_rope(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto q, auto k, auto cosines, auto sines, auto wq, auto wk) {
        auto heads = tn::cast<float>(tn::concat(q, k, tn::axis<2>));
        auto mean = tn::mean(heads * heads, tn::axis<-1>, tn::keepdim);
        auto weight = tn::where(tn::iota(heads, tn::axis<2>) < query_heads, wq, wk);
        return rotated(heads * tn::rsqrt(mean + 1e-6f) * weight, cosines, sines);
      },
      "qk_rmsnorm_rope");
  f.on(c.stream())
      .into(c.out<half, 4>(6), c.out<half, 4>(7))(c.in<half, 4>(0), c.in<half, 4>(1),
                                                  c.in<float, 2>(2), c.in<float, 2>(3),
                                                  c.in<half, 1>(4), c.in<half, 1>(5));
}

constexpr bench::entry entries[] = {
    {"rope_gqa", "bf16", 4, bench::guarded<rope_gqa>},
    {"qk_rmsnorm_rope", "bf16", 4, bench::guarded<qk_rmsnorm_rope>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
