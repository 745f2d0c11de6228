// SPDX-License-Identifier: Apache-2.0
// Questions about kernels: what they need, how many of their blocks are resident.

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "runtime/kernels.hpp"

namespace emulator::runtime {

int registers_of(kernel_facts const& facts) {
  int const otherwise = static_cast<int>(options().registers_per_thread);
  if (facts.min_blocks == 0) return otherwise;
  int const most = static_cast<int>(65536 / (std::max(facts.max_threads, 32u) * facts.min_blocks));
  return std::clamp(most / 8 * 8, 16, std::max(otherwise, 16));
}
int dynamic_limit(function const& f, kernel_facts const& facts) {
  return f.dynamic_shared_limit >= 0 ? f.dynamic_shared_limit
                                     : 49152 - static_cast<int>(facts.static_shared_bytes);
}
int resident_blocks(kernel_facts const& facts, unsigned threads, std::size_t dynamic_shared) {
  unsigned const warps = (threads + 31) / 32;
  std::size_t const shared = (facts.static_shared_bytes + dynamic_shared + 1024 + 127) / 128 * 128;
  unsigned by_registers =
      65536 / (static_cast<unsigned>((registers_of(facts) + 7) / 8 * 8) * 32) / warps;
  return static_cast<int>(
      std::min({32u, 64 / warps, by_registers, static_cast<unsigned>(233472 / shared)}));
}
// 18 multiprocessors are a neighbourhood that a cluster cannot leave.
int resident_clusters(int blocks, unsigned cluster) {
  int result = 0;
  for (unsigned left = options().multiprocessors; left > 0;) {
    unsigned const here = std::min(left, 18u);
    result += static_cast<int>(here * static_cast<unsigned>(blocks) / cluster);
    left -= here;
  }
  return result;
}

}  // namespace emulator::runtime

using namespace emulator;
using namespace emulator::runtime;

TENON_EMULATOR_API cudaError_t cudaGetFuncBySymbol(cudaFunction_t* to, void const* host) {
  TENON_EMULATOR_ENTER();
  function* const f = function_of(host);
  if (!f || !code_of(*f)) return fail(cudaErrorInvalidDeviceFunction);
  *to = reinterpret_cast<cudaFunction_t>(f);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaGetKernel(cudaKernel_t* to, void const* host) {
  TENON_EMULATOR_ENTER();
  function* const f = function_of(host);
  if (!f) return fail(cudaErrorInvalidDeviceFunction);
  *to = reinterpret_cast<cudaKernel_t>(f);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaFuncGetName(char const** to, void const* which) {
  TENON_EMULATOR_ENTER();
  function* const f = function_of(which);
  if (!f) return fail(cudaErrorInvalidDeviceFunction);
  *to = f->name.c_str();
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* to, void const* which) {
  TENON_EMULATOR_ENTER();
  use_device();
  function* const f = function_of(which);
  if (!f || !code_of(*f)) return fail(cudaErrorInvalidDeviceFunction);
  auto const& facts = facts_of(*f->code);
  *to = {};
  to->sharedSizeBytes = facts.static_shared_bytes;
  to->numRegs = registers_of(facts);
  to->maxThreadsPerBlock = static_cast<int>(std::min(facts.max_threads, 1024u));
  to->ptxVersion = to->binaryVersion = f->of->target;
  to->maxDynamicSharedSizeBytes = dynamic_limit(*f, facts);
  to->preferredShmemCarveout = -1;
  to->clusterDimMustBeSet = facts.required_cluster[0] != 0;
  to->requiredClusterWidth = static_cast<int>(facts.required_cluster[0]);
  to->requiredClusterHeight = static_cast<int>(facts.required_cluster[1]);
  to->requiredClusterDepth = static_cast<int>(facts.required_cluster[2]);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaFuncSetAttribute(void const* which, cudaFuncAttribute what,
                                                    int value) {
  TENON_EMULATOR_ENTER();
  use_device();
  function* const f = function_of(which);
  if (!f || !code_of(*f)) return fail(cudaErrorInvalidDeviceFunction);
  auto const& facts = facts_of(*f->code);
  if (what == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value < 0 || value + static_cast<long long>(facts.static_shared_bytes) > 232448)
      return fail(cudaErrorInvalidValue);
    f->dynamic_shared_limit = value;
  } else if (what == cudaFuncAttributeNonPortableClusterSizeAllowed) {
    f->may_have_large_clusters = value != 0;
  } else if (what != cudaFuncAttributePreferredSharedMemoryCarveout) {
    std::fprintf(stderr, "emulator: attribute %d of kernels is not implemented\n",
                 static_cast<int>(what));
    std::abort();
  }
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaFuncSetCacheConfig(void const*, cudaFuncCache) {
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int* to, void const* which, int threads, size_t shared, unsigned) {
  TENON_EMULATOR_ENTER();
  use_device();
  function* const f = function_of(which);
  if (!f || !code_of(*f)) return fail(cudaErrorInvalidDeviceFunction);
  if (threads <= 0) return fail(cudaErrorInvalidValue);
  auto const& facts = facts_of(*f->code);
  bool const fits = static_cast<unsigned>(threads) <= facts.max_threads &&
                    static_cast<long long>(shared) <= dynamic_limit(*f, facts);
  *to = fits ? resident_blocks(facts, static_cast<unsigned>(threads), shared) : 0;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* to,
                                                                             void const* which,
                                                                             int threads,
                                                                             size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(to, which, threads, shared, 0);
}
TENON_EMULATOR_API cudaError_t cudaOccupancyMaxActiveClusters(int* to, void const* which,
                                                              cudaLaunchConfig_t const* how) {
  TENON_EMULATOR_ENTER();
  wishes const asked = wishes_of(how->attrs, how->numAttrs);
  unsigned const cluster = asked.cluster[0] * asked.cluster[1] * asked.cluster[2];
  function* const f = function_of(which);
  if (!f) return fail(cudaErrorInvalidDeviceFunction);
  if (cluster == 0 || cluster > (f->may_have_large_clusters ? 16u : 8u))
    return fail(cudaErrorInvalidClusterSize);
  int blocks = 0;
  cudaError_t const status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
      &blocks, which, static_cast<int>(how->blockDim.x * how->blockDim.y * how->blockDim.z),
      how->dynamicSmemBytes);
  if (status != cudaSuccess) return status;
  *to = resident_clusters(blocks, cluster);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t* to,
                                                                         void const* which,
                                                                         int blocks, int) {
  TENON_EMULATOR_ENTER();
  function* const f = function_of(which);
  if (!f || !code_of(*f)) return fail(cudaErrorInvalidDeviceFunction);
  if (blocks <= 0) return fail(cudaErrorInvalidValue);
  long long const each = 233472 / blocks / 128 * 128 - 1024;
  long long const left = each - static_cast<long long>(facts_of(*f->code).static_shared_bytes);
  *to = static_cast<std::size_t>(std::clamp(left, 0ll, 232448ll));
  return cudaSuccess;
}
