// SPDX-License-Identifier: Apache-2.0
// Losses of the logarithm of a softmax, alone or with their gradient.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

void entropy(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto log_p = tn::log_softmax(x, tn::axis<-1>);
        return -tn::sum(tn::exp(log_p) * log_p, tn::axis<-1>);
      },
      "entropy");
  f.on(c.stream()).into(c.out<float, 1>(1))(c.in<float, 2>(0));
}

void kl_div_value_grad(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto target) {
        auto log_p = tn::log_softmax(x, tn::axis<-1>);
        auto total = tn::sum(target, tn::axis<-1>, tn::keepdim);
        return tn::outputs(tn::kl_div_loss(log_p, target, tn::sum),
                           tn::exp(log_p) * total - target);
      },
      "kl_div_value_grad");
  f.on(c.stream())
      .into(c.out<float, 0>(2), c.out<float, 2>(3))(c.in<float, 2>(0), c.in<float, 2>(1));
}

constexpr bench::entry entries[] = {
    {"entropy", "f32", 2, bench::guarded<entropy>},
    {"kl_div_value_grad", "f32", 2, bench::guarded<kl_div_value_grad>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
