// SPDX-License-Identifier: Apache-2.0
#pragma once
// A module as it is known after reading: functions, variables, decoded instructions.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "emulator.hpp"
#include "ptx/integer_names.hpp"

namespace emulator {

struct warp;
struct function;
struct instruction;
using handler = void (*)(warp&, instruction const&);

enum class space : std::uint8_t {
  generic,
  global,
  shared,
  shared_cluster,
  local,
  frame,
  entry_param,
  constant
};

// o[]: operands, first the written ones. While decoding: number of a virtual register + 1 (0:
// none), or an address of a row of constants; afterwards: offset of the row in the frame, or the
// address. What imm, k and flags mean is the handler's.
struct instruction {
  handler fn = nullptr;
  handler inner = nullptr;  // of an instruction under a predicate
  std::uint64_t o[6] = {0, 0, 0, 0, 0, 0};
  std::uint64_t pred = 0;
  std::uint64_t* list = nullptr;  // operands of a vector
  std::int64_t imm = 0, imm2 = 0;
  instruction const* target = nullptr;
  void const* data = nullptr;
  std::uint32_t flags = 0;
  std::uint32_t text = 0, text_size = 0;  // where it stands in the text of the module
  std::uint8_t writes = 0;                // how many of o are written
  std::uint8_t list_size = 0;
  bool list_written = false;
  bool pred_not = false;
  std::uint8_t k = 0, k2 = 0;
  space where = space::generic;
  std::uint8_t rounding = 0;  // 0 nearest even, 1 zero, 2 minus, 3 plus, 4 nearest away
};

struct variable {
  std::string name;
  space where = space::global;
  std::size_t align = 1, size = 0;
  bool is_dynamic = false;  // extern .shared []
  std::size_t offset = 0;   // in shared memory
  char* at = nullptr;
};

struct function_text {
  std::string name;
  bool is_entry = false;
  std::string_view head, body;  // body: without the outer braces; empty: declared alone
};

struct function {
  function_text const* text = nullptr;
  std::vector<instruction> code;
  std::uint32_t frame_bytes = 0;  // registers
  std::uint32_t local_bytes = 0;  // .local and .param of the frame
  struct slot {
    std::uint32_t offset, size;
  };
  std::vector<slot> parameters, results;
  std::vector<function*> callees;
  bool decoded = false, is_walked = false;
};

struct call_plan {
  function* callee = nullptr;
  void (*builtin)(warp&, call_plan const&) = nullptr;
  std::string name;
  function* caller = nullptr;
  std::vector<function::slot> arguments, results;  // in the frame of the caller
};

struct kernel {
  module* of = nullptr;
  function_text const* text = nullptr;
  kernel_facts facts;
  bool is_read = false;
  std::map<std::string, std::unique_ptr<function>> functions;
  function* entry = nullptr;
  std::deque<std::vector<std::uint64_t>> lists;
  std::deque<call_plan> calls;
  std::deque<std::vector<instruction const*>> tables;
  std::deque<std::string> messages;
  struct row {  // of a constant

    alignas(64) unsigned char bytes[512];
  };
  struct patch {
    row* at;
    unsigned size;
    std::int64_t add;
  };
  std::vector<patch>
      dynamic_patches;  // addresses in dynamic shared memory, known when all else is placed
  std::map<std::string, variable> shared_variables;  // of the module, as placed here
  std::size_t shared_end = 0, dynamic_align = 16, dynamic_start = 0;
  std::size_t local_need = 0, frame_need = 0;
};

struct module {
  std::string text;
  std::unordered_map<std::string, function_text> functions;
  std::unordered_map<std::string, variable> variables;
  std::unordered_map<std::string, std::unique_ptr<kernel>> kernels;
  ~module();
};

constexpr std::uint32_t shared_base = 1024;       // as sm_90: the first KB is the system's
constexpr std::size_t shared_stride = 256 << 10;  // of blocks in the address space of the host
constexpr std::size_t shared_most = 228 << 10;

// `bytes` of memory above 4 GB, which no offset of a row reaches; kept until the end.
constexpr std::uint64_t constant_from = 1ull << 32;
unsigned char* high_memory(std::size_t bytes);

}  // namespace emulator
