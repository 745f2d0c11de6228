// SPDX-License-Identifier: Apache-2.0
// Group normalisation of images with their channels first, and with their channels last, and what
// stands after it.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

void group_norm_silu(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x) { return tn::silu(tn::group_norm(x, tn::ct<32>)); }, "groupnorm_silu");
  f.on(c.stream()).into(c.out<float, 4>(1))(c.in<float, 4>(0));
}

void group_norm_last(bench::call const& c) {
  using half = tn::bfloat16;
  constexpr int channels = 320, groups = 32;
  static auto const f = tn::compile(
      [](auto x, auto w, auto b) {
        auto values =
            tn::reshape(tn::cast<float>(x), tn::shape<-1, 4096, groups, channels / groups>);
        auto mean = tn::mean(values, tn::axis<1, 3>, tn::keepdim);
        auto variance = tn::var(values, tn::axis<1, 3>, tn::correction<0>, tn::keepdim);
        auto scaled = tn::reshape((values - mean) * tn::rsqrt(variance + 1e-5f),
                                  tn::shape<-1, 4096, channels>);
        return tn::cast<half>(tn::silu(scaled * w + b));
      },
      "group_norm_last");
  f.on(c.stream()).into(c.out<half, 3>(3))(c.in<half, 3>(0), c.in<half, 1>(1), c.in<half, 1>(2));
}

constexpr bench::entry entries[] = {
    {"groupnorm_silu", "f32", 4, bench::guarded<group_norm_silu>},
    {"group_norm_last", "bf16", 3, bench::guarded<group_norm_last>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
