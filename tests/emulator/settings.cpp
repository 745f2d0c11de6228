// SPDX-License-Identifier: Apache-2.0
// Environment -> settings; random numbers of the seed.

#include "settings.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

namespace emulator {

bool checks_accesses = false;

namespace {

std::uint64_t number(char const* name, std::uint64_t otherwise) {
  char const* text = std::getenv(name);
  return text != nullptr && *text != '\0' ? std::strtoull(text, nullptr, 0) : otherwise;
}

settings from_environment() {
  settings result;
  result.multiprocessors = static_cast<unsigned>(
      std::max<std::uint64_t>(1, number("TENON_EMULATOR_MULTIPROCESSORS", result.multiprocessors)));
  result.memory_bytes = number("TENON_EMULATOR_MEMORY_MB", result.memory_bytes >> 20) << 20;
  result.registers_per_thread =
      static_cast<unsigned>(number("TENON_EMULATOR_REGISTERS", result.registers_per_thread));
  result.seed = number("TENON_EMULATOR_SEED", result.seed);
  result.is_sticky = number("TENON_EMULATOR_STICKY", 1) != 0;
  result.instructions_until_deadlock =
      number("TENON_EMULATOR_HANG", result.instructions_until_deadlock);
  result.is_traced = number("TENON_EMULATOR_TRACE", 0) != 0;
  if (char const* text = std::getenv("TENON_EMULATOR_CHECK")) {
    std::string const checks = text;
    auto const has = [&](char const* name) { return checks.find(name) != std::string::npos; };
    result.finds_races = has("race");
    result.finds_unwritten = has("init");
    result.finds_unwritten_shared = has("init-shared");
  }
  return result;
}

}  // namespace

settings const& options() {
  static settings const read = [] {
    settings const result = from_environment();
    checks_accesses = result.finds_races || result.finds_unwritten;
    return result;
  }();
  return read;
}

std::uint64_t random_bits() {
  static std::uint64_t state = options().seed * 0x9e3779b97f4a7c15ull + 0x1234567;
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return state >> 11;
}

}  // namespace emulator
