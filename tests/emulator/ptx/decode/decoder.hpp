// SPDX-License-Identifier: Apache-2.0
#pragma once
// Text of a function -> instructions: statements, operands, and what the decoders of instructions
// ask for.

#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/parse/text.hpp"
#include "ptx/program.hpp"

namespace emulator {

struct operand {
  enum kind { none, reg, imm, sym, addr, vec, under, special, pair, group } k = none;
  bool neg = false;            // ! or - before a register
  int vreg = -1;               // reg; base of an address or -1
  literal value;               // imm
  std::string name;            // sym, special; base of an address
  std::int64_t off = 0;        // addr, sym + off
  std::vector<operand> elems;  // vec, pair, group
};

// clang-format off
enum class dtype : std::uint8_t {
  none, pred, b8, u8, s8, b16, u16, s16, b32, u32, s32, b64, u64, s64, b128, f16, f16x2,
  bf16, bf16x2, f32, f64, e4m3x2, e5m2x2, tf32, u16x2, s16x2
};
// clang-format on
dtype type_named(std::string_view);
unsigned size_of(dtype);
dtype bits_of_size(unsigned bytes);
inline bool is_signed(dtype t) {
  return t == dtype::s8 || t == dtype::s16 || t == dtype::s32 || t == dtype::s64;
}
inline bool is_float(dtype t) { return t >= dtype::f16 && t <= dtype::tf32; }

struct statement {
  std::string_view text;
  std::string op;                      // without suffixes
  std::vector<std::string_view> mods;  // the suffixes
  std::vector<operand> ops;
  int pred = -1;
  bool pred_not = false;
  bool has(std::string_view m) const {
    for (auto x : mods)
      if (x == m) return true;
    return false;
  }
  // The which-th suffix that is a type, from the left; -1: the last.
  dtype type(int which = 0) const;
  int rounding() const;          // 0..4; -1: none
  int integer_rounding() const;  // .rni etc.
};

struct symbol {
  enum kind { reg, local, shared, entry_param } k;
  int vreg = 0, count = 0;  // reg; count > 0: name<count>
  std::int64_t at = 0;
  std::size_t size = 0;
  bool is_dynamic = false;
};

struct decoder {
  kernel& k;
  function& f;
  module& m;
  std::vector<std::unordered_map<std::string, symbol>> scopes;
  struct fix {
    std::size_t code;
    std::string label;
    int entry;
  };
  std::vector<std::unordered_map<std::string, std::size_t>> labels;
  std::vector<std::vector<fix>> fixes;
  std::vector<std::unordered_map<std::string, std::vector<std::string>>> target_lists;
  std::vector<std::uint8_t> sizes;  // of virtual registers; 0: predicate
  std::uint32_t local_end = 0;
  statement const* now = nullptr;
  std::string_view s;
  std::size_t p = 0;

  decoder(kernel& k, function& f) : k(k), f(f), m(*k.of) {}
  void body();
  [[noreturn]] void error(std::string const& what) { throw std::runtime_error(what); }

  // What decoders of instructions use.
  instruction make(handler h, int writes = 1);
  instruction& emit(instruction const& i);
  // An instruction with one result of type `to` and operands of types `from`. False where there is
  // no handler.
  bool emit(handler h, dtype to, std::initializer_list<dtype> from);
  int temp(unsigned bytes) {
    sizes.push_back(static_cast<std::uint8_t>(bytes));
    return static_cast<int>(sizes.size()) - 1;
  }
  std::uint64_t vid(int reg) { return static_cast<std::uint64_t>(reg) + 1; }
  std::uint64_t dst(operand const& o, unsigned bytes);
  std::uint64_t src(operand const& o, dtype t);
  std::uint64_t src_any(operand const& o, unsigned& bytes);  // a register as wide as it is
  std::uint64_t dst_pred(operand const& o);
  std::uint64_t src_pred(operand const& o, bool& neg);
  std::uint64_t constant(std::uint64_t bits, unsigned bytes);
  std::uint64_t bits_of(literal const& l, dtype t);
  // Sets o[slot], imm and, to the bytes of the register, k2.
  void address(instruction& i, int slot, operand const& o);
  std::uint64_t* list(std::size_t n);
  space space_of(statement const& s, space other);
  symbol* find(std::string const& name);
  function* function_named(std::string const& name);

 private:
  void declare_registers();
  void read_statement();
  operand read_operand(std::string_view t);
  void read_instruction(std::string_view text);
  void read_operands(std::string_view text, std::vector<operand>& to);
  operand read_address(std::string_view t);
  operand read_name(std::string_view t);
  void read_parameters(std::string_view head, std::size_t open, bool are_results);
  void read_declarations(bool are_shared);
  void read_branch_targets(std::string const& name);
  void emit_branch(std::string_view label);
  void emit_branch_table(std::string_view operands);
  void open_scope();
  void close_scope();
  bool read_label();
  void read_directive();
  void finish();
  void allocate_rows();
  std::uint64_t symbol_value(std::string const& name, std::int64_t add, unsigned bytes,
                             bool& frame_relative);
};

}  // namespace emulator
