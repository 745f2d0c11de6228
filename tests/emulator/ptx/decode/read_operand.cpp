// SPDX-License-Identifier: Apache-2.0
// Text of an operand -> what it names.

#include <cctype>
#include <cstdlib>

#include "ptx/decode/decoder.hpp"
#include "ptx/execute/control.hpp"

namespace emulator {

namespace {

std::string_view trim(std::string_view text) {
  text.remove_prefix(skip_blank(text, 0));
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

void decoder::read_operands(std::string_view text, std::vector<operand>& to) {
  if (trim(text).empty()) return;
  std::size_t from = 0;
  int depth = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    if (at == text.size() || (text[at] == ',' && depth == 0)) {
      to.push_back(read_operand(text.substr(from, at - from)));
      from = at + 1;
    } else if (text[at] == '{' || text[at] == '[' || text[at] == '(') {
      ++depth;
    } else if (text[at] == '}' || text[at] == ']' || text[at] == ')') {
      --depth;
    }
  }
}

// What stands in brackets: a register or name, and offsets; or a number.
operand decoder::read_address(std::string_view t) {
  operand o;
  o.k = operand::addr;
  std::size_t q = 0;
  while (q < t.size() && is_name(t[q])) ++q;
  std::string const base(t.substr(0, q));
  if (base.empty() || is_digit(base[0])) {
    o.off = static_cast<std::int64_t>(read_literal(t).bits);
    return o;
  }
  for (std::string_view rest = trim(t.substr(q)); !rest.empty(); rest = trim(rest.substr(q))) {
    std::int64_t sign = 1;
    while (!rest.empty() && (rest[0] == '+' || rest[0] == '-' || rest[0] == ' ')) {
      if (rest[0] == '-') sign = -sign;
      rest.remove_prefix(1);
    }
    q = 0;
    while (q < rest.size() && is_name(rest[q])) ++q;
    if (q == 0) error("an address that is not understood: " + std::string(t));
    o.off += sign * static_cast<std::int64_t>(read_literal(rest.substr(0, q)).bits);
  }
  operand const b = read_operand(base);
  if (b.k == operand::reg)
    o.vreg = b.vreg;
  else
    o.name = base;
  return o;
}

// A register, one of several of a declaration (`%r<9>`), a special register, or a variable, perhaps
// with an offset.
operand decoder::read_name(std::string_view t) {
  operand o;
  std::size_t q = 0;
  while (q < t.size() && (is_name(t[q]) || t[q] == '.')) ++q;
  std::string const name(t.substr(0, q));
  o.k = operand::sym;
  o.name = name;
  if (q < t.size()) {
    std::string_view const rest = trim(t.substr(q));
    if (rest[0] != '+' && rest[0] != '-')
      error("an operand that is not understood: " + std::string(t));
    o.off = static_cast<std::int64_t>(read_literal(trim(rest.substr(1))).bits) *
            (rest[0] == '-' ? -1 : 1);
    return o;
  }
  if (symbol const* found = find(name)) {
    if (found->k == symbol::reg) o.k = operand::reg, o.vreg = found->vreg;
    return o;
  }
  std::size_t digits = name.size();
  while (digits > 0 && is_digit(name[digits - 1])) --digits;
  for (std::size_t cut = digits; cut < name.size(); ++cut) {  // digits may belong to the name
    symbol const* const found = find(name.substr(0, cut) + "<");
    if (found == nullptr) continue;
    int const n = std::atoi(name.c_str() + cut);
    if (n < found->count) {
      o.k = operand::reg;
      o.vreg = found->vreg + n;
      return o;
    }
  }
  if (name == "WARP_SZ") {
    o.k = operand::imm;
    o.value.bits = 32;
    return o;
  }
  unsigned bytes;
  if (name[0] == '%' && special_named(name, bytes) >= 0) o.k = operand::special;
  return o;
}

operand decoder::read_operand(std::string_view t) {
  t = trim(t);
  operand o;
  if (t.empty()) error("an operand is missing");
  if (t[0] == '{') {
    o.k = operand::vec;
    read_operands(t.substr(1, t.rfind('}') - 1), o.elems);
    return o;
  }
  if (t[0] == '(') {
    o.k = operand::group;
    read_operands(t.substr(1, t.rfind(')') - 1), o.elems);
    return o;
  }
  if (t[0] == '[') return read_address(trim(t.substr(1, t.rfind(']') - 1)));
  if (t[0] == '!') {
    o = read_operand(t.substr(1));
    o.neg = true;
    return o;
  }
  if (t == "_") {
    o.k = operand::under;
    return o;
  }
  if (is_digit(t[0]) || t[0] == '-' || t[0] == '+') {
    bool const is_number = t.size() == 1 || ((is_name(t[1]) || t[1] == '.') && t[1] != '%');
    if (!is_number) error("an operand that is not understood: " + std::string(t));
    o.k = operand::imm;
    o.value = read_literal(t);
    return o;
  }
  if (std::size_t const bar = t.find('|'); bar != t.npos) {
    o.k = operand::pair;
    o.elems.push_back(read_operand(t.substr(0, bar)));
    o.elems.push_back(read_operand(t.substr(bar + 1)));
    return o;
  }
  return read_name(t);
}

}  // namespace emulator
