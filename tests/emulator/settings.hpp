// SPDX-License-Identifier: Apache-2.0
#pragma once
// What a user of the emulator can choose, read once from the environment.

#include <cstddef>
#include <cstdint>

namespace emulator {

struct settings {
  // TENON_EMULATOR_MULTIPROCESSORS: of the device; they decide how many blocks are resident.
  unsigned multiprocessors = 132;
  // TENON_EMULATOR_MEMORY_MB: of the device.
  std::size_t memory_bytes = std::size_t{6144} << 20;
  // TENON_EMULATOR_REGISTERS: of a kernel that does not ask for resident blocks (they, too, decide
  // how many are resident).
  unsigned registers_per_thread = 32;
  // TENON_EMULATOR_SEED: 0 takes blocks and warps in turn, another one in pseudorandom slices; an
  // odd one runs streams in the other order.
  std::uint64_t seed = 0;
  // TENON_EMULATOR_CHECK: a list of race: shared memory accessed by two threads without a barrier
  // between, one of them writing; init: reads of device memory that nothing has written;
  // init-shared: of shared memory, too.
  bool finds_races = false, finds_unwritten = false, finds_unwritten_shared = false;
  // TENON_EMULATOR_STICKY: 1: after a kernel has gone wrong every call fails, as on a device; 0: it
  // is told once.
  bool is_sticky = true;
  // TENON_EMULATOR_HANG: instructions of warps without a change of memory, after which a run is
  // called a deadlock.
  std::uint64_t instructions_until_deadlock = 400'000'000;
  // TENON_EMULATOR_TRACE: 1 prints every launch.
  bool is_traced = false;
};

settings const& options();

extern bool checks_accesses;  // finds_races or finds_unwritten: every access is looked at

// Of the seed; the same in every run.
std::uint64_t random_bits();

}  // namespace emulator
