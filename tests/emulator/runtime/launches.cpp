// SPDX-License-Identifier: Apache-2.0
// Launches, and what they may ask for.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/kernels.hpp"

namespace emulator::runtime {

namespace {

struct configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t on;
};
thread_local std::vector<configuration> pushed;

}  // namespace

wishes wishes_of(cudaLaunchAttribute const* attributes, unsigned count) {
  wishes to;
  for (unsigned k = 0; k < count; ++k) {
    auto const& a = attributes[k];
    switch (static_cast<int>(a.id)) {
      case cudaLaunchAttributeIgnore:
      case cudaLaunchAttributePriority:
      case cudaLaunchAttributeAccessPolicyWindow:
      case cudaLaunchAttributeClusterSchedulingPolicyPreference:
      case cudaLaunchAttributePreferredSharedMemoryCarveout:
        break;
      case cudaLaunchAttributeClusterDimension:
        to.cluster[0] = a.val.clusterDim.x, to.cluster[1] = a.val.clusterDim.y,
        to.cluster[2] = a.val.clusterDim.z;
        to.has_cluster = true;
        break;
      case cudaLaunchAttributeCooperative:
        to.is_cooperative = a.val.cooperative != 0;
        break;
      case cudaLaunchAttributeProgrammaticStreamSerialization:
        to.is_early = a.val.programmaticStreamSerializationAllowed != 0;
        break;
      default:
        std::fprintf(stderr, "emulator: launch attribute %d is not implemented\n",
                     static_cast<int>(a.id));
        std::abort();
    }
  }
  return to;
}

static cudaError_t enqueue(void const* which, dim3 grid, dim3 block, void** arguments,
                           std::size_t shared, cudaStream_t on,
                           cudaLaunchAttribute const* attributes, unsigned count) {
  auto const s = stream_of(on);
  if (!s) return cudaErrorInvalidResourceHandle;
  use_device();
  function* const f = function_of(which);
  if (!f) return cudaErrorInvalidDeviceFunction;
  kernel* const code = code_of(*f);
  if (!code) return f->of->is_broken ? cudaErrorInvalidPtx : cudaErrorInvalidDeviceFunction;
  auto const& facts = facts_of(*code);
  wishes asked = wishes_of(attributes, count);

  unsigned long long const threads = 1ull * block.x * block.y * block.z;
  if (threads == 0 || threads > 1024 || block.z > 64 || grid.x == 0 || grid.y == 0 || grid.z == 0 ||
      grid.x > 2147483647u || grid.y > 65535 || grid.z > 65535)
    return cudaErrorInvalidConfiguration;
  if (threads > facts.max_threads) {
    std::fprintf(stderr, "emulator: %llu threads of a kernel for %u: %s\n", threads,
                 facts.max_threads, f->name.c_str());
    return cudaErrorLaunchOutOfResources;
  }
  if (static_cast<long long>(shared) > dynamic_limit(*f, facts)) {
    std::fprintf(stderr, "emulator: %zu bytes of shared memory where %d may be asked for: %s\n",
                 shared, dynamic_limit(*f, facts), f->name.c_str());
    return cudaErrorInvalidValue;
  }
  if (!asked.has_cluster && facts.required_cluster[0])
    std::copy(facts.required_cluster, facts.required_cluster + 3, asked.cluster);
  unsigned const cluster = asked.cluster[0] * asked.cluster[1] * asked.cluster[2];
  if (cluster == 0 || cluster > (f->may_have_large_clusters ? 16u : 8u))
    return cudaErrorInvalidClusterSize;
  if (grid.x % asked.cluster[0] || grid.y % asked.cluster[1] || grid.z % asked.cluster[2])
    return cudaErrorInvalidConfiguration;
  int const resident = resident_blocks(facts, static_cast<unsigned>(threads), shared);
  if (resident == 0) return cudaErrorLaunchOutOfResources;
  if (cluster > 1 && resident_clusters(resident, cluster) == 0) return cudaErrorInvalidClusterSize;
  if (asked.is_cooperative) {
    unsigned long long const at_once =
        cluster > 1 ? 1ull * cluster * static_cast<unsigned>(resident_clusters(resident, cluster))
                    : 1ull * static_cast<unsigned>(resident) * options().multiprocessors;
    if (1ull * grid.x * grid.y * grid.z > at_once) return cudaErrorCooperativeLaunchTooLarge;
  }

  operation o;
  o.what = operation::launch, o.type = cudaGraphNodeTypeKernel;
  launch& l = o.kernel;
  l.code = code;
  l.grid[0] = grid.x, l.grid[1] = grid.y, l.grid[2] = grid.z;
  l.block[0] = block.x, l.block[1] = block.y, l.block[2] = block.z;
  std::copy(asked.cluster, asked.cluster + 3, l.cluster);
  l.dynamic_shared_bytes = shared;
  l.is_cooperative = asked.is_cooperative;
  l.may_begin_early = asked.is_early;
  l.arguments.resize(facts.parameter_bytes);
  for (std::size_t k = 0; k < facts.parameters.size(); ++k)
    std::memcpy(l.arguments.data() + facts.parameters[k].offset, arguments[k],
                facts.parameters[k].size);
  return put(s, std::move(o));
}
}  // namespace emulator::runtime

