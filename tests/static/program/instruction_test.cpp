// SPDX-License-Identifier: Apache-2.0
// The facts of an instruction survive being packed into one number.
#include "tenon/program/instruction.hpp"

namespace tenon::test {
namespace {

constexpr bool survives(meta m) {
  meta back = meta::unpack(m.packed());
  return back.type == m.type && back.where == m.where && back.phase == m.phase &&
         back.varies_over_rows == m.varies_over_rows;
}
constexpr bool all_survive() {
  for (int type = 0; type < dtype_count; ++type)
    for (place where : {place::launch, place::element, place::row, place::total, place::column})
      for (int phase : {0, 1, 2, 255, max_nodes})
        for (bool varies : {false, true})
          if (!survives({static_cast<dtype>(type), where, phase, varies})) return false;
  return true;
}
static_assert(all_survive());
static_assert(meta{dtype::boolean, place::launch, 0, false}.packed() == 0);

}  // namespace
}  // namespace tenon::test
