// SPDX-License-Identifier: Apache-2.0
// cub::DeviceTransform.

#include <cub/device/device_transform.cuh>

#include "peers/toolkit/operations.cuh"
#include "peers/toolkit/temporary.cuh"

namespace {

template <class T, int Rank> void relu_add_mul(bench::call const& c) {
  tenon::check(cub::DeviceTransform::Transform(cuda::std::make_tuple(c.data<T>(0), c.data<T>(1)),
                                               c.data<T>(2), bench::elements(c, Rank),
                                               bench::relu_add_mul(), c.stream().handle),
               "cub");
}

void sin_plus_cos(bench::call const& c) {
  tenon::check(
      cub::DeviceTransform::Transform(c.data<float>(0), c.data<float>(1), bench::elements(c, 2),
                                      bench::sin_plus_cos(), c.stream().handle),
      "cub");
}

constexpr bench::entry entries[] = {
    {"relu_add_mul", "f32", 1, bench::guarded<relu_add_mul<float, 1>>},
    {"relu_add_mul", "f32", 2, bench::guarded<relu_add_mul<float, 2>>},
    {"relu_add_mul", "bf16", 2, bench::guarded<relu_add_mul<__nv_bfloat16, 2>>},
    {"sin_plus_cos", "f32", 2, bench::guarded<sin_plus_cos>},
};

}  // namespace

extern "C" bench::table bench_entries() {
  return bench::table_of("cub", entries, bench::cccl_version);
}
