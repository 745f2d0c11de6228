// SPDX-License-Identifier: Apache-2.0
// Running sums, with what stands before and after them.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <int Rank> void running_sum(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x) { return tn::cumsum(x * 2.0f, tn::axis<-1>); }, "cumsum");
  f.on(c.stream()).into(c.out<float, Rank>(1))(c.in<float, Rank>(0));
}

template <class T> void running_sum_of_columns(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x) { return tn::cumsum(x, tn::axis<0>); }, "cumsum_axis0");
  f.on(c.stream()).into(c.out<T, 2>(1))(c.in<T, 2>(0));
}

void running_sum_over_largest(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) { return tn::cumsum(x, tn::axis<-1>) / tn::max(x, tn::axis<-1>, tn::keepdim); },
      "cumsum_over_amax");
  f.on(c.stream()).into(c.out<float, 2>(1))(c.in<float, 2>(0));
}

void running_sum_normalized(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        auto sums = tn::cumsum(x, tn::axis<-1>);
        return sums / tn::max(tn::abs(sums), tn::axis<-1>, tn::keepdim);
      },
      "cumsum_normalized");
  f.on(c.stream()).into(c.out<float, 2>(1))(c.in<float, 2>(0));
}

void running_sum_from_the_end(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) { return tn::cumsum(x, tn::axis<-1>, tn::reversed); }, "reverse_cumsum");
  f.on(c.stream()).into(c.out<tn::bfloat16, 2>(1))(c.in<tn::bfloat16, 2>(0));
}

constexpr bench::entry entries[] = {
    {"cumsum", "f32", 2, bench::guarded<running_sum<2>>},
    {"cumsum", "f32", 1, bench::guarded<running_sum<1>>},
    {"cumsum_axis0", "f32", 2, bench::guarded<running_sum_of_columns<float>>},
    {"cumsum_axis0", "bf16", 2, bench::guarded<running_sum_of_columns<tn::bfloat16>>},
    {"reverse_cumsum", "bf16", 2, bench::guarded<running_sum_from_the_end>},
    {"cumsum_over_amax", "f32", 2, bench::guarded<running_sum_over_largest>},
    {"cumsum_normalized", "f32", 2, bench::guarded<running_sum_normalized>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
