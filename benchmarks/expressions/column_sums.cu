// SPDX-License-Identifier: Apache-2.0
// Sums along columns.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T> void sum_columns(bench::call const& c) {
  static auto const f = tn::compile([](auto x) { return tn::sum(x, tn::axis<0>); }, "sum_axis0");
  f.on(c.stream()).into(c.out<T, 1>(1))(c.in<T, 2>(0));
}

template <class T> void sum_squares_of_columns(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x) { return tn::sum(x * x, tn::axis<0>); }, "sumsq_axis0");
  f.on(c.stream()).into(c.out<T, 1>(1))(c.in<T, 2>(0));
}

constexpr bench::entry entries[] = {
    {"sum_axis0", "f32", 2, bench::guarded<sum_columns<float>>},
    {"sum_axis0", "bf16", 2, bench::guarded<sum_columns<tn::bfloat16>>},
    {"sumsq_axis0", "f32", 2, bench::guarded<sum_squares_of_columns<float>>},
    {"sumsq_axis0", "bf16", 2, bench::guarded<sum_squares_of_columns<tn::bfloat16>>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
