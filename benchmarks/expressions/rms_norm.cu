// SPDX-License-Identifier: Apache-2.0
// RMS normalisation of rows.

#include "harness/library.hpp"

namespace tn = tenon;

namespace {

template <class T> void rms_norm(bench::call const& c) {
  static auto const f =
      tn::compile([](auto x, auto w) { return tn::rms_norm(x, w, tn::axis<-1>, 1e-6); }, "rmsnorm");
  f.on(c.stream()).into(c.out<T, 2>(2))(c.in<T, 2>(0), c.in<T, 1>(1));
}

constexpr bench::entry entries[] = {
    {"rmsnorm", "f32", 2, bench::guarded<rms_norm<float>>},
    {"rmsnorm", "bf16", 2, bench::guarded<rms_norm<tn::bfloat16>>},
};

}  // namespace

extern "C" bench::table bench_entries() { return bench::table_of("tenon", entries); }
