// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program bound to shapes and strides, ready to run in its memory space: the CPU's loops or a CUDA launch.

#include <cstdint>
#include <utility>

#include "tenon/backend/arguments.hpp"
#include "tenon/backend/cpu/run.hpp"
#include "tenon/core/atomic.hpp"
#include "tenon/core/config.hpp"
#include "tenon/program/inner_columns.hpp"
#include "tenon/runtime/argument.hpp"
#include "tenon/tensor/space.hpp"
#if defined(__CUDACC__)
#include "tenon/backend/cuda/parts/row_order.cuh"
#include "tenon/backend/cuda/plan.cuh"
#include "tenon/runtime/workspace.hpp"
#endif

namespace tenon::detail {

template <class Space>
class prepared;

template <>
class prepared<cpu> {
 public:
  template <class Program, family const* Family, column_order Columns>
  [[gnu::cold]] static prepared of(bound_layout&& layout, bound_arguments const&) {
    return {std::move(layout), run_on_cpu<Program, Family>};
  }
  [[gnu::cold]] static prepared of_nothing(bound_layout&& layout) {
    return {std::move(layout), [](bound_layout const&, bound_arguments const&) {}};
  }
  static int device() { return 0; }
  void check_pointer(void const*, int, expression_name const&) const {}

  void launch(bound_arguments const& arguments, stream) const { run_(layout_, arguments); }
  [[gnu::cold]] text description() const { return "loops of the CPU backend"; }
  bound_layout const& layout() const { return layout_; }

 private:
  using loops = void (*)(bound_layout const&, bound_arguments const&);
  [[gnu::cold]] prepared(bound_layout&& layout, loops run) : layout_(std::move(layout)), run_(run) {}

  bound_layout layout_;
  loops run_;
};

#if defined(__CUDACC__)
TENON_ONCE_BEGIN
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_pointer(int owner, int device, int operand, expression_name const& name) {
  raise({.operation = "call",
         .problem = owner < 0 ? text("the pointer is not memory that the device can use")
                              : text("the pointer belongs to device ") << owner << ", the current device is " << device,
         .remedy = owner < 0 ? "copy the data with tn::to<tn::cuda> first" : "make that device current, or copy the data",
         .operand = operand},
        name);
}
TENON_ONCE_END

// Addresses that were found to be of the device are remembered, so that a warm call asks nothing. The place depends on
// the device too: an address remembered for one is asked for again by another. Places are spread by a product, because
// arrays of a power-of-two size lie at distances whose low bits agree.
inline void check_cuda_pointer(void const* pointer, int device, int operand, expression_name const& name) {
  static atomic<void const*> known[1024] = {};
  std::uint64_t const at = reinterpret_cast<std::uintptr_t>(pointer) + static_cast<unsigned>(device);
  atomic<void const*>& slot = known[at * 0x9e3779b97f4a7c15u >> 54];
  if (slot.load_relaxed() == pointer) return;
  int owner = device_of(pointer);
  if (owner != device) refuse_pointer(owner, device, operand, name);
  slot.store_relaxed(pointer);
}

template <>
class prepared<cuda> {
 public:
  template <class Program, family const* Family, column_order Columns>
  [[gnu::cold]] static prepared of(bound_layout&& layout, bound_arguments const& arguments) {
    if constexpr (Family == &schedules::rows) order_rows<Program>(layout);
    return {std::move(layout), arguments, make_cuda_plan<Program, Family, Columns>,
            {moved_by<Program>::bytes.loads, moved_by<Program>::bytes.stores}};
  }
  [[gnu::cold]] static prepared of_nothing(bound_layout&& layout) { return prepared(std::move(layout)); }
  static int device() { return current_device(); }
  void check_pointer(void const* pointer, int operand, expression_name const& name) const {
    check_cuda_pointer(pointer, device_, operand, name);
  }

  void launch(bound_arguments const& arguments, stream on) const {
    void* workspace = workspaces::get(plan_.workspace_bytes, device_, on);
    check(detail::launch(plan_, arguments, workspace, on.handle), "launch");
  }
  [[gnu::cold]] text description() const {
    if (!plan_.function) return "no elements: no launch";
    return "grid " + to_string(plan_.grid.x) + ", block " + to_string(plan_.block.x) + " threads: " + plan_.why;
  }
  bound_layout const& layout() const { return layout_; }

 private:
  using planner = cuda_plan (*)(bound_layout const&, bound_arguments const&, cuda_device_facts const&);
  [[gnu::cold]] explicit prepared(bound_layout&& layout) : layout_(std::move(layout)), device_(device()) {}
  [[gnu::cold]] prepared(bound_layout&& layout, bound_arguments const& arguments, planner make, operand_bytes const& bytes)
      : prepared(std::move(layout)) {
    device_properties const& properties = properties_of(device_);
    cuda_device_facts facts{properties.multiprocessors, static_cast<int>(properties.shared_bytes_per_block_opt_in),
                            properties.has_clusters, static_cast<long long>(properties.l2_bytes)};
    plan_ = make(layout_, arguments, facts);
    // An expression's kernels are compiled for the same architectures: any of them tells which code of theirs the device runs.
    if (plan_.function && facts.has_clusters && !has_code_of_sm_90(plan_.function)) {
      facts.has_clusters = false;
      plan_ = make(layout_, arguments, facts);
    }
    plan_.parameters.keep_stored(policy_of_stores(bytes_moved(layout_, bytes), facts.cache_bytes));
  }

  bound_layout layout_;
  int device_;
  cuda_plan plan_;
};
#endif

}  // namespace tenon::detail
