// SPDX-License-Identifier: Apache-2.0
// The body of a function: scopes, labels, statements.

#include <algorithm>
#include <utility>

#include "ptx/decode/decoder.hpp"
#include "ptx/execute/control.hpp"

namespace emulator {

namespace {

// The semicolon that ends what begins at p; one in a string or a comment does not.
std::size_t end_of_statement(std::string_view s, std::size_t p) {
  for (; p < s.size() && s[p] != ';'; ++p) {
    if (s[p] == '"')
      for (++p; p < s.size() && s[p] != '"'; ++p)
        if (s[p] == '\\') ++p;
    if (s[p] == '/' && p + 1 < s.size() && s[p + 1] == '/')
      while (p < s.size() && s[p] != '\n') ++p;
  }
  return p;
}

}  // namespace

void decoder::open_scope() {
  scopes.emplace_back(), labels.emplace_back(), fixes.emplace_back(), target_lists.emplace_back();
}

// Branches to labels of the scope get the number of the instruction; finish() makes addresses of
// them.
void decoder::close_scope() {
  auto mine = std::move(fixes.back());
  fixes.pop_back();
  for (fix& x : mine) {
    auto l = labels.back().find(x.label);
    if (l == labels.back().end()) {
      if (fixes.empty()) error("a label that is not known: " + x.label);
      fixes.back().push_back(x);
      continue;
    }
    instruction& i = f.code[x.code];
    if (x.entry < 0)
      i.imm = static_cast<std::int64_t>(l->second), i.imm2 = 1;
    else
      (*static_cast<std::vector<instruction const*>*>(const_cast<void*>(i.data)))[x.entry] =
          reinterpret_cast<instruction const*>(l->second);
  }
  labels.pop_back();
  scopes.pop_back();
  target_lists.pop_back();
}

void decoder::read_branch_targets(std::string const& name) {
  std::size_t const end = s.find(';', p);
  auto& to = target_lists.back()[name];
  for (std::size_t q = p + std::string_view(".branchtargets").size(); q < end;) {
    std::size_t e = q;
    while (is_name(s[e])) ++e;
    if (e > q) to.emplace_back(s.substr(q, e - q));
    q = e + 1;
  }
  p = end + 1;
}

// A label at p.
bool decoder::read_label() {
  std::size_t e = p;
  while (e < s.size() && is_name(s[e])) ++e;
  std::size_t const q = skip_blank(s, e);
  if (e == p || q >= s.size() || s[q] != ':' || (q + 1 < s.size() && s[q + 1] == ':')) return false;
  std::string const name(s.substr(p, e - p));
  labels.back()[name] = f.code.size();
  p = skip_blank(s, q + 1);
  if (s.substr(p, 14) == ".branchtargets") read_branch_targets(name);
  return true;
}

// A directive at p.
void decoder::read_directive() {
  std::size_t e = p + 1;
  while (e < s.size() && (is_name(s[e]) || s[e] == ':')) ++e;
  std::string_view const name = s.substr(p, e - p);
  if (name == ".loc" || name == ".file") {
    p = std::min(s.find('\n', p), s.size());
  } else if (name == ".reg") {
    p = e;
    declare_registers();
  } else if (name == ".local" || name == ".param" || name == ".shared") {
    p = e;
    read_declarations(name == ".shared");
  } else {  // .pragma, .callprototype and the like
    p = end_of_statement(s, p) + 1;
  }
}

// What begins at p, which is not blank.
void decoder::read_statement() {
  switch (s[p]) {
    case '{':
      ++p;
      return open_scope();
    case '}':
      ++p;
      return close_scope();
    case ';':
      ++p;
      return;
    case '.':
      return read_directive();
    default:
      break;
  }
  if (read_label()) return;
  std::size_t const from = p;
  p = end_of_statement(s, p);
  read_instruction(s.substr(from, p - from));
  ++p;
}

void decoder::body() {
  open_scope();
  std::string_view const head = f.text->head;
  std::size_t at = head.find(f.text->is_entry ? ".entry" : ".func") + (f.text->is_entry ? 6 : 5);
  at = skip_blank(head, at);
  while (head.compare(at, 9, ".noreturn") == 0) at = skip_blank(head, at + 9);
  if (at < head.size() && head[at] == '(') {
    read_parameters(head, at, true);
    at = head.find(')', at) + 1;
  }
  std::size_t const open = head.find('(', at);
  if (open != head.npos) read_parameters(head, open, false);
  s = f.text->body;
  for (p = skip_blank(s, 0); p < s.size(); p = skip_blank(s, p)) read_statement();
  statement end;
  end.text = s.substr(s.size());
  now = &end;
  emit(make(run_end_of_function, 0));
  close_scope();
  finish();
}

void decoder::finish() {
  allocate_rows();
  f.local_bytes = (local_end + 15) / 16 * 16;
  for (instruction& i : f.code) {
    if (i.imm2 == 1 && (i.fn == run_branch || i.fn == run_branch_if))
      i.target = &f.code[static_cast<std::size_t>(i.imm)];
    if (i.fn == run_branch_table)
      for (auto& t : *static_cast<std::vector<instruction const*>*>(const_cast<void*>(i.data)))
        t = &f.code[reinterpret_cast<std::size_t>(t)];
    if (i.pred != 0 && i.fn != run_branch_if) i.inner = i.fn, i.fn = run_predicated;
  }
}

}  // namespace emulator