using namespace emulator;
using namespace emulator::runtime;

TENON_EMULATOR_API unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                                        cudaStream_t on) {
  pushed.push_back({grid, block, shared, on});
  return 0;
}
TENON_EMULATOR_API cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared,
                                                          void* on) {
  if (pushed.empty()) return cudaErrorMissingConfiguration;
  configuration const c = pushed.back();
  pushed.pop_back();
  *grid = c.grid, *block = c.block, *shared = c.shared, *static_cast<cudaStream_t*>(on) = c.on;
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t __cudaGetKernel(cudaKernel_t* to, void const* host) {
  lock guard(all);
  function* const f = function_of(host);
  if (!f) return cudaErrorInvalidDeviceFunction;
  *to = reinterpret_cast<cudaKernel_t>(f);
  return cudaSuccess;
}
TENON_EMULATOR_API cudaError_t __cudaLaunchKernel(cudaKernel_t which, dim3 grid, dim3 block,
                                                  void** arguments, size_t shared,
                                                  cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  return fail(enqueue(which, grid, block, arguments, shared, on, nullptr, 0));
}

TENON_EMULATOR_API cudaError_t cudaLaunchKernel(void const* which, dim3 grid, dim3 block,
                                                void** arguments, size_t shared, cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  return fail(enqueue(which, grid, block, arguments, shared, on, nullptr, 0));
}
TENON_EMULATOR_API cudaError_t cudaLaunchCooperativeKernel(void const* which, dim3 grid, dim3 block,
                                                           void** arguments, size_t shared,
                                                           cudaStream_t on) {
  TENON_EMULATOR_ENTER();
  cudaLaunchAttribute a{};
  a.id = cudaLaunchAttributeCooperative;
  a.val.cooperative = 1;
  return fail(enqueue(which, grid, block, arguments, shared, on, &a, 1));
}
TENON_EMULATOR_API cudaError_t cudaLaunchKernelExC(cudaLaunchConfig_t const* how, void const* which,
                                                   void** arguments) {
  TENON_EMULATOR_ENTER();
  return fail(enqueue(which, how->gridDim, how->blockDim, arguments, how->dynamicSmemBytes,
                      how->stream, how->attrs, how->numAttrs));
}
namespace {
struct driver_configuration {
  unsigned grid[3], block[3], shared;
  cudaStream_t on;
  cudaLaunchAttribute* attributes;
  unsigned count;
};
int launch_by_driver(driver_configuration const* how, void* which, void** arguments, void** extra) {
  lock guard(all);
  if (!uses_device()) return 201;  // invalid context
  if (cudaError_t e = lost()) return e;
  if (extra) return cudaErrorInvalidValue;
  return enqueue(which, dim3(how->grid[0], how->grid[1], how->grid[2]),
                 dim3(how->block[0], how->block[1], how->block[2]), arguments, how->shared, how->on,
                 how->attributes, how->count);
}
}  // namespace
TENON_EMULATOR_API cudaError_t
cudaGetDriverEntryPointByVersion(char const* name, void** to, unsigned, unsigned long long,
                                 cudaDriverEntryPointQueryResult* found) {
  TENON_EMULATOR_ENTER();
  use_device();
  bool const is_known = std::strcmp(name, "cuLaunchKernelEx") == 0;
  *to = is_known ? reinterpret_cast<void*>(&launch_by_driver) : nullptr;
  if (!is_known) std::fprintf(stderr, "emulator: %s of the driver is not implemented\n", name);
  if (found) *found = is_known ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
  return cudaSuccess;
}
