// SPDX-License-Identifier: Apache-2.0
#pragma once
// The value that a planner returns: which kernel, how many threads, how much workspace; and its
// launch.

#include <cuda_runtime_api.h>

#include <cstddef>

#include "tenon/backend/cuda/parts/access.cuh"
#include "tenon/backend/cuda/parts/direct_launch.cuh"
#include "tenon/backend/cuda/parts/parameter_block.cuh"
#include "tenon/backend/cuda/parts/ticket.cuh"
#include "tenon/core/config.hpp"

TENON_ONCE_BEGIN
namespace tenon {

// What a plan may depend on beside the call. Results do not: only launches without reductions look
// at them.
struct cuda_device_facts {
  int multiprocessors = 132;
  int shared_bytes_per_block = 0;
  // Whether its code knows of clusters: what was compiled for older architectures does not, on
  // whatever device.
  bool has_clusters = true;
  long long cache_bytes = 60 << 20;  // of the L2 cache
};

namespace detail {
template <class Program> using widest_arguments = kernel_arguments<Program, max_rank, max_rank, 64>;
}  // namespace detail

// A launch for one exact set of shapes, strides and alignments; plain values. A null function:
// there is nothing to do.
struct cuda_plan {
  // A call: what initializes the members is 120 instructions wherever a planner begins or gives up.
  [[gnu::cold, gnu::noinline]] cuda_plan() {}

  void const* function = nullptr;
  detail::direct_launch direct;
  dim3 grid, block;
  unsigned cluster = 1;         // blocks per cluster
  bool is_cooperative = false;  // all blocks are resident at once
  bool is_early = false;        // although they are: it begins before the one in front has ended
  // The blocks of a cluster may begin wherever there is room; else they are put side by side, and
  // multiprocessors stay without any. H200, us: layer norm of 64 x 65536 f32, misaligned, 22
  // instead of 36, of 4096 x 50257 f32 772 instead of 860. What bounds many aligned rows is the
  // memory: softmax of 1000 x 262144 f32 521 instead of 514.
  bool is_balanced = false;
  unsigned shared_bytes = 0;
  std::size_t workspace_bytes = 0;  // zero before the first launch that uses it
  configuration chosen = {};
  detail::work_split split = {};
  char const* why = "";
  detail::parameter_block parameters;
};

namespace detail {

// Blocks of a launch whose partial results are combined: four for each of 132 multiprocessors, and
// a constant, so that the order of a sum does not depend on the device. H200, sum of squares of
// 2^28 f32: 236 us, with twice as many 262 us, with half as many 244 us.
inline constexpr long long most_partials = 528;
inline constexpr long long most_blocks = 2147483647;
template <class Program, class Selected>
inline constexpr long long most_parts =
    most_slotted_parts<Program, Selected> < most_partials ? most_slotted_parts<Program, Selected>
                                                          : most_partials;

// As std::max and std::clamp, whose <algorithm> costs 0.15 s under nvcc 13.0.
constexpr long long at_least(long long least, long long value) {
  return value < least ? least : value;
}
constexpr long long clamped(long long value, long long least, long long most) {
  return value > most ? most : at_least(least, value);
}

// The launch of a kernel whose blocks know each other.
class launch_attributes {
 public:
  launch_attributes(unsigned cluster, bool is_cooperative, bool is_balanced = false,
                    bool may_be_early = false) {
    if (cluster > 1) {
      all_[count_].id = cudaLaunchAttributeClusterDimension;
      all_[count_].val.clusterDim.x = cluster;
      all_[count_].val.clusterDim.y = all_[count_].val.clusterDim.z = 1;
      ++count_;
    }
    if (is_balanced) {
      all_[count_].id = cudaLaunchAttributeClusterSchedulingPolicyPreference;
      all_[count_].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicyLoadBalancing;
      ++count_;
    }
    if (is_cooperative) {
      all_[count_].id = cudaLaunchAttributeCooperative;
      all_[count_].val.cooperative = 1;
      ++count_;
    }
    if (may_be_early) allow_early_launch(all_[count_++]);
  }
  cudaLaunchConfig_t config(dim3 grid, dim3 block, unsigned shared_bytes, cudaStream_t stream) {
    cudaLaunchConfig_t result{};
    result.gridDim = grid, result.blockDim = block;
    result.dynamicSmemBytes = shared_bytes;
    result.stream = stream;
    result.attrs = all_, result.numAttrs = count_;
    return result;
  }

