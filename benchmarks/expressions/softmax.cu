// SPDX-License-Identifier: Apache-2.0
// Softmax of rows, with or without their last element, of columns, and of the classes of images.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T, int Axis> void softmax(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x) { return tn::softmax(x, tn::axis<Axis>); }, "softmax");
  f.on(c.stream()).into(c.out<T, 2>(1))(c.in<T, 2>(0));
}

void softmax_but_last(bench::call const& c) {
  static auto const f = tn::compile(
      [](auto x) {
        return tn::slice(tn::softmax(x, tn::axis<-1>), tn::axis<-1>, tn::range<0, -1>);
      },
      "softmax_but_last");
  f.on(c.stream()).into(c.out<float, 2>(1))(c.in<float, 2>(0));
}

void class_softmax(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x) { return tn::softmax(x, tn::axis<1>); }, "class_softmax");
  f.on(c.stream()).into(c.out<tn::bfloat16, 3>(1))(c.in<tn::bfloat16, 3>(0));
}

constexpr bench::entry entries[] = {
    {"softmax", "f32", 2, bench::guarded<softmax<float, -1>>},
    {"softmax", "bf16", 2, bench::guarded<softmax<tn::bfloat16, -1>>},
    {"softmax_but_last", "f32", 2, bench::guarded<softmax_but_last>},
    {"softmax_axis0", "f32", 2, bench::guarded<softmax<float, 0>>},
    {"class_softmax", "bf16", 3, bench::guarded<class_softmax>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
