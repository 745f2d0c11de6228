// SPDX-License-Identifier: Apache-2.0
// Windows of images, differences of neighbours added up, and columns with statistics of their own.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

using half = tn::bfloat16;

void average_pool(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto windows = tn::reshape(x, tn::shape<16, 64, 64, 2, 64, 2>);
        return tn::mean(windows, tn::axis<3, 5>);
      },
      "average_pool");
  tn::view<half, 16, 64, 64, 64> const pooled(c.out<half, 4>(1).data());
  f.on(c.stream()).into(pooled)(tn::view<half const, 16, 64, 128, 128>(c.in<half, 4>(0).data()));
}

void total_variation(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto before = tn::slice(x, tn::axis<1>, tn::range<0, -1>);
        auto behind = tn::slice(x, tn::axis<1>, tn::range<1, tn::end>);
        return tn::sum(tn::cast<float>(tn::abs(behind - before)));
      },
      "total_variation");
  f.on(c.stream()).into(c.out<float, 0>(1))(c.in<half, 2>(0));
}

void standardize_columns(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto mean = tn::mean(x, tn::axis<0>, tn::keepdim);
        auto variance = tn::var(x, tn::axis<0>, tn::correction<0>, tn::keepdim);
        return (x - mean) * tn::rsqrt(variance + 1e-5f);
      },
      "standardize_columns");
  f.on(c.stream()).into(c.out<float, 2>(1))(c.in<float, 2>(0));
}

constexpr bench::entry entries[] = {
    {"average_pool", "bf16", 4, bench::guarded<average_pool>},
    {"total_variation", "bf16", 2, bench::guarded<total_variation>},
    {"standardize_columns", "f32", 2, bench::guarded<standardize_columns>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
