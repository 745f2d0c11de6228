// SPDX-License-Identifier: Apache-2.0
// Sums along rows, alone or with those of planes and of everything, and the mean of such sums.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T> void sum_rows(bench::call const& c) {
  static auto const f = tn::compile([](auto x) { return tn::sum(x, tn::axis<1>); }, "sum_axis1");
  f.on(c.stream()).into(c.out<T, 1>(1))(c.in<T, 2>(0));
}

void nested_sums(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        return tn::outputs(tn::sum(x, tn::axis<-1>), tn::sum(x, tn::axis<-2, -1>), tn::sum(x));
      },
      "nested_sums");
  f.on(c.stream())
      .into(c.out<float, 2>(1), c.out<float, 1>(2), c.out<float, 0>(3))(c.in<float, 3>(0));
}

void seed_sum_mean(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto y) { return tn::mean(tn::sum(tn::relu((x + y) * 2.0f), tn::axis<1>)); },
      "seed_sum_mean");
  f.on(c.stream()).into(c.out<float, 0>(2))(c.in<float, 2>(0), c.in<float, 2>(1));
}

constexpr bench::entry entries[] = {
    {"sum_axis1", "f32", 2, bench::guarded<sum_rows<float>>},
    {"sum_axis1", "bf16", 2, bench::guarded<sum_rows<tn::bfloat16>>},
    {"nested_sums", "f32", 3, bench::guarded<nested_sums>},
    {"seed_sum_mean", "f32", 2, bench::guarded<seed_sum_mean>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
