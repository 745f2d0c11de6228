// SPDX-License-Identifier: Apache-2.0
#pragma once
// Memory, launches and what became of them: the kernels of the tests' modules, by name.

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "emulator.hpp"
#include "settings.hpp"

namespace emulator {

inline std::vector<std::shared_ptr<module>> const& modules() {
  static auto const all = [] {
    std::vector<std::shared_ptr<module>> loaded;
    std::istringstream paths(TENON_EMULATOR_MODULES);
    for (std::string path; std::getline(paths, path, ':');) {
      std::ostringstream text;
      text << std::ifstream(path).rdbuf();
      loaded.push_back(load_module(text.str()));
    }
    return loaded;
  }();
  return all;
}

// Memory of the device, all elements `value`.
template <class T> class memory {
 public:
  explicit memory(std::size_t n, T value = {})
      : elements(static_cast<T*>(std::aligned_alloc(256, (n * sizeof(T) + 255) / 256 * 256))) {
    for (std::size_t k = 0; k < n; ++k) elements.get()[k] = value;
    allocated(elements.get(), n * sizeof(T));
    written(elements.get(), n * sizeof(T));
  }
  ~memory() { freed(elements.get()); }
  T* data() const { return elements.get(); }
  T& operator[](std::size_t k) const { return elements.get()[k]; }

 private:
  struct release {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, release> elements;
};
template <class T> T* argument(memory<T> const& m) { return m.data(); }
template <class T>
requires std::is_arithmetic_v<T> T argument(T value) { return value; }

template <class... Arguments>
launch call(char const* name, unsigned grid, unsigned block, Arguments const&... arguments) {
  launch l;
  for (auto const& m : modules())
    if (kernel* found = find_kernel(*m, name)) l.code = found;
  if (l.code == nullptr) throw std::runtime_error(std::string("no kernel ") + name);
  l.grid[0] = grid, l.block[0] = block;
  kernel_facts const& facts = facts_of(*l.code);
  l.arguments.resize(facts.parameter_bytes);
  std::size_t n = 0;
  auto const put = [&](auto value) {
    std::memcpy(l.arguments.data() + facts.parameters.at(n++).offset, &value, sizeof value);
  };
  (put(argument(arguments)), ...);
  return l;
}

// What went wrong; empty: nothing.
inline std::string result_of(std::vector<launch> queue) { return run(queue); }
inline std::string result_of(launch const& l) { return result_of(std::vector<launch>{l}); }

inline bool says(std::string const& text, char const* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace emulator
