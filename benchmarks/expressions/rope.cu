// SPDX-License-Identifier: Apache-2.0
// Rotary embedding of query and key heads, of which there are fewer.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

constexpr int query_heads = 32, key_heads = 8;

void rope_gqa(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto q, auto k, auto cosines, auto sines) {
        auto heads = tn::cast<float>(tn::concat(q, k, tn::axis<2>));
        auto turned =
            tn::rope(heads, tn::unsqueeze(cosines, tn::axis<1>), tn::unsqueeze(sines, tn::axis<1>));
        auto [of_q, of_k] = tn::split(tn::cast<tn::bfloat16>(turned), tn::axis<2>,
                                      tn::lengths<query_heads, key_heads>);
        return tn::outputs(of_q, of_k);
      },
      "rope_gqa");
  using heads = tn::bfloat16;
  f.on(c.stream())
      .into(c.out<heads, 4>(4), c.out<heads, 4>(5))(c.in<heads, 4>(0), c.in<heads, 4>(1),
                                                    c.in<float, 2>(2), c.in<float, 2>(3));
}

constexpr bench::entry entries[] = {{"rope_gqa", "bf16", 4, bench::guarded<rope_gqa>}};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
