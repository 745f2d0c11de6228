// SPDX-License-Identifier: Apache-2.0
// Group normalisation of channels-first images, and what stands after it.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

void group_norm_silu(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) { return tn::silu(tn::group_norm(x, tn::ct<32>)); }, "groupnorm_silu");
  f.on(c.stream()).into(c.out<float, 4>(1))(c.in<float, 4>(0));
}

constexpr bench::entry entries[] = {{"groupnorm_silu", "f32", 4, bench::guarded<group_norm_silu>}};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
