// SPDX-License-Identifier: Apache-2.0
// The position of the largest element: of every row, along an axis in the middle, of everything.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T> void argmax_rows(bench::call const& c) {
  static auto const f = tn::compile([](auto x) { return tn::argmax(x, tn::axis<-1>); }, "argmax");
  f.on(c.stream()).into(c.out<long long, 1>(1))(c.in<T, 2>(0));
}

void argmax_axis1(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x) { return tn::argmax(x, tn::axis<1>); }, "argmax_axis1");
  f.on(c.stream()).into(c.out<long long, 2>(1))(c.in<tn::bfloat16, 3>(0));
}

void argmax_all(bench::call const& c) {
  static auto const f = tn::compile([](auto x) { return tn::argmax(x); }, "argmax_all");
  f.on(c.stream()).into(c.out<long long, 0>(1))(c.in<float, 1>(0));
}

constexpr bench::entry entries[] = {
    {"argmax", "f32", 2, bench::guarded<argmax_rows<float>>},
    {"argmax", "bf16", 2, bench::guarded<argmax_rows<tn::bfloat16>>},
    {"argmax_axis1", "bf16", 3, bench::guarded<argmax_axis1>},
    {"argmax_all", "f32", 1, bench::guarded<argmax_all>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
