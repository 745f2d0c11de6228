// SPDX-License-Identifier: Apache-2.0
// Pointwise expressions of operands that are there more than once: biases, scales, lengths.

#include <cstdint>

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

using half = tn::bfloat16;

void bias_gelu(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x, auto bias) { return tn::gelu(x + bias); }, "bias_gelu");
  f.on(c.stream()).into(c.out<half, 2>(2))(c.in<half, 2>(0), c.in<half, 1>(1));
}

void normalize_rows(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto mean, auto inverse, auto w, auto b) {
        auto of_rows = [](auto v) { return tn::unsqueeze(v, tn::axis<1>); };
        return tn::cast<half>((x - of_rows(mean)) * of_rows(inverse) * w + b);
      },
      "normalize_rows");
  f.on(c.stream())
      .into(c.out<half, 2>(5))(c.in<half, 2>(0), c.in<float, 1>(1), c.in<float, 1>(2),
                               c.in<float, 1>(3), c.in<float, 1>(4));
}

void int8_to_half(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto scale) {
        return tn::cast<half>(tn::cast<float>(x) * tn::unsqueeze(scale, tn::axis<1>));
      },
      "int8_to_half");
  f.on(c.stream()).into(c.out<half, 2>(2))(c.in<std::int8_t, 2>(0), c.in<float, 1>(1));
}

void mask_lengths(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto lengths) {
        return tn::where(tn::iota(x, tn::axis<1>) < tn::unsqueeze(lengths, tn::axis<1>), x, 0);
      },
      "mask_lengths");
  f.on(c.stream()).into(c.out<half, 2>(2))(c.in<half, 2>(0), c.in<std::int64_t, 1>(1));
}

constexpr bench::entry entries[] = {
    {"bias_gelu", "bf16", 2, bench::guarded<bias_gelu>},
    {"normalize_rows", "bf16", 2, bench::guarded<normalize_rows>},
    {"int8_to_half", "bf16", 2, bench::guarded<int8_to_half>},
    {"mask_lengths", "bf16", 2, bench::guarded<mask_lengths>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
