// SPDX-License-Identifier: Apache-2.0
// Reductions along rows and along columns of the same data.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

void sum_both(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) { return tn::outputs(tn::sum(x, tn::axis<0>), tn::sum(x, tn::axis<1>)); },
      "sum0_sum1");
  f.on(c.stream()).into(c.out<float, 1>(1), c.out<float, 1>(2))(c.in<float, 2>(0));
}

void largest_of_all(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        return tn::outputs(tn::max(x, tn::axis<0>), tn::max(x, tn::axis<1>), tn::max(x));
      },
      "amax0_amax1_amax");
  f.on(c.stream())
      .into(c.out<float, 1>(1), c.out<float, 1>(2), c.out<float, 0>(3))(c.in<float, 2>(0));
}

void sum_of_softmax(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) { return tn::sum(tn::softmax(x, tn::axis<-1>), tn::axis<0>); }, "softmax_sum0");
  f.on(c.stream()).into(c.out<float, 1>(1))(c.in<float, 2>(0));
}

constexpr bench::entry entries[] = {
    {"sum0_sum1", "f32", 2, bench::guarded<sum_both>},
    {"amax0_amax1_amax", "f32", 2, bench::guarded<largest_of_all>},
    {"softmax_sum0", "f32", 2, bench::guarded<sum_of_softmax>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
