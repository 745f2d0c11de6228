// SPDX-License-Identifier: Apache-2.0
#pragma once
// Addresses of lanes -> memory of the host, checked.

#include <cstdint>
#include <utility>

#include "ptx/machine.hpp"
#include "ptx/memory/registry.hpp"
#include "settings.hpp"

namespace emulator {

char* resolve_checked(warp& w, unsigned lane, std::uint64_t address, unsigned bytes, space where,
                      bool writes, bool atomic);

inline char* resolve(warp& w, unsigned l, std::uint64_t a, unsigned bytes, space where, bool writes,
                     bool atomic = false) {
  if (!checks_accesses) {
    switch (where) {
      case space::global:
      case space::generic:
        if (a >= hit_from[0] && a + bytes <= hit_to[0] && (a & (bytes - 1)) == 0)
          return reinterpret_cast<char*>(a);
        if (a >= hit_from[1] && a + bytes <= hit_to[1] && (a & (bytes - 1)) == 0) {
          std::swap(hit_from[0], hit_from[1]);
          std::swap(hit_to[0], hit_to[1]);
          return reinterpret_cast<char*>(a);
        }
        break;
      case space::shared:
        if (a >= shared_base && a + bytes <= w.of->shared_bytes && (a & (bytes - 1)) == 0)
          return w.of->shared + a;
        break;
      case space::local:
        if (a + bytes <= w.local_stride && (a & (bytes - 1)) == 0) return local_of(w, l) + a;
        break;
      case space::frame:
        return local_of(w, l) + w.frame + a;
      default:
        break;
    }
  }
  return resolve_checked(w, l, a, bytes, where, writes, atomic);
}
// the address of a lane: o[slot] + imm
struct addresses {
  std::uint64_t const* wide = nullptr;
  std::uint32_t const* narrow = nullptr;
  std::int64_t add;
  addresses(warp& w, instruction const& i, int slot) : add(i.imm) {
    if (i.k2 == 4)
      narrow = row<std::uint32_t>(w, i.o[slot]);
    else
      wide = row<std::uint64_t>(w, i.o[slot]);
  }
  std::uint64_t operator[](unsigned l) const {
    return narrow != nullptr
               ? static_cast<std::uint32_t>(narrow[l] + static_cast<std::uint32_t>(add))
               : wide[l] + static_cast<std::uint64_t>(add);
  }
};

}  // namespace emulator
