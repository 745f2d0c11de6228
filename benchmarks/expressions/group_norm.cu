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

// The channels of a group are an axis of their own.
template <class View> auto grouped(View const& of) {
  constexpr int groups = 32;
  using element = typename View::element_type;
  auto const channels = of.extent(View::rank - 1);
  if constexpr (View::rank == 1)
    return tn::view<element, tn::dyn, tn::dyn>(of.data(), groups, channels / groups);
  else
    return tn::view<element, tn::dyn, tn::dyn, tn::dyn, tn::dyn>(
        of.data(), of.extent(0), of.extent(1), groups, channels / groups);
}

void group_norm_last(bench::call const& c) {
  using half = tn::bfloat16;
  static auto const f = tn::compile(
      [](auto x, auto w, auto b) {
        auto values = tn::cast<float>(x);
        auto mean = tn::mean(values, tn::axis<1, 3>, tn::keepdim);
        auto variance = tn::var(values, tn::axis<1, 3>, tn::correction<0>, tn::keepdim);
        return tn::cast<half>(tn::silu((values - mean) * tn::rsqrt(variance + 1e-5f) * w + b));
      },
      "group_norm_last");
  f.on(c.stream())
      .into(grouped(c.out<half, 3>(3)))(grouped(c.in<half, 3>(0)), grouped(c.in<half, 1>(1)),
                                        grouped(c.in<half, 1>(2)));
}

constexpr bench::entry entries[] = {
    {"groupnorm_silu", "f32", 4, bench::guarded<group_norm_silu>},
    {"group_norm_last", "bf16", 3, bench::guarded<group_norm_last>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
