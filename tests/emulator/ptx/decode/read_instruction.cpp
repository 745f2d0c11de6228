// SPDX-License-Identifier: Apache-2.0
// Text of an instruction -> its parts; branches here, all else by the table.

#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/control.hpp"

namespace emulator {

namespace {

std::string_view name_at(std::string_view text, std::size_t from) {
  std::size_t const begin = skip_blank(text, from);
  std::size_t end = begin;
  while (end < text.size() && is_name(text[end])) ++end;
  return text.substr(begin, end - begin);
}

// "ld.global.v2.f32" -> its name and suffixes.
void split_name(std::string_view text, statement& to) {
  std::size_t dot = text.find('.');
  to.op = std::string(text.substr(0, dot));
  while (dot != text.npos) {
    std::size_t const next = text.find('.', dot + 1);
    to.mods.push_back(text.substr(dot + 1, next == text.npos ? text.npos : next - dot - 1));
    dot = next;
  }
}

}  // namespace

void decoder::emit_branch(std::string_view label) {
  instruction const i = make(now->pred >= 0 ? run_branch_if : run_branch, 0);
  fixes.back().push_back({f.code.size(), std::string(label), -1});
  emit(i);
}

void decoder::emit_branch_table(std::string_view operands) {
  std::size_t const comma = operands.find(',');
  std::string const name(name_at(operands, comma + 1));
  std::vector<std::string> const* targets = nullptr;
  for (std::size_t scope = target_lists.size(); scope-- > 0 && targets == nullptr;) {
    auto const found = target_lists[scope].find(name);
    if (found != target_lists[scope].end()) targets = &found->second;
  }
  if (targets == nullptr) error("a list of targets that is not known: " + name);
  instruction i = make(run_branch_table, 0);
  i.o[0] = src(read_operand(operands.substr(0, comma)), dtype::u32);
  k.tables.emplace_back(targets->size(), nullptr);
  i.data = &k.tables.back();
  std::size_t const at = f.code.size();
  emit(i);
  for (std::size_t n = 0; n < targets->size(); ++n)
    fixes.back().push_back({at, (*targets)[n], static_cast<int>(n)});
}

// What is not known becomes an instruction that says so when it is run.
void decoder::read_instruction(std::string_view text) {
  statement st;
  st.text = text;
  now = &st;
  try {
    std::size_t q = 0;
    if (text[0] == '@') {
      q = skip_blank(text, 1);
      if (text[q] == '!') st.pred_not = true, ++q;
      std::string_view const name = name_at(text, q);
      operand const o = read_operand(name);
      if (o.k != operand::reg) error("a predicate that is not known");
      st.pred = o.vreg;
      q = skip_blank(text, static_cast<std::size_t>(name.end() - text.begin()));
    }
    std::size_t e = q;
    while (e < text.size() && (is_name(text[e]) || text[e] == '.' || text[e] == ':')) ++e;
    split_name(text.substr(q, e - q), st);
    std::string_view const rest = text.substr(e);
    if (st.op == "bra") return emit_branch(name_at(rest, 0));
    if (st.op == "brx") return emit_branch_table(rest);
    if (skip_blank(rest, 0) < rest.size()) read_operands(rest, st.ops);

    instruction_row const* const row = row_of(st.op);
    if (row == nullptr) error("an instruction that the emulator does not know");
    // Lanes of an instruction that waits cannot be told apart by a mask: a branch leads around it.
    bool const has_branch_around = st.pred >= 0 && waits(*row, st);
    std::size_t const before = f.code.size();
    if (has_branch_around) {
      instruction around = make(run_branch_if, 0);
      around.pred = vid(st.pred);
      around.pred_not = !st.pred_not;
      emit(around);
      st.pred = -1;
    }
    std::size_t const begin = f.code.size();
    if (!decode(*row, *this, st)) {
      f.code.resize(begin);
      error("an instruction that the emulator does not know in this form");
    }
    if (has_branch_around) {
      f.code[before].imm2 = 1;
      f.code[before].imm = static_cast<std::int64_t>(f.code.size());
    }
  } catch (std::runtime_error const& e) {
    k.messages.push_back(e.what());
    instruction i = make(run_unknown, 0);
    i.data = &k.messages.back();
    emit(i);
  }
}

}  // namespace emulator
