// SPDX-License-Identifier: Apache-2.0
// Sums of neighbours in several rows: shifted tensors that are padded, rolled, slices, or windows.

#include <limits>

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

using half = tn::bfloat16;

void causal_convolution(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto w) {
        auto tap = [&](auto k) { return tn::select(w, tn::axis<0>, k); };
        auto padded = tn::pad(x, tn::axis<1>, tn::widths<3, 0>, 0);
        auto first = tn::slice(padded, tn::axis<1>, tn::range<0, -3>) * tap(tn::ct<0>);
        auto second = tn::slice(padded, tn::axis<1>, tn::range<1, -2>) * tap(tn::ct<1>);
        auto third = tn::slice(padded, tn::axis<1>, tn::range<2, -1>) * tap(tn::ct<2>);
        return tn::silu(first + second + third + x * tap(tn::ct<3>));
      },
      "causal_convolution");
  f.on(c.stream()).into(c.out<half, 3>(2))(c.in<half, 3>(0), c.in<half, 2>(1));
}

void periodic_laplacian(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto of = [&](auto axis) {
          return tn::roll(x, axis, tn::ct<1>) + tn::roll(x, axis, tn::ct<-1>);
        };
        return of(tn::axis<0>) + of(tn::axis<1>) - 4.0f * x;
      },
      "periodic_laplacian");
  f.on(c.stream()).into(c.out<float, 2>(1))(c.in<float, 2>(0));
}

void sobel(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto difference = [](auto y, auto axis) {
          return tn::slice(y, axis, tn::range<2, tn::end>) - tn::slice(y, axis, tn::range<0, -2>);
        };
        auto smooth = [](auto y, auto axis) {
          auto ends =
              tn::slice(y, axis, tn::range<0, -2>) + tn::slice(y, axis, tn::range<2, tn::end>);
          return ends + 2.0f * tn::slice(y, axis, tn::range<1, -1>);
        };
        auto horizontal = smooth(difference(x, tn::axis<1>), tn::axis<0>);
        auto vertical = smooth(difference(x, tn::axis<0>), tn::axis<1>);
        return tn::sqrt(horizontal * horizontal + vertical * vertical);
      },
      "sobel");
  f.on(c.stream()).into(c.out<float, 2>(1))(c.in<float, 2>(0));
}

void laplacian_3d(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        // All but the first and last along an axis; and of these, the neighbours on either side.
        auto inner = [](auto y, auto axis) { return tn::slice(y, axis, tn::range<1, -1>); };
        auto beside = [](auto y, auto axis) {
          return tn::slice(y, axis, tn::range<0, -2>) + tn::slice(y, axis, tn::range<2, tn::end>);
        };
        auto planes = inner(x, tn::axis<0>);
        auto lines = inner(planes, tn::axis<1>);
        return beside(inner(inner(x, tn::axis<1>), tn::axis<2>), tn::axis<0>) +
               beside(inner(planes, tn::axis<2>), tn::axis<1>) + beside(lines, tn::axis<2>) -
               6.0f * inner(lines, tn::axis<2>);
      },
      "laplacian_3d");
  f.on(c.stream()).into(c.out<float, 3>(1))(c.in<float, 3>(0));
}

void max_pool(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        constexpr float least = -std::numeric_limits<float>::infinity();
        auto rows = tn::pad(x, tn::axis<2>, tn::widths<1, 1>, least);
        auto padded = tn::pad(rows, tn::axis<3>, tn::widths<1, 1>, least);
        auto windows = tn::unfold(tn::unfold(padded, tn::axis<2>, tn::ct<3>, tn::ct<2>),
                                  tn::axis<3>, tn::ct<3>, tn::ct<2>);
        return tn::max(windows, tn::axis<4, 5>);
      },
      "max_pool");
  f.on(c.stream()).into(c.out<half, 4>(1))(c.in<half, 4>(0));
}

void local_response_norm(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto padded = tn::pad(x * x, tn::axis<1>, tn::widths<2, 2>, 0);
        auto near = tn::mean(tn::unfold(padded, tn::axis<1>, tn::ct<5>, tn::ct<1>), tn::axis<4>);
        return x * tn::pow(1.0f + 1e-4f * near, -0.75f);
      },
      "local_response_norm");
  f.on(c.stream()).into(c.out<float, 4>(1))(c.in<float, 4>(0));
}

// Channels first, each with a window of its own.
void depthwise_convolution(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x, auto w, auto bias) {
        auto of_channels = [](auto y) {
          return tn::unsqueeze(tn::unsqueeze(tn::cast<float>(y), tn::axis<1>), tn::axis<2>);
        };
        auto rows = tn::pad(x, tn::axis<2>, tn::widths<1, 1>, 0);
        auto padded = tn::pad(rows, tn::axis<3>, tn::widths<1, 1>, 0);
        auto windows = tn::unfold(tn::unfold(padded, tn::axis<2>, tn::ct<3>, tn::ct<1>),
                                  tn::axis<3>, tn::ct<3>, tn::ct<1>);
        auto sums = tn::sum(tn::cast<float>(windows) * of_channels(w), tn::axis<4, 5>);
        return tn::cast<half>(tn::relu6(sums + of_channels(bias)));
      },
      "depthwise_convolution");
  auto const w = c.in<half, 3>(1);
  f.on(c.stream())
      .into(c.out<half, 4>(3))(c.in<half, 4>(0),
                               tn::view<half const, tn::dyn, 3, 3>(w.data(), w.extent(0)),
                               c.in<half, 1>(2));
}

constexpr bench::entry entries[] = {
    {"depthwise_convolution", "bf16", 4, bench::guarded<depthwise_convolution>},
    {"causal_convolution", "bf16", 3, bench::guarded<causal_convolution>},
    {"periodic_laplacian", "f32", 2, bench::guarded<periodic_laplacian>},
    {"sobel", "f32", 2, bench::guarded<sobel>},
    {"laplacian_3d", "f32", 3, bench::guarded<laplacian_3d>},
    {"max_pool", "bf16", 4, bench::guarded<max_pool>},
    {"local_response_norm", "f32", 4, bench::guarded<local_response_norm>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
