// SPDX-License-Identifier: Apache-2.0
// Rotary embedding of query and key heads, of which there are fewer, as they are or normalised.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

constexpr long long query_heads = 32, key_heads = 8;
using half = tn::bfloat16;

// [batch, length, Heads, size]
template <long long Heads, class T> auto heads_of(bench::call const& c, int argument, T* data) {
  return tn::view<T, tn::dyn, tn::dyn, Heads, tn::dyn>(
      data, c.extent(argument, 0), c.extent(argument, 1), c.extent(argument, 3));
}
template <long long Heads> auto in(bench::call const& c, int argument) {
  return heads_of<Heads>(c, argument, static_cast<half const*>(c.data<half>(argument)));
}
template <long long Heads> auto out(bench::call const& c, int argument) {
  return heads_of<Heads>(c, argument, c.data<half>(argument));
}

constexpr auto rotated = [](auto x, auto cosines, auto sines) {
  return tn::cast<half>(
      tn::rope(x, tn::unsqueeze(cosines, tn::axis<1>), tn::unsqueeze(sines, tn::axis<1>)));
};

void rope_gqa(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto q, auto k, auto cosines, auto sines) {
        return tn::outputs(rotated(tn::cast<float>(q), cosines, sines),
                           rotated(tn::cast<float>(k), cosines, sines));
      },
      "rope_gqa");
  f.on(c.stream())
      .into(out<query_heads>(c, 4), out<key_heads>(c, 5))(
          in<query_heads>(c, 0), in<key_heads>(c, 1), c.in<float, 2>(2), c.in<float, 2>(3));
}

void qk_rmsnorm_rope(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto q, auto k, auto cosines, auto sines, auto wq, auto wk) {
        auto const turned = [&](auto x, auto weight) {
          auto values = tn::cast<float>(x);
          auto mean = tn::mean(values * values, tn::axis<-1>, tn::keepdim);
          return rotated(values * tn::rsqrt(mean + 1e-6f) * weight, cosines, sines);
        };
        return tn::outputs(turned(q, wq), turned(k, wk));
      },
      "qk_rmsnorm_rope");
  f.on(c.stream())
      .into(out<query_heads>(c, 6), out<key_heads>(c, 7))(
          in<query_heads>(c, 0), in<key_heads>(c, 1), c.in<float, 2>(2), c.in<float, 2>(3),
          c.in<half, 1>(4), c.in<half, 1>(5));
}

constexpr bench::entry entries[] = {
    {"rope_gqa", "bf16", 4, bench::guarded<rope_gqa>},
    {"qk_rmsnorm_rope", "bf16", 4, bench::guarded<qk_rmsnorm_rope>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
