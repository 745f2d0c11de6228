// SPDX-License-Identifier: Apache-2.0
// Sums of what lies beside a channel, and of what lies before and behind it.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T> void channel_var_mean(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto [variance, mean] =
            tn::var_mean(tn::cast<float>(x), tn::axis<0, 2, 3>, tn::correction<0>);
        return tn::outputs(variance, mean);
      },
      "channel_var_mean");
  f.on(c.stream()).into(c.out<float, 1>(1), c.out<float, 1>(2))(c.in<T, 4>(0));
}

template <class T> void mean_axis1(bench::call const& c) {
  static auto const f = tn::compile([](auto x) { return tn::mean(x, tn::axis<1>); }, "mean_axis1");
  f.on(c.stream()).into(c.out<T, 2>(1))(c.in<T, 3>(0));
}

constexpr bench::entry entries[] = {
    {"channel_var_mean", "f32", 4, bench::guarded<channel_var_mean<float>>},
    {"channel_var_mean", "bf16", 4, bench::guarded<channel_var_mean<tn::bfloat16>>},
    {"mean_axis1", "bf16", 3, bench::guarded<mean_axis1<tn::bfloat16>>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
