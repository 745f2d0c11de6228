// SPDX-License-Identifier: Apache-2.0
// The gradients of a layer normalisation: of its operand along rows, of weight and bias along
// columns.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T> void layer_norm_backward(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto w, auto dy) {
        auto values = tn::cast<float>(x), gradient = tn::cast<float>(dy);
        auto [variance, mean] = tn::var_mean(values, tn::axis<-1>, tn::keepdim, tn::correction<0>);
        auto scale = tn::rsqrt(variance + 1e-5f);
        auto normal = (values - mean) * scale;
        auto h = gradient * w;
        auto dx = (h - tn::mean(h, tn::axis<-1>, tn::keepdim) -
                   normal * tn::mean(h * normal, tn::axis<-1>, tn::keepdim)) *
                  scale;
        return tn::outputs(tn::cast<T>(dx), tn::sum(gradient * normal, tn::axis<0>),
                           tn::sum(gradient, tn::axis<0>));
      },
      "layernorm_backward");
  f.on(c.stream())
      .into(c.out<T, 2>(3), c.out<float, 1>(4), c.out<float, 1>(5))(c.in<T, 2>(0), c.in<T, 1>(1),
                                                                    c.in<T, 2>(2));
}

constexpr bench::entry entries[] = {
    {"layernorm_backward", "f32", 2, bench::guarded<layer_norm_backward<float>>},
    {"layernorm_backward", "bf16", 2, bench::guarded<layer_norm_backward<tn::bfloat16>>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
