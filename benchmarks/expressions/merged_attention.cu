// SPDX-License-Identifier: Apache-2.0
// Two parts of an attention, of other keys, as one: values of each row beside all elements.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

using half = tn::bfloat16;

void merged_attention(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto first, auto first_sum, auto second, auto second_sum) {
        auto total = tn::logaddexp(first_sum, second_sum);
        auto share = [&](auto sum) { return tn::unsqueeze(tn::exp(sum - total), tn::axis<-1>); };
        return tn::outputs(tn::cast<half>(first * share(first_sum) + second * share(second_sum)),
                           total);
      },
      "merged_attention");
  f.on(c.stream())
      .into(c.out<half, 3>(4), c.out<float, 2>(5))(c.in<half, 3>(0), c.in<float, 2>(1),
                                                   c.in<half, 3>(2), c.in<float, 2>(3));
}

constexpr bench::entry entries[] = {
    {"merged_attention", "bf16", 3, bench::guarded<merged_attention>}};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
