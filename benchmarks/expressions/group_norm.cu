// SPDX-License-Identifier: Apache-2.0
// Group normalisation of channels-first images, and what stands after it.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

// A group of whole channels is one run of memory: the images are read as rows of groups.
void group_norm_silu(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) { return tn::silu(tn::layer_norm(x, tn::axis<-1>)); }, "groupnorm_silu");
  static constexpr long long groups = 32;
  long long const samples = c.extent(0, 0),
                  length = c.extent(0, 1) / groups * c.extent(0, 2) * c.extent(0, 3);
  f.on(c.stream())
      .into(tn::view<float, tn::dyn, groups, tn::dyn>(c.data<float>(1), samples, length))(
          tn::view<float const, tn::dyn, groups, tn::dyn>(c.data<float>(0), samples, length));
}

constexpr bench::entry entries[] = {{"groupnorm_silu", "f32", 4, bench::guarded<group_norm_silu>}};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
