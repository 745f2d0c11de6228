// SPDX-License-Identifier: Apache-2.0
// The head of a kernel, its functions, where its shared memory lies, how deep its calls go.

#include "ptx/decode/kernel.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <map>
#include <utility>

#include "ptx/decode/decoder.hpp"

namespace emulator {

namespace {

// Parameters between the brackets of the head, which is left behind them.
void read_parameters(std::string_view& head, kernel_facts& facts) {
  std::size_t const open = head.find('('), close = head.find(')');
  if (open == head.npos) return;
  for (std::size_t q = skip_blank(head, open + 1); q < close; q = skip_blank(head, q)) {
    if (head[q] == ',') {
      ++q;
      continue;
    }
    q += std::string_view(".param").size();
    declaration const d = read_declaration(head, q);
    facts.parameter_bytes = (facts.parameter_bytes + d.align - 1) / d.align * d.align;
    facts.parameters.push_back({facts.parameter_bytes, d.size});
    facts.parameter_bytes += d.size;
  }
  head.remove_prefix(close + 1);
}

// Up to three numbers after a directive -> how many there are; others stay as they are.
int read_numbers(std::string_view head, char const* directive, unsigned (&to)[3]) {
  std::size_t at = head.find(directive);
  if (at == head.npos) return 0;
  at += std::strlen(directive);
  for (int n = 0; n < 3; ++n) {
    at = skip_blank(head, at);
    if (at >= head.size() || !std::isdigit(static_cast<unsigned char>(head[at]))) return n;
    for (to[n] = 0; at < head.size() && std::isdigit(static_cast<unsigned char>(head[at])); ++at)
      to[n] = to[n] * 10 + static_cast<unsigned>(head[at] - '0');
    at = skip_blank(head, at);
    if (at >= head.size() || head[at] != ',') return n + 1;
    ++at;
  }
  return 3;
}

void decode_functions(kernel& k) {
  auto& slot = k.functions[k.facts.name];
  slot = std::make_unique<function>();
  slot->text = k.text;
  k.entry = slot.get();
  std::vector<function*> left{k.entry};
  while (!left.empty()) {
    function* const f = left.back();
    left.pop_back();
    if (f->decoded) continue;
    f->decoded = true;
    decoder(k, *f).body();
    for (function* callee : f->callees)
      if (!callee->decoded) left.push_back(callee);
  }
}

// Dynamic shared memory lies behind all that is declared, which is known only now.
void place_dynamic_shared_memory(kernel& k) {
  k.facts.static_shared_bytes = k.shared_end - shared_base;
  k.dynamic_start = (k.shared_end + k.dynamic_align - 1) / k.dynamic_align * k.dynamic_align;
  for (auto const& patch : k.dynamic_patches) {
    u64 const at = k.dynamic_start + static_cast<u64>(patch.add);
    for (unsigned l = 0; l < 32; ++l)
      std::memcpy(patch.at->bytes + l * patch.size, &at, patch.size);
  }
}

// Bytes of local memory and of registers that the deepest chain of calls takes; for recursion as
// much as is given to it.
class call_depth {
 public:
  struct bytes {
    std::size_t local, registers;
  };
  bytes of(function* f) {
    if (f->is_walked) return {65536, 1 << 20};
    if (depth > 24) return {16384, 65536};
    if (auto const found = known.find(f); found != known.end()) return found->second;
    f->is_walked = true;
    ++depth;
    bytes deepest{0, 0};
    for (function* callee : f->callees) {
      bytes const b = of(callee);
      deepest = {std::max(deepest.local, b.local), std::max(deepest.registers, b.registers)};
    }
    --depth;
    f->is_walked = false;
    return known[f] = {deepest.local + f->local_bytes, deepest.registers + f->frame_bytes};
  }

 private:
  int depth = 0;
  std::map<function*, bytes> known;
};

}  // namespace

void read_kernel(kernel& k) {
  if (k.is_read) return;
  k.is_read = true;
  k.text = &k.of->functions.at(k.facts.name);
  std::string_view head = k.text->head;
  read_parameters(head, k.facts);
  unsigned threads[3] = {1, 1, 1}, blocks[3] = {0, 0, 0}, cluster[3] = {1, 1, 1};
  if (read_numbers(head, ".maxntid", threads) > 0 || read_numbers(head, ".reqntid", threads) > 0)
    k.facts.max_threads = threads[0] * threads[1] * threads[2];
  if (read_numbers(head, ".minnctapersm", blocks) > 0) k.facts.min_blocks = blocks[0];
  if (read_numbers(head, ".reqnctapercluster", cluster) > 0)
    std::copy(cluster, cluster + 3, k.facts.required_cluster);
  k.shared_end = shared_base;
  decode_functions(k);
  place_dynamic_shared_memory(k);
  call_depth::bytes const need = call_depth().of(k.entry);
  k.local_need = (need.local + 63) / 64 * 64;
  k.frame_need = need.registers;
}

}  // namespace emulator
