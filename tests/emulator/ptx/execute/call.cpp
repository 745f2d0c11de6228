// SPDX-License-Identifier: Apache-2.0
// Calls of functions of the module; those of the device are in builtins.cpp.

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/builtins.hpp"

namespace emulator {

static void run_call(warp& w, instruction const& i) {
  call_plan const& plan = *static_cast<call_plan const*>(i.data);
  if (plan.builtin != nullptr) return plan.builtin(w, plan);
  function const* callee = plan.callee;
  if (callee == nullptr) {
    if (i.o[0] == 0 && plan.name.size() != 0)
      fail(w, __builtin_ctz(w.mask), "a call of a function without a body: " + plan.name);
    u64 const* to = row<u64>(w, i.o[0]);
    unsigned first = __builtin_ctz(w.mask);
    u32 same = 0;
    each_lane(w.mask, [&](unsigned l) {
      if (to[l] == to[first]) same |= 1u << l;
    });
    if (same != w.mask) {
      u32 other = w.mask & ~same;
      each_lane(other, [&](unsigned l) {
        w.lpc[l] = &i;
        w.lbase[l] = w.base;
        w.lframe[l] = w.frame;
      });
      w.mask = same;
    }
    callee = reinterpret_cast<function const*>(to[first]);
  }
  u32 base = w.base + plan.caller->frame_bytes, frame = w.frame + plan.caller->local_bytes;
  if (base + callee->frame_bytes > w.file_bytes || frame + callee->local_bytes > w.local_stride)
    fail(w, __builtin_ctz(w.mask), "the stack is full (recursion too deep for the emulator)");
  w.has_calls_or_copies = true;
  each_lane(w.mask, [&](unsigned l) {
    w.lanes[l].calls.push_back({w.pc, w.base, w.frame, &plan, callee});
    char* mine = local_of(w, l);
    for (std::size_t n = 0; n < plan.arguments.size() && n < callee->parameters.size(); ++n)
      std::memcpy(mine + frame + callee->parameters[n].offset,
                  mine + w.frame + plan.arguments[n].offset,
                  std::min(plan.arguments[n].size, callee->parameters[n].size));
    w.lbase[l] = base, w.lframe[l] = frame;
  });
  w.base = base, w.frame = frame;
  w.regs = w.file + base;
  w.pc = callee->code.data();
  stop(w);
}

static std::vector<function::slot> slots_of(decoder& d, operand const& group) {
  std::vector<function::slot> slots;
  for (operand const& each : group.elems) {
    if (each.k != operand::sym) d.error("a parameter of a call that is no .param");
    symbol const* const found = d.find(each.name);
    if (found == nullptr || found->k != symbol::local)
      d.error("a parameter of a call that is not known: " + each.name);
    slots.push_back({static_cast<u32>(found->at), static_cast<u32>(found->size)});
  }
  return slots;
}

bool decode_call(decoder& d, statement const& s) {
  auto const& o = s.ops;
  call_plan plan;
  plan.caller = &d.f;
  std::size_t at = 0;
  if (!o.empty() && o[0].k == operand::group) plan.results = slots_of(d, o[0]), at = 1;
  operand const& target = o.at(at);
  if (o.size() > at + 1 && o[at + 1].k == operand::group) plan.arguments = slots_of(d, o[at + 1]);
  instruction i = d.make(run_call, 0);
  if (target.k == operand::reg) {  // any function may be meant
    i.o[0] = d.src(target, dtype::u64);
    for (auto const& [name, text] : d.m.functions)
      if (!text.is_entry && !text.body.empty()) d.function_named(name);
  } else {
    plan.name = target.name;
    plan.callee = d.function_named(target.name);
    if (plan.callee == nullptr) plan.builtin = builtin_named(target.name);
  }
  d.k.calls.push_back(plan);
  i.data = &d.k.calls.back();
  d.emit(i);
  return true;
}

}  // namespace emulator
