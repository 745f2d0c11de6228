// SPDX-License-Identifier: Apache-2.0
// Places as text.

#include <algorithm>
#include <cstdio>

#include "ptx/checks/faults.hpp"

namespace emulator {

std::string instruction_text(warp const& w, instruction const& i) {
  std::string const& t = w.of->run->code->of->text;
  std::string s = t.substr(i.text, std::min<std::uint32_t>(i.text_size, 300));
  std::string r;
  for (char c : s) {
    if (c == '\n' || c == '\t') c = ' ';
    if (c == ' ' && !r.empty() && r.back() == ' ') continue;
    r += c;
  }
  std::size_t line = 1;
  for (std::size_t k = 0; k < i.text; ++k) line += t[k] == '\n';
  return "PTX line " + std::to_string(line) + ": " + r;
}
std::string where_of(warp const& w, int lane) {
  block const& b = *w.of;
  char text[160];
  if (lane >= 0)
    std::snprintf(text, sizeof text, "block (%u, %u, %u) thread (%u, %u, %u)", b.index[0],
                  b.index[1], b.index[2], w.tid[0][lane], w.tid[1][lane], w.tid[2][lane]);
  else
    std::snprintf(text, sizeof text, "block (%u, %u, %u) warp %u", b.index[0], b.index[1],
                  b.index[2], w.index);
  return text;
}
void fail(warp& w, int lane, std::string const& what) {
  std::string r = what + "\n  kernel " + w.of->run->code->facts.name + "\n  " + where_of(w, lane);
  if (w.pc != nullptr) r += "\n  " + instruction_text(w, w.pc[-1]);
  if (lane >= 0) {
    auto& c = w.lanes[lane].calls;
    for (std::size_t k = c.size(); k-- > 0;)
      r += "\n  called from " + instruction_text(w, c[k].pc[-1]);
  }
  throw fault(r);
}

}  // namespace emulator
