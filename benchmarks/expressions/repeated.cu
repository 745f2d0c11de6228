// SPDX-License-Identifier: Apache-2.0
// Elements that are repeated, mirrored, put beside each other and taken from pairs.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

using half = tn::bfloat16;

void repeat_heads(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) { return tn::repeat_interleave(x, tn::axis<2>, tn::ct<4>); }, "repeat_heads");
  f.on(c.stream()).into(c.out<half, 4>(1))(c.in<half, 4>(0));
}

void mirror_images(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto rows = tn::pad(x, tn::axis<2>, tn::widths<1, 1>, tn::reflect);
        return tn::pad(rows, tn::axis<3>, tn::widths<1, 1>, tn::reflect);
      },
      "mirror_images");
  f.on(c.stream()).into(c.out<half, 4>(1))(c.in<half, 4>(0));
}

void stack_pairs(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x, auto y) { return tn::stack(x, y, tn::axis<-1>); }, "stack_pairs");
  f.on(c.stream()).into(c.out<half, 3>(2))(c.in<half, 2>(0), c.in<half, 2>(1));
}

void rotate_pairs(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto cosines, auto sines) {
        auto first = tn::slice(x, tn::axis<-1>, tn::range<0, tn::end, 2>);
        auto second = tn::slice(x, tn::axis<-1>, tn::range<1, tn::end, 2>);
        auto pairs = tn::stack(first * cosines - second * sines, first * sines + second * cosines,
                               tn::axis<-1>);
        return tn::flatten(pairs, tn::axis<2, 3>);
      },
      "rotate_pairs");
  f.on(c.stream()).into(c.out<half, 3>(3))(c.in<half, 3>(0), c.in<half, 1>(1), c.in<half, 1>(2));
}

constexpr bench::entry entries[] = {
    {"repeat_heads", "bf16", 4, bench::guarded<repeat_heads>},
    {"mirror_images", "bf16", 4, bench::guarded<mirror_images>},
    {"stack_pairs", "bf16", 2, bench::guarded<stack_pairs>},
    {"rotate_pairs", "bf16", 3, bench::guarded<rotate_pairs>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
