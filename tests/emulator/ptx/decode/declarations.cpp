// SPDX-License-Identifier: Apache-2.0
// Registers, variables and parameters of a function.

#include <algorithm>
#include <cstdlib>

#include "ptx/decode/decoder.hpp"

namespace emulator {

void decoder::declare_registers() {
  p = skip_blank(s, p);
  std::size_t e = s.find(';', p);
  std::string_view t = s.substr(p, e - p);
  p = e + 1;
  std::size_t q = skip_blank(t, 0);
  std::size_t k2 = q + 1;
  while (k2 < t.size() && is_name(t[k2])) ++k2;
  std::string_view type = t.substr(q, k2 - q);
  unsigned bytes = bytes_of_type(type);
  q = k2;
  while (true) {
    q = skip_blank(t, q);
    if (q >= t.size()) break;
    if (t[q] == ',') {
      ++q;
      continue;
    }
    k2 = q;
    while (k2 < t.size() && is_name(t[k2])) ++k2;
    std::string name(t.substr(q, k2 - q));
    if (k2 == q) error("a declaration of registers that is not understood: " + std::string(t));
    q = skip_blank(t, k2);
    symbol sy{symbol::reg, static_cast<int>(sizes.size()), 0, 0, 0, false};
    std::size_t n = 1;
    if (q < t.size() && t[q] == '<') {
      n = std::strtoull(std::string(t.substr(q + 1, 12)).c_str(), nullptr, 10);
      sy.count = static_cast<int>(n);
      q = t.find('>', q) + 1;
      name += '<';
    }
    sizes.insert(sizes.end(), n, static_cast<std::uint8_t>(bytes));
    scopes.back()[name] = sy;
  }
}

// A place in the frame of local memory.
static std::int64_t place(std::uint32_t& end, declaration const& d) {
  auto const align = static_cast<std::uint32_t>(std::max<std::size_t>(d.align, 8));
  std::uint32_t const at = (end + align - 1) / align * align;
  end = at + static_cast<std::uint32_t>(d.size);
  return at;
}

// .local, .param, .shared from p on.
void decoder::read_declarations(bool are_shared) {
  while (true) {
    declaration const d = read_declaration(s, p);
    symbol named{symbol::local, 0, 0, 0, d.size, false};
    if (are_shared) {
      named.k = symbol::shared;
      std::size_t const at = (k.shared_end + d.align - 1) / d.align * d.align;
      named.at = static_cast<std::int64_t>(at);
      k.shared_end = at + d.size;
    } else {
      named.at = place(local_end, d);
    }
    scopes.back()[d.name] = named;
    p = skip_blank(s, p);
    if (p >= s.size() || s[p] != ',') break;
    ++p;
  }
  if (p < s.size() && s[p] == ';') ++p;
}

// Those between the brackets that begin at `open`.
void decoder::read_parameters(std::string_view head, std::size_t open, bool are_results) {
  std::size_t const close = head.find(')', open);
  std::size_t offset = 0;
  for (std::size_t q = skip_blank(head, open + 1); q < close; q = skip_blank(head, q)) {
    if (head[q] == ',') {
      ++q;
      continue;
    }
    if (head.compare(q, 6, ".param") != 0) error("a list of parameters that is not understood");
    q += 6;
    declaration const d = read_declaration(head, q);
    symbol named{symbol::local, 0, 0, 0, d.size, false};
    if (f.text->is_entry) {
      named.k = symbol::entry_param;
      offset = (offset + d.align - 1) / d.align * d.align;
      named.at = static_cast<std::int64_t>(offset);
      offset += d.size;
    } else {
      named.at = place(local_end, d);
      (are_results ? f.results : f.parameters)
          .push_back({static_cast<std::uint32_t>(named.at), static_cast<std::uint32_t>(d.size)});
    }
    scopes.back()[d.name] = named;
  }
}

}  // namespace emulator
