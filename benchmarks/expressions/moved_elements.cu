// SPDX-License-Identifier: Apache-2.0
// Pointwise expressions whose elements come from other places than they go to.

#include <cstdint>

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

using half = tn::bfloat16;

void flip(bench::call const& c) {
  static auto const f = tn::compile([](auto x) { return tn::flip(x, tn::axis<-1>); }, "flip");
  f.on(c.stream()).into(c.out<half, 2>(1))(c.in<half, 2>(0));
}

void pad_images(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto rows = tn::pad(x, tn::axis<2>, tn::widths<1, 1>, 0);
        return tn::pad(rows, tn::axis<3>, tn::widths<1, 1>, 0);
      },
      "pad_images");
  f.on(c.stream()).into(c.out<half, 4>(1))(c.in<half, 4>(0));
}

void concat_columns(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto... x) { return tn::relu(tn::concat(x..., tn::axis<1>)); }, "concat_columns");
  f.on(c.stream()).into(c.out<half, 2>(2))(c.in<half, 2>(0), c.in<half, 2>(1));
}

template <class T> void second_difference(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto before = tn::slice(x, tn::axis<1>, tn::range<0, -2>);
        auto here = tn::slice(x, tn::axis<1>, tn::range<1, -1>);
        auto behind = tn::slice(x, tn::axis<1>, tn::range<2, tn::end>);
        return before - 2.0f * here + behind;
      },
      "second_difference");
  f.on(c.stream()).into(c.out<T, 2>(1))(c.in<T, 2>(0));
}

void images_to_planes(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto planes = tn::transpose(x, tn::axis<0, 3, 1, 2>);
        return tn::cast<half>(tn::cast<float>(planes) * (2.0f / 255) - 1.0f);
      },
      "images_to_planes");
  f.on(c.stream()).into(c.out<half, 4>(1))(c.in<std::uint8_t, 4>(0));
}

void heads_first(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) { return tn::transpose(x, tn::axis<0, 2, 1, 3>) * 0.125f; }, "heads_first");
  f.on(c.stream()).into(c.out<half, 4>(1))(c.in<half, 4>(0));
}

void pixel_shuffle(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) { return tn::transpose(x, tn::axis<0, 1, 4, 2, 5, 3>); }, "pixel_shuffle");
  tn::view<half, 16, 64, 128, 2, 128, 2> const pixels(c.out<half, 4>(1).data());
  f.on(c.stream())
      .into(pixels)(tn::view<half const, 16, 64, 2, 2, 128, 128>(c.in<half, 4>(0).data()));
}

constexpr bench::entry entries[] = {
    {"flip", "bf16", 2, bench::guarded<flip>},
    {"pad_images", "bf16", 4, bench::guarded<pad_images>},
    {"concat_columns", "bf16", 2, bench::guarded<concat_columns>},
    {"second_difference", "f32", 2, bench::guarded<second_difference<float>>},
    {"second_difference", "bf16", 2, bench::guarded<second_difference<half>>},
    {"images_to_planes", "bf16", 4, bench::guarded<images_to_planes>},
    {"heads_first", "bf16", 4, bench::guarded<heads_first>},
    {"pixel_shuffle", "bf16", 4, bench::guarded<pixel_shuffle>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
