// SPDX-License-Identifier: Apache-2.0
// Operands of an instruction -> registers, rows of constants, addresses.

#include <algorithm>
#include <cstring>

#include "ptx/decode/decoder.hpp"
#include "ptx/execute/control.hpp"
#include "ptx/memory/registry.hpp"

namespace emulator {

instruction decoder::make(handler h, int writes) {
  instruction i;
  i.fn = h;
  i.writes = static_cast<std::uint8_t>(writes);
  return i;
}
instruction& decoder::emit(instruction const& given) {
  instruction i = given;
  i.text = static_cast<std::uint32_t>(now->text.data() - m.text.data());
  i.text_size = static_cast<std::uint32_t>(now->text.size());
  if (now->pred >= 0 && i.pred == 0) {
    i.pred = vid(now->pred);
    i.pred_not = now->pred_not;
  }
  f.code.push_back(i);
  return f.code.back();
}
bool decoder::emit(handler h, dtype to, std::initializer_list<dtype> from) {
  if (h == nullptr) return false;
  instruction i = make(h);
  i.o[0] = dst(now->ops.at(0), size_of(to));
  std::size_t n = 0;
  for (dtype of : from) ++n, i.o[n] = src(now->ops.at(n), of);
  emit(i);
  return true;
}
std::uint64_t decoder::constant(std::uint64_t bits, unsigned bytes) {
  static std::map<std::pair<unsigned, std::uint64_t>, unsigned char*> rows;
  unsigned char*& r = rows[std::make_pair(bytes, bits)];
  if (r == nullptr) {
    r = high_memory(bytes == 0 ? 4 : bytes * 32);
    if (bytes == 0) {
      std::uint32_t mask = bits != 0 ? ~0u : 0;
      std::memcpy(r, &mask, 4);
    } else {
      for (unsigned l = 0; l < 32; ++l) std::memcpy(r + l * bytes, &bits, std::min(bytes, 8u));
    }
  }
  return reinterpret_cast<std::uint64_t>(r);
}
std::uint64_t decoder::bits_of(literal const& l, dtype t) {
  if (t == dtype::f32) {
    if (l.is_float && l.is_f64) {
      float v = static_cast<float>(l.number);
      std::uint32_t b;
      std::memcpy(&b, &v, 4);
      return b;
    }
    return l.bits;
  }
  if (t == dtype::f64) {
    if (l.is_float && !l.is_f64) {
      std::uint64_t b;
      std::memcpy(&b, &l.number, 8);
      return b;
    }
    return l.bits;
  }
  return l.bits;
}
symbol* decoder::find(std::string const& name) {
  for (std::size_t k2 = scopes.size(); k2-- > 0;) {
    auto s = scopes[k2].find(name);
    if (s != scopes[k2].end()) return &s->second;
  }
  return nullptr;
}
std::uint64_t decoder::symbol_value(std::string const& name, std::int64_t add, unsigned bytes,
                                    bool& frame_relative) {
  frame_relative = false;
  symbol* s = find(name);
  if (s != nullptr) {
    if (s->k == symbol::local) {
      frame_relative = true;
      return constant(static_cast<std::uint64_t>(s->at + add), bytes);
    }
    if (s->k == symbol::shared || s->k == symbol::entry_param)
      return constant(static_cast<std::uint64_t>(s->at + add), bytes);
    error("a register is used as an address in a place where this is not known: " + name);
  }
  auto sv = k.shared_variables.find(name);
  auto v = m.variables.find(name);
  if (v != m.variables.end()) {
    if (v->second.where == space::shared) {
      if (sv == k.shared_variables.end()) {
        variable mine = v->second;
        if (mine.is_dynamic) {
          k.dynamic_align = std::max(k.dynamic_align, mine.align);
        } else {
          k.shared_end = (k.shared_end + mine.align - 1) / mine.align * mine.align;
          mine.offset = k.shared_end;
          k.shared_end += mine.size;
        }
        sv = k.shared_variables.emplace(name, mine).first;
      }
      if (sv->second.is_dynamic) {
        auto* r = reinterpret_cast<kernel::row*>(high_memory(32 * bytes));
        k.dynamic_patches.push_back({r, bytes, add});
        return reinterpret_cast<std::uint64_t>(r);
      }
      return constant(static_cast<std::uint64_t>(sv->second.offset + add), bytes);
    }
    return constant(reinterpret_cast<std::uint64_t>(v->second.at) + static_cast<std::uint64_t>(add),
                    bytes);
  }
  auto fn = m.functions.find(name);
  if (fn != m.functions.end()) {
    function* callee = function_named(name);
    return constant(reinterpret_cast<std::uint64_t>(callee), bytes);
  }
  error("a name that is not known: " + name);
}
std::uint64_t decoder::dst(operand const& o, unsigned bytes) {
  if (o.k == operand::under) return vid(temp(bytes));
  if (o.k != operand::reg) error("a register is expected as destination");
  if (sizes[o.vreg] != bytes)
    error("the destination has " + std::to_string(sizes[o.vreg]) + " bytes, not " +
          std::to_string(bytes));
  return vid(o.vreg);
}
std::uint64_t decoder::src_any(operand const& o, unsigned& bytes) {
  if (o.k == operand::reg) {
    bytes = sizes[o.vreg];
    return vid(o.vreg);
  }
  if (o.k == operand::special) {
    unsigned b = 4;
    int which = special_named(o.name, b);
    if (which < 0) error("a name that is not known: " + o.name);
    int t = temp(b);
    instruction i = make(run_special);
    i.o[0] = vid(t);
    i.imm = which;
    i.k = static_cast<std::uint8_t>(b);
    emit(i);
    bytes = b;
    return vid(t);
  }
  if (o.k == operand::imm) {
    if (bytes == 0) bytes = 8;
    return constant(o.value.bits, bytes);
  }
  error("a register is expected");
}
template <class T> handler narrow_to(unsigned from) {
  switch (from) {
    case 2:
      return run_narrow<std::uint16_t, T>;
    case 4:
      return run_narrow<std::uint32_t, T>;
    case 8:
      return run_narrow<std::uint64_t, T>;
    default:
      return nullptr;
  }
}
std::uint64_t decoder::src(operand const& o, dtype t) {
  unsigned bytes = size_of(t);
  switch (o.k) {
    case operand::imm:
      return constant(bits_of(o.value, t) & (bytes >= 8 ? ~0ull : (1ull << (bytes * 8)) - 1),
                      bytes);
    case operand::sym: {
      bool relative;
      std::uint64_t v = symbol_value(o.name, o.off, bytes, relative);
      if (!relative) return v;
      int r = temp(bytes);
      instruction i = make(run_frame_address);
      i.o[0] = vid(r);
      i.o[1] = v;
      i.k = static_cast<std::uint8_t>(bytes);
      emit(i);
      return vid(r);
    }
    case operand::reg:
    case operand::special: {
      unsigned has = bytes;
      std::uint64_t v = src_any(o, has);
      if (has == bytes) return v;
      if (has < bytes) {
        if (o.k == operand::special && has == 4 && bytes == 8) {  // %clock and the like as 64 bits
          int r = temp(8);
          instruction i = make(run_narrow<std::uint32_t, std::uint64_t>);
          i.o[0] = vid(r);
          i.o[1] = v;
          emit(i);
          return vid(r);
        }
        error("the source has " + std::to_string(has) + " bytes, not " + std::to_string(bytes));
      }
      handler h = bytes == 1   ? narrow_to<std::uint8_t>(has)
                  : bytes == 2 ? narrow_to<std::uint16_t>(has)
                  : bytes == 4 ? narrow_to<std::uint32_t>(has)
                               : nullptr;
      if (h == nullptr) error("a source of an odd size");
      int r = temp(bytes);
      instruction i = make(h);
      i.o[0] = vid(r);
      i.o[1] = v;
      emit(i);
      return vid(r);
    }
    default:
      error("a source of an unknown kind");
  }
}
std::uint64_t decoder::dst_pred(operand const& o) {
  if (o.k == operand::under) return vid(temp(0));
  if (o.k != operand::reg || sizes[o.vreg] != 0) error("a predicate is expected as destination");
  return vid(o.vreg);
}
std::uint64_t decoder::src_pred(operand const& o, bool& neg) {
  neg = o.neg;
  if (o.k == operand::imm) return constant(o.value.bits != 0, 0);
  if (o.k != operand::reg || sizes[o.vreg] != 0) error("a predicate is expected");
  return vid(o.vreg);
}
std::uint64_t* decoder::list(std::size_t n) {
  k.lists.emplace_back(n, 0);
  return k.lists.back().data();
}
void decoder::address(instruction& i, int slot, operand const& o) {
  if (o.k != operand::addr) error("an address is expected");
  if (o.vreg >= 0) {
    unsigned b = sizes[o.vreg];
    if (b != 4 && b != 8) error("an address in a register of " + std::to_string(b) + " bytes");
    i.o[slot] = vid(o.vreg);
    i.imm = o.off;
    i.k2 = static_cast<std::uint8_t>(b);
    return;
  }
  i.k2 = 8;
  if (o.name.empty()) {
    i.o[slot] = constant(static_cast<std::uint64_t>(o.off), 8);
    i.imm = 0;
    return;
  }
  bool relative;
  i.o[slot] = symbol_value(o.name, o.off, 8, relative);
  i.imm = 0;
  if (relative) i.where = space::frame;
}
space decoder::space_of(statement const& st, space other) {
  for (auto x : st.mods) {
    if (x == "global") return space::global;
    if (x == "shared" || x == "shared::cta") return space::shared;
    if (x == "shared::cluster") return space::shared_cluster;
    if (x == "local") return space::local;
    if (x == "const") return space::global;
    if (x == "param" || x == "param::entry" || x == "param::func")
      return f.text->is_entry ? space::entry_param : space::local;
  }
  return other;
}
function* decoder::function_named(std::string const& name) {
  auto t = m.functions.find(name);
  if (t == m.functions.end() || t->second.body.empty()) return nullptr;
  auto& slot = k.functions[name];
  if (!slot) {
    slot = std::make_unique<function>();
    slot->text = &t->second;
  }
  f.callees.push_back(slot.get());
  return slot.get();
}

}  // namespace emulator
