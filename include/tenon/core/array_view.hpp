// SPDX-License-Identifier: Apache-2.0
#pragma once
// Values that lie one after the other elsewhere, as one argument.
//
// Not std::span: <span> brings the ranges' concepts with it, which cost every translation unit 0.07 s under nvcc 13.0.

#include <cstddef>

namespace tenon {

template <class T> class array_view {
 public:
  constexpr array_view() = default;
  [[gnu::always_inline]] constexpr array_view(T* first, std::size_t count)
      : first_(first), count_(count) {}
  // A std::array, vector or span.
  template <class Array>
  requires requires(Array& array) {
    static_cast<T*>(array.data());
    array.size();
  }
  constexpr array_view(Array& array) : array_view(array.data(), array.size()) {}

  [[gnu::always_inline]] constexpr T* data() const { return first_; }
  [[gnu::always_inline]] constexpr std::size_t size() const { return count_; }
  [[gnu::always_inline]] constexpr T* begin() const { return first_; }
  [[gnu::always_inline]] constexpr T* end() const { return first_ + count_; }
  [[gnu::always_inline]] constexpr T& operator[](std::size_t i) const { return first_[i]; }

 private:
  T* first_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace tenon
