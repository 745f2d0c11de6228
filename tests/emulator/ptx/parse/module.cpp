// SPDX-License-Identifier: Apache-2.0
// The outer level of a module: functions (bodies are left unread) and variables.

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "ptx/decode/kernel.hpp"
#include "ptx/parse/text.hpp"
#include "ptx/program.hpp"

namespace emulator {

module::~module() {
  for (auto& [name, v] : variables)
    if (v.at != nullptr && v.where != space::shared) freed(v.at), std::free(v.at);
}

namespace {

struct outer {
  module& m;
  std::string_view s;
  std::size_t p = 0;

  [[noreturn]] void error(std::string const& what) {
    std::size_t line = 1;
    for (std::size_t k = 0; k < p && k < s.size(); ++k) line += s[k] == '\n';
    throw std::runtime_error("PTX line " + std::to_string(line) + ": " + what);
  }
  void skip() { p = skip_blank(s, p); }
  // end of the braces that begin at p
  std::size_t closing(std::size_t from) {
    int depth = 0;
    for (std::size_t k = from; k < s.size(); ++k) {
      char c = s[k];
      if (c == '{')
        ++depth;
      else if (c == '}') {
        if (--depth == 0) return k;
      } else if (c == '"') {
        for (++k; k < s.size() && s[k] != '"'; ++k)
          if (s[k] == '\\') ++k;
      } else if (c == '/' && k + 1 < s.size() && s[k + 1] == '/') {
        while (k < s.size() && s[k] != '\n') ++k;
      } else if (c == '/' && k + 1 < s.size() && s[k + 1] == '*') {
        k = s.find("*/", k);
        if (k == s.npos) break;
        ++k;
      }
    }
    error("a brace that is not closed");
  }

  void read_function() {
    std::size_t head = p;
    std::size_t k = p;
    while (k < s.size() && s[k] != '{' && s[k] != ';') {
      if (s[k] == '/' && s[k + 1] == '/') {
        while (k < s.size() && s[k] != '\n') ++k;
        continue;
      }
      if (s.compare(k, 7, ".pragma") == 0) {
        k = s.find(';', k);
      }
      ++k;
    }
    function_text f;
    f.head = s.substr(head, k - head);
    if (s[k] == '{') {
      std::size_t end = closing(k);
      f.body = s.substr(k + 1, end - k - 1);
      p = end + 1;
    } else {
      p = k + 1;
    }
    // name: after .entry/.func, behind the list of results
    std::size_t at = f.head.find(".entry");
    f.is_entry = at != f.head.npos;
    if (!f.is_entry) at = f.head.find(".func");
    at += f.is_entry ? 6 : 5;
    at = skip_blank(f.head, at);
    while (f.head.compare(at, 9, ".noreturn") == 0) at = skip_blank(f.head, at + 9);
    if (f.head[at] == '(') {
      at = f.head.find(')', at) + 1;
      at = skip_blank(f.head, at);
    }
    std::size_t to = at;
    while (to < f.head.size() && is_name(f.head[to])) ++to;
    f.name = std::string(f.head.substr(at, to - at));
    auto& known = m.functions[f.name];
    if (known.body.empty() || !f.body.empty()) known = f;
    if (f.is_entry) {
      auto k2 = std::make_unique<kernel>();
      k2->of = &m;
      k2->facts.name = f.name;
      m.kernels[f.name] = std::move(k2);
    }
  }

  void read_variable(space where, bool is_extern) {
    declaration d = read_declaration(s, p);
    variable v;
    v.name = d.name;
    v.where = where;
    v.align = d.align;
    v.size = d.size;
    if (where == space::shared) {
      v.is_dynamic = is_extern && d.size == 0;
      skip();
      if (p < s.size() && s[p] == ';') ++p;
      m.variables[v.name] = v;
      return;
    }
    skip();
    std::size_t from = p;
    bool has_value = s[p] == '=';
    if (has_value) {
      while (s[p] != ';') {
        if (s[p] == '"')
          for (++p; s[p] != '"'; ++p)
            if (s[p] == '\\') ++p;
        ++p;
      }
    }
    if (has_value && v.size == 0) {  // [] = {...}
      std::size_t n = 1;
      for (std::size_t k = from; k < p; ++k) n += s[k] == ',';
      v.size = n * d.element;
    }
    std::size_t need = v.size == 0 ? 1 : v.size;
    std::size_t align = std::max<std::size_t>(v.align, 16);
    v.at = static_cast<char*>(std::aligned_alloc(align, (need + align - 1) / align * align));
    std::memset(v.at, 0, need);
    allocated(v.at, need);
    written(v.at, need);
    if (has_value) values.push_back({v.name, from + 1, p, d.element, d.is_float});
    m.variables[v.name] = v;
    if (p < s.size() && s[p] == ';') ++p;
  }

  struct value {
    std::string name;
    std::size_t from, to, element;
    bool is_float;
  };
  std::vector<value> values;

