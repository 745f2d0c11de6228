// SPDX-License-Identifier: Apache-2.0
// Registers that do not live at once share a row: where each lives, by the flow of control, and
// then its place in the frame.

#include <algorithm>
#include <map>
#include <vector>

#include "ptx/decode/decoder.hpp"
#include "ptx/execute/control.hpp"
#include "ptx/machine.hpp"

namespace emulator {

namespace {

using code_t = std::vector<instruction>;
using bits = std::vector<u64>;

bool is_branch(instruction const& i) { return i.fn == run_branch || i.fn == run_branch_if; }
bool leaves(instruction const& i) {
  return i.fn == run_return || i.fn == run_exit || i.fn == run_end_of_function;
}
// While decoding, targets are the numbers of instructions.
template <class F> void each_target(instruction const& i, F&& f) {
  if (is_branch(i)) f(static_cast<std::size_t>(i.imm));
  if (i.fn == run_branch_table)
    for (auto target : *static_cast<std::vector<instruction const*> const*>(i.data))
      f(reinterpret_cast<std::size_t>(target));
}
// on_use(register) for each that is read, then on_definition(register) for each that is written.
template <class Use, class Definition>
void each_register(instruction const& i, Use&& on_use, Definition&& on_definition) {
  auto const is_register = [](u64 o) { return o != 0 && o < constant_from; };
  if (i.pred != 0) on_use(static_cast<std::size_t>(i.pred - 1));
  for (int k = i.writes; k < 6; ++k)
    if (is_register(i.o[k])) on_use(static_cast<std::size_t>(i.o[k] - 1));
  if (!i.list_written)
    for (int k = 0; k < i.list_size; ++k)
      if (is_register(i.list[k])) on_use(static_cast<std::size_t>(i.list[k] - 1));
  for (int k = 0; k < i.writes; ++k)
    if (is_register(i.o[k])) on_definition(static_cast<std::size_t>(i.o[k] - 1));
  if (i.list_written)
    for (int k = 0; k < i.list_size; ++k)
      if (is_register(i.list[k])) on_definition(static_cast<std::size_t>(i.list[k] - 1));
}

// Instructions that are run one after the other, and where control goes from the last.
struct basic_block {
  std::size_t begin, end;
  std::vector<std::size_t> next;
  bits live_in, live_out, uses, definitions;
};

std::vector<basic_block> blocks_of(code_t const& code, std::size_t registers) {
  std::vector<bool> leads(code.size() + 1, false);
  leads[0] = true;
  for (std::size_t x = 0; x < code.size(); ++x) {
    if (is_branch(code[x]) || code[x].fn == run_branch_table || leaves(code[x]))
      leads[x + 1] = true;
    each_target(code[x], [&](std::size_t target) { leads[target] = true; });
  }
  std::vector<basic_block> blocks;
  std::vector<std::size_t> block_of(code.size());
  bits const none((registers + 63) / 64, 0);
  for (std::size_t x = 0; x < code.size(); ++x) {
    if (leads[x]) blocks.push_back({x, x, {}, none, none, none, none});
    blocks.back().end = x + 1;
    block_of[x] = blocks.size() - 1;
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    instruction const& last = code[blocks[b].end - 1];
    each_target(last, [&](std::size_t target) { blocks[b].next.push_back(block_of[target]); });
    bool const always_goes =
        last.pred == 0 && (last.fn == run_branch || last.fn == run_branch_table || leaves(last));
    if (!always_goes && b + 1 < blocks.size()) blocks[b].next.push_back(b + 1);
  }
  return blocks;
}

// What a block reads before it writes it; a write under a predicate keeps what was there.
void find_uses(code_t const& code, basic_block& block) {
  auto const has = [](bits const& set, std::size_t r) { return set[r / 64] >> (r % 64) & 1; };
  auto const add = [](bits& set, std::size_t r) { set[r / 64] |= 1ull << (r % 64); };
  auto const use = [&](std::size_t r) {
    if (!has(block.definitions, r)) add(block.uses, r);
  };
  for (std::size_t x = block.begin; x < block.end; ++x)
    each_register(code[x], use, [&](std::size_t r) {
      if (code[x].pred == 0)
        add(block.definitions, r);
      else
        use(r);
    });
}

void find_what_lives(std::vector<basic_block>& blocks) {
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (std::size_t b = blocks.size(); b-- > 0;) {
      basic_block& block = blocks[b];
      for (std::size_t w = 0; w < block.live_in.size(); ++w) {
        for (std::size_t next : block.next) block.live_out[w] |= blocks[next].live_in[w];
        u64 const now = block.uses[w] | (block.live_out[w] & ~block.definitions[w]);
        has_changed |= now != block.live_in[w];
        block.live_in[w] = now;
      }
    }
  }
}

// From the first instruction to the last at which a register lives.
struct span {
  std::uint32_t first = ~0u, last = 0;
  void touch(std::size_t x) {
    first = std::min(first, static_cast<std::uint32_t>(x));
    last = std::max(last, static_cast<std::uint32_t>(x));
  }
  bool is_empty() const { return first == ~0u; }
};

std::vector<span> spans_of(code_t const& code, std::size_t registers) {
  std::vector<basic_block> blocks = blocks_of(code, registers);
  for (basic_block& block : blocks) find_uses(code, block);
  find_what_lives(blocks);
  std::vector<span> spans(registers);
  auto const touch_all = [&](bits const& set, std::size_t x) {
    for (std::size_t w = 0; w < set.size(); ++w)
      for (u64 left = set[w]; left != 0; left &= left - 1)
        spans[w * 64 + __builtin_ctzll(left)].touch(x);
  };
  for (basic_block const& block : blocks) {
    touch_all(block.live_in, block.begin);
    touch_all(block.live_out, block.end - 1);
    for (std::size_t x = block.begin; x < block.end; ++x) {
      auto const touch = [&](std::size_t r) { spans[r].touch(x); };
      each_register(code[x], touch, touch);
    }
  }
  return spans;
}

constexpr std::uint32_t row_alignment = 64;
std::uint32_t aligned(std::uint32_t at) {
  return (at + row_alignment - 1) / row_alignment * row_alignment;
}

}  // namespace

