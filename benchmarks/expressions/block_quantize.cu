// SPDX-License-Identifier: Apache-2.0
// A normalised row quantised by blocks of 32 columns, each with its scale.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

void rmsnorm_blockquant(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto w) {
        auto values = tn::cast<float>(x);
        auto mean = tn::mean(values * values, tn::axis<-1>, tn::keepdim);
        auto normal = tn::cast<tn::bfloat16>(values * tn::rsqrt(mean + 1e-6f) * w);
        auto y = tn::cast<float>(normal);
        auto largest = tn::block_max(tn::abs(y), tn::axis<-1>, tn::ct<32>);
        auto scale = 448.0f / tn::maximum(largest, 1e-12f);
        return tn::outputs(tn::cast<tn::float8_e4m3>(y * scale),
                           tn::slice(1.0f / scale, tn::axis<-1>, tn::range<0, tn::end, 32>));
      },
      "rmsnorm_blockquant");
  using half = tn::bfloat16;
  f.on(c.stream())
      .into(c.out<tn::float8_e4m3, 2>(2), c.out<float, 2>(3))(c.in<half, 2>(0), c.in<half, 1>(1));
}

constexpr bench::entry entries[] = {
    {"rmsnorm_blockquant", "bf16", 2, bench::guarded<rmsnorm_blockquant>}};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
