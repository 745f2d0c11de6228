// SPDX-License-Identifier: Apache-2.0
#pragma once
// A program bound to shapes and strides, ready to run in its memory space: the CPU's loops or a CUDA launch.

#include <cstdint>

#include "tenon/backend/arguments.hpp"
#include "tenon/backend/cpu/run.hpp"
#include "tenon/core/atomic.hpp"
#include "tenon/program/inner_columns.hpp"
#include "tenon/runtime/argument.hpp"
#include "tenon/tensor/space.hpp"
#if defined(__CUDACC__)
#include "tenon/backend/cuda/plan.cuh"
#include "tenon/runtime/workspace.hpp"
#endif

namespace tenon::detail {

template <class Space, class Program, family const* Family, column_order Columns>
class prepared;

template <class Program, family const* Family, column_order Columns>
class prepared<cpu, Program, Family, Columns> {
 public:
  static int device() { return 0; }
  void check_pointer(void const*, int, expression_name const&) const {}

  [[gnu::cold]] prepared(bound_layout<Program> const& layout, bound_arguments<Program> const&)
      : layout_(layout) {}
  void launch(bound_arguments<Program> const& arguments, stream) const { run_on_cpu<Program, Family>(layout_, arguments); }
  [[gnu::cold]] text description() const { return "loops of the CPU backend"; }
  bound_layout<Program> const& layout() const { return layout_; }

 private:
  bound_layout<Program> layout_;
};

#if defined(__CUDACC__)
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_pointer(int owner, int device, int operand, expression_name const& name) {
  raise({.operation = "call",
         .problem = owner < 0 ? text("the pointer is not memory that the device can use")
                              : text("the pointer belongs to device ") << owner << ", the current device is " << device,
         .remedy = owner < 0 ? "copy the data with tn::to<tn::cuda> first" : "make that device current, or copy the data",
         .operand = operand},
        name);
}

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

template <class Program, family const* Family, column_order Columns>
class prepared<cuda, Program, Family, Columns> {
 public:
  static int device() { return current_device(); }
  void check_pointer(void const* pointer, int operand, expression_name const& name) const {
    check_cuda_pointer(pointer, device_, operand, name);
  }

  [[gnu::cold]] prepared(bound_layout<Program> const& layout,
                         bound_arguments<Program> const& arguments)
      : layout_(layout), device_(device()) {
    device_properties const& properties = properties_of(device_);
    plan_ = make_cuda_plan<Program, Family, Columns>(
        layout_, arguments,
        cuda_device_facts{properties.multiprocessors, static_cast<int>(properties.shared_bytes_per_block_opt_in), properties.compute_capability});
  }
  void launch(bound_arguments<Program> const& arguments, stream on) const {
    void* workspace = workspaces::get(plan_.workspace_bytes, device_, on);
    check(plan_.launch(plan_, arguments, workspace, on.handle), "launch");
  }
  [[gnu::cold]] text description() const {
    return "grid " + to_string(plan_.grid.x) + ", block " + to_string(plan_.block.x) + " threads: " + plan_.why;
  }
  bound_layout<Program> const& layout() const { return layout_; }

 private:
  bound_layout<Program> layout_;
  int device_;
  cuda_plan<Program> plan_;
};
#endif

}  // namespace tenon::detail
