// SPDX-License-Identifier: Apache-2.0
// Rows as 8-bit integers, each with a scale of its own.

#include <cstdint>

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

void rows_to_int8(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto values = tn::cast<float>(x);
        auto scale = tn::max(tn::abs(values), tn::axis<-1>, tn::keepdim) / 127.0f;
        return tn::outputs(tn::cast<std::int8_t>(tn::round(values / scale)),
                           tn::squeeze(scale, tn::axis<-1>));
      },
      "rows_to_int8");
  f.on(c.stream()).into(c.out<std::int8_t, 2>(1), c.out<float, 1>(2))(c.in<tn::bfloat16, 2>(0));
}

constexpr bench::entry entries[] = {{"rows_to_int8", "bf16", 2, bench::guarded<rows_to_int8>}};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