// A row is given on to registers of the same width alone: lanes of other widths lie elsewhere in
// it, and threads may be apart.
void decoder::allocate_rows() {
  std::size_t const registers = sizes.size();
  std::vector<span> const spans = spans_of(f.code, registers);
  std::vector<std::uint32_t> at(registers, 0), order;
  std::uint32_t end = 0;
  for (std::size_t r = 0; r < registers; ++r) {
    if (spans[r].is_empty()) continue;
    if (sizes[r] == 0)  // predicates have no row to share
      at[r] = end, end += 4;
    else
      order.push_back(static_cast<std::uint32_t>(r));
  }
  end = aligned(end);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return spans[a].first < spans[b].first;
  });
  std::multimap<std::uint32_t, std::uint32_t> active;        // by the last instruction
  std::map<unsigned, std::vector<std::uint32_t>> free_rows;  // by the width
  for (std::uint32_t r : order) {
    while (!active.empty() && active.begin()->first < spans[r].first) {
      std::uint32_t const done = active.begin()->second;
      free_rows[sizes[done]].push_back(at[done]);
      active.erase(active.begin());
    }
    auto& rows = free_rows[sizes[r]];
    if (!rows.empty())
      at[r] = rows.back(), rows.pop_back();
    else
      at[r] = end, end += std::max(row_alignment, sizes[r] * 32u);
    active.emplace(spans[r].last, r);
  }
  f.frame_bytes = aligned(end);
  auto const place = [&](u64& o) {
    if (o != 0 && o < constant_from) o = at[o - 1];
  };
  for (instruction& i : f.code) {
    for (u64& o : i.o) place(o);
    for (int k = 0; k < i.list_size; ++k) place(i.list[k]);
    // 0 would say that there is none: the upper half only says that there is one.
    if (i.pred != 0) i.pred = at[i.pred - 1] | (1ull << 40);
  }
}

}  // namespace emulator
