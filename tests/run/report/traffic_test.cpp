// SPDX-License-Identifier: Apache-2.0
// tenon-test: cpu-only
// What tn::explain says that a call moves, of expressions that a compiler of single operators
// launches several kernels for: one launch, and no more than 5 % beyond each operand once.
#include <gtest/gtest.h>

#include <cstdint>

#include "tenon/tenon.hpp"

namespace {

namespace tn = tenon;
using half = tn::bfloat16;
using narrow = tn::float8_e4m3;

// A tensor that only its shape is asked of.
template <class T, class... Extents> auto shaped(Extents... extents) {
  return tn::cpu::view<T const, (static_cast<void>(extents), tn::dyn)...>(
      reinterpret_cast<T const*>(std::uintptr_t{4096}), extents...);
}

// Bytes of so many elements.
constexpr double f32(double count) { return 4 * count; }
constexpr double bf16(double count) { return 2 * count; }

template <class F, class... Arrays>
void expect_traffic(double bytes, F const& f, Arrays const&... arrays) {
  tn::explanation const e = tn::explain(f, arrays...);
  EXPECT_EQ(e.cost.launches, 1);
  EXPECT_LE(static_cast<double>(e.cost.minimum_bytes()), 1.05 * bytes);
  EXPECT_GE(static_cast<double>(e.cost.minimum_bytes()), bytes);
}

constexpr std::int64_t rows = 4096, columns = 4096;
constexpr double n = static_cast<double>(rows) * columns;

auto matrix() { return shaped<float>(rows, columns); }
auto vector(std::int64_t count) { return shaped<float>(count); }
auto labels() { return shaped<std::int64_t>(rows); }

TEST(traffic, totals) {
  expect_traffic(f32(2 * n), tn::compile([](auto x, auto y) {
                   return tn::mean(tn::sum(tn::relu((x + y) * 2.0f), tn::axis<1>));
                 }),
                 matrix(), matrix());
  expect_traffic(f32(n), tn::compile([](auto x) { return tn::sum(x); }), matrix());
  expect_traffic(f32(2 * n), tn::compile([](auto x, auto y) {
                   return tn::outputs(tn::mse_loss(x, y), tn::l1_loss(x, y), tn::huber_loss(x, y));
                 }),
                 matrix(), matrix());
  expect_traffic(f32(3 * n), tn::compile([](auto x, auto y, auto scale) {
                   auto d = x - y;
                   return tn::outputs(tn::mean(d * d), scale * d);
                 }),
                 matrix(), matrix(), 0.5f);
  expect_traffic(f32(n), tn::compile([](auto x) { return tn::argmax(x); }), matrix());
}

TEST(traffic, losses_of_labels) {
  expect_traffic(f32(n), tn::compile([](auto x, auto y) { return tn::cross_entropy(x, y); }),
                 matrix(), labels());
  expect_traffic(f32(2 * n), tn::compile([](auto x, auto y, auto scale) {
                   auto label = tn::unsqueeze(y, tn::axis<-1>);
                   auto total = tn::logsumexp(x, tn::axis<-1>, tn::keepdim);
                   auto loss = tn::mean(total - tn::take_along_axis(x, label, tn::axis<-1>));
                   auto chosen = tn::cast<float>(tn::iota(x, tn::axis<-1>) == label);
                   return tn::outputs(loss, (tn::exp(x - total) - chosen) * scale);
                 }),
                 matrix(), labels(), 0.5f);
}

TEST(traffic, rows) {
  expect_traffic(f32(2 * n), tn::compile([](auto x) { return tn::softmax(x, tn::axis<-1>); }),
                 matrix());
  expect_traffic(f32(2 * n), tn::compile([](auto x) { return tn::softmax(x, tn::axis<0>); }),
                 matrix());
  expect_traffic(f32(n), tn::compile([](auto x) {
                   auto log_p = tn::log_softmax(x, tn::axis<-1>);
                   return -tn::sum(tn::exp(log_p) * log_p, tn::axis<-1>);
                 }),
                 matrix());
  expect_traffic(f32(3 * n), tn::compile([](auto x, auto t) {
                   auto log_p = tn::log_softmax(x, tn::axis<-1>);
                   auto total = tn::sum(t, tn::axis<-1>, tn::keepdim);
                   return tn::outputs(tn::kl_div_loss(log_p, t, tn::sum),
                                      tn::exp(log_p) * total - t);
                 }),
                 matrix(), matrix());
  expect_traffic(f32(n + n * 512 / 513), tn::compile([](auto x) {
                   return tn::slice(tn::softmax(x, tn::axis<-1>), tn::axis<-1>, tn::range<0, -1>);
                 }),
                 shaped<float>(rows * columns / 513 + 1, std::int64_t{513}));
}

TEST(traffic, statistics_that_elements_use) {
  expect_traffic(f32(2 * n), tn::compile([](auto x) {
                   return x * tn::minimum(1.0f / tn::sqrt(tn::sum(x * x)), 1.0f);
                 }),
                 vector(rows * columns));
  expect_traffic(f32(2 * n), tn::compile([](auto x) {
                   return (x - tn::mean(x)) * tn::rsqrt(tn::var(x, tn::correction<0>));
                 }),
                 vector(rows * columns));
  expect_traffic(f32(2 * 64.0 * 64 * 56 * 56), tn::compile([](auto x) {
                   constexpr auto along = tn::axis<0, 2, 3>;
                   auto mean = tn::mean(x, along, tn::keepdim);
                   auto variance = tn::var(x, along, tn::keepdim, tn::correction<0>);
                   return tn::outputs((x - mean) * tn::rsqrt(variance + 1e-5f), tn::mean(x, along),
                                      tn::var(x, along, tn::correction<0>));
                 }),
                 shaped<float>(64, 64, 56, 56));
  expect_traffic(f32(2 * 32 * 40960.0),
                 tn::compile([](auto x) { return tn::silu(tn::layer_norm(x)); }),
                 shaped<float>(1, 32, 40960));
  expect_traffic(1.5 * bf16(n), tn::compile([](auto x) {
                   auto values = tn::cast<float>(x);
                   auto scale = 448.0f / tn::maximum(tn::max(tn::abs(values)), 1e-12f);
                   return tn::outputs(tn::cast<narrow>(values * scale), 1.0f / scale);
                 }),
                 shaped<half>(rows, columns));
}

TEST(traffic, rows_and_columns) {
  expect_traffic(f32(n), tn::compile([](auto x) {
                   return tn::outputs(tn::sum(x, tn::axis<0>), tn::sum(x, tn::axis<1>));
                 }),
                 matrix());
  expect_traffic(f32(n), tn::compile([](auto x) {
                   return tn::sum(tn::softmax(x, tn::axis<-1>), tn::axis<0>);
                 }),
                 matrix());
  expect_traffic(f32(3 * n), tn::compile([](auto x, auto w, auto dy) {
                   auto mean = tn::mean(x, tn::axis<-1>, tn::keepdim);
                   auto variance = tn::var(x, tn::axis<-1>, tn::keepdim, tn::correction<0>);
                   auto scale = tn::rsqrt(variance + 1e-5f);
                   auto normal = (x - mean) * scale;
                   auto h = dy * w;
                   auto dx = (h - tn::mean(h, tn::axis<-1>, tn::keepdim) -
                              normal * tn::mean(h * normal, tn::axis<-1>, tn::keepdim)) *
                             scale;
                   return tn::outputs(dx, tn::sum(dy * normal, tn::axis<0>),
                                      tn::sum(dy, tn::axis<0>));
                 }),
                 matrix(), vector(columns), matrix());
  expect_traffic(f32(64.0 * 512 * 2048), tn::compile([](auto x) {
                   return tn::outputs(tn::sum(x, tn::axis<-1>), tn::sum(x, tn::axis<-2, -1>),
                                      tn::sum(x));
                 }),
                 shaped<float>(64, 512, 2048));
}

TEST(traffic, parts_and_views) {
  expect_traffic(bf16(n) + n + f32(n / 32), tn::compile([](auto x, auto w) {
                   auto y = tn::cast<float>(tn::rms_norm(x, w, tn::axis<-1>, 1e-6));
                   auto largest = tn::block_max(tn::abs(y), tn::axis<-1>, tn::ct<32>);
                   auto scale = 448.0f / tn::maximum(largest, 1e-12f);
                   return tn::outputs(
                       tn::cast<narrow>(y * scale),
                       tn::slice(1.0f / scale, tn::axis<-1>, tn::range<0, tn::end, 32>));
                 }),
                 shaped<half>(rows, columns), shaped<half>(columns));
  expect_traffic(2 * bf16(n), tn::compile([](auto x) {
                   auto values = tn::cast<float>(x);
                   auto small = tn::cast<narrow>(values);
                   return tn::outputs(small, tn::transpose(small), tn::max(tn::abs(values)));
                 }),
                 shaped<half>(rows, columns));
  expect_traffic(
      2 * bf16(1024 * 40 * 128.0) + f32(2 * 1024 * 64.0),
      tn::compile([](auto q, auto k, auto cosines, auto sines) {
        auto heads = tn::cast<float>(tn::concat(q, k, tn::axis<2>));
        auto turned =
            tn::rope(heads, tn::unsqueeze(cosines, tn::axis<1>), tn::unsqueeze(sines, tn::axis<1>));
        auto [of_q, of_k] = tn::split(tn::cast<half>(turned), tn::axis<2>, tn::lengths<32, 8>);
        return tn::outputs(of_q, of_k);
      }),
      shaped<half>(1, 1024, 32, 128), shaped<half>(1, 1024, 8, 128), shaped<float>(1024, 64),
      shaped<float>(1024, 64));
  expect_traffic(f32(4.0 * 1000 * 100), tn::compile([](auto a, auto b) {
                   return tn::relu(tn::concat(a, b, tn::axis<0>));
                 }),
                 shaped<float>(1000, 100), shaped<float>(1000, 100));
}

TEST(traffic, scans) {
  expect_traffic(f32(n), tn::compile([](auto x) {
                   return tn::max(tn::cumsum(x, tn::axis<-1>), tn::axis<-1>);
                 }),
                 matrix());
  expect_traffic(f32(2 * n), tn::compile([](auto x) {
                   auto sums = tn::cumsum(x, tn::axis<-1>);
                   return sums / tn::max(tn::abs(sums), tn::axis<-1>, tn::keepdim);
                 }),
                 matrix());
}

// A read at indices is an operator, and a scatter is none that stores a table of all its positions
// by all its updates.
TEST(traffic, of_separate_operators_at_indices) {
  tn::explanation const taken =
      tn::explain(tn::compile([](auto x, auto i) { return tn::take(x, i, tn::axis<0>); }), matrix(),
                  labels());
  EXPECT_EQ(taken.cost.separate_launches, 1);
  EXPECT_EQ(taken.cost.separate_bytes, taken.cost.minimum_bytes());
  tn::explanation const added = tn::explain(tn::compile([](auto base, auto i, auto updates) {
                                              return tn::scatter_add(base, tn::axis<0>, i, updates);
                                            }),
                                            vector(50000), labels(), vector(rows));
  EXPECT_EQ(added.cost.separate_launches, 3);  // positions of the targets, their sums, the result
  EXPECT_EQ(added.cost.separate_bytes,
            2 * 8 * rows + (8 + 4) * rows + 4 * 50000 + 3 * 4 * 50000);
  tn::explanation const assigned = tn::explain(
      tn::compile([](auto base, auto i) { return tn::scatter(base, tn::axis<0>, i, 1.0f); }),
      vector(50000), labels());
  EXPECT_LE(assigned.cost.separate_bytes, 10 * assigned.cost.minimum_bytes());
}

}  // namespace
