// SPDX-License-Identifier: Apache-2.0
// Sums of what lies beside a channel, and of what lies before and behind it, and what is
// normalised by them.

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

// Of ConvNeXt V2, channels last: each channel's norm over that of all.
void global_response_norm(bench::call const& c) {
  using half = tn::bfloat16;
  static auto const f = tn::compile(
      [](auto x, auto w, auto b) {
        auto values = tn::cast<float>(x);
        auto norms = tn::l2_norm(values, tn::axis<1>, tn::keepdim);
        auto share = norms / (tn::mean(norms, tn::axis<2>, tn::keepdim) + 1e-6f);
        return tn::cast<half>(w * (values * share) + b + values);
      },
      "global_response_norm");
  f.on(c.stream()).into(c.out<half, 3>(3))(c.in<half, 3>(0), c.in<half, 1>(1), c.in<half, 1>(2));
}

constexpr bench::entry entries[] = {
    {"global_response_norm", "bf16", 3, bench::guarded<global_response_norm>},
    {"channel_var_mean", "f32", 4, bench::guarded<channel_var_mean<float>>},
    {"channel_var_mean", "bf16", 4, bench::guarded<channel_var_mean<tn::bfloat16>>},
    {"mean_axis1", "bf16", 3, bench::guarded<mean_axis1<tn::bfloat16>>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
