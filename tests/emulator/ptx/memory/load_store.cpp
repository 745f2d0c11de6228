// SPDX-License-Identifier: Apache-2.0
// ld, st.

#include <cstring>

#include "ptx/checks/faults.hpp"
#include "ptx/decode/decoder.hpp"
#include "ptx/decode/instruction_table.hpp"
#include "ptx/execute/elementwise.hpp"
#include "ptx/machine.hpp"
#include "ptx/memory/access.hpp"

namespace emulator {

// Loads that others may wait for cost more of a turn, so that those come to theirs.
constexpr u32 turns_of_a_strong_load = 60;

// all lanes, side by side, in the allocation hit last or in shared memory: where, else null
static inline char* contiguous(warp& w, instruction const& i, addresses const& at, unsigned bytes) {
  if (w.mask != ~0u || checks_accesses) return nullptr;
  u64 first = at[0];
  if (at[31] != first + 31 * bytes || (first & (bytes - 1)) != 0) return nullptr;
  bool same = true;
  if (at.narrow != nullptr)
    for (unsigned l = 0; l < 32; ++l) same &= at.narrow[l] == at.narrow[0] + l * bytes;
  else
    for (unsigned l = 0; l < 32; ++l) same &= at.wide[l] == at.wide[0] + l * bytes;
  if (!same) return nullptr;
  if (i.where == space::global || i.where == space::generic) {
    if (first >= hit_from[0] && first + 32 * bytes <= hit_to[0])
      return reinterpret_cast<char*>(first);
  } else if (i.where == space::shared) {
    if (first >= shared_base && first + 32 * bytes <= w.of->shared_bytes)
      return w.of->shared + first;
  }
  return nullptr;
}

// list: destinations; o[0]: address; flags: what it costs of a turn.
template <class M, class R> static void run_load(warp& w, instruction const& i) {
  addresses at(w, i, 0);
  unsigned n = i.list_size, bytes = n * sizeof(M);
  w.budget -= i.flags;
  if (i.where == space::entry_param) {
    char const* from = reinterpret_cast<char const*>(w.of->run->arguments.data());
    std::size_t most = w.of->run->arguments.size();
    R* d[8];
    for (unsigned k = 0; k < n; ++k) d[k] = row<R>(w, i.list[k]);
    each_lane(w.mask, [&](unsigned l) {
      u64 a = at[l];
      if (a + bytes > most) fail(w, static_cast<int>(l), "an access outside of the parameters");
      for (unsigned k = 0; k < n; ++k) {
        M v;
        std::memcpy(&v, from + a + k * sizeof(M), sizeof(M));
        d[k][l] = static_cast<R>(v);
      }
    });
    return;
  }
  if (n == 1) {
    R* d = row<R>(w, i.list[0]);
    if constexpr (sizeof(M) == sizeof(R)) {
      if (char* p = contiguous(w, i, at, sizeof(M))) {
        std::memcpy(d, p, 32 * sizeof(M));
        return;
      }
    }
    each_lane(w.mask, [&](unsigned l) {
      M v;
      std::memcpy(&v, resolve(w, l, at[l], sizeof(M), i.where, false, i.flags != 0), sizeof(M));
      d[l] = static_cast<R>(v);
    });
    return;
  }
  R* d[8];
  for (unsigned k = 0; k < n; ++k) d[k] = row<R>(w, i.list[k]);
  each_lane(w.mask, [&](unsigned l) {
    const char* p = resolve(w, l, at[l], bytes, i.where, false, i.flags != 0);
    for (unsigned k = 0; k < n; ++k) {
      M v;
      std::memcpy(&v, p + k * sizeof(M), sizeof(M));
      d[k][l] = static_cast<R>(v);
    }
  });
}
template <class M, class R> static void run_store(warp& w, instruction const& i) {
  addresses at(w, i, 0);
  unsigned n = i.list_size, bytes = n * sizeof(M);
  const R* s[8];
  for (unsigned k = 0; k < n; ++k) s[k] = row<R>(w, i.list[k]);
  if constexpr (sizeof(M) == sizeof(R)) {
    if (n == 1)
      if (char* p = contiguous(w, i, at, sizeof(M))) {
        std::memcpy(p, s[0], 32 * sizeof(M));
        changes_made += i.flags;
        return;
      }
  }
  each_lane(w.mask, [&](unsigned l) {
    char* p = resolve(w, l, at[l], bytes, i.where, true, i.k != 0);
    for (unsigned k = 0; k < n; ++k) {
      M v = static_cast<M>(s[k][l]);
      std::memcpy(p + k * sizeof(M), &v, sizeof(M));
    }
  });
  changes_made += i.flags;
}
template <class M> static handler load_to(unsigned bytes) {
  switch (bytes) {
    case 1:
      if constexpr (sizeof(M) <= 1) return run_load<M, u8>;
      break;
    case 2:
      if constexpr (sizeof(M) <= 2) return run_load<M, u16>;
      break;
    case 4:
      if constexpr (sizeof(M) <= 4) return run_load<M, u32>;
      break;
    case 8:
      if constexpr (sizeof(M) <= 8) return run_load<M, u64>;
      break;
    case 16:
      if constexpr (sizeof(M) == 16) return run_load<M, u128>;
      break;
  }
  return nullptr;
}
template <class M> static handler store_from(unsigned bytes) {
  switch (bytes) {
    case 1:
      if constexpr (sizeof(M) <= 1) return run_store<M, u8>;
      break;
    case 2:
      if constexpr (sizeof(M) <= 2) return run_store<M, u16>;
      break;
    case 4:
      if constexpr (sizeof(M) <= 4) return run_store<M, u32>;
      break;
    case 8:
      if constexpr (sizeof(M) <= 8) return run_store<M, u64>;
      break;
    case 16:
      if constexpr (sizeof(M) == 16) return run_store<M, u128>;
      break;
  }
  return nullptr;
}

static handler load_handler(dtype t, unsigned register_bytes) {
  switch (t) {
    case dtype::u8:
    case dtype::b8:
      return load_to<u8>(register_bytes);
    case dtype::s8:
      return load_to<s8>(register_bytes);
    case dtype::s16:
      return load_to<s16>(register_bytes);
    case dtype::s32:
      return load_to<s32>(register_bytes);
    case dtype::s64:
      return load_to<s64>(register_bytes);
    default:
      break;
  }
  switch (size_of(t)) {
    case 2:
      return load_to<u16>(register_bytes);
    case 4:
      return load_to<u32>(register_bytes);
    case 8:
      return load_to<u64>(register_bytes);
    default:
      return load_to<u128>(register_bytes);
  }
}
static handler store_handler(unsigned bytes, unsigned register_bytes) {
  switch (bytes) {
    case 1:
      return store_from<u8>(register_bytes);
    case 2:
      return store_from<u16>(register_bytes);
    case 4:
      return store_from<u32>(register_bytes);
    case 8:
      return store_from<u64>(register_bytes);
    default:
      return store_from<u128>(register_bytes);
  }
}

bool decode_load_store(decoder& d, statement const& s) {
  bool const loads = s.op != "st";
  dtype const t = s.type(-1);
  unsigned const bytes = size_of(t);
  operand const& data = s.ops.at(loads ? 0 : 1);
  instruction i = d.make(nullptr, 0);
  i.where = d.space_of(s, space::generic);
  d.address(i, 0, s.ops.at(loads ? 1 : 0));
  bool const is_vector = data.k == operand::vec;
  unsigned const n = is_vector ? static_cast<unsigned>(data.elems.size()) : 1;
  auto const element = [&](unsigned k) -> operand const& {
    return is_vector ? data.elems[k] : data;
  };
  unsigned register_bytes = bytes;
  for (unsigned k = 0; k < n; ++k)
    if (element(k).k == operand::reg) register_bytes = d.sizes[element(k).vreg];
  if (register_bytes < bytes) d.error("a register smaller than what is loaded or stored");
  i.list = d.list(n);
  i.list_size = static_cast<u8>(n);
  i.list_written = loads;
  for (unsigned k = 0; k < n; ++k)
    i.list[k] =
        loads ? d.dst(element(k), register_bytes) : d.src(element(k), bits_of_size(register_bytes));
  bool const is_strong = s.has("relaxed") || s.has("volatile");
  if (loads) {
    i.fn = load_handler(t, register_bytes);
    if (is_strong || s.has("acquire")) i.flags = turns_of_a_strong_load;
  } else {
    i.fn = store_handler(bytes, register_bytes);
    i.k = is_strong || s.has("release");
    i.flags = i.where == space::frame || i.where == space::local ? 0 : 1;
  }
  if (i.fn == nullptr) d.error("a load or store of a type that is not known");
  d.emit(i);
  return true;
}

}  // namespace emulator