 private:
  cudaLaunchAttribute all_[4] = {};
  unsigned count_ = 0;
};

// Lets a kernel have as much shared memory as any plan of it may ask for: the limit is the
// function's, not the launch's. Where it cannot, the launch fails, whose status is checked.
inline void allow_shared_bytes(void const* function, long long bytes) {
  if (cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(bytes)) != cudaSuccess)
    cudaGetLastError();  // not the caller's
}

// Clusters, or blocks where there are none, that the device holds at once; 0: it cannot run them.
[[gnu::cold, gnu::noinline]] inline long long most_resident_groups(cuda_plan const& plan,
                                                                   cuda_device_facts const& facts) {
  int groups = 0;
  cudaError_t status;
  if (plan.cluster > 1) {
    if (plan.cluster > 8)
      cudaFuncSetAttribute(plan.function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    launch_attributes attributes(plan.cluster, false);
    cudaLaunchConfig_t config =
        attributes.config(dim3(plan.cluster), plan.block, plan.shared_bytes, nullptr);
    status = cudaOccupancyMaxActiveClusters(&groups, plan.function, &config);
  } else {
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
        &groups, plan.function, static_cast<int>(plan.block.x * plan.block.y * plan.block.z),
        plan.shared_bytes);
    groups *= facts.multiprocessors;
  }
  if (status == cudaSuccess) return groups;
  cudaGetLastError();  // not the caller's: the answer is 0
  return 0;
}

// Keeps the parameter block for every launch of the plan.
template <class Arguments>
[[gnu::cold]] void prepare([[maybe_unused]] cuda_plan& plan,
                           [[maybe_unused]] Arguments const& arguments) {
#if !defined(__CUDA_ARCH__)  // no kernel is named here
  plan.parameters = block_of(arguments);
  plan.direct = direct_launch::of(plan.function);
#endif
}
// @pre plan.chosen and plan.split are final
template <class Arguments>
[[gnu::cold]] void prepare_arguments([[maybe_unused]] cuda_plan& plan,
                                     [[maybe_unused]] bound_layout const& layout,
                                     [[maybe_unused]] bound_arguments const& call) {
#if !defined(__CUDA_ARCH__)  // no kernel is named here
  prepare(plan, Arguments::of(layout, call, plan.chosen.vector_width, plan.split));
#endif
}

// Room for the partial results of combine_grid.
inline void add_slots(cuda_plan& plan) {
  if (plan.grid.x > 1) plan.workspace_bytes = sizeof(unsigned) * first_partial;
}

}  // namespace detail

// A kernel family's skeleton, found by the family: a specialization has
//   template <class Program> static cuda_plan plan(layout, arguments, facts)
template <family const* Family> struct cuda_skeleton;

}  // namespace tenon
TENON_ONCE_END

namespace tenon::detail {

inline cudaError_t launch(cuda_plan const& plan, bound_arguments const& call, void* workspace,
                          cudaStream_t stream) {
  if (!plan.function) return cudaSuccess;
  char* const block = static_cast<char*>(__builtin_alloca(plan.parameters.bytes()));
  plan.parameters.write(block, call, workspace);
  void* parameters[] = {block};
  if (plan.cluster == 1 && !plan.is_cooperative)
    return plan.direct.launch(plan.function, plan.grid, plan.block, parameters, plan.shared_bytes,
                              stream);
  launch_attributes attributes(
      plan.cluster, plan.is_cooperative, plan.is_balanced && plan.cluster > 1,
      plan.direct.may_be_early() && (!plan.is_cooperative || plan.is_early));
  cudaLaunchConfig_t config = attributes.config(plan.grid, plan.block, plan.shared_bytes, stream);
  return cudaLaunchKernelExC(&config, plan.function, parameters);
}

}  // namespace tenon::detail
