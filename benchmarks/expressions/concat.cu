// SPDX-License-Identifier: Apache-2.0
// Several operands one after the other.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

void concat_relu(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto... parts) { return tn::relu(tn::concat(parts..., tn::axis<0>)); }, "cat10_relu");
  [&]<int... K>(std::integer_sequence<int, K...>) {
    f.on(c.stream()).into(c.out<float, 2>(10))(c.in<float, 2>(K)...);
  }
  (std::make_integer_sequence<int, 10>{});
}

constexpr bench::entry entries[] = {{"cat10_relu", "f32", 2, bench::guarded<concat_relu>}};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
