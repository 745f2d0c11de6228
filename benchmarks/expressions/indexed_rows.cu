// SPDX-License-Identifier: Apache-2.0
// Rows, and elements of rows, that an index names, and the gradient of taking them; the greatest
// elements of rows.

#include "harness/library.hpp"
#include "tenon/grad.hpp"

namespace tn = tenon;

namespace {

using half = tn::bfloat16;

void embedding_layernorm(bench::call const& c) {
  static auto const f =
      tn::compile([](auto table, auto index, auto w,
                     auto b) { return tn::layer_norm(tn::embedding(table, index), w, b); },
                  "embedding_layernorm");
  f.on(c.stream())
      .into(c.out<half, 2>(4))(c.in<half, 2>(0), c.in<long long, 1>(1), c.in<half, 1>(2),
                               c.in<half, 1>(3));
}

void embedding_gradient(bench::call const& c) {
  static auto const f =
      tn::compile(tn::vjp([](auto table, auto index) { return tn::embedding(table, index); }),
                  "embedding_gradient");
  f.on(c.stream())
      .into(c.out<half, 2>(3))(c.in<half, 2>(0), c.in<long long, 1>(1), c.in<half, 2>(2));
}

void label_log_probability(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto labels) {
        auto values = tn::cast<float>(x);
        auto label = tn::unsqueeze(labels, tn::axis<-1>);
        auto chosen = tn::take_along_axis(values, label, tn::axis<-1>);
        return tn::squeeze(chosen, tn::axis<-1>) - tn::logsumexp(values, tn::axis<-1>);
      },
      "label_log_probability");
  f.on(c.stream()).into(c.out<float, 1>(2))(c.in<half, 2>(0), c.in<long long, 1>(1));
}

void top8(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto [values, places] = tn::topk(tn::softmax(x, tn::axis<-1>), tn::axis<-1>, tn::ct<8>);
        return values;
      },
      "top8");
  f.on(c.stream()).into(c.out<float, 2>(1))(c.in<float, 2>(0));
}

void router(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto [shares, places] = tn::topk(tn::softmax(x, tn::axis<-1>), tn::axis<-1>, tn::ct<8>);
        return shares / tn::sum(shares, tn::axis<-1>, tn::keepdim);
      },
      "router");
  f.on(c.stream()).into(c.out<float, 2>(1))(c.in<float, 2>(0));
}

constexpr bench::entry entries[] = {
    {"embedding_layernorm", "bf16", 2, bench::guarded<embedding_layernorm>},
    {"embedding_gradient", "bf16", 2, bench::guarded<embedding_gradient>},
    {"label_log_probability", "bf16", 2, bench::guarded<label_log_probability>},
    {"top8", "f32", 2, bench::guarded<top8>},
    {"router", "f32", 2, bench::guarded<router>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