  void fill(value const& what) {
    variable& v = m.variables[what.name];
    std::size_t at = 0;
    std::size_t q = what.from;
    auto put = [&](std::uint64_t x, std::size_t bytes) {
      if (at + bytes <= v.size) std::memcpy(v.at + at, &x, bytes);
      at += bytes;
    };
    while (q < what.to) {
      char c = s[q];
      if (std::isspace(static_cast<unsigned char>(c)) || c == ',' || c == '{' || c == '}') {
        ++q;
        continue;
      }
      // mask(symbol) selects a byte
      std::size_t e = q;
      int depth = 0;
      while (e < what.to && (depth > 0 || (s[e] != ',' && s[e] != '}' &&
                                           !std::isspace(static_cast<unsigned char>(s[e]))))) {
        depth += s[e] == '(';
        depth -= s[e] == ')';
        ++e;
      }
      std::string token(s.substr(q, e - q));
      q = e;
      if (std::isdigit(static_cast<unsigned char>(token[0])) || token[0] == '-') {
        std::size_t open = token.find('(');
        if (open != token.npos) {
          std::uint64_t mask = std::strtoull(token.c_str(), nullptr, 0);
          std::uint64_t full = symbol(token.substr(open + 1, token.size() - open - 2));
          put((full & mask) >> __builtin_ctzll(mask), 1);
        } else {
          literal l = read_literal(token);
          if (what.is_float && what.element == 4 && l.is_float && l.is_f64) {
            float f = static_cast<float>(l.number);
            std::uint32_t b;
            std::memcpy(&b, &f, 4);
            put(b, 4);
          } else {
            put(l.bits, what.element);
          }
        }
      } else {
        put(symbol(token), what.element);
      }
    }
  }
  std::uint64_t symbol(std::string t) {
    if (t.rfind("generic(", 0) == 0) {
      std::size_t close = t.find(')');
      t = t.substr(8, close - 8) + t.substr(close + 1);
    }
    std::int64_t add = 0;
    std::size_t plus = t.find('+');
    if (plus != t.npos) add = std::strtoll(t.c_str() + plus + 1, nullptr, 0), t.resize(plus);
    auto v = m.variables.find(t);
    if (v != m.variables.end() && v->second.at != nullptr)
      return reinterpret_cast<std::uint64_t>(v->second.at) + add;
    return 0;
  }

  void all() {
    bool is_extern = false;
    while (true) {
      skip();
      if (p >= s.size()) break;
      if (s[p] == ';') {
        ++p;
        continue;
      }
      std::size_t k = p;
      while (k < s.size() && (is_name(s[k]) || s[k] == '.')) ++k;
      std::string_view w = s.substr(p, k - p);
      if (w == ".version" || w == ".target" || w == ".address_size" || w == ".file") {
        p = s.find('\n', p);
        if (p == s.npos) p = s.size();
      } else if (w == ".visible" || w == ".weak" || w == ".common" || w == ".alias") {
        if (w == ".alias")
          p = s.find(';', p);
        else
          p = k;
      } else if (w == ".extern") {
        is_extern = true;
        p = k;
      } else if (w == ".entry" || w == ".func") {
        read_function();
        is_extern = false;
      } else if (w == ".global" || w == ".const" || w == ".shared") {
        p = k;
        read_variable(w == ".shared"  ? space::shared
                      : w == ".const" ? space::constant
                                      : space::global,
                      is_extern);
        is_extern = false;
      } else if (w == ".pragma") {
        p = s.find(';', p) + 1;
      } else if (w == ".section") {
        std::size_t open = s.find('{', p);
        p = closing(open) + 1;
      } else {
        error("not known at this place: " + std::string(s.substr(p, 40)));
      }
    }
    for (value const& v : values) fill(v);
  }
};

}  // namespace

std::shared_ptr<module> load_module(std::string ptx) {
  auto m = std::make_shared<module>();
  std::size_t zero = ptx.find('\0');
  if (zero != ptx.npos) ptx.resize(zero);
  m->text = std::move(ptx);
  outer o{*m, m->text, 0, {}};
  o.all();
  return m;
}

kernel* find_kernel(module& m, std::string const& name) {
  auto k = m.kernels.find(name);
  return k == m.kernels.end() ? nullptr : k->second.get();
}

kernel_facts const& facts_of(kernel const& k) {
  static std::mutex one_at_a_time;
  std::lock_guard<std::mutex> lock(one_at_a_time);
  auto& mine = const_cast<kernel&>(k);
  read_kernel(mine);
  return mine.facts;
}

void* address_of_global(module& m, std::string const& name, std::size_t* size) {
  auto v = m.variables.find(name);
  if (v == m.variables.end() || v->second.at == nullptr) return nullptr;
  if (size != nullptr) *size = v->second.size;
  return v->second.at;
}

}  // namespace emulator
