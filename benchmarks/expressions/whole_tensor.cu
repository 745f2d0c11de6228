// SPDX-License-Identifier: Apache-2.0
// Every element by a statistic of the whole tensor, or of its channel or group.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

void scale_by_norm(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) { return x * tn::minimum(1.0f / tn::sqrt(tn::sum(x * x)), 1.0f); }, "norm_scale");
  f.on(c.stream()).into(c.out<float, 1>(1))(c.in<float, 1>(0));
}

void standardize(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) { return (x - tn::mean(x)) * tn::rsqrt(tn::var(x, tn::correction<0>)); },
      "standardize");
  f.on(c.stream()).into(c.out<float, 1>(1))(c.in<float, 1>(0));
}

void batch_norm(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto mean = tn::mean(x, tn::axis<0, 2, 3>, tn::keepdim);
        auto variance = tn::var(x, tn::axis<0, 2, 3>, tn::keepdim, tn::correction<0>);
        return tn::outputs((x - mean) * tn::rsqrt(variance + 1e-5f), tn::mean(x, tn::axis<0, 2, 3>),
                           tn::var(x, tn::axis<0, 2, 3>, tn::correction<0>));
      },
      "batchnorm_train");
  f.on(c.stream())
      .into(c.out<float, 4>(1), c.out<float, 1>(2), c.out<float, 1>(3))(c.in<float, 4>(0));
}

void quantize(bench::call const& c) {
  using quantized = tn::float8_e4m3;
  static auto const f = tn::compile(
      [](auto x) {
        auto values = tn::cast<float>(x);
        auto scale = 448.0f / tn::maximum(tn::max(tn::abs(values)), 1e-12f);
        return tn::outputs(tn::cast<quantized>(values * scale), 1.0f / scale);
      },
      "fp8_tensorwise_quant");
  f.on(c.stream()).into(c.out<quantized, 2>(1), c.out<float, 0>(2))(c.in<tn::bfloat16, 2>(0));
}

constexpr bench::entry entries[] = {
    {"norm_scale", "f32", 1, bench::guarded<scale_by_norm>},
    {"standardize", "f32", 1, bench::guarded<standardize>},
    {"batchnorm_train", "f32", 4, bench::guarded<batch_norm>},
    {"fp8_tensorwise_quant", "bf16", 2, bench::guarded<quantize>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
