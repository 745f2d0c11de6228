// SPDX-License-Identifier: Apache-2.0
#pragma once
// The host's rounding of f32 and f64, as an instruction wants it while an object of this type is
// there.

#include <xmmintrin.h>

namespace emulator {

class rounding_mode {
 public:
  // 0 nearest even, 1 zero, 2 minus, 3 plus; others leave it nearest even.
  explicit rounding_mode(unsigned rounding) : before(_mm_getcsr()) {
    static constexpr unsigned bits[4] = {0x0000, 0x6000, 0x2000, 0x4000};
    if (rounding != 0 && rounding < 4) _mm_setcsr((before & ~0x6000u) | bits[rounding]);
  }
  ~rounding_mode() { _mm_setcsr(before); }
  rounding_mode(rounding_mode const&) = delete;
  rounding_mode& operator=(rounding_mode const&) = delete;

 private:
  unsigned before;
};

}  // namespace emulator
