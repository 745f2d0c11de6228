// SPDX-License-Identifier: Apache-2.0
#pragma once
// One axis length in a type: build-time (512), run-time (dyn) or named ("B"); and how two of them broadcast.

#include <cstddef>

namespace tenon {

// Structural, so that `tensor<float, "B", 512>` works. It must never reach a kernel's template arguments: a class-type
// argument with an array member breaks nvcc 13.0's generated stub.
struct extent {
  long long size = -1;  // length when it is a build-time constant, otherwise -1; -2 stands for a negative one
  char name[16] = {};   // empty unless the extent is named

  constexpr extent() = default;  // run-time
  consteval extent(int length) : size(legal(length)) {}
  consteval extent(long length) : size(legal(length)) {}
  consteval extent(long long length) : size(legal(length)) {}
  consteval extent(unsigned length) : size(length) {}
  consteval extent(unsigned long length) : size(static_cast<long long>(length)) {}
  template <std::size_t N>
  consteval extent(const char (&text)[N]) {
    static_assert(N > 1 && N <= sizeof(name),
                  "tenon: extent: a name has 1 to 15 characters; choose a shorter name");
    for (std::size_t i = 0; i < N && i < sizeof(name); ++i) name[i] = text[i];
  }

  // nvcc 13.0 spells an extent in the host code it generates as extent{size, {'B', 0, ...}}.
  constexpr extent(long long length, const char (&characters)[16]) : size(length) {
    for (int i = 0; i < 16; ++i) name[i] = characters[i];
  }

  constexpr bool is_static() const { return size >= 0; }
  constexpr bool is_named() const { return name[0] != 0; }
  constexpr bool is_dynamic() const { return !is_static() && !is_named(); }
  constexpr bool is_one() const { return size == 1; }
  constexpr bool is_legal() const { return size >= -1; }
  constexpr bool operator==(extent const&) const = default;

 private:
  static consteval long long legal(long long length) { return length < 0 ? -2 : length; }
};

// An extent that is known when the program runs.
inline constexpr extent dyn = extent();

// Whether two aligned extents may meet in one operation. A dynamic extent is checked against the other at run time.
constexpr bool are_compatible(extent a, extent b) {
  return a == b || a.is_one() || b.is_one() || a.is_dynamic() || b.is_dynamic();
}

// @pre are_compatible(a, b). The extent of the result: the more specific of the two, where 1 gives way.
constexpr extent broadcast_extent(extent a, extent b) {
  if (a.is_one()) return b;
  if (b.is_one() || b.is_dynamic()) return a;
  return b;
}

}  // namespace tenon
