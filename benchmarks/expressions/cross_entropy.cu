// SPDX-License-Identifier: Apache-2.0
// The cross-entropy of rows of logits with integer labels, alone and with its gradient, and of
// images.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T> void cross_entropy(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x, auto labels) { return tn::cross_entropy(tn::cast<float>(x), labels); },
                  "cross_entropy_mean");
  f.on(c.stream()).into(c.out<float, 0>(2))(c.in<T, 2>(0), c.in<long long, 1>(1));
}

void cross_entropy_value_grad(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto labels, auto scale) {
        auto label = tn::unsqueeze(labels, tn::axis<-1>);
        auto total = tn::logsumexp(x, tn::axis<-1>, tn::keepdim);
        auto loss = tn::mean(total - tn::take_along_axis(x, label, tn::axis<-1>));
        auto chosen = tn::cast<float>(tn::iota(x, tn::axis<-1>) == label);
        return tn::outputs(loss, (tn::exp(x - total) - chosen) * scale);
      },
      "cross_entropy_value_grad");
  float const scale = 1.0f / static_cast<float>(c.extent(0, 0));
  f.on(c.stream())
      .into(c.out<float, 0>(2), c.out<float, 2>(3))(c.in<float, 2>(0), c.in<long long, 1>(1),
                                                    scale);
}

void image_cross_entropy(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto labels) {
        auto values = tn::cast<float>(x);
        auto label = tn::unsqueeze(labels, tn::axis<1>);
        auto chosen = tn::squeeze(tn::take_along_axis(values, label, tn::axis<1>), tn::axis<1>);
        return tn::mean(tn::logsumexp(values, tn::axis<1>) - chosen);
      },
      "image_cross_entropy");
  f.on(c.stream()).into(c.out<float, 0>(2))(c.in<tn::bfloat16, 3>(0), c.in<long long, 2>(1));
}

constexpr bench::entry entries[] = {
    {"cross_entropy_mean", "f32", 2, bench::guarded<cross_entropy<float>>},
    {"cross_entropy_mean", "bf16", 2, bench::guarded<cross_entropy<tn::bfloat16>>},
    {"image_cross_entropy", "bf16", 3, bench::guarded<image_cross_entropy>},
    {"cross_entropy_value_grad", "f32", 2, bench::guarded<cross_entropy_value_grad>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
