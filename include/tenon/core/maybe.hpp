// SPDX-License-Identifier: Apache-2.0
#pragma once
// A plain value or none.
//
// Not std::optional: its header and its two uses cost every translation unit 0.05 s under nvcc 13.0.

namespace tenon {

struct no_value_t {};
inline constexpr no_value_t no_value{};

// @pre T is default-constructible and compares
template <class T> class maybe {
 public:
  constexpr maybe(no_value_t) {}
  constexpr maybe(T const& value) : value_(value), is_known_(true) {}

  [[gnu::always_inline]] constexpr explicit operator bool() const { return is_known_; }
  // @pre there is a value
  [[gnu::always_inline]] constexpr T const& operator*() const { return value_; }
  [[gnu::always_inline]] constexpr T const* operator->() const { return &value_; }

  constexpr bool operator==(no_value_t) const { return !is_known_; }
  constexpr bool operator==(T const& value) const { return is_known_ && value_ == value; }

 private:
  T value_ = {};
  bool is_known_ = false;
};

}  // namespace tenon
