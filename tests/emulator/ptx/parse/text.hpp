// SPDX-License-Identifier: Apache-2.0
#pragma once
// Small pieces of reading PTX: names, literals, declarations.

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace emulator {

inline bool is_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' || c == '%';
}

inline std::size_t skip_blank(std::string_view s, std::size_t p) {
  while (p < s.size()) {
    char c = s[p];
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r')
      ++p;
    else if (c == '/' && p + 1 < s.size() && s[p + 1] == '/') {
      while (p < s.size() && s[p] != '\n') ++p;
    } else if (c == '/' && p + 1 < s.size() && s[p + 1] == '*') {
      std::size_t e = s.find("*/", p);
      p = e == s.npos ? s.size() : e + 2;
    } else
      break;
  }
  return p;
}

struct literal {
  std::uint64_t bits = 0;
  bool is_float = false, is_f64 = false;
  double number = 0;
};

inline literal read_literal(std::string_view text) {
  literal l;
  std::string t(text);
  bool minus = false;
  while (!t.empty() && (t[0] == '-' || t[0] == '+')) {
    minus ^= t[0] == '-';
    t.erase(0, 1);
  }
  if (t.size() > 2 && t[0] == '0' && (t[1] == 'f' || t[1] == 'F') && t.size() == 10) {
    std::uint32_t b = static_cast<std::uint32_t>(std::strtoull(t.c_str() + 2, nullptr, 16));
    if (minus) b ^= 0x80000000u;
    float f;
    std::memcpy(&f, &b, 4);
    l.bits = b, l.is_float = true, l.number = f;
    return l;
  }
  if (t.size() > 2 && t[0] == '0' && (t[1] == 'd' || t[1] == 'D') && t.size() == 18) {
    l.bits = std::strtoull(t.c_str() + 2, nullptr, 16);
    if (minus) l.bits ^= 1ull << 63;
    l.is_float = l.is_f64 = true;
    std::memcpy(&l.number, &l.bits, 8);
    return l;
  }
  bool is_hex = t.size() > 1 && t[0] == '0' && (t[1] == 'x' || t[1] == 'X');
  if (!is_hex && t.find_first_of(".eE") != t.npos) {
    l.number = std::strtod(t.c_str(), nullptr);
    if (minus) l.number = -l.number;
    std::memcpy(&l.bits, &l.number, 8);
    l.is_float = l.is_f64 = true;
    return l;
  }
  if (t.size() > 1 && t[0] == '0' && (t[1] == 'b' || t[1] == 'B'))
    l.bits = std::strtoull(t.c_str() + 2, nullptr, 2);
  else
    l.bits = std::strtoull(t.c_str(), nullptr, 0);
  if (minus) l.bits = 0 - l.bits;
  l.number = static_cast<double>(static_cast<std::int64_t>(l.bits));
  return l;
}

inline unsigned bytes_of_type(std::string_view t) {  // of ".b32" or "b32"
  if (!t.empty() && t[0] == '.') t.remove_prefix(1);
  if (t == "pred") return 0;
  if (t == "f16x2" || t == "bf16x2") return 4;
  if (t == "bf16") return 2;
  if (t == "tf32") return 4;
  if (t == "e4m3x2" || t == "e5m2x2") return 2;
  if (t == "b128") return 16;
  std::size_t k = 0;
  while (k < t.size() && !std::isdigit(static_cast<unsigned char>(t[k]))) ++k;
  unsigned n = 0;
  while (k < t.size() && std::isdigit(static_cast<unsigned char>(t[k])))
    n = n * 10 + (t[k++] - '0');
  return n / 8;
}

struct declaration {
  std::string name;
  std::size_t align = 1, size = 0, element = 0;
  bool is_float = false;
};

// `.align 4 .b8 name[16][2]` and the like, from p; p is left behind it
inline declaration read_declaration(std::string_view s, std::size_t& p) {
  declaration d;
  bool has_align = false;
  unsigned vector = 1;
  while (true) {
    p = skip_blank(s, p);
    if (p >= s.size()) throw std::runtime_error("a declaration without an end");
    if (s[p] != '.') break;
    std::size_t k = p + 1;
    while (k < s.size() && is_name(s[k])) ++k;
    std::string_view w = s.substr(p, k - p);
    p = k;
    if (w == ".align") {
      p = skip_blank(s, p);
      d.align = 0;
      while (std::isdigit(static_cast<unsigned char>(s[p])))
        d.align = d.align * 10 + (s[p++] - '0');
      has_align = true;
    } else if (w == ".v2")
      vector = 2;
    else if (w == ".v4")
      vector = 4;
    else if (w == ".ptr" || w == ".global" || w == ".shared" || w == ".local" || w == ".const" ||
             w == ".managed") {
    } else {
      d.element = bytes_of_type(w);
      d.is_float = w[1] == 'f';
    }
  }
  std::size_t k = p;
  while (k < s.size() && is_name(s[k])) ++k;
  d.name = std::string(s.substr(p, k - p));
  p = k;
  d.element *= vector;
  if (!has_align) d.align = d.element == 0 ? 1 : d.element;
  d.size = d.element;
  p = skip_blank(s, p);
  bool is_array = false;
  std::size_t count = 1;
  while (p < s.size() && s[p] == '[') {
    is_array = true;
    std::size_t n = std::strtoull(std::string(s.substr(p + 1, 24)).c_str(), nullptr, 0);
    count *= n;
    while (s[p] != ']') ++p;
    p = skip_blank(s, p + 1);
  }
  if (is_array) d.size = d.element * count;
  return d;
}

}  // namespace emulator
