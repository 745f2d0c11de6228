// SPDX-License-Identifier: Apache-2.0
// Numbers in a narrower type as they lie and transposed, with their largest magnitude.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

void fp8_and_transposed(bench::call const& c) {
  using narrow = tn::float8_e4m3;
  static auto const f = tn::compile(
      [](auto x) {
        auto values = tn::cast<float>(x);
        auto small = tn::cast<narrow>(values);
        return tn::outputs(small, tn::transpose(small), tn::max(tn::abs(values)));
      },
      "fp8_and_transposed");
  f.on(c.stream())
      .into(c.out<narrow, 2>(1), c.out<narrow, 2>(2), c.out<float, 0>(3))(
          c.in<tn::bfloat16, 2>(0));
}

constexpr bench::entry entries[] = {
    {"fp8_and_transposed", "bf16", 2, bench::guarded<fp8_and_transposed>}};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
