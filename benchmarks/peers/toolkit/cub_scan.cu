// SPDX-License-Identifier: Apache-2.0
// cub::DeviceScan.

#include <thrust/iterator/transform_iterator.h>
#include <cub/device/device_scan.cuh>

#include "peers/toolkit/operations.cuh"
#include "peers/toolkit/temporary.cuh"

namespace {

void cumsum(bench::call const& c) {
  auto const in = thrust::make_transform_iterator(c.data<float>(0), bench::twice());
  bench::with_temporary([&](void* storage, std::size_t& bytes) {
    return cub::DeviceScan::InclusiveSum(storage, bytes, in, c.data<float>(1), c.extent(0, 0),
                                         c.stream().handle);
  });
}

constexpr bench::entry entries[] = {{"cumsum", "f32", 1, bench::guarded<cumsum>}};

}  // namespace

extern "C" bench::table bench_entries() {
  return bench::table_of("cub", entries, bench::cccl_version);
}
